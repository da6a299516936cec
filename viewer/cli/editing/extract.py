"""``extract``: the payloads of an archive as files, with an index that ``pack`` reads back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from viewer.cli import output, target
from viewer.cli.inputs import container_in, file_store, open_item
from viewer.cli.usage.arguments import add_out, add_strictness
from viewer.errors import AddressError, reading_from
from viewer.formats.archive import rsli
from viewer.model.store.file_store import Container, index_of, missing_entry
from viewer.model.store.whole_folder import write_folder
from viewer.model.write.unpacked_folder import Unpacking
from viewer.ui.widgets.field_text import counted

INCOMPLETE: Final = 1


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
    target.check_folder(options)
    store = file_store(options.address)
    container = container_in(open_item(options, options.address, store), store)
    with reading_from(options.address):
        chosen = _chosen(container, options.entries) if options.entries else None
        if chosen is None:
            output.report(options.address, container.diagnostics, is_strict=False)
        files = Unpacking(container, chosen)
        write_folder(Path(options.out), files)
    output.write_warnings(options.address, files.refused)
    entries = counted(len(container.entries), "{count} entry", "{count} entries")
    output.confirm([f"wrote {files.count} of {entries} to {options.out}"])
    return INCOMPLETE if files.refused else 0


def _chosen(container: Container, names: Sequence[str]) -> set[int]:
    """Indices of the requested entries; raises if one is absent or cannot be read whole."""
    chosen = set()
    for name in names:
        index = index_of(container, name)
        if index is None:
            raise AddressError(missing_entry(container, name))
        if isinstance(container, rsli.PackedLibrary):
            output.report("", container.unpack(index).diagnostics, is_strict=True)
        else:
            container.payload(index)
        chosen.add(index)
    return chosen
