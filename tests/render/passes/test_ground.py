"""The two layers of terrain on screen, against colors worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from tests.render.canvas import DARK, PLAIN_LOOK, Canvas, Image, pixel
from tests.render.materials import lit, material, picture
from tests.terrains import terrain
from viewer.formats.archive import nres
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.msh.tables import FACES, STREAM14, STREAM18, UVS
from viewer.formats.msh.terrain import FACE, NO_LAYER
from viewer.model.material.materials import Materials
from viewer.model.mesh.model import Model
from viewer.session.view.textures import TextureSwitches

TILE = 4.0
RISING = (0.0, 0.0, 1.0, 1.0)
"""Weights of the corners of a tile, x before y: the first layer appears towards +X."""
STRIPES = [[(0, 0, 200, 255), (200, 0, 0, 255)]]
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)


def ground(
    weights: tuple[float, ...] = RISING, uvs: npt.ArrayLike = 0, layer_uvs: npt.ArrayLike = 0
) -> nres.Archive:
    """One tile from (0, 0) to (4, 4) in two levels of detail, row 0 of both tables; coordinates in 1/1024."""
    container = nres.Archive.read(terrain(1, 1, tile=TILE))
    faces = FACE.view(container.payload(_at(container, FACES))).copy()
    faces["material_a"], faces["material_b"] = 0, 0
    payloads = {
        FACES: faces.tobytes(),
        STREAM14: np.array(weights, "<f4").tobytes(),
        UVS: np.broadcast_to(np.array(uvs, "<i2"), (4, 2)).tobytes(),
        STREAM18: np.broadcast_to(np.array(layer_uvs, "<i2"), (4, 2)).tobytes(),
    }
    return nres.Archive.read(rewrite(container, {_at(container, it): data for it, data in payloads.items()}))


def _at(container: nres.Archive, type_id: int) -> int:
    index = container.find_type(type_id)
    assert index is not None
    return index


def _dress(canvas: Canvas, archive: nres.Archive, first: npt.ArrayLike, second: npt.ArrayLike) -> None:
    """Show a terrain whose layers have these pixels, half and fully lit by themselves."""
    half, full = lit(ambient=(0.5, 0.5, 0.5, 1)), lit(ambient=(1, 1, 1, 1))
    mixed = material(picture(first), half, layer=0, second_layer=2)
    rows = (mixed, replace(mixed, second_layer=None), material(picture(second), full, layer=1))
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
def test_two_layers_are_mixed_by_the_weight_of_the_first(canvas: Canvas, level: int) -> None:
    _dress(canvas, ground(), (200, 100, 0, 255), (0, 60, 120, 255))
    shown = canvas.textured(lighting=DARK, textures=NEAREST, group=level)
    first, second = np.array([100, 50, 0]), np.array([0, 60, 120])
    for x in (0.5, 2.0, 3.5):
        weight = (x + 1 / 16) / TILE
        assert _color(shown, x) == pytest.approx((weight * first + (1 - weight) * second).tolist(), abs=1.01)


def test_the_weights_have_the_same_effect_in_the_plain_look_and_without_light(canvas: Canvas) -> None:
    _dress(canvas, ground((0.0,) * 4), (200, 100, 0, 255), (0, 60, 120, 255))
    only_second = canvas.textured(lighting=PLAIN_LOOK, textures=NEAREST)
    assert _color(only_second, 2)[0] == 0
    assert _color(only_second, 2)[2] > 0
    _dress(canvas, ground((1.0,) * 4), (200, 100, 0, 255), (0, 60, 120, 255))
    assert _color(canvas.textured(lighting=PLAIN_LOOK, textures=NEAREST), 2)[2] == 0


def test_each_layer_has_coordinates_of_its_own(canvas: Canvas) -> None:
    across = np.array([(0, 0), (0, 0), (1024, 0), (1024, 0)])
    _dress(canvas, ground((0.0,) * 4, layer_uvs=across), (0, 200, 0, 255), STRIPES)
    second = canvas.textured(lighting=DARK, textures=NEAREST)
    assert [_color(second, x) for x in (1.0, 3.0)] == [[0, 0, 200], [200, 0, 0]]
    _dress(canvas, ground((1.0,) * 4, uvs=across), STRIPES, (0, 200, 0, 255))
    first = canvas.textured(lighting=DARK, textures=NEAREST)
    assert [_color(first, x) for x in (1.0, 3.0)] == [[0, 0, 100], [100, 0, 0]]


def test_coordinates_of_the_second_layer_are_signed(canvas: Canvas) -> None:
    """Read unsigned, a triangle from -1/2 to 1/2 would run through 32 repeats."""
    across = np.array([(-512, 0), (-512, 0), (512, 0), (512, 0)])
    _dress(canvas, ground((0.0,) * 4, layer_uvs=across), (0, 200, 0, 255), STRIPES)
    shown = canvas.textured(lighting=DARK, textures=NEAREST)
    assert [_color(shown, x) for x in (0.5, 1.5, 2.5, 3.5)] == [[200, 0, 0]] * 2 + [[0, 0, 200]] * 2


@pytest.mark.parametrize("layer", [0, 1])
def test_the_divisor_of_the_coordinates_is_a_switch(canvas: Canvas, layer: int) -> None:
    across = np.array([(0, 0), (0, 0), (256, 0), (256, 0)])
    _dress(canvas, ground((float(1 - layer),) * 4, across, across), STRIPES, STRIPES)
    by_1024 = canvas.textured(lighting=DARK, textures=NEAREST)
    assert [_color(by_1024, x)[0] for x in (1.0, 3.0)] == [0, 0]
    by_256 = canvas.textured(
        lighting=DARK,
        textures=TextureSwitches(is_filtered=False, has_mip_maps=False, divides_ground_by_256=True),
    )
    assert _color(by_256, 1.0)[0] == 0
    assert _color(by_256, 3.0)[0] > 0


def test_a_face_with_one_layer_ignores_the_weights(canvas: Canvas) -> None:
    container = ground((0.0,) * 4)
    faces = FACE.view(container.payload(_at(container, FACES))).copy()
    faces["material_b"] = [0, NO_LAYER, 0, NO_LAYER]
    single = nres.Archive.read(rewrite(container, {_at(container, FACES): faces.tobytes()}))
    _dress(canvas, single, (200, 100, 0, 255), (0, 60, 120, 255))
    shown = canvas.textured(lighting=DARK, textures=NEAREST)
    assert shown[pixel(3, 1)][:3].tolist() == [0, 60, 120]
    assert shown[pixel(1, 3)][:3].tolist() == [100, 50, 0]
