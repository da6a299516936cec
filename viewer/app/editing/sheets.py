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
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.save_sheet import AddedDiagnostic, SaveSheet


def sheet_of(file: EditedFile, target: Path, before_size: int, after: memoryview) -> SaveSheet:
    """The sheet before anything is compared.

    Parameters
    ----------
    before_size
        Bytes of the saved file.
    after
        The edited bytes.
    """
    first = file.saved if file.left is None else file.left.position
    steps, undone = file.steps[first : file.position], file.steps[file.position : first][::-1]
    ranges = splice.combined_all(file.way_from_saved)
    return SaveSheet(file.path, target, steps, first, ranges, before_size, len(after), undone)


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
    added = tuple(AddedDiagnostic(it.source, it.diagnostic) for it in found.added)
    return replace(
        sheet, changes=found.values, change_count=found.shown_count, summary=found.summary, added=added
    )


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
