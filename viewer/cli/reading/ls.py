"""``ls``: the entries of an archive, or the files of a folder."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Final

from viewer.cli import answers, output, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import container_in, file_store, findings_in
from viewer.cli.usage.arguments import ADDRESS, add_addresses, add_json, add_strictness
from viewer.errors import Diagnostic
from viewer.formats.archive import rsli
from viewer.model.kinds.columns import Columns
from viewer.model.kinds.plain import FOLDER, folder_listing, listing
from viewer.model.kinds.registry import ARCHIVE, PACKED
from viewer.model.store.address import Address
from viewer.model.store.file_store import Container, FileStore
from viewer.model.store.listed import listed

HIDDEN: Final = {
    ARCHIVE.id: {"packed_size", "method"},
    PACKED.id: {"type", "attr1", "attr2", "attr3"},
    FOLDER: {"type", "offset", "attr1", "attr2", "attr3", "sort_index", "packed_size", "method"},
}
"""Columns that the text omits, by what is listed."""
OPTIONAL: Final = ("sort_index", "attr3", "attr2", "attr1", "type", "offset", "packed_size", "method")
"""Columns that a narrow terminal leaves out, the first one first."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser, f"a folder, {ADDRESS}")
    add_json(parser)
    add_strictness(parser)


def run(options: Namespace) -> int:
    """Print the directory of the archive or the folder at each address."""
    store = file_store(*options.addresses)
    return answers.write("ls", options, lambda text: _answer(options, store, text))


def _answer(options: Namespace, store: FileStore, text: str) -> Answer:
    address = Address.given(text)
    if not address.entries and store.is_folder(address.path):
        rows = folder_listing(store, address.path)
        size = sum(size for size in rows.columns["size"] or () if isinstance(size, int))
        return _listed(text, FOLDER, size, rows)
    container, found = _container(options, store, address)
    output.report(text, found, is_strict=options.strict)
    kind = PACKED.id if isinstance(container, rsli.PackedLibrary) else ARCHIVE.id
    return _listed(text, kind, len(container.data), listing(container))


def _container(
    options: Namespace, store: FileStore, address: Address
) -> tuple[Container, Iterable[Diagnostic]]:
    """The archive at an address, and what is wrong with it."""
    if not options.strict and (directory := listed(store, address)):
        return directory, directory.diagnostics
    item = store.open(address)
    container = container_in(item, store)
    return container, findings_in(options, item, container.diagnostics)


def _listed(source: str, kind: str, size: int, rows: Columns) -> Answer:
    document = {"source": source, "kind": kind, "size": size, "entries": rows}
    shown = Columns(len(rows), {name: rows.columns[name] for name in rows.names if name not in HIDDEN[kind]})
    return Answer(lambda: document, lambda: text_table.fitted_lines(shown, OPTIONAL))
