"""Light, layers and depth of the game's look, against colors worked out by hand (field-notes 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, quad, turn
from tests.model.material.test_light import GOLDEN
from tests.render.canvas import DARK, PLAIN_LOOK, Canvas, pixel
from tests.render.materials import BLENDED, SKIN, lit, material, picture, unlit
from viewer.formats.msh.tables import NORMALS, STREAM18
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import AlphaKind, Blend, Color, Material, Rectangle
from viewer.session.view.camera import Camera
from viewer.session.view.options.lighting import Lighting, LightKind
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import TextureSwitches

WHITE, GREY, RED, BLUE = (255, 255, 255, 255), (100, 150, 200, 255), (200, 20, 10, 255), (10, 40, 220, 255)
Vector = npt.NDArray[np.float64]
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)
BLACK: Color = (0.0, 0.0, 0.0, 1.0)


def plate(height: float, row: int, *, size: float = 4.0, tilt: float = 0.0, side: float = 0.0) -> Node:
    """A square over the ground that faces up, tilted about the y axis by some degrees."""
    key = Key(position=(side, 0, height), quaternion=turn((0, 1, 0), tilt))
    return Node(shapes={(0, 0): [quad(size, material=row)]}, keys=[key])


def color(canvas: Canvas, lighting: Lighting, x: float = 0.0, y: float = 0.0, **changes: Any) -> list[int]:
    """Red, green and blue of a point of the ground."""
    shown: list[int] = canvas.textured(lighting=lighting, **changes)[pixel(x, y)].tolist()
    return shown[:3]


def rounded(light: npt.ArrayLike, texel: tuple[int, ...] = GREY, *, second: npt.ArrayLike = 0.0) -> list[int]:
    """A texel in a light, 0 to 1, and with what is added to it, rounded to 8 bits."""
    shown = np.array(texel[:3]) * np.asarray(light) + 255 * np.asarray(second)
    return np.rint(shown.clip(0, 255)).astype(int).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("samples", [1, 4])
def test_without_light_a_pixel_is_exactly_texture_times_ambient(canvas: Canvas, samples: int) -> None:
    random = np.random.default_rng(7)
    for texel, ambient in random.integers(0, 256, (12, 2, 3)).tolist():
        phase = lit(ambient=(*(value / 255 for value in ambient), 1.0), diffuse=(1, 1, 1, 1))
        canvas.dress([plate(0, 0)], material(picture((*texel, 255)), phase, attr1=SKIN))
        expected = np.rint(np.array(texel) * np.array(ambient) / 255).astype(int).tolist()
        found = np.array(color(canvas, DARK, samples=samples))
        assert np.abs(found - expected).max() <= 1, "a card may round the other way"


def test_the_scene_is_a_floor_and_no_term(canvas: Canvas) -> None:
    """Ambient (0.1, 0.5, 0.9): the first channel is lifted to 0.3 of the scene, the others stay."""
    phase = lit(ambient=(0.1, 0.5, 0.9, 1), diffuse=BLACK)
    canvas.dress([plate(0, 0)], material(picture(GREY), phase))
    assert color(canvas, Lighting(scene=0.3, has_lights=False)) == rounded((0.3, 0.5, 0.9))


BOTH_LIGHTS = 2 * 2 * np.sqrt(0.5)
"""What the two lights of the game, each of 2 and at 45 degrees, give a surface that faces up; at power 1 it
mirrors as much upwards."""


@pytest.mark.parametrize(("texture", "fallen", "ambient", "scene", "highlight", "expected"), GOLDEN)
def test_the_golden_values_are_drawn(
    canvas: Canvas,
    texture: float,
    fallen: float,
    ambient: float,
    scene: float,
    highlight: float,
    expected: float,
) -> None:
    grey = [round(255 * texture)] * 3
    diffuse, specular = fallen / BOTH_LIGHTS, highlight / BOTH_LIGHTS
    phase = lit(
        ambient=(*[ambient] * 3, 1), diffuse=(*[diffuse] * 3, 1), specular=(*[specular] * 3, 1), power=1
    )
    canvas.dress([plate(0, 0)], material(picture((*grey, 255)), phase))
    shown = color(canvas, Lighting(scene=scene))
    assert shown == pytest.approx([255 * expected] * 3, abs=0.6), (
        "half a step, and half of it for the texture"
    )


@pytest.mark.parametrize(("power", "exponent"), [(1, 1), (2, 2), (3, 4), (4, 8), (6, 32)])
def test_a_highlight_is_as_sharp_as_its_power_says(canvas: Canvas, power: int, exponent: int) -> None:
    """A head light from above on a plate tilted by 20 degrees is mirrored 40 degrees from the eye."""
    phase = lit(specular=(0.8, 0.4, 0.2, 1), power=power)
    canvas.dress([plate(0, 0, tilt=20)], material(picture(GREY), phase))
    shown = color(canvas, Lighting(scene=0.0, kind=LightKind.HEAD))
    highlight = np.array([0.8, 0.4, 0.2]) * np.cos(np.radians(40)) ** exponent
    assert shown == pytest.approx((255 * 0.8 * highlight).tolist(), abs=1)


def test_power_0_has_no_highlight(canvas: Canvas) -> None:
    canvas.dress([plate(0, 0)], material(picture(GREY), lit(specular=(1, 1, 1, 1), power=0)))
    assert color(canvas, Lighting(scene=0.0)) == [0, 0, 0]


def test_the_highest_power_is_a_number(canvas: Canvas) -> None:
    """Mirrored straight into the eye, and away from it."""
    for tilt, expected in ((0, 204), (20, 0)):
        canvas.dress([plate(0, 0, tilt=tilt)], material(picture(GREY), lit(specular=(1, 1, 1, 1), power=255)))
        assert color(canvas, Lighting(scene=0.0, kind=LightKind.HEAD)) == [expected] * 3


def test_light_is_that_of_the_vertices_and_interpolated(canvas: Canvas) -> None:
    """Normals up on the left and sideways on the right, and a head light.

    All of the highlight is on the left edge, and from there it is less by the distance; per pixel one of
    power 6 would show at the edge alone.
    """
    flat = quad(4)
    up, left = (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)
    normals = np.array([up if x < 0 else left for x, _y, _z in flat.positions.tolist()])
    phase = lit(diffuse=(0.2, 0.2, 0.2, 1), specular=(0.5, 0.5, 0.5, 1), power=6)
    bent = Node(shapes={(0, 0): [replace(flat, normals=normals)]})
    canvas.dress(ModelBuilder.of([bent]).model(), material(picture(WHITE), phase))
    at_left = 0.2 + 0.8 * 0.5
    shown = color(canvas, Lighting(scene=0.0, kind=LightKind.HEAD), -1.0)
    middle = -1.0 + 0.5 / 8  # of the pixel; the square reaches from -2 to 2
    assert shown == pytest.approx([255 * at_left * (2 - middle) / 4] * 3, abs=1)


@pytest.mark.parametrize("blend", Blend)
@pytest.mark.parametrize("opacity", [1.0, 0.5])
def test_each_blend_mode_mixes_what_scene_and_ambient_light(
    canvas: Canvas, blend: Blend, opacity: float
) -> None:
    """Below (100, 150, 200) at 0.8; above at the brighter of the scene's 0.4 and ambient."""
    upper = material(picture((60, 180, 90, 153)), lit(ambient=(0.1, 0.7, 1.0, opacity), diffuse=BLACK), blend)
    lower = material(picture(GREY), lit(ambient=(0.8, 0.8, 0.8, 1), diffuse=BLACK))
    canvas.dress([plate(0, 0), plate(1, 1)], lower, upper)
    source, under = np.array([60 * 0.4, 180 * 0.7, 90]) / 255, np.array([80, 120, 160]) / 255
    expected = BLENDED[blend](source, 0.6 * opacity, under).clip(0, 1) * 255
    assert color(canvas, Lighting(scene=0.4, has_lights=False)) == pytest.approx(expected.tolist(), abs=1.01)


