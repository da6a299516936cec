"""Changes name a node by its name only where that is its own."""

from __future__ import annotations

import pytest

from viewer.session.edits.row_commands import free_name, node_choice

NAMES = ("hull", "gun", "gun", "", "7")


@pytest.mark.parametrize(("node", "choice"), [(0, "hull"), (1, 1), (3, 3), (4, 4), (9, 9)])
def test_a_name_is_used_if_it_is_the_only_one(node: int, choice: object) -> None:
    assert node_choice(NAMES, node) == choice


def test_new_names_are_free() -> None:
    assert free_name(["Node1", "node2", "gun"]) == "node3"
