"""What a save will write, of the bytes and steps of its files; no state, so that worker threads make it."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from viewer.control.editing.journal import FileBase
from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.compare.reporting import FileEdit, report
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.backups import backup_of
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import digest_of
from viewer.operations.saving import FileToSave
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.questions import SaveSheet


def sheet_of(file: EditedFile, target: Path, before_size: int, after: memoryview) -> SaveSheet:
    """The sheet before anything is compared.

    Parameters
    ----------
    before_size
        Bytes of the saved file.
    after
        The edited bytes.
    """
    ranges = splice.combined_all(file.splices_from_saved)
    steps, size = file.unsaved, len(after)
    return SaveSheet(file.path, target, steps, file.first, ranges, before_size, size, file.undone)


def on_disk(path: Path) -> memoryview | None:
    """The bytes of a file on the disk; None if it is gone. Raises `AddressError` if it cannot be read."""
    store = FileStore()
    return None if store.revision(path) is None else store.file(path)


def over(sheet: SaveSheet, theirs: memoryview | None, after: memoryview) -> SaveSheet:
    """The sheet of a file that replaces what another program has made of it, or writes it again."""
    if theirs is None:
        return replace(sheet, ranges=splice.between(b"", after), size_before=0)
    ranges, kept = splice.between(theirs, after), backup_of(sheet.path, is_exact=True).path.name
    return replace(sheet, ranges=ranges, size_before=len(theirs), theirs=digest_of(theirs), kept=kept)


def to_save(sheet: SaveSheet, after: memoryview, base: FileBase) -> FileToSave:
    """The file of a sheet; takes its time, as the digest of the saved bytes may not be known yet."""
    expected = sheet.theirs if sheet.is_over else base.digest
    return FileToSave(sheet.path, sheet.target, after, expected, is_over=sheet.is_over)


def bytes_before(after: memoryview, ranges: Splices) -> memoryview:
    """The saved bytes, from the edited ones and what was replaced."""
    return memoryview(splice.applied(after, splice.reverse(ranges)))


def differences(
    library: FileStore, path: Path, files: tuple[memoryview, bytes], game: Path | None, reading: ReadingChoice
) -> tuple[str, ...]:
    """How the second of two states of a file differs from the first, in words."""
    edit = FileEdit(path, files[0], splice.between(*files), (Address(path),))
    found = report(library, edit, game=game, reading=reading, is_checked=False)
    return tuple(f"{it.place}: {it.what}: {it.before} -> {it.after}" for it in found.values)
