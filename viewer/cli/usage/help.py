"""``help``: the help of the program or of a verb."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Final

from viewer.cli import output
from viewer.cli.usage.parser import Parser, add_shared_options, examples_and_statuses, parser_of
from viewer.cli.usage.verbs import DONE, STATUSES, VERBS
from viewer.translation import _, translated

DESCRIPTION: Final = _("Viewer and inspector for the models of Parkan: Iron Strategy.")
EXAMPLES: Final = (
    ("", _("open the window on the bundled sample")),
    ("models.rlb", _("open the window on an archive")),
    ("ls models.rlb", _("list its entries")),
    ("inspect models.rlb::walker.msh", _("show one of them, found by its name")),
    ("render models.rlb::#0 -o walker.png", _("render the one with index 0")),
)


def overview() -> Parser:
    """The parser of the program's own options; its help lists the verbs."""
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name.ljust(width)}  {translated(verb.summary)}" for name, verb in VERBS.items())
    parser = Parser(
        "",
        DESCRIPTION,
        _(
            "verbs:\n{verbs}\n\n'mshview help VERB' describes a verb, its options and exit statuses.\n\n",
            verbs=verbs,
        )
        + examples_and_statuses(EXAMPLES, STATUSES),
    )
    parser.usage = _("mshview [VERB] [PATH[::ENTRY]] [options]")
    add_shared_options(parser)
    return parser


def write_overview() -> None:
    """Print the help of the program, and the games found on this computer."""
    overview().write_help()
    found = found_games()
    if found:
        output.write_lines(["", _("games found on this computer:"), *(f"  {line}" for line in found)])


def found_games() -> list[str]:
    """A line for each game found on this computer, as ``--game`` takes it; none is used unless named."""
    from viewer.model.game import installs  # noqa: PLC0415 not needed by most verbs

    return [f'--game "{install.folder}"  ({install.launcher})' for install in installs.find_installs()]


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "verb", nargs="?", choices=[*VERBS], metavar="VERB", help="by default the program itself"
    )


def run(options: Namespace) -> int:
    """Print the help of a verb."""
    if options.verb is None:
        write_overview()
    else:
        parser_of(options.verb).write_help()
    return DONE
