"""The sheet of a save from the bytes and steps of its files; without state, for worker threads."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from viewer.formats import splice
from viewer.model.compare.file_plan import FilePlan
from viewer.model.store.address import Address
from viewer.model.store.backups import backup_of
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import EditOptions, with_findings
from viewer.operations.saving import written_to
from viewer.session.edits.edited_file import EditedFile
from viewer.session.edits.questions import SaveSheet


def plan_of(file: EditedFile, after: memoryview) -> FilePlan:
    """The plan of a file with its unsaved changes; `after` are the edited bytes."""
    ranges = splice.combined_all(file.splices_from_saved)
    before = memoryview(splice.applied(after, splice.reverse(ranges)))
    return FilePlan(file.path, before, ranges, data=after)


def sheet_of(file: EditedFile, target: Path, after: memoryview) -> SaveSheet:
    """The sheet before anything is compared; `after` are the edited bytes."""
    plan = written_to(plan_of(file, after), target)
    return SaveSheet(plan, target, file.unsaved, file.first, file.undone)


def on_disk(path: Path) -> memoryview | None:
    """The bytes of a file on the disk; None if it is gone. Raises `AddressError` if it cannot be read."""
    store = FileStore()
    return None if store.revision(path) is None else store.file(path)


def over(library: FileStore, sheet: SaveSheet, options: EditOptions) -> SaveSheet:
    """The sheet of a file that replaces what another program has made of it, or writes it again.

    What the file of the other program has adds no errors to it, whatever it is.
    """
    mine, theirs = sheet.plan, on_disk(sheet.path)
    plan = FilePlan.replaced(mine.path, b"" if theirs is None else theirs, mine.after)
    if theirs is None:
        return replace(sheet, plan=replace(plan, target=mine.path, can_replace=False, findings=mine.findings))
    shown = with_findings(library, plan, options, (Address(mine.path),), is_checked=False).report
    plan = replace(plan, is_foreign=True, findings=replace(shown, added=mine.report.added))
    return replace(sheet, plan=plan, kept=backup_of(sheet.path, is_exact=True).path.name)


def differences(
    library: FileStore, path: Path, files: tuple[memoryview, bytes], options: EditOptions
) -> tuple[str, ...]:
    """Differences of the second of two states of a file from the first, in words."""
    plan = FilePlan.replaced(path, *files)
    found = with_findings(library, plan, options, (Address(path),), is_checked=False)
    return tuple(f"{it.place}: {it.what}: {it.before} -> {it.after}" for it in found.report.values)
