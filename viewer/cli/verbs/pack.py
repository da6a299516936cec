"""``pack``: an archive from a folder that ``extract`` wrote."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from viewer.cli import output
from viewer.cli.arguments import add_out
from viewer.model.store.files import PlainFolder, write_atomically
from viewer.model.write import unpacked_folder


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("folder", metavar="DIR", help=f"a folder with an {unpacked_folder.INDEX}")
    add_out(parser, "ARCHIVE", "the file to write")


def run(options: Namespace) -> int:
    """Write the archive."""
    folder = PlainFolder(Path(options.folder))
    source = str(folder.path / unpacked_folder.INDEX)
    data = unpacked_folder.pack(folder.read(unpacked_folder.INDEX), folder.read, source)
    write_atomically(Path(options.out), data)
    output.confirm([f"wrote {options.out}"])
    return 0
