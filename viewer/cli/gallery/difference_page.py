"""The page of a comparison of two folders: pictures of what differs side by side, and the fields."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer import translation
from viewer.cli import output, text_table
from viewer.cli.gallery import site
from viewer.cli.inputs import reading_options
from viewer.cli.picturing.process_renderer import drawing_jobs
from viewer.cli.picturing.thumbnail import picture_of
from viewer.cli.processes import SharedWork, one_by_one
from viewer.errors import MshviewError, OutputError
from viewer.json_types import members
from viewer.model.compare.differences import ChangeKind
from viewer.model.compare.edit_report import ChangedValue
from viewer.model.convert.pictures.images import write_png
from viewer.model.kinds import json_text
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import with_target
from viewer.model.store.file_store import FileStore
from viewer.model.store.whole_folder import new_folder
from viewer.operations.comparing import ComparedTable, FileComparison
from viewer.operations.folders.answer import SCHEMA, FolderDifferences, places, summary
from viewer.operations.folders.comparison import ComparedEntry, EntryState, FolderComparison
from viewer.operations.folders.contents import DIRECTORY, stated_differences
from viewer.render.offscreen import GraphicsError
from viewer.translation import _, counted, readable, translated
from viewer.version import VERSION

PAGE: Final = "index.html"
INDEX: Final = "differences.json"
PICTURES: Final = "pictures"
SIDES: Final = ("a", "b")
SIZE: Final = 256
"""Longest side of a picture, pixels."""
MOST_FIELDS: Final = 100
"""Fields of one entry that are listed; all are counted."""
LONGEST: Final = 200
"""Characters of a value."""
_PART: Final = re.compile(rf"{PAGE}|{INDEX}|{PICTURES}(/\d+[ab]\.png)?")
_PICTURED: Final = (EntryState.CHANGED, EntryState.ADDED, EntryState.REMOVED)


PageField = tuple[str, str, str]
"""The place of a field, and both values."""


class PageTask(Struct, frozen=True):
    """An entry that is shown, with the addresses to read, and the beginning of its file names."""

    entry: ComparedEntry
    a: Address | None
    b: Address | None
    stem: str


class PageEntry(Struct, frozen=True):
    """An entry as the page shows it.

    Attributes
    ----------
    pictures
        By side, a file name below the page; a side that is absent or has no picture is missing.
    problem
        Why a picture or the fields are missing; empty if nothing is.
    fields
        The fields that differ: where, before and after.
    """

    pictures: dict[str, str]
    problem: str = ""
    fields: tuple[PageField, ...] = ()


def write(options: Namespace, found: FolderComparison) -> None:
    """Write the page of a comparison into the folder of the options; an earlier page is replaced."""
    path = Path(options.out)
    may_replace: Callable[[Path], bool] = (lambda _: False) if options.no_clobber else is_page
    with new_folder(path, may_replace) as folder:
        (folder / PICTURES).mkdir()
        shown = _shown(options, found, folder)
        document = members(FolderDifferences.made(found))
        (folder / INDEX).write_bytes(f"{json_text.encode(document)}\n".encode(errors="backslashreplace"))
        (folder / PAGE).write_bytes(html(found, shown).encode(errors="backslashreplace"))
        if not any((folder / PICTURES).iterdir()):
            (folder / PICTURES).rmdir()
    output.note_written()
    if not options.json:
        words = _("wrote {path}: {what}", path=with_target(path), what=summary(found))
        output.confirm([words])


def is_page(folder: Path) -> bool:
    """Whether a folder is an earlier page; raises `OutputError` for one to which anything was added."""
    try:
        with (folder / INDEX).open("rb") as file:
            is_one = SCHEMA.encode() in file.read(256)
    except OSError:
        return False
    for path in sorted(folder.rglob("*")) if is_one else ():
        name = path.relative_to(folder).as_posix()
        if not _PART.fullmatch(name):
            raise OutputError(
                _("holds {name}, which is not part of the earlier page", name=name), source=folder
            )
    return is_one


def _shown(options: Namespace, found: FolderComparison, folder: Path) -> list[PageEntry]:
    """The entries as the page shows them, made by several processes."""
    tasks = [
        PageTask(it, _below(found.a, it.a), _below(found.b, it.b), str(number))
        for number, it in enumerate(found.entries)
    ]
    making = PageMaking(folder, reading_options(options).reading)
    work = SharedWork("diff", _("pictures"), partial(one_by_one, making.begin), is_drawing=True)
    try:
        jobs = drawing_jobs(len(tasks), options.jobs)
    except GraphicsError:  # pictures of models are missing then, each with the reason
        jobs = 1
    entries = []
    for it in work.results(tasks, jobs) if tasks else ():
        entries.append(it)
        site.touch(folder)
    return entries


def _below(folder: Path, address: Address | None) -> Address | None:
    return None if address is None else Address(folder / address.path, address.entries)


class PageMaking(Struct, frozen=True):
    """The input of a process that shows entries."""

    folder: Path
    requested: ReadingChoice

    def begin(self) -> Callable[[PageTask], PageEntry]:
        """Make what shows one entry after the other."""
        return partial(self._entry, FileStore())

    def _entry(self, store: FileStore, task: PageTask) -> PageEntry:
        """Draw an entry and list its fields."""
        if task.entry.state not in _PICTURED:
            return PageEntry({})
        pictures: dict[str, str] = {}
        problem = ""
        for side, address in zip(SIDES, (task.a, task.b), strict=True):
            try:
                if address is not None:
                    item = store.open(address)
                    data = write_png(picture_of(store, item, SIZE))
                    pictures[side] = f"{PICTURES}/{task.stem}{side}.png"
                    (self.folder / pictures[side]).write_bytes(data)
                    item.made.clear()
            except MshviewError as error:
                problem = error.message  # without the path: a page does not tell where it was made
        return PageEntry(pictures, problem, tuple(self._fields(store, task)))

    def _fields(self, store: FileStore, task: PageTask) -> Iterator[PageField]:
        """The fields that differ, those of the directory first."""
        if task.a is None or task.b is None:
            return
        try:
            a, b = store.open(task.a), store.open(task.b)
            for name, before, after in stated_differences(a, b):
                yield f"{DIRECTORY}.{name}", str(before), str(after)
            tables = FileComparison.of(a, b, self.requested).tables
        except MshviewError:
            return
        values = ((table.table, it) for table in tables for it in table.values)
        for table, it in islice(values, MOST_FIELDS):
            yield it.in_file or table, *_both(it)
        # Pixels are not listed one by one.
        yield from ((it.table, _counts(it), "") for it in tables if not it.values)


def _counts(table: ComparedTable) -> str:
    return ", ".join(f"{count} {translated(what)}" for what, count in table.counts.items() if count)


def _both(value: ChangedValue) -> tuple[str, str]:
    """Both values of a field as text, or what happens to a whole row."""
    if value.what is not ChangeKind.CHANGED or not value.field:
        return translated(value.what), ""
    before, after = (text_table.cell(it)[:LONGEST] for it in value.written)
    return before, after


def html(found: FolderComparison, shown: Sequence[PageEntry]) -> str:
    """The page; no text of a file can be taken for markup."""
    pairs = [*zip(found.entries, shown, strict=True)]
    order = [*EntryState]
    pairs.sort(key=lambda it: order.index(it[0].state))
    groups = [(state, [*some]) for state, some in groupby(pairs, lambda it: it[0].state)]
    links = [f'<a href="#{it}">{_text(translated(it))} <b>{len(some)}</b></a>' for it, some in groups]
    if found.errors:
        links.append(f'<a href="#errors">{_text(_("could not be read"))} <b>{len(found.errors)}</b></a>')
    titles = [it.absolute().name for it in (found.a, found.b)]
    if titles[0] == titles[1]:
        titles = [str(found.a), str(found.b)]
    values = {
        "language": translation.code(),
        "title": _text(_("{a} and {b}", a=titles[0], b=titles[1])),
        "version": _text(VERSION),
        "style": site.part("gallery.css"),
        "own_style": site.part("differences.css"),
        "total": _text(summary(found)),
        "links": "".join(links),
        "sections": "\n".join([*_sections(found, groups)]),
    }
    return site.filled("differences.html", values)


def _sections(
    found: FolderComparison, groups: Sequence[tuple[EntryState, Sequence[tuple[ComparedEntry, PageEntry]]]]
) -> Iterator[str]:
    for state, some in groups:
        yield f'<section id="{state}"><h2>{_text(translated(state))}<b>{len(some)}</b></h2>'
        if state in _PICTURED:
            yield from (_article(*it) for it in some)
        else:
            yield "<ul>"
            yield from (f"<li>{_text(places(entry))}</li>" for entry, _shown in some)
            yield "</ul>"
        yield "</section>"
    if found.errors:
        yield f'<section id="errors"><h2>{_text(_("could not be read"))}</h2><ul>'
        yield from (f"<li>{_text(it.path)}: {_text(it.message)}</li>" for it in found.errors)
        yield "</ul></section>"


def _article(entry: ComparedEntry, shown: PageEntry) -> str:
    count = entry.fields
    fields = "" if count is None else f", {counted(count, '{count} field differs', '{count} fields differ')}"
    parts = [f"<article><h3>{_text(places(entry))}</h3><p>{_text(entry.kind + fields)}</p>"]
    if shown.pictures:
        parts += _pair(shown.pictures)
    elif shown.problem:
        parts.append(f"<p>{_text(shown.problem)}</p>")
    if shown.fields:
        parts += _table(shown.fields)
        left = (count or 0) - len(shown.fields)
        if len(shown.fields) >= MOST_FIELDS and left > 0:
            parts.append(f"<p>{_text(_('and {count} more', count=left))}</p>")
    return "".join([*parts, "</article>"])


def _pair(pictures: Mapping[str, str]) -> Iterator[str]:
    yield "<div>"
    for side, words in zip(SIDES, (_("before"), _("after")), strict=True):
        if side in pictures:
            image = f'<img src="{escape(pictures[side])}" alt="" loading="lazy">'
            yield f"<figure>{image}<figcaption>{_text(words)}</figcaption></figure>"
    yield "</div>"


def _table(fields: Sequence[PageField]) -> Iterator[str]:
    heads = "".join(f"<th>{_text(it)}</th>" for it in (_("field"), _("before"), _("after")))
    yield f"<table><tr>{heads}</tr>"
    for row in fields:
        yield f"<tr>{''.join(f'<td>{_text(it)}</td>' for it in row)}</tr>"
    yield "</table>"


def _text(text: object) -> str:
    """Text as markup; bytes of names that are no text are escaped."""
    return escape(readable(str(text)).encode("utf-8", "backslashreplace").decode())
