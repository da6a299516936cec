"""Every archive of the corpora, and every damaged one, is edited: nothing changes but the edited entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from tests import damaged_files
from viewer.errors import EditError, MshviewError
from viewer.formats import splice
from viewer.model.edit.archive.entries import AddEntry, RemoveEntry, RenameEntry, ReplaceEntry
from viewer.model.edit.archive.entry_order import MoveEntry
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, container_of


def payloads(container: Container) -> list[bytes | None]:
    """The bytes of all entries; None for those that cannot be read."""
    return [_payload(container, index) for index in range(len(container.entries))]


def _payload(container: Container, index: int) -> bytes | None:
    try:
        return bytes(container.payload(index))
    except MshviewError:
        return None


def expected(before: list[bytes | None], change: Change, row: int) -> list[bytes | None]:
    after = list(before)
    match change:
        case ReplaceEntry():
            after[row] = change.payload
        case RemoveEntry():
            del after[row]
        case AddEntry():
            after.insert(row, change.payload)
        case MoveEntry():
            after.insert(0, after.pop(row))
    return after


def check(draft: Draft, data: bytes, change: Change, row: int, before: list[bytes | None]) -> None:
    try:
        change.apply(draft)
    except EditError:
        assert draft.data == data
        return
    after = container_of(draft.data)
    assert after is not None
    assert payloads(after) == expected(before, change, row)
    assert splice.applied(draft.data, splice.reverse(draft.splices)) == data


def check_folder(folder: Path, rows: Callable[[int], Iterable[int]]) -> int:
    """Change some rows of every archive in a folder; return the number of changes."""
    count = 0
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        item = FileStore().open(Address(path))
        try:
            container = item.container
        except MshviewError:
            continue
        if container is None or not container.entries:
            continue
        before = payloads(container)
        for row in rows(len(before)):
            for change in (
                ReplaceEntry(f"#{row}", b"x" * 77),
                ReplaceEntry(f"#{row}", b""),
                RenameEntry(f"#{row}", "NEWNAME.X"),
                RemoveEntry(f"#{row}"),
                MoveEntry(f"#{row}", 0),
                AddEntry("NEWNAME.X", b"123", row=row),
            ):
                check(Draft(promised_kind(item), item.data), bytes(item.data), change, row, before)
                count += 1
    return count


def test_entries_of_all_archives_are_changed_alone(samples: Path) -> None:
    assert check_folder(samples, lambda count: [count // 2]) > 500


def test_entries_of_damaged_archives_are_changed_alone(tmp_path: Path) -> None:
    damaged_files.write(tmp_path)
    assert check_folder(tmp_path, lambda count: {0, count // 2, count - 1}) > 500
