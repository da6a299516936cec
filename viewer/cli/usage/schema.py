"""``schema``: JSON Schemas of what verbs print and write, and the formats of the game for other programs."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from viewer.cli import output, target
from viewer.cli.usage.arguments import add_out
from viewer.cli.usage.values import Value
from viewer.cli.usage.verbs import DONE, VERBS, module_of
from viewer.errors import UsageError
from viewer.model.store.disk import with_target
from viewer.session.field_text import counted
from viewer.translation import _

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
    parser.add_argument("verb", nargs="?", choices=choices, metavar="VERB", help="one of %(choices)s")
    languages = parser.add_mutually_exclusive_group()
    languages.add_argument(
        "--kaitai", action="store_true", help="write the formats of the game as files of Kaitai Struct (.ksy)"
    )
    languages.add_argument(
        "--imhex", action="store_true", help="write the formats of the game as patterns of ImHex (.hexpat)"
    )
    what = "the folder to make, with a file for each format; it must not exist, or be empty"
    add_out(parser, "DIR", what, is_required=False, value=Value.FOLDER)


def run(options: Namespace) -> int:
    """Print the schema, or write those of the formats."""
    if options.kaitai or options.imhex:
        return _write_formats(options)
    if options.verb is None or options.out is not None:
        words = "one of VERB, --kaitai -o DIR and --imhex -o DIR is needed"
        raise UsageError(words, source="schema")
    from viewer.cli.schemas import answers, typed  # noqa: PLC0415 they load every format

    found = (
        typed.schema()
        if options.verb == SCRIPT
        else answers.schema(options.verb, can_fail=options.verb not in WRITERS)
    )
    output.write_lines(json.dumps(found, indent=2).splitlines())
    return DONE


def _write_formats(options: Namespace) -> int:
    """Write the folder with the formats."""
    from viewer.operations import saving  # noqa: PLC0415 loads every format
    from viewer.operations.layouts.writing import SchemaLanguage, plan_schemas  # noqa: PLC0415

    if options.out is None or options.verb is not None:
        raise UsageError("--kaitai and --imhex need -o DIR, and no VERB", source="schema")
    target.check_folder(options)
    language = SchemaLanguage.KAITAI if options.kaitai else SchemaLanguage.IMHEX
    folder = Path(options.out)
    plans = [*plan_schemas(language, folder)]
    saving.write_folder(folder, plans)
    output.note_written()
    count = counted(len(plans), "{count} format", "{count} formats")
    output.confirm([_("wrote {count} to {out}", count=count, out=with_target(folder))])
    return DONE
