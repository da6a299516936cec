"""``pack``: an archive from a folder that ``extract`` wrote."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from viewer.cli import output, target
from viewer.cli.inputs import file_store
from viewer.cli.usage.arguments import add_out
from viewer.cli.usage.values import Value, takes
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity, reading_from
from viewer.model.store.address import Address
from viewer.model.store.disk import PlainFolder
from viewer.model.store.item import container_in
from viewer.model.write import unpacked_folder
from viewer.model.write.unpacked_folder import INDEX, FolderIndex
from viewer.translation import _


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument("folder", metavar="DIR", help=_("a folder with an {index}", index=INDEX)),
        Value.FOLDER,
    )
    add_out(parser, "ARCHIVE", "the file to write; - is standard output")
    takes(
        parser.add_argument(
            "--base",
            metavar="ARCHIVE",
            help="replace the entries of DIR in this archive; needed for a folder of chosen entries",
        ),
        Value.ADDRESS,
    )


def run(options: Namespace) -> int:
    """Write the packed archive."""
    target.check(options)
    folder = PlainFolder(Path(options.folder))
    source = str(folder.path / INDEX)
    with reading_from(source):
        index = FolderIndex.parse(folder.read(INDEX))
    base = None
    if options.base is not None:
        store = file_store(options.base)
        base = container_in(store.open(Address.given(options.base)))
    data = unpacked_folder.pack(index, folder.read, source, base)
    used = {INDEX, *(entry.file for entry in index.entries)}
    ignored = (
        _("{name!r} is ignored: {index} does not name it", name=name, index=INDEX)
        for name in folder.names()
        if name not in used
    )
    output.write_warnings(options.folder, (Diagnostic("", Severity.WARNING, it) for it in ignored))
    target.write(options, data)
    return 0
