"""``repair``: lists what can be mended of files and of what is in them, and mends it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from viewer.cli import output, target
from viewer.cli.answers import Answer
from viewer.cli.editing.edited import ChangedFile, EditOptions, FileEditing, by_file, counted, edit_document
from viewer.cli.editing.results import EditResults
from viewer.cli.inputs import file_store, game_option
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import ADDRESS, add_json, add_reading_choice, add_results
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.errors import MshviewError, UsageError, reading_from
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.model.checks.containers import overlapping
from viewer.model.checks.payload import Surroundings
from viewer.model.edit.change import Topic
from viewer.model.edit.repair import Fault, FoundRepair, found_repairs
from viewer.model.game.registry import Game
from viewer.model.kinds.columns import diagnostic_rows
from viewer.model.kinds.registry import ARCHIVE
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item, spelling
from viewer.model.store.folder import CaselessFolder
from viewer.model.validation.validate import MAX_DEPTH, surroundings_of
from viewer.translation import Sentence

SHOWN_FINDINGS: Final = 3
"""Findings of a mend that a terminal lists unless all are requested."""
Mends = Sequence[tuple[Address, FoundRepair]]
"""What is mended, by the address of the payload."""


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
    target.add_target(parser)
    add_reading_choice(parser)
    add_json(parser)


def run(options: Namespace) -> int:
    """List what can be mended; mend it if a file to write is named."""
    game = game_option(options)
    files = by_file(options.addresses)
    options.dry_run |= not (options.out or options.in_place)
    target.check_edit(options, [*files])
    store = file_store(*options.addresses)
    chosen = frozenset(map(Fault, options.only or Fault))
    how = EditOptions(declined=frozenset(Topic), reading=ReadingChoice(options.reading), game=game)
    results = EditResults("repair", options, is_single=len(files) == 1 and not options.results)
    for addresses in files.values():
        results.add(addresses[0].path, partial(repair_file, store, addresses, chosen, how))
    return results.finish(FOUND if options.dry_run and results.are_changed else DONE)


def repair_file(
    store: FileStore, addresses: Sequence[Address], chosen: Collection[Fault], how: EditOptions
) -> tuple[ChangedFile, Answer]:
    """Mend the chosen faults of payloads of one file and of what is in them; raises `MshviewError`."""
    repairing = _Repairing(store, addresses, chosen, how)
    for address in addresses:
        with reading_from(str(address)):
            repairing.mend(address)
    file, found = repairing.editing.finish(), repairing.found
    return file, Answer(lambda: _document(file, found), lambda: _lines(file, found))


def _document(file: ChangedFile, found: Mends) -> dict[str, Any]:
    rows = [
        {
            "address": str(address),
            "fault": str(mend.change.fault),
            "words": mend.words,
            "ranges": len(mend.splices),
            "bytes": splice.total(mend.splices),
            "diagnostics": diagnostic_rows(mend.diagnostics),
        }
        for address, mend in found
    ]
    return {**edit_document(file), "mends": rows}


def _lines(file: ChangedFile, found: Mends) -> Iterator[str]:
    for address, mend in found:
        yield Styled(str(mend.change.fault), Style.HEADING, f"{address}: ", f": {mend.words}")
        limit = output.most_shown(SHOWN_FINDINGS)
        for finding in islice(mend.diagnostics, limit):
            yield f"  {finding}"
        if limit is not None and len(mend.diagnostics) > limit:
            yield f"  and {len(mend.diagnostics) - limit} more"
    if not found:
        yield f"{file.path}: nothing to mend"
        return
    ranges, size = len(file.report.ranges), file.report.byte_count
    yield f"{counted(len(found), 'mend')}: {counted(ranges, 'range')}, {counted(size, 'byte')}"


class _Repairing:
    """The repair of one file: an archive first, then what is in it."""

    def __init__(
        self, store: FileStore, addresses: Sequence[Address], chosen: Collection[Fault], how: EditOptions
    ) -> None:
        path = addresses[0].path
        self._addresses = addresses
        self.editing = FileEditing(store, path, how)
        self.found: list[tuple[Address, FoundRepair]] = []
        self._chosen = chosen
        game = None if how.game is None else Game(how.game, store)
        self._around = Surroundings(
            folder=CaselessFolder(path.parent, store), game=game, requested=how.reading
        )

    def mend(self, address: Address) -> None:
        """Mend a payload and, if it is an archive, its entries."""
        store = self.editing.store
        item = store.open(address)
        draft = self.editing.draft(address)
        if not draft.kind.is_known:
            if address in self._addresses:
                raise UsageError(Sentence("nothing is known of the format {kind}", kind=draft.kind.id))
            return
        around = surroundings_of(store, item, self._around)
        found = [
            mend for mend in found_repairs(draft, item.name, around) if mend.change.fault in self._chosen
        ]
        self.editing.edit(address, [mend.change for mend in found])
        self.found += ((address, mend) for mend in found)
        if draft.kind is ARCHIVE and len(address.entries) < MAX_DEPTH:
            for entry in _entries(store.open(address)):
                self.mend(address.child(entry))


def _entries(item: Item) -> list[str]:
    """The entries of an archive that have bytes of their own, as they are called in addresses."""
    try:
        archive = item.container
    except MshviewError:
        return []
    if not isinstance(archive, nres.Archive):
        return []
    shared = overlapping(archive)
    return [
        spelling(archive, it.index) for it in archive.entries if not it.is_damaged and it.index not in shared
    ]
