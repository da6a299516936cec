"""The heading of an opened resource."""

from __future__ import annotations

import pytest

from tests.languages import Bracketed
from viewer import translation
from viewer.session.opened.opened_resource import OpenedResource
from viewer.ui.stage.resource_view import subtitle


@pytest.mark.parametrize(
    ("kind", "text"),
    [("wear", "wear table, 27 B"), ("control", "controller, 27 B"), ("77", "77, 27 B")],
)
def test_a_kind_is_named_by_its_title(kind: str, text: str) -> None:
    assert subtitle(OpenedResource("a", kind, memoryview(bytes(27)))) == text


def test_the_title_is_translated() -> None:
    translation.use(Bracketed())
    try:
        assert subtitle(OpenedResource("a", "wear", memoryview(bytes(27)))).startswith("[wear table], ")
    finally:
        translation.use(None)
