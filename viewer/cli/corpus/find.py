"""``find``: the search of the window in the shell."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct

from viewer.cli import output
from viewer.cli.answers import Answer
from viewer.cli.inputs import expand, file_store
from viewer.cli.processes import count_option
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import FOLDER_OR_ADDRESS, add_forms, add_paths
from viewer.cli.usage.verbs import DONE, FAILED, FOUND
from viewer.json_types import JsonObject, Natural, described, names_of
from viewer.model.query.search_query import Scope
from viewer.model.store.address import Address
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.operations.corpus.hits import Found, Hit

MOST: Final = 100_000
"""Hits that are printed by default."""
QUERY: Final = _(
    "words or a pattern of a name, a type, a text, a value, bytes (4E 52 ?? 65), or a condition on fields "
    "(index_count>300, batches.flags & 8); name:, type:, text:, hex: and value: before it search in one "
    "place only, users:NAME finds what refers to a name"
)


class HitRow(JsonObject, frozen=True):
    """A hit as a row of the answer."""

    address: str
    at: Annotated[str | None, described("the place in the payload, as inspect --at takes it")]
    table: str | None
    row: Natural | None
    field: str | None
    kind: Annotated[str, described("the kind of the payload")]
    by: Annotated[Scope, described("how it was found")]
    text: str
    node: str | None
    material: str | None


class Unreadable(JsonObject, frozen=True):
    """A file or an entry that could not be searched."""

    source: str
    error: str


class FindAnswer(Struct, frozen=True):
    """The hits of a search."""

    query: str
    count: Annotated[Natural, described("all hits, listed or not")]
    hits: Sequence[HitRow]
    unreadable: Sequence[Unreadable]


ANSWER: Final = FindAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_paths(parser, FOLDER_OR_ADDRESS)
    parser.add_argument("query", metavar="QUERY", help=QUERY)
    parser.add_argument("-l", "--list", action="store_true", help="print each address once and nothing else")
    parser.add_argument(
        "--most",
        type=count_option,
        default=MOST,
        metavar="N",
        help="hits that are printed, default %(default)s",
    )
    add_forms(parser, "the hits")


def run(options: Namespace) -> int:
    """Print what is found, and an error for each file that cannot be read; return 1 if nothing is found."""
    from viewer.model.query.search_query import Query  # noqa: PLC0415 the search loads every format
    from viewer.operations.corpus.hits import SearchResults  # noqa: PLC0415
    from viewer.operations.corpus.searching import SearchOptions, search  # noqa: PLC0415

    query = Query.typed(options.query)
    query.check()
    store = file_store(*options.addresses)
    expand(options, store)
    addresses = [*map(Address.given, options.addresses)]
    results = SearchResults(options.most, options.most)
    files = tuple(it.path for it in addresses if not it.entries)
    wanted = SearchOptions(query, files, tuple(it for it in addresses if it.entries))
    with output.ShownProgress(_("files")) as progress:
        search(store, wanted, results, progress)
    found = results.snapshot()
    output.write_unreadable(found.unreadable)
    answer = Answer(
        lambda: _document(options.query, found),
        lambda: _addresses(found) if options.list else _lines(found),
        lambda: _rows(found),
    )
    answer.write("find", options, names_of(HitRow))
    listed = sum(len(file.hits) for file in found.files)
    if listed < found.count:
        output.write_hint(_("{count} more are not listed; --most prints more", count=found.count - listed))
    if found.unknown and not found.count:
        output.write_hint(found.unknown)
    if found.unreadable:
        return FAILED
    return DONE if found.count else FOUND


def _hits(found: Found) -> Iterator[Hit]:
    return (hit for file in found.files for hit in file.hits)


def _lines(found: Found) -> Iterator[str]:
    for hit in _hits(found):
        names = f"  ({', '.join(filter(None, hit.names))})" if any(hit.names) else ""
        yield Styled(str(hit.place), Style.HEADING, after=f"  {hit.words}{names}")


def _addresses(found: Found) -> Iterator[str]:
    yield from map(str, dict.fromkeys(hit.place.address for hit in _hits(found)))


def _rows(found: Found) -> list[HitRow]:
    return [
        HitRow(
            address=str(hit.place.address),
            at=hit.place.in_file or None,
            table=hit.place.table or None,
            row=hit.place.row,
            field=hit.place.field or None,
            kind=hit.kind,
            by=hit.scope,
            text=hit.words,
            node=hit.names.node or None,
            material=hit.names.material or None,
        )
        for hit in _hits(found)
    ]


def _document(query: str, found: Found) -> FindAnswer:
    unreadable = found.unreadable.items()
    errors = [Unreadable(str(it), output.reason_alone(it, reason)) for it, reason in unreadable]
    return FindAnswer(query, found.count, _rows(found), errors)
