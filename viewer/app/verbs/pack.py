"""``pack``: a folder that ``extract`` wrote as an archive again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from viewer.app import output
from viewer.app.arguments import add_out
from viewer.model import bundle
from viewer.model.library import PlainFolder, write_atomically


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("folder", metavar="DIR", help=f"a folder with an {bundle.INDEX}")
    add_out(parser, "ARCHIVE", "the file to write")


def run(options: Namespace) -> int:
    """Write the archive."""
    folder = PlainFolder(Path(options.folder))
    source = str(folder.path / bundle.INDEX)
    data = bundle.pack(folder.read(bundle.INDEX), folder.read, source)
    write_atomically(Path(options.out), data)
    output.write_lines([f"wrote {options.out}"])
    return 0
