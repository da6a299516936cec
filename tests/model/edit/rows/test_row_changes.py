"""Rows added, removed and moved: the rows are those asked for, the counts follow, nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.payloads import Payload, payloads
from viewer.errors import EditError, FormatError
from viewer.formats import splice
from viewer.formats.part import Part, encode, gaps, walk
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.rows import row_tables
from viewer.model.edit.rows.row_changes import AddRows, MoveRows, RemoveRows
from viewer.model.edit.rows.row_tables import RowTable
from viewer.model.kinds.registry import by_id

MOST_FILES: Final = 12
MOST_BYTES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Case:
    """A table of a kind, and where it occurs."""

    kind: str
    table: str
    places: tuple[tuple[Payload, str], ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.table}"


def draft_of(payload: Payload) -> Draft:
    return Draft(by_id(payload.kind), payload.data, payload.entry)


def cases() -> Iterator[Case]:
    for kind in sorted({kind for kind, _ in row_tables.TABLES}):
        found: dict[str, list[tuple[Payload, str]]] = {}
        for payload in sorted(payloads(kind), key=lambda it: len(it.data)):
            if len(payload.data) > MOST_BYTES:
                continue
            for path in tables_of(payload):
                found.setdefault(without_numbers(path), []).append((payload, path))
        for table, places in found.items():
            yield Case(kind, table, tuple(places[:: 1 + len(places) // MOST_FILES]))


def tables_of(payload: Payload) -> Iterator[str]:
    try:
        root = draft_of(payload).parts
    except FormatError:
        return
    for path, part in walk(root):
        if part.is_table and isinstance(row_tables.of(payload.kind, path), RowTable):
            yield path


def without_numbers(path: str) -> str:
    return "".join(letter for letter in path if not letter.isdigit())


ALL_CASES: Final = (*cases(),)


def test_every_table_with_rows_is_found() -> None:
    assert {(case.kind, case.table) for case in ALL_CASES} == {*row_tables.TABLES}


def rows_of(draft: Draft, path: str) -> list[bytes]:
    """The bytes of the rows of a table; of a tree without the number of children."""
    part = draft.part(path)
    found = []
    for row in range(part.count):
        start, size = part.span(row)
        found.append(bytes(draft.data[start : start + size]))
    return [row[:-4] for row in found] if path == "components" else found


def changes(table: RowTable, path: str, count: int) -> st.SearchStrategy[Change]:
    """A change of a table with so many rows."""
    ends = st.none() | st.integers(0, count)
    rows = st.lists(st.integers(0, max(0, count - 1)), min_size=1, max_size=3, unique=True)
    chosen = rows.map(lambda found: RowChoice.of(*found))
    moves = st.builds(MoveRows, st.just(path), chosen, ends)
    if not table.can_grow:
        return moves
    like = st.none() | st.integers(0, count - 1) if count else st.none()
    names = st.sampled_from(table.records or ("",))
    adds = st.builds(AddRows, st.just(path), ends, st.integers(1, 3), like, names)
    return st.one_of(adds, moves, st.builds(RemoveRows, st.just(path), chosen)) if count else adds


@pytest.mark.parametrize("case", ALL_CASES, ids=str)
def test_rows_are_those_that_are_asked_for(case: Case) -> None:
    @settings(max_examples=30, database=None, suppress_health_check=[*HealthCheck])
    @given(st.data())
    def run(data: st.DataObject) -> None:
        payload, path = data.draw(st.sampled_from(case.places))
        draft = draft_of(payload)
        for _ in range(data.draw(st.integers(1, 3))):
            change_once(case, draft, path, data)
        assert splice.applied(bytes(draft.data), splice.reverse(draft.splices)) == payload.data

    run()


def change_once(case: Case, draft: Draft, path: str, data: st.DataObject) -> None:
    table = row_tables.of(case.kind, path)
    assert isinstance(table, RowTable)
    before, others, problems = rows_of(draft, path), other_parts(draft, path), findings(draft)
    change = data.draw(changes(table, path, len(before)))
    stood = bytes(draft.data)
    refusal = refusal_of(change, draft)
    if refusal is not None:
        assert refusal.table
        assert any(word in str(refusal) for word in REFUSED), refusal
        assert draft.data == stood
        return
    check_rows(case, change, before, rows_of(draft, path))
    assert list(gaps(draft.parts)) == []
    assert encode(draft.parts) == draft.data
    assert findings(draft) <= problems + (2 * change.count if isinstance(change, AddRows) else 1)
    assert other_parts(draft, path) == others


def refusal_of(change: Change, draft: Draft) -> EditError | None:
    """Why a change is refused; None if it was made."""
    try:
        change.apply(draft)
    except EditError as error:
        return error
    return None


REFUSED: Final = (
    "at most",
    "would be removed",
    "at least one",
    "stays the first",
    "at most 19",
    "repeats the first",
    "describe a tree",
    "cannot be read",
    "can be read",
    "not all states",
    "other bytes follow",
    "other text follows",
)


def findings(draft: Draft) -> int:
    return len(getattr(draft.value, "diagnostics", ()))


def check_rows(case: Case, change: Any, before: list[bytes], after: list[bytes]) -> None:
    """The rows are in the order that the change says; those of a tree and of a ring are checked below."""
    if case.table in {"components", "rings[].points"}:
        return
    if case.kind == "wear":
        before, after = [[*map(bytes.strip, rows)] for rows in (before, after)]
    match change:
        case AddRows():
            at = len(before) if change.before is None else change.before
            assert after[:at] + after[at + change.count :] == before
            if change.like is not None and case.kind not in {"wear", "ground_plan"}:
                assert after[at : at + change.count] == [before[change.like]] * change.count
        case RemoveRows():
            removed = {*map(int, change.rows.text.split(","))}
            assert after == [row for index, row in enumerate(before) if index not in removed]
        case MoveRows():
            assert sorted(after) == sorted(before)
            moved = sorted({*map(int, change.rows.text.split(","))})
            at = len(before) if change.before is None else change.before
            kept = [index for index in range(len(before)) if index not in moved]
            first = sum(index < at for index in kept)
            assert after == [before[index] for index in (*kept[:first], *moved, *kept[first:])]


FOLLOWING: Final = {
    "phases": {"phases", "blocks"},
    "path_graph": {"path_graph", "path_links"},
    "states": {"states", "costs"},
    "points": {"points", "names"},
    "names": {"points", "names"},
    "palette": {"palette", "levels"},
    "lightmaps": {"lightmaps", "heading", "separator"},
    "rings": {"rings"},
    "blocks": {"blocks"},
}
"""Parts that follow from rows of a table."""


COUNTS: Final = {"header", "counts", "page_header", "container", "directory"}
"""Parts that hold numbers of rows, and offsets that follow from sizes."""


def other_parts(draft: Draft, path: str) -> dict[str, bytes]:
    """The bytes of the parts that a change of a table has to leave alone."""
    name = path.partition("[")[0].partition(".")[0]
    follow = FOLLOWING.get(name, {name})
    return {
        child.name: content(child)
        for child in draft.parts.children
        if child.name not in {*follow, *COUNTS} and "_count" not in child.name and "_0x" not in child.name
    }


def content(part: Part) -> bytes:
    return encode(part)
