"""Light, layers and depth of the game's look, against colors worked out by hand (field-notes 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.builders import Key, ModelBuilder, Node, quad, turn
from tests.render.canvas import DARK, PLAIN_LOOK, Canvas, pixel
from tests.render.materials import BLENDED, SKIN, lit, material, picture, unlit
from viewer.formats.msh.tables import STREAM18
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import AlphaKind, Blend, Color, Material, Rectangle
from viewer.session.view.lighting import COUNTER_LIGHT, HEAD_LIGHT_COLOR, SUN, Lighting
from viewer.session.view.textures import TextureSwitches
from viewer.session.view.view_state import Shading

WHITE, GREY, RED, BLUE = (255, 255, 255, 255), (100, 150, 200, 255), (200, 20, 10, 255), (10, 40, 220, 255)
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


def rounded(light: npt.ArrayLike, texel: tuple[int, ...] = GREY) -> list[int]:
    """A texel in a light, 0 to 1, rounded to 8 bits."""
    return np.rint(np.array(texel[:3]) * np.clip(light, 0, 1)).astype(int).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("samples", [1, 4])
def test_without_light_a_pixel_is_exactly_texture_times_ambient(canvas: Canvas, samples: int) -> None:
    random = np.random.default_rng(7)
    for texel, ambient in random.integers(0, 256, (12, 2, 3)).tolist():
        phase = lit(ambient=(*(value / 255 for value in ambient), 1.0), diffuse=(1, 1, 1, 1))
        canvas.dress([plate(0, 0)], material(picture((*texel, 255)), phase, attr1=SKIN))
        expected = np.rint(np.array(texel) * np.array(ambient) / 255).astype(int).tolist()
        found = np.array(color(canvas, DARK, samples=samples))
        assert np.abs(found - expected).max() <= 1, "a card may round the other way"


def test_the_scene_is_added_whatever_the_material_is(canvas: Canvas) -> None:
    """Ambient (0.1, 0.5, 0.9) and 0.3 of the scene; the last channel is clamped before the texture."""
    phase = lit(ambient=(0.1, 0.5, 0.9, 1), diffuse=BLACK)
    canvas.dress([plate(0, 0)], material(picture(GREY), phase))
    assert color(canvas, Lighting(scene=0.3, has_lights=False)) == rounded((0.4, 0.8, 1.0))


@pytest.mark.parametrize("blend", Blend)
@pytest.mark.parametrize("opacity", [1.0, 0.5])
def test_each_blend_mode_mixes_what_scene_and_ambient_light(
    canvas: Canvas, blend: Blend, opacity: float
) -> None:
    """Below (100, 150, 200) at 0.3 + 0.5; above at 0.3 + ambient, the last channel clamped."""
    upper = material(picture((60, 180, 90, 153)), lit(ambient=(0.1, 0.4, 0.9, opacity), diffuse=BLACK), blend)
    lower = material(picture(GREY), lit(ambient=(0.5, 0.5, 0.5, 1), diffuse=BLACK))
    canvas.dress([plate(0, 0), plate(1, 1)], lower, upper)
    source, under = np.array([60 * 0.4, 180 * 0.7, 90]) / 255, np.array([80, 120, 160]) / 255
    expected = BLENDED[blend](source, 0.6 * opacity, under).clip(0, 1) * 255
    assert color(canvas, Lighting(scene=0.3, has_lights=False)) == pytest.approx(expected.tolist(), abs=1.01)


@pytest.mark.parametrize("blend", Blend)
def test_every_mode_but_opaque_drops_what_is_clear_and_nothing_more(canvas: Canvas, blend: Blend) -> None:
    """The game keeps an alpha of 1 of 255; what is dropped writes no depth either."""
    columns = material(picture([[(*WHITE[:3], 0), (*WHITE[:3], 1)]]), unlit(), blend)
    canvas.dress([plate(1, 0), plate(0, 1)], columns, material(picture(BLUE), unlit()))
    ids = canvas.ids(shading=Shading.TEXTURED, textures=NEAREST)
    dropped, kept = (ids[pixel(x, 0)][0] for x in (-1, 1))
    assert bool(dropped == kept) is (blend is Blend.OPAQUE)


def test_lights_fall_on_the_diffuse_color(canvas: Canvas) -> None:
    """The normal is up, so n * l is the height of each light."""
    diffuse = np.array([0.5, 0.25, 0.75])
    canvas.dress([plate(0, 0)], material(picture(GREY), lit(diffuse=(*diffuse.tolist(), 1))))
    fallen = sum(light.towards[2] * np.array(light.color) * diffuse for light in (SUN, COUNTER_LIGHT))
    assert color(canvas, Lighting(scene=0.1)) == pytest.approx(rounded(fallen + 0.1), abs=1)
    assert color(canvas, Lighting(scene=0.1, has_lights=False)) == rounded([0.1] * 3)


def test_sun_and_counter_light_shine_from_opposite_sides() -> None:
    sun, counter = np.array(SUN.towards), np.array(COUNTER_LIGHT.towards)
    assert [np.linalg.norm(sun), np.linalg.norm(counter)] == pytest.approx([1, 1])
    assert sun[:2] @ counter[:2] / np.linalg.norm(sun[:2]) / np.linalg.norm(counter[:2]) < -0.99


def test_a_head_light_shines_from_the_camera_if_there_are_lights(canvas: Canvas) -> None:
    canvas.dress([plate(0, 0)], material(picture(WHITE), lit(diffuse=(0.2, 0.2, 0.2, 1))))
    usual, more = (color(canvas, Lighting(scene=0.0, has_head_light=on)) for on in (False, True))
    added = 255 * 0.2 * np.array(HEAD_LIGHT_COLOR)
    assert np.subtract(more, usual).tolist() == pytest.approx(added.tolist(), abs=1)
    assert color(canvas, replace(DARK, has_head_light=True)) == [0, 0, 0]


def test_normals_are_as_stored_on_both_sides(canvas: Canvas) -> None:
    """Seen from behind, a square that faces down is not lit from above; the plain look turns it."""
    canvas.dress([plate(0, 0, tilt=180)], material(picture(GREY), lit(diffuse=(1, 1, 1, 1))))
    assert color(canvas, Lighting(scene=0.2)) == rounded([0.2] * 3)
    assert sum(color(canvas, PLAIN_LOOK)) > 2 * sum(rounded([0.2] * 3))


def test_emissive_and_specular_are_never_read(canvas: Canvas) -> None:
    phase = lit(ambient=(0.2, 0.2, 0.2, 1), diffuse=(0.3, 0.3, 0.3, 1))
    shiny = replace(phase, emissive=(1.0, 1.0, 1.0, 1.0), specular=(1.0, 1.0, 1.0, 1.0), power=3)
    shown = []
    for each in (phase, shiny):
        canvas.dress([plate(0, 0)], material(picture(GREY), each))
        shown.append([color(canvas, lighting) for lighting in (Lighting(), PLAIN_LOOK)])
    assert shown[0][0] == shown[1][0]
    assert shown[0][1] != shown[1][1]


def test_a_black_diffuse_with_an_ambient_color_glows_in_any_light(canvas: Canvas) -> None:
    canvas.dress([plate(0, 0, tilt=70)], material(picture(GREY), lit(ambient=(1, 0.6, 0.2, 1))))
    glow = color(canvas, DARK)
    assert glow == rounded((1, 0.6, 0.2))
    assert color(canvas, Lighting(scene=0.0, has_head_light=True)) == glow


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
    builder = ModelBuilder([plate(0, 1, size=6), plate(1, 0)])
    builder.tables[STREAM18] = np.array([uv] * 8, "<u2").tobytes()
    phase = lit(ambient=(1, 1, 1, fields.pop("opacity", 1.0)), diffuse=(0.5, 0.25, 0, 1))
    texture = picture((*GREY[:3], fields.pop("alpha", 255)))
    shown = material(texture, phase, lightmap=light, **fields)
    canvas.dress(builder.model(), shown, material(picture(BLUE)))


def test_a_lightmap_takes_the_place_of_lights_and_ambient(canvas: Canvas) -> None:
    """(0.5, 0.25, 0) in diffuse and 0.3 of the scene, times the lightmap; no lights, not doubled."""
    baked(canvas, picture((200, 100, 50, 255), PixelFormat.RGB888), (512, 512))
    expected = rounded(np.array([0.8, 0.55, 0.3]) * np.array([200, 100, 50]) / 255)
    for lighting in (Lighting(), Lighting(has_lights=False), Lighting(has_head_light=True)):
        assert color(canvas, lighting) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("blend", Blend)
def test_lightmapped_batches_are_opaque_without_an_alpha_test(canvas: Canvas, blend: Blend) -> None:
    light = picture(WHITE, PixelFormat.RGB888)
    baked(canvas, light, (512, 512), attr1={0: 0, 4: 4, 2: 8, 3: 12, 5: 16}[blend], alpha=0, opacity=0.5)
    assert color(canvas, Lighting(has_lights=False)) == rounded((0.8, 0.55, 0.3))


def test_a_lightmap_is_clamped_to_its_edge(canvas: Canvas) -> None:
    """At 1.25 a repeated page would show its first texel."""
    edges = picture(
        [[(255, 0, 0, 255), (0, 0, 0, 255), (0, 0, 0, 255), (0, 255, 0, 255)]], PixelFormat.RGB888
    )
    baked(canvas, edges, (1280, 512))
    assert color(canvas, Lighting(has_lights=False)) == rounded((0, 0.55, 0))


def test_a_lightmap_has_one_level(canvas: Canvas) -> None:
    """Fine columns over a whole page: of a smaller level all would be grey."""
    columns = np.zeros((256, 256, 4), np.uint8)
    columns[..., 3] = 255
    columns[:, ::2, :3] = 255
    builder = ModelBuilder([plate(0, 0)])
    builder.tables[STREAM18] = np.array([(0, 0), (1024, 0), (1024, 1024), (0, 1024)], "<u2").tobytes()
    shown = material(picture(WHITE), lit(diffuse=(1, 1, 1, 1)), lightmap=picture(columns, PixelFormat.RGB888))
    canvas.dress(builder.model(), shown)
    image = canvas.textured(lighting=DARK, textures=TextureSwitches(is_filtered=False))
    assert set(np.unique(image[20:44, 20:44, 0])) <= {0, 255}


def test_a_sub_image_is_a_part_of_a_texture_that_repeats_as_a_whole(canvas: Canvas) -> None:
    """The second of four columns as 0 to 1: at 1.5 the third, at 3.5 the first."""
    columns = [[RED, GREY, WHITE, BLUE]]
    flat = quad(4)
    builder = ModelBuilder([Node(shapes={(0, 0): [replace(flat, uvs=flat.uvs * 4)]})])
    canvas.dress(builder.model(), material(picture(columns, page=Rectangle(1, 0, 1, 1))))
    shown = [color(canvas, DARK, x, textures=NEAREST) for x in (-1.5, -0.5, 0.5, 1.5)]
    assert shown == [list(each[:3]) for each in (GREY, WHITE, BLUE, RED)]
