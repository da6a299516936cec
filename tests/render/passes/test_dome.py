"""Pictures of the dome and in the fog of a sky, worked out by hand from spec/field-notes.md 10 and 4.3."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests import skies
from tests.builders import Node, quad
from tests.render import painted
from tests.render.canvas import BACKGROUND, SIZE, Canvas, pixel
from tests.render.materials import material, picture, unlit
from viewer.formats import mat0, sky
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import AlphaKind, Blend
from viewer.model.sky.day import first_day
from viewer.model.store.file_store import FileStore
from viewer.render.portions import Frame
from viewer.session.pixel.card import sections
from viewer.session.pixel.explanation import PointedTriangle, explain
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.options.lighting import ChosenSky, Lighting, LightKind, Look
from viewer.session.view.options.shading import Shading

HORIZON, RING = (200, 100, 50), (40, 80, 160)
FOG_END = 14.0
LEVEL = Camera(distance=4.0, yaw=pi, pitch=0.0, field_of_view=pi / 2)
"""Looks along +Y; a pixel is 1 / 32 of the distance."""


def lighting(*, alpha: int = 255, **fields: Any) -> Lighting:
    """A sky of two rings of one color each."""
    colors = dict.fromkeys((1, 2, 3, 4), (*HORIZON, alpha)) | dict.fromkeys((7, 8, 9, 10), (*RING, alpha))
    frame = skies.keyframe((0, 0), colors=colors, fog=FOG_END / 700)
    day = first_day(sky.decode(skies.sky(skies.section(frame))))
    assert day is not None
    return replace(Lighting(kind=LightKind.SKY, sky=ChosenSky("sky", day, 12.0)), **fields)


def test_the_dome_is_behind_everything(canvas: Canvas) -> None:
    """The rim of the cap is at the horizon, the ring above it at 12.6 degrees; its color continues below."""
    canvas.load([])
    image = canvas.image(camera=LEVEL, lighting=lighting(has_dome=True))
    assert image[33, 32].tolist() == pytest.approx([*HORIZON, 255], abs=2)
    assert image[40, 5].tolist() == pytest.approx([*HORIZON, 255], abs=2)
    assert image[24, 32].tolist() == pytest.approx([*RING, 255], abs=16), "half a row above the ring"
    assert image[31, 32, 2] < image[28, 32, 2] < image[25, 32, 2]
    canvas.dress([Node(shapes={(0, 0): [quad(2.0)]})], material(picture((10, 20, 30, 255))))
    below = replace(LEVEL, pitch=0.5)
    shown = canvas.textured(camera=below, lighting=lighting(has_dome=True))
    assert shown[32, 32].tolist() == [10, 20, 30, 255]


def test_what_of_the_dome_is_see_through_shows_black(canvas: Canvas) -> None:
    canvas.load([])
    image = canvas.image(camera=LEVEL, lighting=lighting(has_dome=True, alpha=51))
    assert image[33, 32].tolist() == pytest.approx([40, 20, 10, 255], abs=2)


@pytest.mark.parametrize(
    "fields",
    [{"kind": LightKind.GAME}, {"look": Look.PLAIN}, {"has_dome": False}],
    ids=["game", "plain", "off"],
)
def test_without_the_sky_there_is_no_dome(canvas: Canvas, fields: dict[str, Any]) -> None:
    canvas.load([])
    image = canvas.image(camera=LEVEL, lighting=lighting(**{"has_dome": True} | fields))
    assert image[33, 32].tolist() == BACKGROUND


def test_a_transparent_picture_has_no_dome(canvas: Canvas) -> None:
    canvas.load([])
    given = lighting(has_dome=True)
    assert not canvas.image(
        camera=LEVEL, lighting=given, background=Background.TRANSPARENT, is_transparent=True
    ).any()


@pytest.mark.parametrize(
    ("blend", "hidden"),
    [
        (Blend.OPAQUE, np.array(HORIZON)),
        (Blend.ALPHA, np.array(HORIZON)),
        (Blend.ADD, np.zeros(3)),
        (Blend.MULTIPLY, np.full(3, 255)),
        (Blend.MULTIPLY2, np.full(3, 127)),
    ],
)
def test_colors_fade_in_the_fog(canvas: Canvas, blend: Blend, hidden: np.ndarray) -> None:
    """The camera is 4 above: at 3 aside d^2 = 25, and 1 - 25 / 196 is left; below is grey 51."""
    texel = np.array([250, 60, 120])
    look = material(picture((*texel, 255)), unlit(), blend, AlphaKind.TRANSLUCENT)
    canvas.dress([Node(shapes={(0, 0): [quad(8.0)]})], look)
    image = canvas.textured(lighting=lighting(has_fog=True))
    for x, y in ((0.0625, 0.0625), (3.0625, 0.0625), (-2.9375, 2.0625)):
        kept = 1 - (x**2 + y**2 + 16) / FOG_END**2
        color = texel * kept + hidden * (1 - kept)
        under = np.full(3, 51)
        expected = {
            Blend.ADD: color + under,
            Blend.MULTIPLY: under * color / 255,
            Blend.MULTIPLY2: 2 * under * color / 255,
        }.get(blend, color)
        assert image[pixel(x, y)][:3].tolist() == pytest.approx(np.minimum(expected, 255).tolist(), abs=1.5)


def test_the_explanation_of_a_pixel_has_the_fog(canvas: Canvas, tmp_path: Path) -> None:
    """What it computes is the color of the picture; the card says what is left of it."""
    texture = texm.build(np.full((1, 1, 4), (250, 60, 120, 255), np.uint8), PixelFormat.RGB888)
    files = painted.libraries(
        {"A": mat0.build([PhaseRecord(b"T.0", ambient=(255, 255, 255))])}, {"T.0": texture}
    )
    document = painted.document(tmp_path, [Node(shapes={(0, 0): [quad(8.0)]})], ["A"], files)
    canvas.show(document)
    view = replace(canvas.view, shading=Shading.TEXTURED, lighting=lighting(has_fog=True))
    frame = Frame(view, canvas.pose, SIZE)
    row, column = pixel(3.0625, 0.0625)
    hit = canvas.renderer.hit(frame, column, row)
    found = explain(FileStore(), PointedTriangle(document, view, hit), SIZE, (column, row))
    assert found.light is not None
    computed = [255 * it for it in found.light.times(found.texel)]
    assert computed == pytest.approx(canvas.renderer.image(frame)[row, column, :3].tolist(), abs=1)
    lines = {it.title: it.text for part in sections(document, found) for it in part.lines}
    words = "87.0% of the color is left at 5.038 units, the rest is 0.784314 0.392157 0.196078"
    assert lines["fog"] == words


def test_fog_is_of_the_games_picture_alone(canvas: Canvas) -> None:
    canvas.dress([Node(shapes={(0, 0): [quad(8.0)]})], material(picture((10, 20, 30, 255))))
    foggy = lighting(has_fog=True)
    for given, shading in ((lighting(), Shading.TEXTURED), (foggy, Shading.ALBEDO)):
        assert canvas.textured(shading, lighting=given)[32, 32].tolist() == [10, 20, 30, 255]
    assert canvas.textured(lighting=foggy)[32, 32].tolist() != [10, 20, 30, 255]
