"""The command line: selects a verb and catches errors once. Imports heavy modules only when needed."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn, Protocol, cast

from viewer.cli import output
from viewer.cli.arguments import Parser, joined
from viewer.cli.output import PROGRAM
from viewer.errors import MshviewError, UsageError
from viewer.version import VERSION

DONE: Final = 0
FAILED: Final = 2
INTERRUPTED: Final = 130

DEFAULT_VERB: Final = "open"
LONG_LIVED: Final = (DEFAULT_VERB, "bench")
"""Verbs that collect cyclic garbage as often as Python does by default."""
GARBAGE_THRESHOLD: Final = 200_000
"""Objects between two collections in other verbs: starting one allocates many objects and frees few."""
VERBS: Final = {
    "open": "open the window on a model or an archive; without PATH on the bundled sample",
    "ls": "list the entries of an archive, or the tables of a model",
    "inspect": "show every field of a model, texture, material, ...",
    "draws": "list what one cell of a model draws, in order",
    "materials": "show the material of every batch and how it was found",
    "pose": "show the position of every node at a time",
    "render": "render images of a model, without a window",
    "validate": "check files, archives and whole folders against the rules of the formats",
    "copy": "decode and encode a file or an entry: byte-identical, or in canonical form",
    "extract": "write the payloads of an archive as files",
    "pack": "make an archive from a folder that extract wrote",
    "diff": "show what differs between two files, table by table and field by field",
    "texture": "convert a texture to PNG, or a PNG image to a texture",
    "bench": "measure the speed of this program on this machine",
}


class Verb(Protocol):
    """A module of `viewer.cli.verbs`."""

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Add the verb's arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Run the verb and return the exit status."""


def console() -> NoReturn:
    """Run the program and end the process.

    The interpreter is not torn down, which takes longer than many verbs; unless threads are still running,
    nothing is left to do by then.
    """
    status = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    if threading.active_count() > 1:
        sys.exit(status)
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments`, by default those of the process, and return its exit status."""
    output.prepare()
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except MshviewError as error:
        output.write_error(str(error))
    except MemoryError:
        output.write_error("not enough memory")
    except BrokenPipeError:
        output.abandon()
    except KeyboardInterrupt:
        return INTERRUPTED
    return FAILED


def _run(arguments: list[str]) -> int:
    name, rest = _verb(arguments)
    if name is None:
        if vars(_parse(_overview(), rest) or argparse.Namespace()).get("version"):
            output.write_lines([f"{PROGRAM} {VERSION}"])
        return DONE
    thresholds = gc.get_threshold()
    if name not in LONG_LIVED:
        gc.set_threshold(GARBAGE_THRESHOLD)
    try:
        return _run_verb(name, rest)
    finally:
        gc.set_threshold(*thresholds)


def _run_verb(name: str, arguments: list[str]) -> int:
    verb = cast(Verb, import_module(f"viewer.cli.verbs.{name}"))
    parser = Parser(name, VERBS[name])
    verb.declare(parser)
    options = _parse(parser, joined(arguments))
    return DONE if options is None else verb.run(options)


def _verb(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The verb and its arguments; None if the arguments are those of the program itself."""
    if not arguments:
        return DEFAULT_VERB, []
    first = arguments[0]
    if first in VERBS:
        return first, arguments[1:]
    if first.startswith("-"):
        return None, arguments
    if "::" in first or Path(first).exists():
        return DEFAULT_VERB, arguments
    raise UsageError(f"{first!r} is neither a verb nor a file; see '{PROGRAM} --help'", source="command line")


def _parse(parser: Parser, arguments: Sequence[str]) -> argparse.Namespace | None:
    """The options, or None if help was requested and printed."""
    try:
        return parser.parse_args(arguments)
    except SystemExit:
        return None


def _overview() -> Parser:
    parser = Parser("", "Viewer and inspector for the models of Parkan: Iron Strategy.")
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name.ljust(width)}  {summary}" for name, summary in VERBS.items())
    parser.usage = f"{PROGRAM} [VERB] [PATH[::ENTRY]] [options]"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"verbs:\n{verbs}\n\n'{PROGRAM} VERB --help' lists the options of a verb."
    parser.add_argument("--version", action="store_true", help="print the version")
    return parser
