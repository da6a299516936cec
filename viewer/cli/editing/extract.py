"""``extract``: the payloads of an archive as files, with an index that ``pack`` reads back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from viewer.cli import output, target
from viewer.cli.inputs import file_store, open_item, single
from viewer.cli.usage.arguments import add_out
from viewer.cli.usage.reading_arguments import add_strictness
from viewer.cli.usage.values import Value, takes
from viewer.errors import AddressError, reading_from
from viewer.formats.archive import rsli
from viewer.model.store.address import Address
from viewer.model.store.disk import with_target
from viewer.model.store.item import Container, container_in, missing_entry
from viewer.model.write.unpacked_folder import Unpacking
from viewer.operations.corpus.wildcards import expanded, has_wildcards, matching
from viewer.operations.extracting import plan_folder
from viewer.operations.saving import write_folder
from viewer.session.field_text import counted
from viewer.translation import _

INCOMPLETE: Final = 1


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument(
            "address",
            metavar="ARCHIVE",
            help="a file, or an archive inside one; archive::*.msh for some entries",
        ),
        Value.ADDRESS,
    )
    takes(
        parser.add_argument(
            "entries", nargs="*", metavar="ENTRY", help="a name, #index or a pattern (*.msh); all by default"
        ),
        Value.ENTRY,
    )
    add_out(parser, "DIR", "the folder to make; it must not exist, or be empty", value=Value.FOLDER)
    add_strictness(parser)


def run(options: Namespace) -> int:
    """Write the folder of the extracted files."""
    target.check_folder(options)
    store = file_store(options.address)
    given = Address.given(options.address)
    if given.entries and has_wildcards(given.name) and expanded(store, given) != [given]:
        options.address, options.entries = str(given.parent), [given.name, *options.entries]
    container = container_in(open_item(options, single(store, options.address), store))
    with reading_from(options.address):
        chosen = _chosen(container, options.entries) if options.entries else None
        if chosen is None:
            output.report(options.address, container.diagnostics, is_strict=False)
        files = Unpacking(container, chosen)
        folder = Path(options.out)
        write_folder(folder, plan_folder(files, folder))
    output.note_written()
    output.write_warnings(options.address, files.refused)
    entries = counted(len(container.entries), "{count} entry", "{count} entries")
    output.confirm(
        [
            _(
                "wrote {count} of {entries} to {out}",
                count=files.count,
                entries=entries,
                out=with_target(Path(options.out)),
            )
        ]
    )
    return INCOMPLETE if files.refused else 0


def _chosen(container: Container, names: Sequence[str]) -> set[int]:
    """Indices of the requested entries; raises if one is absent or cannot be read whole."""
    chosen = set()
    for name in names:
        indices = matching(container, name)
        if not indices:
            raise AddressError(missing_entry(container, name))
        for index in indices:
            if isinstance(container, rsli.PackedLibrary):
                output.report("", container.unpack(index).diagnostics, is_strict=True)
            else:
                container.payload(index)
        chosen.update(indices)
    return chosen
