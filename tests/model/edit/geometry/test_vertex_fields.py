"""Fields of vertices and descriptors as they are printed: set, limited, without touching anything else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import ModelBuilder, Node, quad
from viewer.errors import EditError
from viewer.formats import splice
from viewer.model.edit.change import Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import Plan, plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model

BUILDER = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
BUILDER.normals[1] = (-128, 5, 0, 77)
BUILDER.triangles["selectors"] |= 0x8000
DATA = BUILDER.build()


def planned(table: str, rows: str, field: str, value: Any) -> Plan:
    """A change without its consequences."""
    change = SetField(table, RowChoice(rows), field, value)
    return plan(Draft(by_id("msh"), DATA), [change], declined=frozenset(Topic))


@pytest.mark.parametrize(
    ("table", "rows", "field", "value", "size"),
    [
        ("vertices", "1", "position", (1, 2.5, -3), 12),
        ("vertices", "*", "position[2]", 4, 16),
        ("vertices", "position[0] > 0", "uv", (0.5, -32), 8),
        ("vertices", "1", "normal", (0, 0.5, 1), 3),
        ("vertices", "0", "normal_raw[3]", -128, 1),
        ("vertices", "0", "uv_raw", (5, 6), 4),
        ("tri_descriptors", "1", "normal", (1, 0, 0), 6),
        ("tri_descriptors", "1", "normal_raw", (1, 0, 0), 6),
        ("tri_descriptors", "0", "selectors", (None, 1, 2), 2),
        ("tri_descriptors", "0", "selectors_raw", 9, 2),
    ],
)
def test_a_printed_field_is_set(table: str, rows: str, field: str, value: Any, size: int) -> None:
    made = planned(table, rows, field, value)
    assert 0 < splice.total(made.splices) <= size
    assert splice.applied(made.after, splice.reverse(made.splices)) == DATA
    assert planned(table, rows, field, value).after == made.after


def test_decoded_values_are_packed() -> None:
    after = Model.read(planned("vertices", "*", "uv", (0.25, 31.9990234375)).after)
    assert after.rows(5)["uv"].tolist() == [[256, 32767]] * 4
    after = Model.read(planned("vertices", "1", "normal[1]", 0.5).after)
    assert after.rows(4)["normal"][1].tolist() == [-128, 64, 0, 77]
    after = Model.read(planned("tri_descriptors", "0", "selectors[0]", 1).after)
    before = int(Model.read(DATA).tri_descriptors["selectors"][0])
    assert int(after.tri_descriptors["selectors"][0]) == before & ~3 | 1


def test_the_printed_value_changes_nothing() -> None:
    for row in range(4):
        normal = Model.read(DATA).rows(4)["normal"][row, :3]
        printed = tuple(max(-1.0, float(value) / 127) for value in normal)
        assert planned("vertices", str(row), "normal", printed).splices == ()


@pytest.mark.parametrize(
    ("table", "field", "value", "words"),
    [
        ("vertices", "uv", (32, 0), "exceeds -32.0..31.9990234375"),
        ("vertices", "normal", (0, 0, 1.01), "exceeds -1.0..1.0"),
        ("vertices", "normal", (0, 0, "nan"), "exceeds -1.0..1.0"),
        ("vertices", "normal", (0, 1), "3 values"),
        ("vertices", "normal_raw", (0, 0, 0, 128), "exceeds -128..127"),
        ("vertices", "color", 1, "has no field color"),
        ("tri_descriptors", "selectors", (4, 0, 0), "exceeds 0..2"),
        ("tri_descriptors", "normal", (2, 0, 0), "exceeds -1.0..1.0"),
    ],
)
def test_what_the_field_cannot_hold_is_refused(table: str, field: str, value: Any, words: str) -> None:
    with pytest.raises(EditError, match=words):
        planned(table, "0", field, value)
