"""Flattening trees to rows."""

from __future__ import annotations

from viewer.ui.widgets.tree_rows import TreeRow, flatten, with_ancestors

TREE = {"body": ["arm", "leg"], "arm": ["hand"], "leg": [], "hand": [], "other": []}
PARENT = {"arm": "body", "leg": "body", "hand": "arm"}


def test_flatten_goes_depth_first() -> None:
    rows = flatten(["body", "other"], TREE.__getitem__, lambda _: True)
    assert [(row.key, row.depth) for row in rows] == [
        ("body", 0),
        ("arm", 1),
        ("hand", 2),
        ("leg", 1),
        ("other", 0),
    ]


def test_closed_row_hides_what_is_below() -> None:
    rows = flatten(["body"], TREE.__getitem__, lambda key: key == "body")
    assert rows == [
        TreeRow("body", 0, has_children=True, is_open=True),
        TreeRow("arm", 1, has_children=True, is_open=False),
        TreeRow("leg", 1, has_children=False, is_open=False),
    ]


def test_deep_chain_needs_no_recursion() -> None:
    rows = flatten([0], lambda key: [key + 1] if key < 5000 else [], lambda _: True)
    assert rows[-1] == TreeRow(5000, 5000, has_children=False, is_open=False)


def test_ancestors_are_kept_once() -> None:
    assert with_ancestors(["hand", "leg"], PARENT.get) == {"hand", "arm", "leg", "body"}


def test_cyclic_parents_end() -> None:
    assert with_ancestors([1], {1: 2, 2: 1}.get) == {1, 2}