@pytest.mark.parametrize("blend", Blend)
def test_every_mode_but_opaque_drops_what_is_clear_and_nothing_more(canvas: Canvas, blend: Blend) -> None:
    """The game keeps an alpha of 1 of 255; what is dropped writes no depth either."""
    columns = material(picture([[(*WHITE[:3], 0), (*WHITE[:3], 1)]]), unlit(), blend)
    canvas.dress([plate(1, 0), plate(0, 1)], columns, material(picture(BLUE), unlit()))
    ids = canvas.ids(shading=Shading.TEXTURED, textures=NEAREST)
    dropped, kept = (ids[pixel(x, 0)][0] for x in (-1, 1))
    assert bool(dropped == kept) is (blend is Blend.OPAQUE)


def test_lights_fall_on_the_diffuse_color(canvas: Canvas) -> None:
    """Both reach a plate that faces up: of diffuse 0.5 it is bent at 1, and what is above is added."""
    diffuse = np.array([0.5, 0.25, 0.75])
    canvas.dress([plate(0, 0)], material(picture(GREY), lit(diffuse=(*diffuse.tolist(), 1))))
    bent = np.array([2**0.5 / 6 + 5 / 6, 0.5**0.5, 1.5 * 2**0.5 / 6 + 5 / 6])
    expected = rounded(bent.clip(0, 1), second=0.8 * (bent - 1).clip(0))
    assert color(canvas, Lighting(scene=0.1)) == pytest.approx(expected, abs=1)
    assert color(canvas, Lighting(scene=0.1, has_lights=False)) == rounded([0.1] * 3)


