"""Nodes that are added one after the other are written at once, as one after the other would be."""

from __future__ import annotations

from time import process_time

import pytest

from tests.builders import ModelBuilder, Node
from viewer.errors import EditError
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.node_count import AddNode
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.plan import plan
from viewer.model.kinds.registry import MODEL

DATA = memoryview(ModelBuilder.of([Node("root"), Node("arm", parent=0)]).build())


def test_the_result_is_that_of_single_changes() -> None:
    changes = [
        *(AddNode("a", 1), AddNode("b", 2), AddNode("", None), RenameNode(2, "c")),
        *(AddNode("d", 3), AddNode("e", "root"), AddNode("f", 0, 1)),
    ]
    draft, notes = Draft(MODEL, DATA), list[bytes]()
    for change in changes:
        change.apply(draft)
        notes.append(bytes(draft.data))
    together = Draft(MODEL, DATA)
    made = plan(together, changes)
    assert bytes(made.after) == notes[-1]
    assert [it.change for it in made.steps if it.topic is None] == changes
    assert together.model.node_names(from_records=False) == ("root", "f", "arm", "c", "b", "", "d", "e")
    assert together.moves.nodes == draft.moves.nodes


def test_a_parent_that_comes_later_is_refused() -> None:
    draft = Draft(MODEL, DATA)
    with pytest.raises(EditError, match="nodes"):
        plan(draft, [AddNode("a", 3), AddNode("b", 0)])
    assert bytes(draft.data) == bytes(DATA)


def test_two_thousand_nodes_take_a_second() -> None:
    started = process_time()
    made = plan(Draft(MODEL, DATA), [AddNode(f"n{row}", row) for row in range(1, 2000)])
    assert process_time() - started < 5, "one after the other they take 30 s"
    assert len(made.steps) == 1999
