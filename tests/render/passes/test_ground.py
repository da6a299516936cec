"""The two materials of terrain and their microtextures on screen, against colors worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.render.canvas import DARK, PLAIN_LOOK, Canvas, Image, pixel
from tests.render.materials import lit, material, picture
from tests.terrains import terrain
from viewer.formats.archive import nres
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.msh.tables import FACES, STREAM14, STREAM18, UVS
from viewer.formats.msh.terrain import FACE, NO_LAYER
from viewer.model.material.materials import Blend, Layer, Materials
from viewer.model.mesh.model import Model
from viewer.session.view.options.textures import TextureSwitches

TILE = 4.0
RISING = (0.0, 0.0, 1.0, 1.0)
"""Opacities of the second material at the corners of a tile, x before y: it appears towards +X."""
STRIPES = [[(0, 0, 200, 255), (200, 0, 0, 255)]]
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)
FIRST, SECOND = (200, 100, 0, 255), (0, 60, 120, 255)


def ground(
    alphas: tuple[float, ...] = RISING, uvs: npt.ArrayLike = 0, micro_uvs: npt.ArrayLike = 0
) -> nres.Archive:
    """One tile from (0, 0) to (4, 4) in two levels of detail, row 0 twice; coordinates in 1/1024."""
    container = nres.Archive.read(terrain(1, 1, tile=TILE))
    faces = FACE.view(container.payload(_at(container, FACES))).copy()
    faces["material_a"], faces["material_b"] = 0, 0
    payloads = {
        FACES: faces.tobytes(),
        STREAM14: np.array(alphas, "<f4").tobytes(),
        UVS: np.broadcast_to(np.array(uvs, "<i2"), (4, 2)).tobytes(),
        STREAM18: np.broadcast_to(np.array(micro_uvs, "<i2"), (4, 2)).tobytes(),
    }
    return nres.Archive.read(rewrite(container, {_at(container, it): data for it, data in payloads.items()}))


def _at(container: nres.Archive, type_id: int) -> int:
    index = container.find_type(type_id)
    assert index is not None
    return index


def _dress(
    canvas: Canvas,
    archive: nres.Archive,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    micro: Sequence[npt.ArrayLike | None] = (None, None),
    **of_second: Any,
) -> None:
    """Show a terrain of two materials with these pixels, half and fully lit by themselves."""
    half, full = lit(ambient=(0.5, 0.5, 0.5, 1)), lit(ambient=(1, 1, 1, of_second.pop("opacity", 1)))
    fine = [None if it is None else 3 + number for number, it in enumerate(micro)]
    mixed = material(picture(first), half, layer=Layer.FIRST, second=2, microtexture=fine[0])
    rows = (
        mixed,
        replace(mixed, second=None),
        material(picture(second), full, layer=Layer.SECOND, microtexture=fine[1], **of_second),
        *(material(picture((9, 9, 9, 255) if it is None else it), layer=Layer.MICROTEXTURE) for it in micro),
    )
    model = Model.of(archive)
    canvas.load_model(model)
    of_face = (model.faces["material_b"] == NO_LAYER).astype(np.int64)
    of_draw = of_face[canvas.draws.triangle[canvas.draws.triangle_start[:-1]]]
    canvas.renderer.load(model, canvas.draws, None, Materials(rows, np.zeros(0, np.int64), of_draw))
    canvas.provide(NEAREST)


def _color(image: Image, x: float) -> list[int]:
    color: list[int] = image[pixel(x, 2)][:3].tolist()
    return color


@pytest.mark.parametrize("level", [0, 1])
def test_the_second_material_is_over_the_first_by_the_opacity_of_the_vertices(
    canvas: Canvas, level: int
) -> None:
    _dress(canvas, ground(), FIRST, SECOND)
    shown = canvas.textured(lighting=DARK, textures=NEAREST, group=level)
    first, second = np.array([100, 50, 0]), np.array([0, 60, 120])
    for x in (0.5, 2.0, 3.5):
        share = (x + 1 / 16) / TILE
        assert _color(shown, x) == pytest.approx(((1 - share) * first + share * second).tolist(), abs=1.01)


def test_the_worked_example_of_the_specification(canvas: Canvas) -> None:
    """land.md 4: texels 100 and 200, microtextures 128 and 192, fully lit, opacity 0.25 give 139.044."""
    # The first is lit by half: 200 * 0.5 is 100.
    first, second, *micro = ((it, it, it, 255) for it in (200, 200, 128, 192))
    _dress(canvas, ground((0.25,) * 4), first, second, micro)
    assert _color(canvas.textured(lighting=DARK, textures=NEAREST), 2) == [139, 139, 139]
    for switched, color in (
        ({"has_microtextures": False}, 0.75 * 100 + 0.25 * 200),
        ({"has_second_materials": False}, 100 * 2 * 128 / 255),
        ({"has_second_materials": False, "has_microtextures": False}, 100),
    ):
        textures = replace(NEAREST, **cast("dict[str, Any]", switched))
        assert _color(canvas.textured(lighting=DARK, textures=textures), 2) == [round(color)] * 3


def test_the_opacity_is_times_the_ambient_alpha_of_the_second(canvas: Canvas) -> None:
    _dress(canvas, ground((1.0,) * 4), FIRST, (200, 200, 200, 255), opacity=0.5)
    assert _color(canvas.textured(lighting=DARK, textures=NEAREST), 2) == [150, 125, 100]


@pytest.mark.parametrize("blend", [*Blend])
def test_the_ground_is_opaque_whatever_its_materials_say(canvas: Canvas, blend: Blend) -> None:
    """Nor does the alpha of a texture make holes in it."""
    _dress(canvas, ground((1.0,) * 4), (200, 100, 0, 0), (0, 60, 120, 0), blend=blend)
    assert _color(canvas.textured(lighting=DARK, textures=NEAREST), 2) == [0, 60, 120]
    ground_of_one = replace(material(picture((200, 100, 0, 0)), blend=blend), layer=Layer.FIRST)
    model = Model.of(ground())
    canvas.renderer.load(
        model, canvas.draws, None, Materials((ground_of_one,), np.zeros(0, np.int64), np.zeros(2, np.int64))
    )
    canvas.provide(NEAREST)
    assert _color(canvas.textured(lighting=DARK, textures=NEAREST), 2) == [200, 100, 0]


def test_the_opacities_have_the_same_effect_in_the_plain_look(canvas: Canvas) -> None:
    _dress(canvas, ground((1.0,) * 4), FIRST, SECOND)
    only_second = canvas.textured(lighting=PLAIN_LOOK, textures=NEAREST)
    assert _color(only_second, 2)[0] == 0
    assert _color(only_second, 2)[2] > 0
    _dress(canvas, ground((0.0,) * 4), FIRST, SECOND)
    assert _color(canvas.textured(lighting=PLAIN_LOOK, textures=NEAREST), 2)[2] == 0


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_both_materials_have_the_first_coordinates_and_microtextures_the_others(
    canvas: Canvas, alpha: float
) -> None:
    """One texel for each half of the tile; 128 of 255 is not quite a half, so that 2 * 128 / 255 is 1.004."""
    across = np.array([(0, 0), (0, 0), (1024, 0), (1024, 0)])
    light = 1 if alpha else 0.5
    _dress(canvas, ground((alpha,) * 4, uvs=across), STRIPES, STRIPES)
    shown = canvas.textured(lighting=DARK, textures=NEAREST)
    assert [_color(shown, x) for x in (1.0, 3.0)] == [[0, 0, round(200 * light)], [round(200 * light), 0, 0]]
    fine = [[(128, 128, 128, 255), (0, 0, 0, 255)]]
    plain = (100, 100, 100, 255)
    _dress(canvas, ground((alpha,) * 4, micro_uvs=across), plain, plain, (fine, fine))
    shown = canvas.textured(lighting=DARK, textures=NEAREST)
    assert [_color(shown, x)[0] for x in (1.0, 3.0)] == [round(100 * light * 2 * 128 / 255), 0]


@pytest.mark.parametrize("turns", [0, 32])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_coordinates_start_over_after_64_turns_and_no_seam_shows(
    canvas: Canvas, turns: int, alpha: float
) -> None:
    """Read unsigned a triangle across 0 would run through all turns, read signed one across 32."""
    middle = turns * 1024
    words = np.array([(middle - 512, 0), (middle - 512, 0), (middle + 512, 0), (middle + 512, 0)])
    across = words.astype(np.uint16).view(np.int16)
    plain, dark, full = (100, 100, 100, 255), (0, 0, 0, 255), (255, 255, 255, 255)
    light = 1 if alpha else 0.5
    _dress(canvas, ground((alpha,) * 4, micro_uvs=across), plain, plain, ([[dark, full]], [[dark, full]]))
    shown = canvas.textured(lighting=DARK, textures=NEAREST)
    assert [_color(shown, x)[0] for x in (0.5, 1.5, 2.5, 3.5)] == [200 * light, 200 * light, 0, 0]
    _dress(canvas, ground((alpha,) * 4, uvs=across), [[dark, plain]], [[dark, plain]])
    shown = canvas.textured(lighting=DARK, textures=NEAREST)
    assert [_color(shown, x)[0] for x in (0.5, 1.5, 2.5, 3.5)] == [100 * light, 100 * light, 0, 0]


def test_a_face_of_one_material_ignores_the_opacities(canvas: Canvas) -> None:
    container = ground((1.0,) * 4)
    faces = FACE.view(container.payload(_at(container, FACES))).copy()
    faces["material_b"] = [0, NO_LAYER, 0, NO_LAYER]
    single = nres.Archive.read(rewrite(container, {_at(container, FACES): faces.tobytes()}))
    _dress(canvas, single, FIRST, SECOND)
    shown = canvas.textured(lighting=DARK, textures=NEAREST)
    assert shown[pixel(3, 1)][:3].tolist() == [0, 60, 120]
    assert shown[pixel(1, 3)][:3].tolist() == [100, 50, 0]
