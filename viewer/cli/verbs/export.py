"""``export``: resources as files of other programs, or as text."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from viewer.cli import target
from viewer.cli.arguments import ADDRESS, add_out, add_reading
from viewer.cli.converting import formats, many
from viewer.cli.converting.many import ENTRY
from viewer.cli.inputs import file_store, game_option, open_item
from viewer.cli.processes import count_option
from viewer.cli.usage.verbs import DONE, FAILED
from viewer.errors import FormatError, UsageError, reading_from
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.file_store import Item


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("addresses", nargs="+", metavar="PATH[::ENTRY]", help=ADDRESS)
    add_out(
        parser,
        "OUT",
        f"the file to write, its suffix being the format; - is standard output; with {ENTRY} in its name one "
        "file for each PATH, and of an archive for each entry, in a folder that is made if it is missing",
    )
    parser.add_argument(
        "--format", choices=(*formats.FORMATS,), help="the format, if it is not the suffix of OUT"
    )
    parser.add_argument(
        "--jobs",
        type=count_option,
        metavar="N",
        help="number of processes for many files; by default the number of cores for large ones",
    )
    add_reading(parser)
    for module in formats.modules():
        module.declare_export(parser)


def run(options: Namespace) -> int:
    """Write the files."""
    suffix = formats.suffix_of(options.out, options.format, "-o")
    chosen = formats.module_of(suffix)
    game_option(options)
    store = file_store(*options.addresses)
    if ENTRY in options.out:
        return FAILED if many.export(options, store, suffix) else DONE
    if len(options.addresses) > 1:
        raise UsageError(f"several files need {ENTRY} in the name", source="-o")
    target.check(options)
    item = open_item(options, options.addresses[0], store)
    with reading_from(options.addresses[0]):
        if not chosen.holds(promised_kind(item)):
            raise FormatError(f"is no model, and .{suffix} holds models only{_hint(item)}")
        path = Path(options.out)
        many.write(options, chosen.exported(options, store, item, path.name), path)
    return DONE


def _hint(item: Item) -> str:
    """What to do with an archive."""
    is_archive = promised_kind(item).is_archive
    return f"; -o 'FOLDER/{ENTRY}.SUFFIX' exports the models of an archive" if is_archive else ""
