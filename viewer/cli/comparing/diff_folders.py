"""``diff`` of two folders: installs, or an install and its backup."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from viewer.cli import output, target, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import reading_options
from viewer.cli.processes import SharedWork, job_count
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.errors import UsageError
from viewer.json_types import TableRow, names_of
from viewer.operations.folders.answer import FolderDifference, FolderDifferences, places, summary
from viewer.operations.folders.comparison import (
    EntryState,
    FolderComparison,
    begin,
    compare_folders,
)
from viewer.translation import _, translated

STYLES: Final = {
    EntryState.ADDED: Style.ADDED,
    EntryState.REMOVED: Style.REMOVED,
    EntryState.CHANGED: Style.CHANGED,
    EntryState.RENAMED: Style.WARNING,
    EntryState.MOVED: Style.WARNING,
}


class DifferenceLine(TableRow, frozen=True):
    """A file or an entry that differs as text shows it."""

    state: str
    kind: str
    fields: int | None
    entry: str


def run(options: Namespace) -> int:
    """Compare the folders that the options name; 0 if nothing differs, else 1."""
    for option in ("stat", "tree"):
        if getattr(options, option):
            words = _("is for two files; of folders each entry that differs is listed")
            raise UsageError(words, source=f"--{option}")
    if options.out:
        target.check_folder(options)
    found = compared(options)
    output.write_unreadable({it.path: it.message for it in found.errors})
    for path in found.layouts:
        words = _("{path}: all entries are the same, though not every byte of the archive is", path=path)
        output.write_hint(words)
    if options.out:
        from viewer.cli.gallery import difference_page  # noqa: PLC0415 it draws

        difference_page.write(options, found)
    if options.json or options.form is not None or not options.out:
        rows = [*map(FolderDifference.made, found.entries)]
        answer = Answer(lambda: FolderDifferences.made(found), lambda: lines(found), lambda: rows)
        answer.write("diff", options, names_of(FolderDifference))
    return FOUND if found.entries else DONE


def compared(options: Namespace) -> FolderComparison:
    """The comparison with the number of fields that differ, which several processes count."""
    a, b = Path(options.a), Path(options.b)
    with output.ShownProgress(_("files")) as progress:
        found = compare_folders(a, b, progress)
    tasks = found.tasks()
    work = SharedWork("diff", _("entries"), begin(reading_options(options).reading), [1 << 16] * len(tasks))
    return found.with_fields(work.results(tasks, job_count([1 << 16] * len(tasks), options.jobs)))


def lines(found: FolderComparison) -> Iterator[str]:
    """A line for each entry that differs, and a sum."""
    rows = [DifferenceLine(translated(it.state), it.kind, it.fields, places(it)) for it in found.entries]
    if rows:
        heading, *others = text_table.lines(rows)
        yield heading
        for it, line in zip(found.entries, others, strict=True):
            yield Styled(line, STYLES[it.state])
        yield ""
    yield summary(found)
