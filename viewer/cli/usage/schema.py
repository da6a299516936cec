"""``schema``: the JSON Schema of what a verb prints with ``--json``, and of the files that verbs write."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import Final

from viewer.cli import output
from viewer.cli.usage.verbs import DONE

PRINTERS: Final = (
    "ls",
    "find",
    "stats",
    "readings",
    "inspect",
    "draws",
    "triangles",
    "materials",
    "clips",
    "pose",
    "effect",
    "why",
    "validate",
    "diff",
    "edit",
    "repair",
    "import",
    "gallery",
    "bench",
    "selfcheck",
)
"""The verbs that print JSON."""
WRITERS: Final = ("extract", "patch")
"""The verbs that write JSON to a file."""
SCRIPT: Final = "script"
"""The changes that ``edit --script`` reads."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "verb", choices=(*PRINTERS, *WRITERS, SCRIPT), metavar="VERB", help="one of %(choices)s"
    )


def run(options: Namespace) -> int:
    """Print the schema."""
    from viewer.cli.schemas import documents, typed  # noqa: PLC0415 they load every format

    found = (
        typed.schema()
        if options.verb == SCRIPT
        else documents.schema(options.verb, can_fail=options.verb not in WRITERS)
    )
    output.write_lines(json.dumps(found, indent=2).splitlines())
    return DONE
