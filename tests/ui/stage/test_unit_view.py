"""The references of an object."""

from __future__ import annotations

import pytest

from viewer.ui.stage.unit_view import presumed_kind


@pytest.mark.parametrize(
    ("name", "kind"), [("tree.msh", "msh"), ("TREE.WEA ", "wear"), ("boom.wav", "wav"), ("TREE", "")]
)
def test_the_suffix_tells_the_kind(name: str, kind: str) -> None:
    assert presumed_kind(name) == kind