@pytest.mark.parametrize(
    ("axis", "degrees", "expected"),
    [
        ((0, 1, 0), 0, 4 * 0.5**0.5 / 6 + 5 / 6),  # top: both lights
        ((0, 1, 0), 90, 2 * 0.5**0.5 / 6 + 5 / 6),  # right: one
        ((0, 1, 0), -90, 2 * 0.5**0.5 / 6 + 5 / 6),  # left: the other
        ((1, 0, 0), -90, 0.2),  # front: none, so the scene
        ((1, 0, 0), 90, 0.2),  # back
        ((0, 1, 0), 180, 0.2),  # below
    ],
)
def test_the_lights_of_the_game_are_fixed_to_the_model(
    canvas: Canvas, axis: tuple[float, float, float], degrees: float, expected: float
) -> None:
    """A small cube, seen from above in each turn: the color of its faces does not depend on the camera."""
    node = Node(shapes={(0, 0): [quad(4)]}, keys=[Key(quaternion=turn(axis, degrees))])
    canvas.dress([node], material(picture(GREY), lit(diffuse=(1, 1, 1, 1))))
    normal = np.rint(turned((0, 0, 1), axis, degrees))
    for away in (0.3, 0.9):
        camera = looking_at(canvas, normal, away)
        shown = color(canvas, Lighting(scene=0.2), camera=camera)
        assert shown == pytest.approx(rounded(min(expected, 1), second=0.8 * max(expected - 1, 0)), abs=1)


def turned(vector: tuple[float, float, float], axis: tuple[float, float, float], degrees: float) -> Vector:
    """A vector turned about an axis."""
    angle, v, k = np.radians(degrees), np.array(vector, float), np.array(axis, float)
    result: Vector = v * np.cos(angle) + np.cross(k, v) * np.sin(angle) + k * (k @ v) * (1 - np.cos(angle))
    return result


def looking_at(canvas: Canvas, normal: Vector, away: float) -> Camera:
    """A camera before a face, `away` radians from its normal."""
    pitch = float(np.arcsin(normal[2]))
    yaw = float(np.arctan2(normal[0], normal[1]))
    pitch = pitch - away if pitch > 0.1 else pitch + away
    return replace(canvas.view.camera, yaw=yaw, pitch=pitch)


def test_a_head_light_shines_from_the_camera_if_there_are_lights(canvas: Canvas) -> None:
    canvas.dress([plate(0, 0)], material(picture(WHITE), lit(diffuse=(0.2, 0.4, 0.6, 1))))
    head = Lighting(scene=0.0, kind=LightKind.HEAD)
    assert color(canvas, head) == rounded((0.2, 0.4, 0.6), WHITE)
    tilted = replace(canvas.view.camera, pitch=np.pi / 6)  # its view is 60 degrees from the normal
    assert color(canvas, head, camera=tilted) == rounded((0.1, 0.2, 0.3), WHITE)
    assert color(canvas, replace(head, has_lights=False)) == [0, 0, 0]


def test_normals_are_as_stored_on_both_sides(canvas: Canvas) -> None:
    """Seen from behind, a square that faces down is not lit from above; the plain look turns it."""
    canvas.dress([plate(0, 0, tilt=180)], material(picture(GREY), lit(diffuse=(1, 1, 1, 1))))
    assert color(canvas, Lighting(scene=0.2)) == rounded([0.2] * 3)
    assert sum(color(canvas, PLAIN_LOOK)) > 2 * sum(rounded([0.2] * 3))


