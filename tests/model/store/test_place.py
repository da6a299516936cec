"""Places as values: text and back, what lies in what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import Diagnostic, FormatError, Severity, UsageError
from viewer.model.store.place import Place

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
ROWS = st.integers(0, 1 << 32)
DOTTED = st.lists(NAMES, min_size=1, max_size=3).map(".".join)
NESTED = st.tuples(DOTTED, ROWS, NAMES).map(lambda part: f"{part[0]}[{part[1]}].{part[2]}")
TABLES = DOTTED | NESTED
ADDRESSES = st.text(min_size=1) | st.sampled_from(["a.lib::b", "C: d", "x: nodes[1]", "a: ", "tank.msh::#3"])
SPOTS = st.builds(Place, ADDRESSES | st.just(""), TABLES, st.none() | ROWS, st.just("") | DOTTED)
PLACES = SPOTS | st.builds(Place, ADDRESSES)


@given(PLACES)
def test_text_reads_back(place: Place) -> None:
    assert Place.parse(str(place)) == place


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place("a.lib::tank.msh", "nodes", 3, "parent"), "a.lib::tank.msh: nodes[3].parent"),
        (Place("a.msh", "batches", field="attr1"), "a.msh: batches.attr1"),
        (Place("a.msh", "batches"), "a.msh: batches"),
        (Place("a.mat", "blocks[2].keys", 0, "time"), "a.mat: blocks[2].keys[0].time"),
        (Place("a.mat", "blocks[2].keys"), "a.mat: blocks[2].keys[]"),
        (Place("a.tex", "Texm.header", field="width"), "a.tex: Texm.header[].width"),
        (Place("a.tex"), "a.tex"),
        (Place("", "nodes", 1), ": nodes[1]"),
    ],
)
def test_text_form(place: Place, text: str) -> None:
    assert str(place) == text


def test_what_is_no_spot_belongs_to_the_address() -> None:
    assert Place.parse("C: drive/a.msh") == Place("C: drive/a.msh")
    assert Place.parse("nodes[1]") == Place("nodes[1]")
    with pytest.raises(UsageError):
        Place.parse("")


def test_places_of_findings_and_errors() -> None:
    finding = Diagnostic("V14", Severity.ERROR, "too far", "batches", 3, "index_start")
    assert Place.of("a.msh", finding) == Place("a.msh", "batches", 3, "index_start")
    assert Place.of("a.msh", FormatError("short")) == Place("a.msh")


@given(PLACES)
def test_each_place_lies_in_itself_and_in_all_around_it(place: Place) -> None:
    for outer in (Place(place.address, place.table, place.row, place.field), *place.outers):
        assert place in outer
        assert outer not in place or outer.steps == place.steps


def test_around_a_nested_table() -> None:
    around = [str(place) for place in Place("a.lib::b", "blocks[2].keys", 7, "time").outers]
    assert around == [
        "a.lib::b: blocks[2].keys[7]",
        "a.lib::b: blocks[2].keys[]",
        "a.lib::b: blocks[2]",
        "a.lib::b: blocks",
        "a.lib::b",
        "a.lib",
    ]


def test_what_does_not_contain() -> None:
    assert Place("a.lib::b") not in Place("a.li")
    assert Place("a.lib::b", "nodes", 10) not in Place("a.lib::b", "nodes", 1)
    assert Place("a.lib::b", "nodes") not in Place("a.lib", "directory")


def test_row_of_an_outer_table() -> None:
    place = Place("a.mat", "blocks[2].keys", 7)
    assert (place.row_of("blocks"), place.row_of("blocks[2].keys"), place.row_of("keys")) == (2, 7, None)
