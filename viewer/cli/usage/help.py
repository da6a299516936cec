"""``help``: the help of the program or of a verb."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from viewer.cli.usage.overview import write_overview
from viewer.cli.usage.parser import parser_of
from viewer.cli.usage.verbs import DONE, VERBS


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "verb", nargs="?", choices=[*VERBS], metavar="VERB", help="by default the program itself"
    )


def run(options: Namespace) -> int:
    """Print the help."""
    if options.verb is None:
        write_overview()
    else:
        parser_of(options.verb).write_help()
    return DONE
