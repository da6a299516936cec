"""The group of each triangle, and the color of a group."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, quad
from viewer.model.material.materials import Material
from viewer.model.material.phases import state_at
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.shown import PartChooser
from viewer.session.view.coloring import GRAY, NO_GROUP, MaterialLook, color, flags_of, numbers
from viewer.session.view.textures import TextureSwitches
from viewer.session.view.view_state import Background, Shading, ViewState, with_override

SHARED = [quad()]
SCENE = [
    Node(shapes={(0, 0): [quad(), quad(material=1)], (1, 0): [quad()]}),
    Node(shapes={(0, 0): SHARED, (1, 0): SHARED}, keys=[Key(position=(4, 0, 0))]),
]


def groups(shading: Shading, view: ViewState | None = None) -> list[int]:
    """The group of the first triangle of each draw."""
    model = ModelBuilder(SCENE).model()
    draws = build(model)
    material = model.batches["material"].astype(np.int64)[draws.batch]
    shown = PartChooser(model, draws).shown((view or ViewState()).parts)
    found = numbers(shading, model, draws, material, shown)
    assert len(found) == len(draws.corners)
    first: list[int] = found[draws.triangle_start[:-1]].tolist()
    return first


@pytest.mark.parametrize(
    ("shading", "expected"),
    [
        (Shading.NODE, [0, 0, 0, 1]),
        (Shading.BATCH, [0, 1, 2, 3]),
        (Shading.SLOT, [0, 0, 1, 2]),
        (Shading.MATERIAL, [0, 1, 0, 0]),
        (Shading.LOD, [0, 0, 0, 0]),
        (Shading.FLAG, [0, 0, 0, 0]),
    ],
)
def test_a_triangle_belongs_to_a_group(shading: Shading, expected: list[int]) -> None:
    assert groups(shading) == expected


def test_the_cell_is_that_which_the_node_shows() -> None:
    assert groups(Shading.LOD, with_override(ViewState(group=3), 1, (1, 0))) == [0, 0, 0, 5]


def test_flags_are_those_of_the_descriptors() -> None:
    builder = ModelBuilder(SCENE)
    builder.triangles["flags"][[0, 3]] = 6
    model = builder.model()
    draws = build(model)
    expected = np.zeros(len(draws.corners))
    expected[np.isin(draws.descriptor, [0, 3])] = 6
    assert flags_of(model, draws).tolist() == expected.tolist()
    assert 6 in flags_of(model, draws)


def test_colors_of_neighbors_differ() -> None:
    colors = np.array([color(number) for number in range(64)])
    assert (np.abs(np.diff(colors, axis=0)).max(axis=1) > 0.2).all()
    assert ((colors >= 0) & (colors <= 1)).all()
    assert color(NO_GROUP) == GRAY
    assert color(1 << 20) != color(0)


MATERIAL = Material(row=0)
LOOK = MaterialLook(MATERIAL, state_at(MATERIAL, 0), ViewState(), (4, 2))


def test_time_and_camera_alone_change_nothing() -> None:
    assert LOOK.is_like(replace(LOOK, view=replace(LOOK.view, time=3.0), state=state_at(MATERIAL, 99)))
    assert not LOOK.is_like(None)


@pytest.mark.parametrize(
    "changed",
    [
        {"size": (2, 4)},
        {"yaw": 1.0},
        {"pitch": 1.0},
        {"material": replace(MATERIAL)},
        {"view": ViewState(background=Background.LIGHT)},
        {"view": ViewState(textures=TextureSwitches(ignores_alpha=True))},
        {"state": replace(LOOK.state, power=9)},
    ],
)
def test_everything_else_gives_another_image(changed: dict[str, Any]) -> None:
    assert not replace(LOOK, **changed).is_like(LOOK)