def test_a_zero_normal_takes_no_light(canvas: Canvas) -> None:
    """It shows the scene, or its own light; without a table of normals those of the triangles are taken."""
    flat = quad(4)
    dark = replace(flat, normals=np.zeros((4, 3), np.float32))
    shine = lit(ambient=(0.1, 0.5, 0.1, 1), diffuse=(1, 1, 1, 1), specular=(1, 1, 1, 1), power=1)
    builder = ModelBuilder.of([Node(shapes={(0, 0): [dark]})])
    canvas.dress(builder.model(), material(picture(GREY), shine))
    assert color(canvas, Lighting(scene=0.2)) == rounded((0.2, 0.5, 0.2))
    canvas.dress(ModelBuilder.of([Node(shapes={(0, 0): [flat]})]).model(), material(picture(GREY), shine))
    usual = color(canvas, Lighting(scene=0.2))
    builder.missing = {NORMALS}
    canvas.dress(builder.model(), material(picture(GREY), shine))
    assert color(canvas, Lighting(scene=0.2)) == usual


def test_emissive_is_never_read_and_specular_without_power_neither(canvas: Canvas) -> None:
    phase = lit(ambient=(0.2, 0.2, 0.2, 1), diffuse=(0.3, 0.3, 0.3, 1))
    emissive = replace(phase, emissive=(1.0, 1.0, 1.0, 1.0), specular=(1.0, 1.0, 1.0, 1.0))
    shown = []
    for each in (phase, emissive):
        canvas.dress([plate(0, 0)], material(picture(GREY), each))
        shown.append([color(canvas, lighting) for lighting in (Lighting(), PLAIN_LOOK)])
    assert shown[0][0] == shown[1][0]
    assert shown[0][1] != shown[1][1]


def test_a_black_diffuse_with_an_ambient_color_glows_in_any_light(canvas: Canvas) -> None:
    canvas.dress([plate(0, 0, tilt=70)], material(picture(GREY), lit(ambient=(1, 0.6, 0.2, 1))))
    glow = color(canvas, DARK)
    assert glow == rounded((1, 0.6, 0.2))
    assert color(canvas, Lighting(scene=0.0, kind=LightKind.HEAD)) == glow


def test_an_ordinary_skin_is_opaque_whatever_the_alpha_of_its_texture(canvas: Canvas) -> None:
    for alpha in (0, 100):
        skin = material(picture((*GREY[:3], alpha)), unlit(), alpha=AlphaKind.GLOSS, attr1=SKIN)
        canvas.dress([plate(0, 0), plate(1, 1)], material(picture(RED)), skin)
        assert color(canvas, DARK) == list(GREY[:3])


def veil(texel: tuple[int, int, int, int], opacity: float = 1.0, **fields: Any) -> Material:
    """A blended material; half of it shows through."""
    return material(picture((*texel[:3], 128)), unlit(opacity), Blend.ALPHA, **fields)


def mixed(over: npt.ArrayLike, under: npt.ArrayLike, alpha: float = 128 / 255) -> list[float]:
    mixture: list[float] = (np.array(over) * alpha + np.array(under) * (1 - alpha)).tolist()
    return mixture


def test_a_blended_batch_that_is_not_see_through_writes_depth(canvas: Canvas) -> None:
    """So a see-through one behind it, which comes after it, is hidden; and before it the ground is drawn."""
    behind = veil(BLUE, has_see_through_flag=True)
    for above, expected in (
        (veil(RED), mixed(RED[:3], WHITE[:3])),
        (veil(RED, has_see_through_flag=True), mixed(RED[:3], mixed(BLUE[:3], WHITE[:3]))),
    ):
        canvas.dress([plate(2, 0), plate(1, 1), plate(0, 2)], above, behind, material(picture(WHITE)))
        assert color(canvas, DARK) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("is_flagged", [True, False])
def test_see_through_batches_write_no_depth(canvas: Canvas, is_flagged: bool) -> None:
    """By their flags, or an ambient alpha below 1.

    The tilted one is nearer on one side, but its middle is farther, so it is drawn first.
    """
    opacity = 1.0 if is_flagged else 0.5
    tilted, flat = (veil(it, opacity, has_see_through_flag=is_flagged) for it in (RED, BLUE))
    canvas.dress([plate(0, 0, tilt=60), plate(0.5, 1)], tilted, flat)
    alpha = opacity * 128 / 255
    expected = mixed(BLUE[:3], mixed(RED[:3], [51] * 3, alpha), alpha)
    shown = color(canvas, DARK, 0.8)
    assert shown == pytest.approx(expected, abs=1)


