"""``help``: the help of the program or of a verb."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from viewer.cli.usage.overview import overview
from viewer.cli.usage.parser import parser_of, suggestion
from viewer.cli.usage.verbs import DONE, VERBS
from viewer.errors import UsageError


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("verb", nargs="?", metavar="VERB", help="by default the program itself")


def run(options: Namespace) -> int:
    """Print the help."""
    if options.verb is not None and options.verb not in VERBS:
        raise UsageError(f"{options.verb!r} is not a verb{suggestion(options.verb, VERBS)}", source="help")
    (overview() if options.verb is None else parser_of(options.verb)).write_help()
    return DONE
