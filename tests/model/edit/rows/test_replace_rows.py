"""Fields of many rows replaced by values of their own."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.model.edit.drafts import draft_of, edited, planned
from viewer.errors import EditError
from viewer.formats.msh.keys import KEY
from viewer.model.edit.change import Topic
from viewer.model.edit.rows.row_changes import ReplaceRows, ReplaceTrack
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.model import Model

DATA = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]}), Node("gun", 0, keys=[Key(), Key(4)])]).build()


def test_only_the_rows_change() -> None:
    values = np.array([[0, 0, 5], [1, 2, 3]], "<f4")
    made = edited(DATA, ReplaceRows("positions", RowChoice.of(2, 7), "position", values.tobytes()))
    before = Model.read(DATA).rows(3)["position"]
    after = made.rows(3)["position"]
    assert after[[2, 7]].tolist() == values.tolist()
    assert np.array_equal(np.delete(after, [2, 7], axis=0), np.delete(before, [2, 7], axis=0))


def test_replacements_of_several_tables_and_nodes_are_made_at_once() -> None:
    """The later one of two of a row counts; one that does not fit leaves all as it was."""
    one, other, uv = (
        np.array(it, kind).tobytes() for it, kind in (([0, 0, 5], "<f4"), ([1, 2, 3], "<f4"), ([7, 9], "<i2"))
    )
    changes = [
        ReplaceRows("positions", RowChoice.of(2), "position", one),
        ReplaceRows("uvs", RowChoice.of(4), "uv", uv),
        ReplaceRows("positions", RowChoice.of(2, 7), "position", one + other),
        ReplaceRows("positions", RowChoice.of(2), "position", other),
    ]
    made = edited(DATA, *changes)
    assert made.rows(3)["position"][[2, 7]].tolist() == [[1, 2, 3], [1, 2, 3]]
    assert made.rows(5)["uv"][4].tolist() == [7, 9]
    draft = draft_of(DATA)
    with pytest.raises(EditError):
        ReplaceRows.apply_joined(draft, [*changes, ReplaceRows("uvs", RowChoice.of(999), "uv", uv)])
    assert bytes(draft.data) == DATA


def test_consequences_follow_as_for_any_edit() -> None:
    values = np.array([[0, 0, 5]], "<f4").tobytes()
    made = planned(DATA, ReplaceRows("positions", RowChoice.of(2), "position", values))
    assert {Topic.BOUNDS, Topic.NORMALS} <= set(made.topics)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (ReplaceRows("positions", RowChoice.of(2), "position", b"1234"), ("positions", 2, "position")),
        (ReplaceRows("positions", RowChoice.of(99), "position", bytes(12)), ("positions", 99, None)),
        (ReplaceRows("positions", RowChoice.of(2), "color", bytes(12)), ("positions", None, None)),
        (ReplaceTrack(0, b"1234"), ("nodes", 0, None)),
        (ReplaceTrack(0, b""), ("nodes", 0, None)),
        (ReplaceTrack(7, bytes(KEY.size)), ("nodes", 7, None)),
    ],
)
def test_what_does_not_fit_is_refused(
    change: ReplaceRows | ReplaceTrack, place: tuple[str, int | None, str | None]
) -> None:
    draft = draft_of(DATA)
    with pytest.raises(EditError) as caught:
        change.apply(draft)
    assert (caught.value.table, caught.value.index, caught.value.field) == place
    assert bytes(draft.data) == DATA


def test_a_node_gets_other_keys() -> None:
    keys = KEY.new(3)
    keys["time"], keys["quaternion"][:, 0] = [0, 3, 9], 32767
    made = edited(DATA, ReplaceTrack("hull", keys.tobytes()))
    assert made.frame_count == 10
    assert made.keys["time"].tolist() == [0, 3, 9, 0, 4]
    still = edited(made.archive.data, ReplaceTrack("hull", keys[:1].tobytes()))
    assert still.keys["time"].tolist() == [0, 0, 4]
    assert still.frame_count == 5
