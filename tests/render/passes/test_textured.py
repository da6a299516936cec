"""Materials on screen, against colors worked out by hand."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, Shape, quad, turn
from tests.render.canvas import BACKGROUND, DARK, PLAIN_LOOK, Canvas, Image, area, drawn, pixel
from tests.render.materials import BLENDED, SKIN, lit, material, picture, picture_of, unlit
from viewer.formats.msh.tables import STREAM18
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import WRITTEN, PixelFormat
from viewer.model.material.materials import AlphaKind, Blend, Material, Materials, MissingResource, Rectangle
from viewer.model.material.phases import state_at
from viewer.render.portions import Frame
from viewer.render.textures.label import SIDE, checks, label
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import ByteOrder, TextureSwitches

WHITE, RED, BLUE = (255, 255, 255, 255), (200, 20, 10, 255), (10, 40, 220, 255)
LOWER, UPPER = (120, 80, 200, 255), (60, 180, 90, 153)
AMBIENT, LAMP = 0.7, 0.9
LAMP_DIRECTION = np.array([-0.35, 0.5, 0.9]) / np.linalg.norm([-0.35, 0.5, 0.9])
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)


def _at(height: float, row: int, size: float = 4.0) -> Node:
    """A quad at a height over the ground in a row of the materials."""
    return Node(shapes={(0, 0): [quad(size, material=row)]}, keys=[Key(position=(0, 0, height))])


def _flipped(row: int = 0) -> Node:
    """A quad that faces down."""
    return Node(shapes={(0, 0): [quad(4, material=row)]}, keys=[Key(quaternion=turn((1, 0, 0), 180))])


def _middle(image: Image) -> list[int]:
    color: list[int] = image[32, 32].tolist()
    return color


def _over(image: Image, color: npt.ArrayLike, x: float = 0.0, y: float = 0.0) -> None:
    """Assert the color of a point, red to blue, 0 to 1."""
    expected = np.clip(np.asarray(color, np.float64), 0, 1) * 255
    assert image[pixel(x, y)][:3].tolist() == pytest.approx(expected[:3].tolist(), abs=1.01)


@pytest.mark.parametrize("opacity", [1.0, 0.5])
@pytest.mark.parametrize("blend", Blend)
@pytest.mark.parametrize("shading", [Shading.TEXTURED, Shading.ALBEDO])
def test_each_blend_mode_mixes_as_its_factors_say(
    canvas: Canvas, blend: Blend, opacity: float, shading: Shading
) -> None:
    """Also without light, where the halo of a lamp would else be a black disc."""
    upper = material(picture(UPPER), unlit(opacity), blend, AlphaKind.TRANSLUCENT)
    canvas.dress([_at(0, 0), _at(1, 1)], material(picture(LOWER)), upper)
    source, under = np.array(UPPER[:3]) / 255, np.array(LOWER[:3]) / 255
    _over(canvas.textured(shading), BLENDED[blend](source, UPPER[3] / 255 * opacity, under))


STORED = {
    PixelFormat.INDEXED: (bytes([30, 20, 10, 0]) + bytes(1020) + b"\0", (10, 20, 30), 255),
    PixelFormat.RGB565: (struct.pack("<H", 0x8410), (132, 130, 132), 255),
    PixelFormat.RGB556: (struct.pack("<H", 16 << 11 | 8 << 6 | 32), (132, 66, 130), 255),
    PixelFormat.ARGB4444: (struct.pack("<H", 0xF12E), (17, 34, 238), 255),
    PixelFormat.LA88: (struct.pack("<H", 0x80C0), (128, 128, 128), 192),
    PixelFormat.RGB888: (bytes([0x33, 0x22, 0x11, 0x40]), (17, 34, 51), 255),
    PixelFormat.ARGB8888: (bytes([0x33, 0x22, 0x11, 0x40]), (17, 34, 51), 64),
}
"""What is stored behind the header of one pixel, and what it is: color and alpha."""


def _stored(pixel_format: PixelFormat) -> bytes:
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 1, 1, 1, 0, 0, 0, int(pixel_format))
    return header.tobytes() + STORED[pixel_format][0]


@pytest.mark.parametrize("pixel_format", WRITTEN)
def test_each_format_shows_its_colors_and_its_alpha(canvas: Canvas, pixel_format: PixelFormat) -> None:
    canvas.dress([_at(0, 0)], material(picture_of(_stored(pixel_format))))
    _, color, alpha = STORED[pixel_format]
    assert _middle(canvas.textured()) == [*color, 255]
    assert _middle(canvas.textured(Shading.ALPHA)) == [alpha, alpha, alpha, 255]


@pytest.mark.parametrize(
    ("pixel_format", "order", "expected"),
    [
        (PixelFormat.INDEXED, ByteOrder.PALETTE_RGB, (30, 20, 10)),
        (PixelFormat.RGB888, ByteOrder.RGB888, (51, 34, 17)),
        (PixelFormat.ARGB8888, ByteOrder.ARGB8888, (34, 17, 64)),
        (PixelFormat.LA88, ByteOrder.LA88, (192, 192, 192)),
    ],
)
def test_disputed_byte_orders_can_be_read_the_other_way(
    canvas: Canvas, pixel_format: PixelFormat, order: ByteOrder, expected: tuple[int, int, int]
) -> None:
    canvas.dress([_at(0, 0)], material(picture_of(_stored(pixel_format))))
    switches = TextureSwitches(byte_orders=frozenset({order}))
    canvas.provide(switches)
    assert _middle(canvas.textured(textures=switches)) == [*expected, 255]


def test_sixteen_bits_round_the_colors(canvas: Canvas) -> None:
    canvas.dress([_at(0, 0)], material(picture((100, 101, 102, 255), PixelFormat.RGB888)))
    switches = TextureSwitches(is_16_bit=True)
    canvas.provide(switches)
    assert _middle(canvas.textured(textures=switches))[:3] == [99, 101, 99]


def test_the_first_row_of_a_texture_is_at_v_zero(canvas: Canvas) -> None:
    canvas.dress([_at(0, 0)], material(picture([[RED, BLUE], [WHITE, LOWER]])))
    image = canvas.textured(textures=NEAREST)
    for color, x, y in ((RED, -1, 1), (BLUE, 1, 1), (WHITE, -1, -1), (LOWER, 1, -1)):
        assert image[pixel(x, y)].tolist() == list(color)


def test_textures_repeat(canvas: Canvas) -> None:
    shape = quad(4)
    builder = ModelBuilder.of([Node(shapes={(0, 0): [replace(shape, uvs=shape.uvs * 2)]})])
    canvas.dress(builder.model(), material(picture([[RED, BLUE]])))
    row = canvas.textured(textures=NEAREST)[pixel(0, 0.3)[0]]
    assert [row[pixel(x, 0)[1]].tolist() for x in (-1.6, -0.6, 0.4, 1.4)] == [
        list(c) for c in (RED, BLUE) * 2
    ]


def test_a_page_is_a_part_of_its_texture(canvas: Canvas) -> None:
    canvas.dress([_at(0, 0)], material(picture([[RED, BLUE], [WHITE, LOWER]], page=Rectangle(1, 0, 1, 1))))
    assert _middle(canvas.textured(textures=NEAREST)) == list(BLUE)


def test_small_things_show_smaller_levels(canvas: Canvas) -> None:
    """A fine pattern far away is its mean color, unless mip maps are off."""
    rows = np.indices((256, 256)).sum(axis=0) % 2
    stripes = np.array([(0, 0, 0, 255), WHITE], np.uint8)[rows]
    canvas.dress([_at(0, 0)], material(picture(stripes)))
    assert _middle(canvas.textured())[0] == pytest.approx(128, abs=2)
    assert set(np.unique(canvas.textured(textures=NEAREST)[area((-1, -1, 1, 1))][:, 0])) <= {0, 255}


def test_light_adds_up_and_is_clamped_before_the_texture(canvas: Canvas) -> None:
    phase = lit(ambient=(0.5, 0.1, 1, 1), diffuse=(0.4, 0.2, 1, 1), emissive=(0.0, 0.3, 0.5, 1))
    canvas.dress([_at(0, 0)], material(picture(LOWER), phase))
    light = AMBIENT * np.array([0.5, 0.1, 1]) + LAMP * LAMP_DIRECTION[2] * np.array([0.4, 0.2, 1])
    color = np.array(LOWER[:3]) / 255 * np.minimum(light + np.array([0, 0.3, 0.5]), 1)
    _over(canvas.textured(lighting=PLAIN_LOOK), color)


def test_unlit_phases_have_full_brightness_whatever_their_angle(canvas: Canvas) -> None:
    tilted = Node(shapes={(0, 0): [quad(4)]}, keys=[Key(quaternion=turn((0, 1, 0), 70))])
    canvas.dress([tilted], material(picture(LOWER)))
    assert _middle(canvas.textured()) == list(LOWER)


def _dome() -> Shape:
    """A quad of eight units whose normals lean outwards."""
    flat = quad(8)
    normals = np.sign(flat.positions) * 0.5 + np.array([0, 0, np.sqrt(0.5)])
    return replace(flat, normals=normals.astype(np.float32))


def _highlight(canvas: Canvas) -> npt.NDArray[np.floating]:
    """Where the brightest pixels of the view are on the ground."""
    red = canvas.textured(lighting=PLAIN_LOOK)[..., 0].astype(int)
    rows, columns = np.nonzero(red >= red.max() - 2)
    return np.array([columns.mean() / 8 - 4, 4 - rows.mean() / 8])


def test_a_highlight_is_half_way_between_lamp_and_eye(canvas: Canvas) -> None:
    phase = lit(specular=(0.8, 0.8, 0.8, 1), power=60)
    canvas.dress([Node(shapes={(0, 0): [_dome()]})], material(picture(WHITE), phase))
    half = LAMP_DIRECTION + np.array([0, 0, 1])
    expected = half[:2] / half[2] * np.sqrt(0.5) / 0.5 * 4
    assert _highlight(canvas) == pytest.approx(expected, abs=0.35)
    assert canvas.textured(lighting=PLAIN_LOOK)[..., 0].max() == pytest.approx(0.8 * 255, abs=2)


def test_gloss_weakens_the_highlight_and_hides_nothing(canvas: Canvas) -> None:
    phase = lit(specular=(0.8, 0.8, 0.8, 1), power=60, emissive=(0.5, 0.5, 0.5, 1))
    shiny = material(picture((255, 255, 255, 51)), phase, alpha=AlphaKind.GLOSS, attr1=SKIN)
    canvas.dress([Node(shapes={(0, 0): [_dome()]})], shiny)
    image = canvas.textured(lighting=PLAIN_LOOK)
    assert image[..., 0].max() == pytest.approx((0.5 + 0.8 * 0.2) * 255, abs=2)
    assert (image[..., 3] == 255).all()
    assert image[..., 0].min() >= 127


def _leaf(**fields: object) -> Material:
    """Clear on the left, opaque on the right."""
    pixels = [[(*RED[:3], 0), RED]]
    return material(picture(pixels), unlit(), Blend.ALPHA, AlphaKind.CUTOUT, **fields)


@pytest.mark.parametrize("rows", [(0, 1), (1, 0)])
def test_a_silhouette_is_cut_out_and_hides_what_is_below(canvas: Canvas, rows: tuple[int, int]) -> None:
    """Whichever is drawn first, so it must write depth where it is, and none where it is not."""
    leaf, ground = _leaf(), material(picture(BLUE))
    materials = (leaf, ground) if rows == (0, 1) else (ground, leaf)
    canvas.dress([_at(1, rows[0]), _at(0, rows[1])], *materials)
    image = canvas.textured(textures=NEAREST)
    assert image[pixel(-1, 0)].tolist() == list(BLUE)
    assert image[pixel(1, 0)].tolist() == list(RED)


def test_alpha_that_means_nothing_can_be_ignored(canvas: Canvas) -> None:
    canvas.dress([_at(0, 0)], _leaf())
    switches = replace(NEAREST, ignores_alpha=True)
    canvas.provide(switches)
    image = canvas.textured(textures=switches)
    assert [image[pixel(x, 0)].tolist() for x in (-1, 1)] == [list(RED)] * 2
    assert _middle(canvas.textured(Shading.ALPHA, textures=switches)) == [255] * 4


def test_what_is_clear_is_not_drawn_however_it_is_blended(canvas: Canvas) -> None:
    """The alpha test lets through what is at least the reference, 1 of 255 in the game."""
    for lighting, below in ((DARK, 0), (PLAIN_LOOK, 12)):
        pixels = [[(0, 0, 0, below), (0, 0, 0, below + 1)]]
        black = material(picture(pixels), unlit(), Blend.MULTIPLY, AlphaKind.TRANSLUCENT)
        canvas.dress([_at(0, 0), _at(1, 1)], material(picture(RED)), black)
        image = canvas.textured(textures=NEAREST, lighting=lighting)
        assert image[pixel(-1, 0)].tolist() == list(RED)
        assert image[pixel(1, 0)].tolist() == [0, 0, 0, 255]


def _veil(color: tuple[int, int, int, int], opacity: float = 0.5) -> Material:
    return material(picture(color), unlit(opacity), Blend.ALPHA, AlphaKind.TRANSLUCENT)


@pytest.mark.parametrize("heights", [(1, 2), (2, 1)])
def test_veils_are_drawn_from_back_to_front(canvas: Canvas, heights: tuple[float, float]) -> None:
    canvas.dress([_at(heights[0], 0), _at(heights[1], 1), _at(0, 2)], _veil(RED), _veil(BLUE), _opaque(WHITE))
    colors = [np.array(RED[:3]) / 255, np.array(BLUE[:3]) / 255]
    lower, upper = colors if heights == (1, 2) else colors[::-1]
    _over(canvas.textured(), 0.5 * upper + 0.25 * lower + 0.25)


def _opaque(color: tuple[int, int, int, int]) -> Material:
    return material(picture(color))


def test_the_order_follows_the_nodes(canvas: Canvas) -> None:
    canvas.dress([_at(1, 0), _at(2, 1), _at(0, 2)], _veil(RED), _veil(BLUE), _opaque(WHITE))
    before = _middle(canvas.textured())
    world = canvas.pose.world.copy()
    world[0, 2, 3] = 3
    canvas.pose = replace(canvas.pose, world=world)
    assert _middle(canvas.textured()) != before
    _over(canvas.textured(), (0.5 * np.array(RED[:3]) + 0.25 * np.array(BLUE[:3])) / 255 + 0.25)


def test_a_veil_behind_something_solid_is_hidden(canvas: Canvas) -> None:
    canvas.dress([_at(1, 1), _at(0, 0)], _veil(RED), _opaque(BLUE))
    assert _middle(canvas.textured()) == list(BLUE)


@pytest.mark.parametrize("blend", [Blend.OPAQUE, Blend.ALPHA])
def test_both_sides_are_drawn_unless_back_faces_are_hidden(canvas: Canvas, blend: Blend) -> None:
    """Culling hides up to 7 % of a model of the game (field-notes.md 2)."""
    canvas.dress([_flipped()], material(picture(RED), unlit(), blend))
    assert drawn(canvas.textured()).any()
    assert not drawn(canvas.textured(textures=TextureSwitches(hides_back_faces=True))).any()


def test_both_sides_are_lit_alike_in_the_plain_look(canvas: Canvas) -> None:
    shown = material(picture(WHITE), lit(diffuse=(0.8, 0.8, 0.8, 1)))
    canvas.dress([_at(0, 0)], shown)
    above = _middle(canvas.textured(lighting=PLAIN_LOOK))
    canvas.dress([_flipped()], shown)
    assert _middle(canvas.textured(lighting=PLAIN_LOOK)) == pytest.approx(above, abs=1)


def _with_lightmap(canvas: Canvas) -> None:
    """Two quads, the left one dark and the right one bright in one lightmap; a third takes none."""
    left, right = _at(0, 0, 2), _at(0, 0, 2)
    scene = [
        replace(left, keys=[Key(position=(-2, 0, 0))]),
        replace(right, keys=[Key(position=(2, 0, 0))]),
        replace(_at(0, 1, 1), keys=[Key(position=(0, 0, 0))]),
    ]
    builder = ModelBuilder.of(scene)
    uvs = np.repeat(np.array([(256, 512), (768, 512), (256, 512)], "<u2"), 4, axis=0)
    builder.tables[STREAM18] = uvs.tobytes()
    light = picture([[(64, 128, 192, 255), (255, 204, 102, 255)]], PixelFormat.RGB888)
    canvas.dress(builder.model(), material(picture(LOWER), lightmap=light), material(picture(LOWER)))


def test_a_lightmap_multiplies_what_takes_it(canvas: Canvas) -> None:
    _with_lightmap(canvas)
    image = canvas.textured(textures=NEAREST, lighting=PLAIN_LOOK)
    base = np.array(LOWER[:3]) / 255
    _over(image, base * np.array([64, 128, 192]) / 255, -2)
    _over(image, base * np.array([255, 204, 102]) / 255, 2)
    _over(image, base)


def test_lightmaps_can_be_switched_off_and_shown_alone(canvas: Canvas) -> None:
    _with_lightmap(canvas)
    off = TextureSwitches(has_lightmaps=False)
    _over(canvas.textured(textures=off, lighting=PLAIN_LOOK), np.array(LOWER[:3]) / 255, -2)
    alone = canvas.textured(Shading.LIGHTMAP, textures=NEAREST)
    assert alone[pixel(-2, 0)].tolist() == [64, 128, 192, 255]
    assert alone[pixel(0, 0)].tolist() == pytest.approx([61, 61, 69, 255], abs=1)


def test_the_stream_as_a_color_has_its_bytes_as_blue_green_and_red(canvas: Canvas) -> None:
    builder = ModelBuilder.of([_at(0, 0)])
    builder.tables[STREAM18] = bytes([30, 20, 10, 99]) * 4
    canvas.dress(builder.model(), _opaque(WHITE))
    assert _middle(canvas.textured(Shading.STREAM18)) == [10, 20, 30, 255]


LACK = MissingResource("no texture", "GONE.0")
LACKING = material(None, missing=(LACK,))


def _large(canvas: Canvas) -> Image:
    """A picture in which a quad of eight units has a pixel to each texel of a label."""
    view = replace(canvas.view, shading=Shading.ALBEDO, textures=NEAREST)
    return canvas.renderer.image(Frame(view, canvas.pose, (SIDE, SIDE)))


def test_a_missing_link_shows_checks_that_name_it(canvas: Canvas) -> None:
    canvas.dress([_at(0, 0, 8)], LACKING)
    assert (_large(canvas) == label(LACK)).all()


def test_a_missing_link_is_checked_until_its_label_is_there(canvas: Canvas) -> None:
    """And not white for a moment, as what is still being read is."""
    model, row = ModelBuilder.of([_at(0, 0, 8)]).model(), np.zeros(1, np.int64)
    canvas.load_model(model)
    canvas.renderer.load(model, canvas.draws, row, Materials((LACKING,), row, row))
    assert (_large(canvas) == checks()).all()


def test_a_missing_link_is_lit_so_that_its_shape_can_be_seen(canvas: Canvas) -> None:
    tilted = Node(shapes={(0, 0): [quad(4)]}, keys=[Key(quaternion=turn((0, 1, 0), -50))])
    canvas.dress([tilted], Material(row=0, missing=(LACK,)))
    away = _middle(canvas.textured())
    canvas.dress([_at(0, 0)], Material(row=0, missing=(LACK,)))
    assert sum(_middle(canvas.textured())[:3]) > 1.1 * sum(away[:3])


def test_a_phase_without_texture_is_its_colors(canvas: Canvas) -> None:
    canvas.dress([_at(0, 0)], material(None, lit(ambient=(0.2, 0.4, 0.6, 1))))
    _over(canvas.textured(lighting=DARK), (0.2, 0.4, 0.6))


def test_a_model_without_materials_is_lit(canvas: Canvas) -> None:
    canvas.load([_at(0, 0)])
    assert (canvas.textured() == canvas.image()).all()
    assert drawn(canvas.textured(Shading.UV_CHECKER)).any()


def test_phases_change_textures_and_colors(canvas: Canvas) -> None:
    first, second = picture(RED), picture(BLUE)
    phases = tuple(replace(unlit(), texture="memory") for _ in range(2))
    changing = material(first, phases=phases, textures=(first, second), alphas=(AlphaKind.NONE,) * 2)
    canvas.dress([_at(0, 0)], changing)
    assert _middle(canvas.textured()) == list(RED)
    canvas.renderer.take_phases([replace(state_at(changing, 0), phase=1)])
    assert _middle(canvas.textured()) == list(BLUE)
    canvas.renderer.take_phases([replace(state_at(changing, 0), phase=1, ambient=(0, 0, 0, 1))])
    assert _middle(canvas.textured(lighting=DARK)) == [0, 0, 0, 255]


def test_states_of_another_model_are_ignored(canvas: Canvas) -> None:
    canvas.dress([_at(0, 0)], _opaque(RED))
    canvas.renderer.take_phases([])
    assert _middle(canvas.textured()) == list(RED)


@pytest.mark.parametrize("count", [1, 65, 300])
def test_there_may_be_many_materials(canvas: Canvas, count: int) -> None:
    """Each in its own color, of which the last shows."""
    rows = [material(None, lit()) for _ in range(count - 1)]
    canvas.dress([_at(0, count - 1)], *rows, material(None, lit(ambient=(1, 0.2, 0, 1))))
    _over(canvas.textured(lighting=DARK), (1, 0.2, 0))


def test_other_layers_are_not_disturbed(canvas: Canvas) -> None:
    """Neither culling nor blending nor a sampler leaks into the passes that follow."""
    canvas.dress([_flipped(), _at(1, 1)], material(picture(RED)), _veil(BLUE))
    canvas.textured(overlays=frozenset(Overlay))
    lit_alone = canvas.image(shading=Shading.LIT)
    assert (lit_alone[area((-2, -2, 2, 2))] != BACKGROUND).any(axis=1).all()
