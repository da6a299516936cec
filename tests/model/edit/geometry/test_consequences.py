"""Random changes of geometry of our models and of the samples: what they touch, and that files stay sound."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.builders import ModelBuilder, Node, box, quad
from tests.corpora import SAMPLES
from tests.share import examples
from viewer.errors import EditError, Severity, UsageError
from viewer.formats import splice
from viewer.formats.msh.tables import (
    BATCHES,
    INDICES,
    NODES,
    NORMALS,
    POSITIONS,
    SLOTS,
    TABLES,
    TRIANGLES,
    UVS,
)
from viewer.model.checks.models import check_model
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.move import (
    FlipTriangles,
    MoveGeometry,
    MoveVertices,
    RemoveTriangles,
    TransformGeometry,
    TransformVertices,
    all_firsts,
)
from viewer.model.edit.geometry.slot_changes import AssignMaterial, CopySlot, RemoveSlot
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices
from viewer.model.edit.plan import plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model

SCENES: Final = (
    [
        Node("a", shapes={(0, 0): [box(), quad(3)]}),
        Node("b", 0, {(0, 0): [quad()], (1, 0): [box((1, 2, 3))]}),
    ],
    [Node("one", shapes={(0, 0): [quad()]})],
)
MOST_BYTES: Final = 60_000

BOUNDS: Final = ("aabb_min", "aabb_max", "sphere_center", "sphere_radius", "opaque")
FOLLOWING: Final = {SLOTS: BOUNDS, TRIANGLES: ("normal", "links", "selectors"), BATCHES: ("opaque14",)}
"""Fields that consequences may set."""

small = st.floats(-50, 50, width=32)
vectors = st.tuples(small, small, small)
matrices = st.tuples(*[st.floats(-2, 2, width=32)] * 9, small, small, small).map(
    lambda it: (*it[:3], it[9], *it[3:6], it[10], *it[6:9], it[11], 0, 0, 0, 1)
)


@cache
def files() -> dict[str, bytes]:
    """Our models and small sample models, by name."""
    found = {f"scene {number}": ModelBuilder.of(scene).build() for number, scene in enumerate(SCENES)}
    for path in sorted(SAMPLES.glob("*/direct/*.msh")):
        if path.stat().st_size <= MOST_BYTES and path.name != "MTCHECK.msh":
            found[f"{path.parts[-3]} {path.name}"] = path.read_bytes()
    return found


def _vertices(model: Model) -> st.SearchStrategy[RowChoice]:
    rows = st.sets(st.integers(0, model.vertex_count - 1), min_size=1, max_size=9)
    return rows.map(lambda it: RowChoice.of(*sorted(it)))


def _triangles(model: Model) -> st.SearchStrategy[tuple[int, ...]]:
    numbers = np.unique(all_firsts(model) // 3).tolist()
    return st.sets(st.sampled_from(numbers), min_size=1, max_size=9).map(lambda it: tuple(sorted(it)))


def _nodes(model: Model) -> st.SearchStrategy[int]:
    return st.integers(0, len(model.nodes) - 1)


Maker = Callable[[Model], st.SearchStrategy[Change]]
KINDS: Final[dict[str, tuple[Maker, frozenset[int]]]] = {
    "move vertices": (
        lambda it: st.builds(MoveVertices, _vertices(it), vectors),
        frozenset({POSITIONS}),
    ),
    "transform vertices": (
        lambda it: st.builds(TransformVertices, _vertices(it), matrices),
        frozenset({POSITIONS, NORMALS, INDICES, TRIANGLES}),
    ),
    "move geometry": (lambda it: st.builds(MoveGeometry, _nodes(it), vectors), frozenset({POSITIONS})),
    "transform geometry": (
        lambda it: st.builds(TransformGeometry, _nodes(it), matrices),
        frozenset({POSITIONS, NORMALS, INDICES, TRIANGLES}),
    ),
    "set position": (
        lambda it: st.builds(SetField, st.just("vertices"), _vertices(it), st.just("position"), vectors),
        frozenset({POSITIONS}),
    ),
    "set uv": (
        lambda it: st.builds(
            SetField,
            st.just("vertices"),
            _vertices(it),
            st.just("uv"),
            st.tuples(st.floats(-32, 31), st.floats(-32, 31)),
        ),
        frozenset({UVS}),
    ),
    "flip": (lambda it: st.builds(FlipTriangles, _triangles(it)), frozenset({INDICES, TRIANGLES})),
    "remove triangles": (
        lambda it: st.builds(RemoveTriangles, _triangles(it)),
        frozenset({INDICES, TRIANGLES, BATCHES, SLOTS}),
    ),
    "material": (
        lambda it: st.builds(
            AssignMaterial, st.integers(0, len(it.batches) - 1).map(RowChoice.of), st.integers(0, 9)
        ),
        frozenset({BATCHES}),
    ),
    "remove slot": (
        lambda it: st.builds(RemoveSlot, st.integers(0, len(it.slots) - 1)),
        frozenset({SLOTS, NODES}),
    ),
    "copy slot": (lambda it: st.builds(CopySlot, st.integers(0, len(it.slots) - 1)), frozenset({SLOTS})),
    "copy geometry": (
        lambda it: st.builds(CopySlot, st.integers(0, len(it.slots) - 1), st.just(value=True)),
        frozenset(TABLES) - {NODES},
    ),
    "unused vertices": (
        lambda _: st.just(RemoveUnusedVertices()),
        frozenset(TABLES) - {NODES, SLOTS, TRIANGLES},
    ),
}


def differing(one: Model, other: Model) -> set[int]:
    """The types of the entries whose payloads differ."""
    pairs = zip(one.archive.entries, other.archive.entries, strict=True)
    return {a.type_id for a, b in pairs if one.archive.payload(a.index) != other.archive.payload(b.index)}


def without_following(model: Model, type_id: int) -> Any:
    """The rows of a table with 0 in all fields that consequences may set."""
    rows = model.rows(type_id).copy()
    for name in FOLLOWING.get(type_id, ()):
        rows[name] = 0
    return rows.tobytes()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_a_change_touches_what_it_says_and_keeps_the_file_sound(kind: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(files())))
    payload = files()[name]
    before = Model.read(payload)
    change = data.draw(KINDS[kind][0](before))
    try:
        alone = plan(Draft(by_id("msh"), payload), [change], declined=frozenset(Topic))
        made = plan(Draft(by_id("msh"), payload), [change])
    except (EditError, UsageError) as refused:
        event(f"refused: {refused.message}")
        return
    for each in (alone, made):
        assert splice.applied(each.after, splice.reverse(each.splices)) == payload
        assert splice.applied(payload, each.splices) == each.after
    assert differing(before, Model.read(alone.after)) <= KINDS[kind][1]
    after = Model.read(made.after)
    assert differing(Model.read(alone.after), after) <= set(FOLLOWING)
    for table in FOLLOWING:
        assert without_following(after, table) == without_following(Model.read(alone.after), table)
    is_new = {(it.rule, it.table, it.index) for it in check_model(after) if it.severity is not Severity.INFO}
    was = {(it.rule, it.table, it.index) for it in check_model(before) if it.severity is not Severity.INFO}
    assert is_new <= was or {rule for rule, _, _ in is_new} <= {rule for rule, _, _ in was}
