"""One finding per broken rule of neighbours, batches and parents, at its row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box, quad
from viewer.formats.msh.tables import TRIANGLES
from viewer.model.checks import models
from viewer.model.mesh import draw_builder

SCENE = [Node("hull", shapes={(0, 0): [box(), quad()]}), Node("gun", 0, shapes={(1, 0): [box()]})]


def found_in(builder: ModelBuilder) -> list[str]:
    model = builder.model()
    found = models.check_geometry(model, draw_builder.build(model))
    return [f"{finding.rule} {finding.where}" for finding in found]


def test_a_sound_model_has_nothing_against_it() -> None:
    assert found_in(ModelBuilder(SCENE)) == []


def link_nowhere(builder: ModelBuilder) -> None:
    builder.triangles["links"][20, 1] = 26


def cut_a_triangle(builder: ModelBuilder) -> None:
    builder.batches["index_count"][1] = 5


def count_too_few(builder: ModelBuilder) -> None:
    builder.slots["tri_count"][1] = 11


def turn_parents_round(builder: ModelBuilder) -> None:
    builder.nodes["parent"] = [1, 0xFFFF]


def hide_a_slot(builder: ModelBuilder) -> None:
    builder.nodes["slots"][1] = 0xFFFF


def overrun_the_batches(builder: ModelBuilder) -> None:
    builder.slots["batch_count"][1] = 2


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (link_nowhere, ["V16 tri_descriptors[20].links"]),
        (cut_a_triangle, ["V17 batches[1].index_count", "V27 positions[27]"]),
        (count_too_few, ["V18 slots[1].tri_count"]),
        (turn_parents_round, ["V22 nodes[0].parent"]),
        (hide_a_slot, ["V27 slots[1]", "V27 batches[2]", "V27 positions[28]"]),
        (overrun_the_batches, ["V12 slots[1].batch_start"]),
    ],
)
def test_a_broken_rule_is_named_at_its_row(
    damage: Callable[[ModelBuilder], None], expected: list[str]
) -> None:
    builder = ModelBuilder(SCENE)
    damage(builder)
    assert found_in(builder) == expected


def test_without_descriptors_nothing_is_said_about_their_number() -> None:
    builder = ModelBuilder(SCENE)
    builder.missing.add(TRIANGLES)
    assert found_in(builder) == []


def test_slots_far_outside_are_judged_without_going_there() -> None:
    builder = ModelBuilder(SCENE)
    builder.slots["batch_start"], builder.slots["batch_count"] = 0xFFFF, 0xFFFF
    assert np.isin(["V12 slots[0].batch_start", "V18 slots[1].tri_count"], found_in(builder)).all()
