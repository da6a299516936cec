"""Any sequence of changes in a file with entries: undone it is the same file, redone the same result.

Each change is planned on the bytes as they are, with what follows from it, and lifted to the file, as the
window does it. The archive must be read back with every other entry unchanged.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.payloads import FOLDERS
from tests.model.edit.test_every_field import fields_of_root, legal, place
from tests.share import examples
from viewer.errors import MshviewError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.part import find, walk
from viewer.formats.splice import Splices
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import lifted, plan
from viewer.model.edit.rows import row_tables
from viewer.model.edit.rows.row_changes import AddRows, MoveRows, RemoveRows
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

LENGTH: Final = 12
ARCHIVES: Final = ("seed.rlb", "guns.rlb", "Material.lib", "effects.rlb", "objects.rlb", "turrets.rlb")


class Session:
    """A file, the steps that were made, and the bytes as they are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = FileStore()
        self.data = path.read_bytes()
        self.steps: list[Splices] = []

    def overlay(self, splices: Splices) -> None:
        """Change the file."""
        self.data = splice.applied(self.data, splices)
        self.store.unsaved.overlay(self.path, memoryview(self.data))

    def entries(self) -> nres.Archive:
        """The archive as it is."""
        return nres.Archive.read(self.data)

    def draft(self, index: int) -> tuple[Address, Draft]:
        """An entry as it is."""
        address = Address(self.path, (f"#{index}",))
        item = self.store.open(address)
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        return address, Draft(promised_kind(item), item.data, entry)


def test_any_sequence_is_undone_and_redone(tmp_path: Path) -> None:
    found = [path for name in ARCHIVES for path in sorted((FOLDERS[1]).rglob(name))]
    assert found
    for path in found:
        shutil.copy(path, tmp_path / path.name)
        check(tmp_path / path.name)


def check(path: Path) -> None:
    @settings(max_examples=examples(8), database=None, suppress_health_check=[*HealthCheck])
    @given(st.data())
    def run(data: st.DataObject) -> None:
        session = Session(path)
        first = session.data
        for _ in range(LENGTH):
            change_once(session, data)
        last = session.data
        together: Splices = ()
        for splices in session.steps:
            together = splice.combined(together, splices)
        assert splice.applied(first, together) == last
        for splices in reversed(session.steps):
            session.overlay(splice.reverse(splices))
        assert session.data == first
        for splices in session.steps:
            session.overlay(splices)
        assert session.data == last

    run()


def change_once(session: Session, data: st.DataObject) -> None:
    before = session.entries()
    index = data.draw(st.integers(0, len(before.entries) - 1), label="entry")
    address, draft = session.draft(index)
    change = draw_change(draft, data)
    if change is None:
        return
    try:
        made = plan(draft, [change])
    except MshviewError:
        return
    splices = lifted(session.store, address, made.splices)
    session.overlay(splices)
    session.steps.append(splices)
    after = session.entries()
    assert bytes(after.payload(index)) == bytes(made.after)
    for entry in before.entries:
        if entry.index != index:
            kept = after.entries[entry.index]
            assert bytes(after.payload(entry.index)) == bytes(before.payload(entry.index))
            assert (kept.type_id, kept.name_raw, kept.sort_index) == (
                entry.type_id, entry.name_raw, entry.sort_index
            )  # fmt: skip


def draw_change(draft: Draft, data: st.DataObject) -> Change | None:
    """A random change of a payload; None if nothing is known of it."""
    if not draft.kind.is_known:
        return None
    tables = [*row_changes(draft)]
    is_of_rows: bool = data.draw(st.booleans(), label="rows")
    if tables and is_of_rows:
        change: Change = data.draw(st.sampled_from(tables), label="change")
        return change
    places = [*fields_of_root(draft.parts)]
    if not places:
        return None
    path, _, field = data.draw(st.sampled_from(places), label="field")
    part = find(draft.parts, path)
    assert part is not None
    row = data.draw(st.integers(0, part.count - 1), label="row") if part.is_table else None
    table, rows = place(path, row)
    value: Any = data.draw(legal(field, None), label="value")
    return SetField(table, rows, field.name, value)


def row_changes(draft: Draft) -> Iterator[Change]:
    for path, part in walk(draft.parts):
        if part.is_table and not isinstance(row_tables.of(draft.kind.id, path), str):
            yield AddRows(path, like=0 if part.count else None)
            if part.count:
                yield RemoveRows(path, RowChoice("0"))
                yield MoveRows(path, RowChoice("0"))


def test_any_sequence_in_the_samples(files: Path, tmp_path: Path) -> None:
    for folder in ["seed", "field"]:
        for name in ("Material.lib", "effects.rlb", "objects.rlb"):
            shutil.copy(files / folder / "game" / name, tmp_path / name)
            check(tmp_path / name)
