"""``repair``: lists the faults of files and of what is in them that can be repaired, and repairs them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Annotated, Final

from viewer.cli import output, target
from viewer.cli.answers import Answer
from viewer.cli.editing.results import EditAnswer, EditResults, by_file, edit_document
from viewer.cli.inputs import file_store, reading_options
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import ADDRESS, add_forms, add_paths, add_results
from viewer.cli.usage.reading_arguments import add_reading_choice
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.errors import reading_from
from viewer.formats import splice
from viewer.json_types import JsonObject, Natural, described, members, names_of
from viewer.model.compare.file_plan import FilePlan
from viewer.model.edit.change import Topic
from viewer.model.edit.faults import Fault
from viewer.model.edit.repair import FoundRepair
from viewer.model.kinds.columns import DiagnosticRow, diagnostic_rows
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import EditOptions, FileEditing
from viewer.operations.repairing import repair
from viewer.translation import _, counted

SHOWN_FINDINGS: Final = 3
"""Findings of a repair that a terminal lists unless all are requested."""
Repairs = Sequence[tuple[Address, FoundRepair]]
"""Possible repairs by the address of the payload."""


class RepairRow(JsonObject, frozen=True):
    """A fault that can be repaired."""

    address: str
    fault: Fault
    words: str
    ranges: Annotated[Natural, described("ranges of bytes that are replaced")]
    bytes: Natural
    diagnostics: Sequence[DiagnosticRow]
    is_made: bool


class RepairAnswer(EditAnswer, frozen=True):
    """Changes of a repair in a file, and the possible repairs."""

    repairs: Sequence[RepairRow]


ANSWER: Final = RepairAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    words = _(
        '{address}; an archive with what is in it; of several files --json prints {{"results": [...]}}',
        address=ADDRESS,
    )
    add_paths(parser, words)
    add_results(parser)
    parser.add_argument(
        "--only",
        action="append",
        choices=(*map(str, Fault),),
        metavar="FAULT",
        help=_(
            "repair this alone, whatever it leaves empty or cut; may be given several times: {fault}",
            fault=", ".join(Fault),
        ),
    )
    target.add_target(parser)
    add_reading_choice(parser)
    add_forms(parser, "what can be repaired")


def run(options: Namespace) -> int:
    """List what can be repaired; repair it if a file to write is named."""
    reading = reading_options(options)
    store = file_store(*options.addresses)
    files = by_file(options, store)
    options.dry_run |= not (options.out or options.in_place)
    target.check_edit(options, [*files])
    named = frozenset(map(Fault, options.only or ()))
    left = list[FoundRepair]()
    how = EditOptions(declined=frozenset(Topic), options=reading)
    results = EditResults(
        "repair", options, names_of(RepairRow), is_single=len(files) == 1 and not options.results
    )
    for addresses in files.values():
        results.add(addresses[0].path, partial(repair_file, store, addresses, named, how, left))
    return results.finish(FOUND if options.dry_run and (results.are_changed or left) else DONE)


def repair_file(
    store: FileStore,
    addresses: Sequence[Address],
    named: Collection[Fault],
    how: EditOptions,
    left: list[FoundRepair],
) -> tuple[FilePlan, Answer]:
    """Repair payloads of one file and what is in them; raises `MshviewError`.

    Parameters
    ----------
    named
        The faults that are repaired; by default those that leave nothing empty or cut.
    left
        Gets the repairs that are not made.
    """
    editing, repairs = FileEditing(store, addresses[0].path, how), list[tuple[Address, FoundRepair]]()
    for address in addresses:
        with reading_from(address):
            repairs += repair(editing, address, named)
    left += (found for _address, found in repairs if not found.is_made(named))
    file = editing.finish()
    return file, Answer(
        lambda: RepairAnswer(**members(edit_document(file)), repairs=_rows(repairs, named)),
        lambda: _lines(file, repairs, named),
        lambda: [{**members(row), "diagnostics": len(row.diagnostics)} for row in _rows(repairs, named)],
    )


def _rows(repairs: Repairs, named: Collection[Fault]) -> list[RepairRow]:
    return [
        RepairRow(
            address=str(address),
            fault=found.change.fault,
            words=found.words,
            ranges=len(found.splices),
            bytes=splice.total(found.splices),
            diagnostics=diagnostic_rows(found.diagnostics),
            is_made=found.is_made(named),
        )
        for address, found in repairs
    ]


def _lines(file: FilePlan, repairs: Repairs, named: Collection[Fault]) -> Iterator[str]:
    for address, found in repairs:
        yield Styled(str(found.change.fault), Style.HEADING, f"{address}: ", f": {found.words}")
        limit = output.most_shown(SHOWN_FINDINGS)
        for finding in islice(found.diagnostics, limit):
            yield f"  {finding}"
        if limit is not None and len(found.diagnostics) > limit:
            yield _("  and {count} more", count=len(found.diagnostics) - limit)
        if not found.is_made(named):
            fault = found.change.fault
            yield _("  not made: it leaves something empty or cut; --only {fault} makes it", fault=fault)
    if not repairs:
        yield _("{path}: nothing to repair", path=file.path)
        return
    ranges, size = len(file.splices), file.byte_count
    made = sum(found.is_made(named) for _address, found in repairs)
    count = counted(made, "{count} repair", "{count} repairs")
    places = counted(ranges, "{count} range", "{count} ranges")
    yield f"{count}: {places}, {counted(size, '{count} byte', '{count} bytes')}"
