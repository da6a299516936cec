"""``repair``: lists what can be mended of files, and mends it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial

from viewer.cli.arguments import ADDRESS, add_json, add_reading_choice, add_results
from viewer.cli.editing import written
from viewer.cli.editing.edited import Wish, by_file
from viewer.cli.editing.repaired import repair_file
from viewer.cli.editing.results import Results
from viewer.cli.inputs import file_store, game_option
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.model.edit.change import Topic
from viewer.model.edit.repair.repair import Fault
from viewer.model.mesh.reading import ReadingChoice


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "addresses",
        nargs="+",
        metavar="PATH[::ENTRY]",
        help=f'{ADDRESS}; an archive with what is in it; of several files --json prints {{"results": [...]}}',
    )
    add_results(parser)
    parser.add_argument(
        "--only",
        action="append",
        choices=(*map(str, Fault),),
        metavar="FAULT",
        help=f"mend this alone; may be given several times: {', '.join(Fault)}",
    )
    written.add_target(parser)
    add_reading_choice(parser)
    add_json(parser)


def run(options: Namespace) -> int:
    """List what can be mended; mend it if a file to write is named."""
    game = game_option(options)
    files = by_file(options.addresses)
    options.dry_run |= not (options.out or options.in_place)
    written.check(options, [*files])
    store = file_store(*options.addresses)
    chosen = frozenset(map(Fault, options.only or Fault))
    wish = Wish(declined=frozenset(Topic), reading=ReadingChoice(options.reading), game=game)
    results = Results("repair", options, is_single=len(files) == 1 and not options.results)
    for addresses in files.values():
        results.add(addresses[0].path, partial(repair_file, store, addresses, chosen, wish))
    return results.finish(FOUND if options.dry_run and results.are_changed else DONE)
