"""The usage of the program without a verb."""

from __future__ import annotations

from typing import Final

from viewer.cli.output import PROGRAM
from viewer.cli.usage.parser import Parser, add_shared_options
from viewer.cli.usage.verbs import VERBS

DESCRIPTION: Final = "Viewer and inspector for the models of Parkan: Iron Strategy."


def overview() -> Parser:
    """The parser of the program's own options; its help lists the verbs."""
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name.ljust(width)}  {verb.summary}" for name, verb in VERBS.items())
    parser = Parser(
        "",
        DESCRIPTION,
        f"verbs:\n{verbs}\n\n'{PROGRAM} help VERB' describes a verb, its options and exit statuses.",
    )
    parser.usage = f"{PROGRAM} [VERB] [PATH[::ENTRY]] [options]"
    add_shared_options(parser)
    return parser
