"""``ls``: the entries of an archive, or the files of a folder."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import numpy as np
from msgspec import Struct

from viewer.cli import answers, output, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import expand, file_store, findings_in
from viewer.cli.reading import overview
from viewer.cli.usage.arguments import FOLDER_OR_ADDRESS, add_addresses, add_forms
from viewer.cli.usage.reading_arguments import add_strictness
from viewer.diagnostics import Diagnostic
from viewer.errors import AddressError, MshviewError
from viewer.formats.archive import nres, rsli
from viewer.formats.text import encode
from viewer.json_types import Natural, Rows
from viewer.model.kinds.columns import Columns, MadeColumn
from viewer.model.kinds.entry_kinds import entry_kinds
from viewer.model.kinds.plain import FOLDER, ArchiveRow, FileRow, LibraryRow, folder_listing, listing
from viewer.model.kinds.registry import ARCHIVE, ARCHIVES, MODEL, PACKED, letters_of, presumed_id
from viewer.model.store.address import Address
from viewer.model.store.disk import is_link
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, container_in, index_of, spelling
from viewer.model.store.listed import listed
from viewer.operations.corpus.wildcards import has_wildcards, matching
from viewer.translation import _


class ArchiveContents(Struct, frozen=True):
    """The entries of an archive."""

    source: str
    kind: Literal["nres"]
    size: Natural
    entries: Rows[ArchiveRow]


class LibraryContents(Struct, frozen=True):
    """The entries of a packed library."""

    source: str
    kind: Literal["rsli"]
    size: Natural
    entries: Rows[LibraryRow]


class FolderContents(Struct, frozen=True):
    """The files of a folder."""

    source: str
    kind: Literal["folder"]
    size: Natural
    entries: Rows[FileRow]


ANSWER: Final = ArchiveContents, LibraryContents, FolderContents, overview.OverviewContents
_LISTINGS: Final = {ARCHIVE.id: ArchiveContents, PACKED.id: LibraryContents, FOLDER: FolderContents}

HIDDEN: Final = {
    ARCHIVE.id: {"packed_size", "method"},
    PACKED.id: {"type", "attr1", "attr2", "attr3"},
    FOLDER: {"type", "offset", "attr1", "attr2", "attr3", "sort_index", "packed_size", "method"},
}
"""Columns that the text omits, by what is listed."""
OPTIONAL: Final = ("sort_index", "attr3", "attr2", "attr1", "type", "offset", "packed_size", "method")
"""Columns that a narrow terminal leaves out, the first one first."""
CUT: Final = ("called",)
"""Columns whose texts are cut before they are left out."""

DEEPEST: Final = 8
"""Archives in archives that are listed."""
MAGICS: Final = (nres.MAGIC, rsli.SIGNATURE)


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser, FOLDER_OR_ADDRESS)
    parser.add_argument(
        "-R",
        "--recursive",
        action="store_true",
        help="also list the folders and archives inside, at any depth; models only if they are named",
    )
    overview.declare(parser)
    add_forms(parser, "the entries or files")
    add_strictness(parser)


def run(options: Namespace) -> int:
    """Print the directory of the archive or the folder at each address."""
    if options.columns is None:
        overview.refuse_without_columns(options)
    store = file_store(*options.addresses)
    expand(options, store, is_last_kept=True)
    # An overview of a folder has everything below it anyway.
    if options.recursive and options.columns is None:
        options.results = True
        given = map(Address.given, options.addresses)
        options.addresses = [str(below) for address in given for below in _below(store, address)]
    return answers.write("ls", options, lambda text: _answer(options, store, text))


def _answer(options: Namespace, store: FileStore, text: str) -> Answer:
    address = Address.given(text)
    if options.columns is not None:
        return _overview(options, store, text)
    if not address.entries and store.is_folder(address.path):
        rows = folder_listing(store, address.path)
        size = sum(size for size in rows.columns["size"] or () if isinstance(size, int))
        return _listed(text, FOLDER, size, rows)
    pattern = _pattern(store, address)
    container, found = _container(options, store, address.parent if pattern else address)
    output.report(text, found, is_strict=options.strict)
    kind = PACKED.id if isinstance(container, rsli.PackedLibrary) else ARCHIVE.id
    rows = _with_names(store, address.parent if pattern else address, container, listing(container))
    if pattern:
        rows = rows.at(_matching(container, pattern, address))
    return _listed(text, kind, len(container.data), rows)


def _overview(options: Namespace, store: FileStore, text: str) -> Answer:
    """The overview of a folder, of an archive, or of the entries of one that a pattern matches."""
    address = Address.given(text)
    pattern = _pattern(store, address)
    if not pattern:
        return overview.answer(options, store, text, address)
    container, _found = _container(options, store, address.parent)
    return overview.answer(options, store, text, address.parent, _matching(container, pattern, address))


def _matching(container: Container, pattern: str, address: Address) -> list[int]:
    """The entries that a pattern matches; raises `AddressError` if there are none."""
    indices = matching(container, pattern)
    if not indices:
        raise AddressError(_("no entry matches {pattern!r}", pattern=pattern), source=address.parent)
    return indices


def _with_names(store: FileStore, archive: Address, container: Container, rows: Columns) -> Columns:
    """Entries with what the game calls the parts among them, if there are any."""
    from viewer.model.game.part_names import names_around  # noqa: PLC0415 most folders are no game

    names = names_around(store, archive.path)
    called = names.in_archive(encode(archive.name), container) if len(names) else {}
    if not called:
        return rows
    column = [str(called[index]) if index in called else None for index in range(len(rows))]
    return Columns(len(rows), {**rows.columns, "called": column})


def _pattern(store: FileStore, address: Address) -> str:
    """The last entry of an address, if it is a pattern and no entry is called so; else an empty text."""
    if not address.entries or not has_wildcards(address.name):
        return ""
    container = store.open(address.parent).container
    is_name = container is not None and index_of(container, address.name) is not None
    return "" if is_name else address.name


def _below(store: FileStore, address: Address) -> Iterator[Address]:
    """An address, and the folders and archives below it; what cannot be read fails when it is listed."""
    yield address
    with suppress(MshviewError):
        if not address.entries and store.is_folder(address.path):
            for name in store.names(address.path):
                yield from _in_folder(store, address.path / name)
        elif len(address.entries) < DEEPEST:
            yield from _in_archive(store, address)


def _in_folder(store: FileStore, path: Path) -> Iterator[Address]:
    if store.is_folder(path):
        if not is_link(path):
            yield from _below(store, Address(path))
    elif store.revision(path) and bytes(store.head(path, 4)) in MAGICS and presumed_id(path.name) != MODEL.id:
        yield from _below(store, Address(path))
        store.forget(path)


def _in_archive(store: FileStore, address: Address) -> Iterator[Address]:
    """The archives among the listed entries of an archive."""
    pattern = _pattern(store, address)
    archive = address.parent if pattern else address
    container = store.open(archive).container
    if container is None:
        return
    is_below = entry_kinds(container).are(ARCHIVES)
    for index in matching(container, pattern) if pattern else np.flatnonzero(is_below).tolist():
        if is_below[index]:
            yield from _below(store, archive.child(spelling(container, index)))


def _container(
    options: Namespace, store: FileStore, address: Address
) -> tuple[Container, Iterable[Diagnostic]]:
    """The archive at an address, and what is wrong with it."""
    if not options.strict and (directory := listed(store, address)):
        return directory, directory.diagnostics
    item = store.open(address)
    container = container_in(item)
    return container, findings_in(options, item, container.diagnostics)


def _listed(source: str, kind: str, size: int, rows: Columns) -> Answer:
    document = _LISTINGS[kind](source, kind, size, rows)
    readable = with_letters(rows)
    shown = {name: values for name, values in readable.columns.items() if name not in HIDDEN[kind]}
    return Answer(
        lambda: document,
        lambda: text_table.fitted_lines(Columns(len(rows), shown), OPTIONAL, CUT),
        lambda: readable,
    )


def with_letters(entries: Columns) -> Columns:
    """Entries as people read them: their types by letters, as 1213416781 is MESH."""
    types = entries.columns.get("type")
    letters = {} if types is None else {"type": MadeColumn(types, letters_of)}
    return Columns(len(entries), {**entries.columns, **letters})
