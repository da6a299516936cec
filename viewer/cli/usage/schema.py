"""``schema``: the JSON Schema of what a verb prints with ``--json``, and of the files that verbs write."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import Final

from viewer.cli import output
from viewer.cli.usage.verbs import DONE, VERBS, module_of

CLASS: Final = "ANSWER"
"""Name of the class of the answer in the module of a verb that prints JSON, or of several of them."""
WRITERS: Final = ("extract", "patch")
"""The verbs that write JSON to a file."""
SCRIPT: Final = "script"
"""The changes that ``edit --script`` reads."""


def printers() -> list[str]:
    """The verbs that print JSON: their modules name the class of their answer."""
    return [name for name in VERBS if hasattr(module_of(name), CLASS)]


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    choices = (*printers(), *WRITERS, SCRIPT)
    parser.add_argument("verb", choices=choices, metavar="VERB", help="one of %(choices)s")


def run(options: Namespace) -> int:
    """Print the schema."""
    from viewer.cli.schemas import answers, typed  # noqa: PLC0415 they load every format

    found = (
        typed.schema()
        if options.verb == SCRIPT
        else answers.schema(options.verb, can_fail=options.verb not in WRITERS)
    )
    output.write_lines(json.dumps(found, indent=2).splitlines())
    return DONE
