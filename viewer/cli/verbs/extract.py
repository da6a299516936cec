"""``extract``: the payloads of an archive as files, with an index that ``pack`` reads back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from viewer.cli import output
from viewer.cli.arguments import add_out, add_strictness
from viewer.cli.inputs import open_container
from viewer.errors import AddressError, reading_from
from viewer.formats.archive import rsli
from viewer.model.store.file_store import Container, index_of
from viewer.model.store.files import write_folder_atomically
from viewer.model.write import unpacked_folder
from viewer.ui.widgets.field_text import counted


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("address", metavar="ARCHIVE", help="a file, or an archive inside one")
    parser.add_argument(
        "entries", nargs="*", metavar="ENTRY", help="a name or #index; all entries by default"
    )
    add_out(parser, "DIR", "the folder to make; it must not exist, or be empty")
    add_strictness(parser)


def run(options: Namespace) -> int:
    """Write the folder."""
    container = open_container(options, options.address)
    with reading_from(options.address):
        chosen = _chosen(container, options.entries) if options.entries else None
        files = unpacked_folder.unpack(container, chosen)
    if chosen is None:
        output.report(options.address, container.diagnostics, is_strict=False)
    write_folder_atomically(Path(options.out), files)
    entries = counted(len(container.entries), "{count} entry", "{count} entries")
    output.confirm([f"wrote {len(files) - 1} of {entries} to {options.out}"])
    return 0


def _chosen(container: Container, names: Sequence[str]) -> set[int]:
    """Indices of the requested entries; raises if one is absent or cannot be read whole."""
    chosen = set()
    for name in names:
        index = index_of(container, name)
        if index is None:
            raise AddressError(f"has no entry {name!r}")
        _check(container, index)
        chosen.add(index)
    return chosen


def _check(container: Container, index: int) -> None:
    if isinstance(container, rsli.PackedLibrary):
        output.report("", container.unpack(index).diagnostics, is_strict=True)
    else:
        container.payload(index)
