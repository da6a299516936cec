"""The usage of the program without a verb."""

from __future__ import annotations

from typing import Final

from viewer.cli import found_games, output
from viewer.cli.output import PROGRAM
from viewer.cli.usage.parser import Parser, add_shared_options, examples_and_statuses
from viewer.cli.usage.verbs import STATUSES, VERBS

DESCRIPTION: Final = "Viewer and inspector for the models of Parkan: Iron Strategy."
EXAMPLES: Final = (
    ("", "open the window on the bundled sample"),
    ("models.rlb", "open the window on an archive"),
    ("ls models.rlb", "list its entries"),
    ("inspect models.rlb::walker.msh", "show one of them, found by its name"),
    ("render models.rlb::#0 -o walker.png", "render the one with index 0"),
)


def overview() -> Parser:
    """The parser of the program's own options; its help lists the verbs."""
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name.ljust(width)}  {verb.summary}" for name, verb in VERBS.items())
    parser = Parser(
        "",
        DESCRIPTION,
        f"verbs:\n{verbs}\n\n'{PROGRAM} help VERB' describes a verb, its options and exit statuses.\n\n"
        + examples_and_statuses(EXAMPLES, STATUSES),
    )
    parser.usage = f"{PROGRAM} [VERB] [PATH[::ENTRY]] [options]"
    add_shared_options(parser)
    return parser


def write_overview() -> None:
    """Print the help of the program, and the games found on this computer."""
    overview().write_help()
    found = found_games.lines()
    if found:
        output.write_lines(["", "games found on this computer:", *(f"  {line}" for line in found)])
