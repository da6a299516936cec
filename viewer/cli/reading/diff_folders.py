"""``diff`` of two folders: installs, or an install and its backup."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import Struct

from viewer.cli import output, target, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import reading_options
from viewer.cli.processes import SharedWork, job_count
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.errors import UsageError
from viewer.json_types import JsonObject, Natural, TableRow, described, names_of
from viewer.operations.folders.comparison import (
    ComparedEntry,
    EntryState,
    FolderComparison,
    begin,
    compare_folders,
)
from viewer.translation import _, counted, translated

if TYPE_CHECKING:
    from viewer.model.store.address import Address

SCHEMA: Final = "mshview-diff-folders-1"
STYLES: Final = {
    EntryState.ADDED: Style.ADDED,
    EntryState.REMOVED: Style.REMOVED,
    EntryState.CHANGED: Style.CHANGED,
    EntryState.RENAMED: Style.WARNING,
    EntryState.MOVED: Style.WARNING,
}


class FolderDifference(JsonObject, frozen=True):
    """A file or an entry that differs; addresses are relative to the folders."""

    state: EntryState
    a: str | None
    b: str | None
    kind: Annotated[str, described("what it is")]
    fields: Annotated[Natural | None, described("fields that differ, if both are decoded")]

    @classmethod
    def made(cls, it: ComparedEntry) -> FolderDifference:
        """The object of an entry."""
        return cls(it.state, _text(it.a), _text(it.b), it.kind, it.fields)


def _text(address: Address | None) -> str | None:
    return None if address is None else str(address)


class UnreadableFile(JsonObject, frozen=True):
    """What cannot be read in one of the folders, of which nothing else is said."""

    path: str
    message: str


class FolderDifferences(Struct, frozen=True):
    """What differs between two folders."""

    schema: Literal["mshview-diff-folders-1"]
    entries: Sequence[FolderDifference]
    same: Annotated[Natural, described("files and entries with the same name, place and content")]
    errors: Sequence[UnreadableFile]

    @classmethod
    def made(cls, found: FolderComparison) -> FolderDifferences:
        """The answer about a comparison."""
        entries = [*map(FolderDifference.made, found.entries)]
        return cls(SCHEMA, entries, found.same, [*map(UnreadableFile.of, found.errors)])


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


def places(entry: ComparedEntry) -> str:
    """The address of an entry, or both if they differ."""
    texts = [str(it) for it in (entry.a, entry.b) if it is not None]
    return " -> ".join(dict.fromkeys(texts))


def summary(found: FolderComparison) -> str:
    """How many entries are the same, and how many are not, in words."""
    states = Counter(it.state for it in found.entries)
    parts = [counted(found.same, "{count} entry is the same", "{count} entries are the same")]
    parts += [f"{states[it]} {translated(it)}" for it in EntryState if states[it]]  # type: ignore[misc]
    return ", ".join(map(str, parts))
