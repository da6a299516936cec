"""``copy``: decode and encode a file or an entry, byte-identical or in canonical form."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Final

from viewer.cli import output, target
from viewer.cli.inputs import file_store, open_item, reading_options, single
from viewer.cli.usage.arguments import add_address, add_out
from viewer.cli.usage.reading_arguments import add_reading
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity, reading_from
from viewer.model.kinds.registry import PACKED, promised_kind
from viewer.model.write import copying

NOT_REPACKED: Final = Diagnostic(
    "", Severity.WARNING, "a packed library has no canonical form: copied unchanged"
)


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_address(parser)
    add_out(parser, "OUT", "the file to write; - is standard output")
    parser.add_argument(
        "--repack",
        action="store_true",
        help="in canonical form: no gaps, recomputed attributes; "
        "packed libraries have none and are copied unchanged",
    )
    add_reading(parser)


def run(options: Namespace) -> int:
    """Copy the item at an address."""
    target.check(options)
    reading_options(options)
    store = file_store(options.address)
    address = single(store, options.address)
    if address.entries:  # a whole file may be written over itself, in canonical form
        target.refuse_sources(options, address)
    item = open_item(options, address, store)
    kind = promised_kind(item)
    with reading_from(options.address):
        if options.repack and kind is PACKED:
            output.write_warnings(options.address, [NOT_REPACKED])
        if options.repack and kind is not PACKED:
            data = copying.repacked(kind, item.data)
        else:
            data = copying.copied(kind, item.data, item.nres_entry)
    target.write(options, data)
    return 0
