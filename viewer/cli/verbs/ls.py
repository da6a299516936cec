"""``ls``: the entries of an archive."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from viewer.cli import output, text_table
from viewer.cli.arguments import add_address, add_json, add_strictness
from viewer.cli.inputs import findings_in
from viewer.errors import AddressError
from viewer.formats.archive import rsli
from viewer.model.kinds.columns import Columns
from viewer.model.kinds.listing import listing
from viewer.model.kinds.registry import ARCHIVE, PACKED
from viewer.model.store.address import Address
from viewer.model.store.file_store import Container, FileStore


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_address(parser)
    add_json(parser)
    add_strictness(parser)


def run(options: Namespace) -> int:
    """Print the directory of the archive at an address."""
    library = FileStore(is_mapped=True)
    item = library.open(Address.parse(options.address))
    container = library.container(item)
    if container is None:
        raise AddressError("is not an archive", source=options.address)
    output.report(options.address, findings_in(options, container, item), is_strict=options.strict)
    document = {
        "source": options.address,
        "kind": PACKED.id if isinstance(container, rsli.PackedLibrary) else ARCHIVE.id,
        "size": len(item.data),
        "entries": listing(container),
    }
    if options.json:
        output.write_json("ls", document)
    else:
        output.write_lines(text_table.lines(_readable(container)))
    return 0


def _readable(container: Container) -> Columns:
    """The entries with the most useful columns; columns that only RsLi or only NRes has are omitted."""
    hidden = (
        {"type", "attr1", "attr2", "attr3"}
        if isinstance(container, rsli.PackedLibrary)
        else {"packed_size", "method"}
    )
    rows = listing(container)
    return Columns(len(rows), {name: rows.columns[name] for name in rows.names if name not in hidden})
