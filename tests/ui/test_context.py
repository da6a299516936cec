"""What panels remember for each tab."""

from __future__ import annotations

from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import Tab, Tabs
from viewer.ui.context import PerTab


def tab(address: str) -> Tab:
    return Tab(resource=OpenedResource(address, "wear", memoryview(b"")))


def test_every_tab_has_a_value_of_its_own() -> None:
    tabs = Tabs((tab("a"), tab("b")))
    notes: PerTab[list[str]] = PerTab(list)
    notes.of(tabs).append("first")
    other = tabs.activated(tabs.tabs[1].identity)
    assert notes.of(other) == []
    assert notes.of(tabs) == ["first"]


def test_a_value_ends_with_its_tab_and_with_what_that_shows() -> None:
    tabs = Tabs((tab("a"), tab("b")))
    notes: PerTab[list[str]] = PerTab(list)
    notes.of(tabs).append("first")
    replaced = tabs.with_tab(
        tabs.active.showing(OpenedResource("c", "wear", memoryview(b"")), tabs.active.view)
    )
    assert notes.of(replaced) == []
    assert notes.of(tabs) == []
    assert len(notes._values) == 1
