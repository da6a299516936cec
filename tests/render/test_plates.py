"""Plates of an independent writer in the game's light: each has the color that the page of it gives.

The formula is written here once more, as plain numbers, so that neither the shaders nor the program's own
function vouches for itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.render.canvas import Canvas
from viewer.formats import sky
from viewer.model.sky.clock import hour_of
from viewer.model.sky.day import first_day
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.view.options.lighting import ChosenSky, Lighting, LightKind

UP = np.array([0.0, 0.0, 1.0])
Rays = Sequence[tuple[Sequence[float], Sequence[float]]]
"""The way that each light travels, and its color."""
GAME: Rays = [((-sqrt(0.5), 0, -sqrt(0.5)), (2, 2, 2)), ((sqrt(0.5), 0, -sqrt(0.5)), (2, 2, 2))]
SYN_2 = "game/MISSIONS/SYN_2/sky.ske"


def channel(texture: float, diffuse: float, specular: float, power: int, scene: float, rays: Any) -> float:
    """One channel of a plate that faces up; a ray is a direction, a color and the way to the eye."""
    total = highlight = 0.0
    for way, color, eye in rays:
        to_light = -np.array(way)
        facing = float(UP @ to_light)
        if facing > 0:
            total += diffuse * color * facing
            mirrored = max(float((2 * facing * UP - to_light) @ eye), 0.0)
            highlight += specular * color * mirrored ** (2 ** (power - 1)) if power else 0.0
    base = max(total, scene)
    k = base if base <= 1 else base / 6 + 5 / 6 if base <= 7 else 2.0
    s = highlight + max(k - 1, 0)
    spilled = 0.8 * s if s <= 1 else 0.1 * s + 0.7 if s <= 3 else 1.0
    return min(texture * min(k, 1) + spilled, 1.0)


@pytest.fixture(scope="module")
def truth(samples: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((samples / "field2" / "truth.json").read_text())
    return found


@pytest.fixture
def plates(canvas: Canvas, samples: Path) -> Document:
    address = Address(samples / "field2/game/made.rlb", ("shine.msh",))
    document = Document.open(FileStore(), Source(address))
    canvas.show(document)
    return document


def check(
    canvas: Canvas,
    plates: Document,
    truth: dict[str, Any],
    lighting: Lighting,
    rays: Rays,
    scene: Any,
    pitch: float,
) -> None:
    """Assert the color of each plate in a parallel view: the last bit, with a highlight one more."""
    facts = truth["highlights"]
    camera = replace(canvas.view.camera, pitch=pitch, distance=0.5)
    eye = camera.axes[2]
    start = plates.draws.triangle_start
    for row, (name, power) in enumerate(facts["powers"].items()):
        corners = np.unique(plates.draws.corners[start[row] : start[row + 1]])
        pose = canvas.pose.world[int(plates.draws.node[row])]
        middle = plates.model.positions[corners].mean(axis=0) @ pose[:3, :3].T + pose[:3, 3]
        shown = canvas.textured(camera=replace(camera, target=(*middle.tolist(),)), lighting=lighting)[32, 32]
        expected = [
            255
            * channel(
                facts["texture"][it] / 255,
                facts["diffuse"][it] / 255,
                facts["specular"][it] / 255,
                power,
                scene[it],
                [(way, color[it], eye) for way, color in rays],
            )
            for it in range(3)
        ]
        assert shown[:3].tolist() == pytest.approx(expected, abs=1 if power else 0.51), name


PITCHES = [np.pi / 2, 0.9, 0.5]


@pytest.mark.parametrize("pitch", PITCHES)
def test_in_the_light_of_the_game(
    canvas: Canvas, plates: Document, truth: dict[str, Any], pitch: float
) -> None:
    check(canvas, plates, truth, Lighting(), GAME, [0.2] * 3, pitch)


@pytest.mark.parametrize("pitch", PITCHES)
def test_in_a_head_light(canvas: Canvas, plates: Document, truth: dict[str, Any], pitch: float) -> None:
    way = -replace(canvas.view.camera, pitch=pitch).axes[2]
    check(canvas, plates, truth, Lighting(kind=LightKind.HEAD), [(way, (1, 1, 1))], [0.2] * 3, pitch)


def test_without_lights(canvas: Canvas, plates: Document, truth: dict[str, Any]) -> None:
    check(canvas, plates, truth, Lighting(has_lights=False, scene=0.4), [], [0.4] * 3, np.pi / 2)


@pytest.mark.parametrize("hour", ["1:30", "7:00", "7:30", "10:00", "15:00", "19:00"])
def test_in_the_light_of_a_sky(
    canvas: Canvas, plates: Document, truth: dict[str, Any], samples: Path, hour: str
) -> None:
    """What the truth says of its lights, with a scene color of three channels."""
    day = first_day(sky.decode(memoryview((samples / "field2" / SYN_2).read_bytes())))
    assert day is not None
    at = truth["sky"][SYN_2]["at"][hour]
    rays = [(it["direction"], it["color"]) for it in at["lights"]]
    lighting = Lighting(kind=LightKind.SKY, sky=ChosenSky(SYN_2, day, hour_of(hour)))
    check(canvas, plates, truth, lighting, rays, at["scene"], 0.9)
