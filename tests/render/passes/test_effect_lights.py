"""Lights of effects on a model, worked out by hand from spec/effects.md 6 (type 1)."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Node, quad
from tests.model.effects.effects import block, effect
from tests.render import painted
from tests.render.canvas import DARK, SIZE, Canvas, pixel
from tests.render.materials import lit, material, picture
from viewer.formats import fxid, mat0
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.store.file_store import FileStore
from viewer.render.portions import Frame
from viewer.session.pixel.explanation import PointedTriangle, explain
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.view.options.shading import Shading

TEXEL = np.array([200, 160, 240])
DIFFUSE = np.array([1.0, 0.5, 0.75])
COLOR = np.array([0.8, 0.4, 1.0])
LIGHT: dict[str, Any] = {
    "mode": 5, "window_end": 1.0, "position_start": (0, 0, 1), "position_end": (0, 0, 1),
    "direction_start": (1, 0, 0), "direction_end": (1, 0, 0), "color_start": (*COLOR, 1),
    "color_end": (*COLOR, 1), "range_start": 4, "range_end": 4, "attenuation": (0, 1, 0),
}  # fmt: skip


def playing(count: int = 1, **values: Any) -> PlayedEffect:
    """An effect of one or more equal lights."""
    blocks = [block(1, **LIGHT | values)] * count
    program = EffectProgram.of(fxid.decode(effect(*blocks)))
    return PlayedEffect(program, (None,) * count, EffectInputs(0.5))


def shown(canvas: Canvas, *, count: int = 1, cells: int = 32, specular: float = 0.0, **values: Any) -> Any:
    """A picture of the ground in lights, which is lit at the corners of its many squares."""
    phase = lit(diffuse=(*DIFFUSE, 1), specular=(*[specular] * 3, 1), power=1)
    side = 8 / cells
    places = (np.arange(cells) + 0.5) * side - 4
    quads = [quad(side, center=(x, y, 0)) for x in places for y in places]
    canvas.dress([Node(shapes={(0, 0): quads})], material(picture((*TEXEL, 255)), phase))
    canvas.textured(lighting=DARK)
    view = replace(canvas.view, shading=Shading.TEXTURED, lighting=DARK)
    return canvas.renderer.image(Frame(view, canvas.pose, SIZE, effects=(playing(count, **values),)))


def test_a_light_falls_off_with_its_distance_and_the_angle(canvas: Canvas) -> None:
    """Above the ground by 1, range 4: straight below x = 3/4; 2 aside d = sqrt 5, cos = 1 / d."""
    image = shown(canvas)
    x, y = 0.0625, 0.0625  # the middle of a pixel
    for side in (0.0, 2.0):
        d = sqrt((side + x) ** 2 + y**2 + 1)
        expected = TEXEL * np.clip(DIFFUSE * COLOR * (1 / d) * (4 - d) / 4, 0, 1)
        assert image[pixel(side + x, y)][:3].tolist() == pytest.approx(expected.tolist(), abs=3)


def test_the_factors_are_those_of_the_powers_of_the_share_of_the_range(canvas: Canvas) -> None:
    d = sqrt(1 + 2 * 0.0625**2)
    share = (4 - d) / 4
    image = shown(canvas, attenuation=(0.1, 0.2, 0.3))
    expected = TEXEL * DIFFUSE * COLOR / d * (0.1 + 0.2 * share + 0.3 * share**2)
    assert image[pixel(0.0625, 0.0625)][:3].tolist() == pytest.approx(expected.tolist(), abs=3)


def test_nothing_is_lit_beyond_the_range_from_behind_or_without_a_light(canvas: Canvas) -> None:
    assert not shown(canvas, range_start=0.9, range_end=0.9)[..., :3].any()
    behind: dict[str, Any] = {"position_start": (0, 0, -1), "position_end": (0, 0, -1)}
    assert not shown(canvas, **behind)[..., :3].any()
    assert not shown(canvas, range_start=float("nan"))[..., :3].any()


def test_a_light_adds_to_the_highlight(canvas: Canvas) -> None:
    """Straight below it is mirrored into the eye: 3/4 of its color, 0.8 of that are added."""
    image = shown(canvas, specular=0.5)
    d = sqrt(1 + 2 * 0.0625**2)  # to the middle of a pixel
    share = (4 - d) / 4 / d
    expected = TEXEL * DIFFUSE * COLOR * share + 255 * 0.8 * 0.5 * COLOR * share
    assert image[pixel(0.0625, 0.0625)][:3].tolist() == pytest.approx(expected.tolist(), abs=4)


def test_the_light_is_that_of_the_corners(canvas: Canvas) -> None:
    """Of one square all of which is within the range but its corners, nothing is lit, as in the game."""
    assert not shown(canvas, cells=1)[..., :3].any()


def test_of_too_many_lights_eight_shine(canvas: Canvas) -> None:
    weak: dict[str, Any] = {"color_start": (0.02, 0, 0, 1), "color_end": (0.02, 0, 0, 1)}
    one, eight, many = (shown(canvas, count=count, **weak)[pixel(0, 0)][0] for count in (1, 8, 12))
    assert one < eight == many


def test_the_explanation_of_a_pixel_has_its_light(canvas: Canvas, tmp_path: Path) -> None:
    """What it computes for a pixel is the color of the picture, with a highlight."""
    phase = PhaseRecord(b"T.0", ambient=(0, 0, 0), diffuse=(200, 100, 50), specular=(60, 120, 180), power=2)
    texture = texm.build(np.full((1, 1, 4), (200, 160, 240, 255), np.uint8), PixelFormat.RGB888)
    files = painted.libraries({"A": mat0.build([phase])}, {"T.0": texture})
    document = painted.document(tmp_path, [Node(shapes={(0, 0): [quad(4.0)]})], ["A"], files)
    canvas.show(document)
    effects = (playing(),)
    view = replace(canvas.view, shading=Shading.TEXTURED, lighting=DARK)
    frame = Frame(view, canvas.pose, SIZE, effects=effects)
    image = canvas.renderer.image(frame)
    for x, y in ((0.5, 0.25), (-1.5, 1.0)):
        row, column = pixel(x, y)
        hit = canvas.renderer.hit(frame, column, row)
        at = PointedTriangle(document, view, hit, effects=effects)
        found = explain(FileStore(), at, SIZE, (column, row))
        assert found.light is not None
        assert [str(it.name) for it in found.light.terms][1:] == ["light of an effect"]
        computed = [255 * it for it in found.light.times(found.texel)]
        assert computed == pytest.approx(image[row, column, :3].tolist(), abs=1)
        assert max(computed) > 10, "it is lit"
