"""The triangles of slots replaced, with everything else as it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.builders import ModelBuilder, Node, box, quad
from tests.model.edit.drafts import corpus_models, draft_of, edited, planned
from viewer.errors import EditError
from viewer.formats.msh.tables import NORMALS, POSITIONS, STREAM15, UVS
from viewer.model.edit.geometry.slot_changes import BatchTriangles, ReplaceSlots, SlotBatches
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.nodes.node_count import SetCell
from viewer.model.mesh.model import Model

SCENE = [
    Node("a", shapes={(0, 0): [quad(), quad(2)]}),
    Node("b", shapes={(0, 0): [box()]}),
    Node("c", shapes={(0, 0): [quad(4)]}),
]
DATA = ModelBuilder.of(SCENE).build()
MODEL_BEFORE = Model.read(DATA)


def batches_of(model: Model, slot: int) -> list[BatchTriangles]:
    """What a slot has, as a change says it."""
    known = SlotTriangles.of(model)
    start, count = (int(model.slots[name][slot]) for name in ("batch_start", "batch_count"))
    return [
        batch(known.corners[chosen], known.row[chosen], row)
        for row in range(start, start + count)
        for chosen in [(known.slot == slot) & (known.batch == row)]
    ]


def batch(corners: npt.ArrayLike, rows: npt.ArrayLike, like: int | None = None) -> BatchTriangles:
    return BatchTriangles(np.asarray(corners, "<u4").tobytes(), np.asarray(rows, "<i4").tobytes(), like)


def replaced(slot: int | None, *batches: BatchTriangles) -> ReplaceSlots:
    return ReplaceSlots((SlotBatches(batches, slot),))


def triangles(model: Model, slot: int) -> list[bytes]:
    """Positions, normals and texture coordinates of the corners of a slot's triangles, and its batches."""
    known = SlotTriangles.of(model)
    corners = known.corners[known.slot == slot]
    return [model.rows(it)[corners].tobytes() for it in (POSITIONS, NORMALS, UVS, STREAM15)]


def test_the_same_triangles_change_no_byte(files: Path) -> None:
    for corpus in ["seed", "field"]:
        for name, data in corpus_models(files, corpus):
            model = Model.read(data)
            slots = (SlotBatches(tuple(batches_of(model, it)), it) for it in range(len(model.slots)))
            draft = draft_of(data)
            ReplaceSlots(tuple(slots)).apply(draft)
            assert bytes(draft.data) == data, name


def test_a_removed_triangle_takes_its_vertices_and_nothing_else() -> None:
    known = SlotTriangles.of(MODEL_BEFORE)
    kept = known.corners[known.slot == 1][:11]
    made = edited(DATA, replaced(1, batch(kept, known.row[known.slot == 1][:11], 2)))
    assert (len(made.indices), len(made.tri_descriptors)) == (51, 17)
    assert made.vertex_count == MODEL_BEFORE.vertex_count - 1
    for slot in (0, 2):
        assert triangles(made, slot) == triangles(MODEL_BEFORE, slot)
    assert made.slots["tri_start"].tolist() == [0, 4, 15]
    links = made.tri_descriptors["links"].astype(np.int64)
    assert ((links == 0xFFFF) | (links < 17)).all()


def test_new_vertices_stand_with_those_of_their_slot() -> None:
    count = MODEL_BEFORE.vertex_count
    new = np.array([[9, 0, 0], [9, 1, 0], [9, 0, 1]], "<f4")
    change = ReplaceSlots(
        (SlotBatches((*batches_of(MODEL_BEFORE, 0), batch([np.arange(3) + count], [-2])), 0),),
        sources=np.array([0, 1, -1], "<i4").tobytes(),
        positions=new.tobytes(),
    )
    made = edited(DATA, change)
    assert made.vertex_count == count + 3
    assert made.rows(POSITIONS)["position"][8:11].tolist() == new.tolist()
    assert made.rows(UVS)["uv"][8:11].tolist() == [*MODEL_BEFORE.rows(UVS)["uv"][:2].tolist(), [0, 0]]
    assert made.batches["base_vertex"].tolist() == [0, 4, 8, 11, 35]
    assert made.slots["aabb_max"][0].tolist() == [9, 1, 1]
    assert made.tri_descriptors["normal"][4].tolist() == [32767, 0, 0]
    for slot in (1, 2):
        assert triangles(made, slot) == triangles(MODEL_BEFORE, slot)


def test_a_new_slot_comes_last_and_shares_what_it_names() -> None:
    made = edited(DATA, replaced(None, *batches_of(MODEL_BEFORE, 2)), SetCell(0, 1, 0, 3))
    assert len(made.slots) == 4
    assert triangles(made, 3) == triangles(MODEL_BEFORE, 2)
    assert made.slots["aabb_max"][3].tolist() == MODEL_BEFORE.slots["aabb_max"][2].tolist()
    assert made.vertex_count == MODEL_BEFORE.vertex_count


def test_rows_that_another_slot_has_stay() -> None:
    shared = [*SCENE[:2], Node("c", shapes={(0, 0): SCENE[0].shapes[0, 0]})]
    builder = ModelBuilder.of(shared)
    builder.slots = np.concatenate([builder.slots, builder.slots[:1]])
    data = builder.build()
    before = Model.read(data)
    made = edited(data, replaced(2, batches_of(before, 0)[0]))
    assert triangles(made, 0) == triangles(before, 0)
    assert made.slots["batch_start"].tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        (replaced(9), ("slots", 9)),
        (replaced(0, batch([[0, 1, 99]], [-1])), ("positions", 99)),
        (replaced(0, batch([[0, 1, 2]], [77])), ("tri_descriptors", 77)),
        (replaced(0, batch([[0, 1, 2]], [-90])), ("tri_descriptors", 88)),
        (replaced(0, batch([[0, 1, 2]], [-1], 8)), ("batches", 8)),
        (replaced(0, batch([[0, 1, 2]], [])), ("slots", 0)),
        (replaced(0, batch(np.zeros((22000, 3)), np.full(22000, -1))), ("batches", None)),
        (ReplaceSlots((), sources=b"\xff" * 4, positions=b"1"), ("positions", None)),
        (ReplaceSlots((SlotBatches((), 1), SlotBatches((), 1))), ("slots", 1)),
    ],
)
def test_what_does_not_fit_is_refused(changes: ReplaceSlots, place: Sequence[object]) -> None:
    draft = draft_of(DATA)
    with pytest.raises(EditError) as caught:
        changes.apply(draft)
    assert (caught.value.table, caught.value.index) == place
    assert bytes(draft.data) == DATA


def test_all_triangles_can_go() -> None:
    made = planned(DATA, replaced(1))
    after = Model.read(made.after)
    assert after.slots["batch_count"].tolist() == [2, 0, 1]
    assert after.vertex_count == MODEL_BEFORE.vertex_count - 24
