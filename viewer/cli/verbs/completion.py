"""``completion``: the script with which a shell completes verbs, options and their values."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from viewer.cli import output
from viewer.cli.usage.verbs import DONE

SHELLS = ("bash", "zsh", "fish")


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="one of %(choices)s")


def run(options: Namespace) -> int:
    """Print the script."""
    from viewer.cli.usage import completion  # noqa: PLC0415 it asks this module for its arguments

    output.write_lines(completion.SHELLS[options.shell](completion.declared()))
    return DONE
