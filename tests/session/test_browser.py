"""Neighbours of the document in the browser."""

from __future__ import annotations

from viewer.session.browser import Browser, BrowserEntry


def entry(name: str, kind: str = "msh") -> BrowserEntry:
    return BrowserEntry(f"robots.rlb::{name}", name, kind)


BROWSER = Browser(
    (BrowserEntry("robots.rlb", "robots.rlb", "nres", can_open=True),), current="robots.rlb::a"
).listed("robots.rlb", (entry("a"), entry("wear", "wear"), entry("b")))


def test_the_neighbour_is_the_next_model() -> None:
    assert BROWSER.neighbour(1) == entry("b")


def test_there_is_no_neighbour_beyond_the_ends() -> None:
    assert BROWSER.neighbour(-1) is None
    assert BROWSER.neighbour(2) is None


def test_a_document_that_is_not_listed_has_no_neighbours() -> None:
    assert Browser(current="elsewhere.msh").neighbour(1) is None