def test_a_see_through_batch_without_a_blend_mode_covers_what_is_below(canvas: Canvas) -> None:
    """Mode 0 does not blend; an ambient alpha below 1 still puts it into the last layer."""
    faint = material(picture(RED), unlit(0.25))
    canvas.dress([plate(0, 0), plate(1, 1)], veil(BLUE), faint)
    assert color(canvas, DARK) == list(RED[:3])


def baked(canvas: Canvas, light: Any, uv: tuple[int, int], **fields: Any) -> None:
    """A blue ground, and over it a square in a lightmap at one place of it, in 1024ths."""
    builder = ModelBuilder.of([plate(0, 1, size=6), plate(1, 0)])
    builder.tables[STREAM18] = np.array([uv] * 8, "<u2").tobytes()
    phase = lit(ambient=(1, 1, 1, fields.pop("opacity", 1.0)), diffuse=(0.5, 0.25, 0, 1))
    texture = picture((*GREY[:3], fields.pop("alpha", 255)))
    shown = material(texture, phase, lightmap=light, **fields)
    canvas.dress(builder.model(), shown, material(picture(BLUE)))


def test_a_lightmap_takes_the_place_of_lights_and_ambient(canvas: Canvas) -> None:
    """(0.5, 0.25, 0) in diffuse or 0.3 of the scene, times the lightmap; no lights, not doubled."""
    baked(canvas, picture((200, 100, 50, 255), PixelFormat.RGB888), (512, 512))
    expected = rounded(np.array([0.5, 0.3, 0.3]) * np.array([200, 100, 50]) / 255)
    usual = Lighting(scene=0.3)
    for lighting in (usual, replace(usual, has_lights=False), replace(usual, kind=LightKind.HEAD)):
        assert color(canvas, lighting) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("blend", Blend)
def test_lightmapped_batches_are_opaque_without_an_alpha_test(canvas: Canvas, blend: Blend) -> None:
    light = picture(WHITE, PixelFormat.RGB888)
    baked(canvas, light, (512, 512), attr1={0: 0, 4: 4, 2: 8, 3: 12, 5: 16}[blend], alpha=0, opacity=0.5)
    assert color(canvas, Lighting(scene=0.3, has_lights=False)) == rounded((0.5, 0.3, 0.3))


def test_a_lightmap_is_clamped_to_its_edge(canvas: Canvas) -> None:
    """At 1.25 a repeated page would show its first texel."""
    edges = picture(
        [[(255, 0, 0, 255), (0, 0, 0, 255), (0, 0, 0, 255), (0, 255, 0, 255)]], PixelFormat.RGB888
    )
    baked(canvas, edges, (1280, 512))
    assert color(canvas, Lighting(scene=0.3, has_lights=False)) == rounded((0, 0.3, 0))


def test_a_lightmap_has_one_level(canvas: Canvas) -> None:
    """Fine columns over a whole page: of a smaller level all would be grey."""
    columns = np.zeros((256, 256, 4), np.uint8)
    columns[..., 3] = 255
    columns[:, ::2, :3] = 255
    builder = ModelBuilder.of([plate(0, 0)])
    builder.tables[STREAM18] = np.array([(0, 0), (1024, 0), (1024, 1024), (0, 1024)], "<u2").tobytes()
    shown = material(picture(WHITE), lit(diffuse=(1, 1, 1, 1)), lightmap=picture(columns, PixelFormat.RGB888))
    canvas.dress(builder.model(), shown)
    image = canvas.textured(lighting=DARK, textures=TextureSwitches(is_filtered=False))
    assert set(np.unique(image[20:44, 20:44, 0])) <= {0, 255}


def test_a_sub_image_is_a_part_of_a_texture_that_repeats_as_a_whole(canvas: Canvas) -> None:
    """The second of four columns as 0 to 1: at 1.5 the third, at 3.5 the first."""
    columns = [[RED, GREY, WHITE, BLUE]]
    flat = quad(4)
    builder = ModelBuilder.of([Node(shapes={(0, 0): [replace(flat, uvs=flat.uvs * 4)]})])
    canvas.dress(builder.model(), material(picture(columns, page=Rectangle(1, 0, 1, 1))))
    shown = [color(canvas, DARK, x, textures=NEAREST) for x in (-1.5, -0.5, 0.5, 1.5)]
    assert shown == [list(each[:3]) for each in (GREY, WHITE, BLUE, RED)]
