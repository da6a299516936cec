"""What a save writes, worked out: at once in bytes, in a worker thread in values and diagnostics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.compare.edit_report import FileEdit, report
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.edits.edited_file import NOT_REACHABLE, EditedFile
from viewer.session.edits.save_sheet import AddedDiagnostic, ChangedValue, SaveSheet, combined


def sheet_of(
    file: EditedFile, target: Path, before_size: int, after: memoryview, ranges: Splices
) -> SaveSheet:
    """The sheet before anything is compared.

    Parameters
    ----------
    before_size
        Bytes of the saved file.
    after
        The edited bytes.
    ranges
        What is replaced in the saved file.
    """
    first = max(file.saved, 0)
    steps = () if file.saved == NOT_REACHABLE else file.steps[first : file.position]
    undone = () if file.saved == NOT_REACHABLE else file.steps[file.position : file.saved][::-1]
    return SaveSheet(file.path, target, steps, first, ranges, before_size, len(after), undone)


def ranges_of(file: EditedFile) -> Splices | None:
    """What the unsaved steps replace in the saved file; None if it cannot be reached by undoing."""
    if file.saved == NOT_REACHABLE:
        return None
    return combined(file.at(file.saved).way(file.position))


def touched_payloads(file: EditedFile) -> tuple[Address, ...]:
    """The payloads that unsaved steps have changed; the file itself if that is not known."""
    if file.saved == NOT_REACHABLE:
        return (Address(file.path),)
    changed = file.changed_between(file.saved, file.position)
    return tuple(sorted(changed, key=lambda address: address.entries))


def compared(
    library: FileStore,
    sheet: SaveSheet,
    before: memoryview,
    addresses: Iterable[Address],
    game: Path | None,
    reading: ReadingChoice,
) -> SaveSheet:
    """The sheet with its changes in words and the diagnostics that they add; takes its time.

    Parameters
    ----------
    before
        The saved bytes.
    addresses
        The edited payloads.
    """
    edit = FileEdit(sheet.path, before, sheet.ranges, tuple(addresses))
    found = report(library, edit, game=game, reading=reading)
    changes = tuple(
        ChangedValue(it.address, str(it.what), it.table, it.row, it.field, it.before, it.after)
        for it in found.values
    )
    added = tuple(AddedDiagnostic(it.source, it.diagnostic) for it in found.added)
    return replace(sheet, changes=changes, added=added)


def bytes_before(after: memoryview, ranges: Splices) -> memoryview:
    """The saved bytes, from the edited ones and what was replaced."""
    return memoryview(splice.applied(after, splice.reverse(ranges)))


def differences(
    library: FileStore,
    path: Path,
    files: tuple[memoryview, bytes],
    game: Path | None,
    reading: ReadingChoice,
) -> tuple[str, ...]:
    """How the second of two states of a file differs from the first, in words."""
    edit = FileEdit(path, files[0], splice.between(*files), (Address(path),))
    found = report(library, edit, game=game, reading=reading, is_checked=False)
    return tuple(f"{it.place}: {it.what}: {it.before} -> {it.after}" for it in found.values)
