"""``stats``: what values the fields of all models have, which stand out, and what holds for all."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct

from viewer.cli import output, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import file_store
from viewer.cli.reading.own_fields import add_overlay, use_overlay
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import FOLDER_OR_ADDRESS, add_forms, add_paths
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE, FAILED
from viewer.errors import UsageError
from viewer.json_types import JsonObject, Natural, Number, TableRow, described, members
from viewer.model.query.distribution import BINS, FENCE, MOST_BARS, RARE
from viewer.model.store.address import Address
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.kinds.own_fields import OwnFields
    from viewer.model.store.file_store import FileStore
    from viewer.operations.corpus.scores import FieldScore
    from viewer.operations.corpus.statistics import FieldStatistics

FIELD: Final = _(
    "count one field: a bar for each value, or of more than {most_bars} different numbers {bins} "
    "bars of equal width, each named by its lower end. Outliers are NaN, infinities, the rarest "
    "values if together they are at most 1 in {rare}, and of many different numbers those more than "
    "{fence:g} interquartile ranges outside of the middle half, doubled until they are at most 1 in "
    "{rare}. min and max leave NaN out. The field is named as inspect --table does: "
    "batches.index_count, keys.position[2], vertices.uv; of other resources than models with their "
    "format before it: mat0.phases.power. By default all are summed up",
    most_bars=MOST_BARS,
    bins=BINS,
    rare=RARE,
    fence=FENCE,
)
BAR: Final = 40
"""Characters of the longest bar of a histogram."""
Cell = Number | str


class OutlierMembers(JsonObject, frozen=True):
    """A value that stands out."""

    source: str
    row: Natural | None
    value: Cell | None


class FieldCounts(Struct, frozen=True):
    """Numbers about the values of a field."""

    field: str
    rows: Natural
    models: Natural
    distinct: Annotated[Natural, described("different values")]
    min: Cell | None
    max: Cell | None


class FieldStatisticsAnswer(FieldCounts, frozen=True):
    """The values of one field in all resources."""

    histogram: Sequence[tuple[Cell | None, Natural]]
    outliers: Sequence[OutlierMembers]
    invariants: Annotated[Sequence[str], described("what holds for all rows")]


class StatisticsAnswer(Struct, frozen=True):
    """The values of all fields."""

    fields: Sequence[FieldStatisticsAnswer]


class SummaryRow(TableRow, frozen=True):
    """A field in the table of all."""

    field: str
    rows: int
    models: int
    distinct: int
    min: Cell | None
    max: Cell | None
    outliers: int
    invariants: str


class OwnScoreRow(TableRow, frozen=True):
    """A field of an overlay: how many of its rows are as the user says."""

    name: str
    field: str
    type: str | None
    rows: Natural
    files: Natural
    fitting: Annotated[Natural, described("rows that are as the overlay says")]
    share: Annotated[Number | None, described("of all rows, 0 to 1; null without rows")]


class OwnScoreMembers(OwnScoreRow, frozen=True):
    """A field of an overlay with rows that are not as the user says."""

    exceptions: Sequence[OutlierMembers]


def _score_members(found: FieldScore) -> OwnScoreMembers:
    own = found.own
    field = f"{own.format}.{own.table}.{own.field}"
    named = [OutlierMembers(str(it.place.address), it.place.row, it.value) for it in found.exceptions]
    return OwnScoreMembers.of(found, name=own.name, field=field, type=own.type, exceptions=named)


class OverlayScoresAnswer(Struct, frozen=True):
    """The fit of the fields of an overlay."""

    overlay: Sequence[OwnScoreMembers]


ANSWER: Final = StatisticsAnswer, FieldStatisticsAnswer, OverlayScoresAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_paths(parser, FOLDER_OR_ADDRESS)
    takes(parser.add_argument("--field", default="", metavar="TABLE.FIELD", help=FIELD), Value.FIELD)
    parser.add_argument(
        "--where",
        metavar="CONDITION",
        help="count only rows that fulfill a condition on the fields of their table, such as "
        "'index_count>300 and flags & 8'",
    )
    add_overlay(parser)
    add_forms(parser, "a row for each field, or with --field a row for each bar of the histogram,")


def run(options: Namespace) -> int:
    """Print the statistics, and an error for each file that cannot be read."""
    from viewer.model.query.condition import Condition  # noqa: PLC0415 statistics load every format
    from viewer.operations.corpus.statistics import StatisticsOptions, collect  # noqa: PLC0415

    where = None if options.where is None else Condition.parse(options.where)
    addresses = tuple(map(Address.given, options.addresses))
    store = file_store(*options.addresses)
    overlay = use_overlay(options)
    if overlay is not None:
        return _scores(options, overlay, addresses, store)
    with output.ShownProgress(_("resources")) as progress:
        corpus = collect(store, StatisticsOptions(addresses, options.field, where), progress)
        found = [corpus.statistics(options.field)] if options.field else [*corpus.summary(progress)]
    output.write_unreadable(corpus.unreadable)
    (_of_field(found[0]) if options.field else _of_all(found)).write("stats", options)
    return FAILED if corpus.unreadable else DONE


def _scores(options: Namespace, overlay: OwnFields, addresses: Sequence[Address], store: FileStore) -> int:
    """Print how the fields of an overlay fit, and an error for each file that cannot be read."""
    from viewer.operations.corpus.scores import score_fields  # noqa: PLC0415 loads every format

    if options.field or options.where is not None:
        raise UsageError("--field and --where do not apply with --overlay", source="stats")
    with output.ShownProgress(_("resources")) as progress:
        scores = score_fields(store, overlay, addresses, progress)
    output.write_unreadable(scores.unreadable)
    found = [*map(_score_members, scores.fields)]
    rows = [OwnScoreRow.of(it) for it in found]
    Answer(
        lambda: OverlayScoresAnswer(found),
        lambda: text_table.lines(rows),
        lambda: rows,
    ).write("stats", options)
    return FAILED if scores.unreadable else DONE


def _of_field(found: FieldStatistics) -> Answer:
    return Answer(
        lambda: _document(found),
        lambda: _lines(found),
        lambda: [{"value": value, "count": count} for value, count in found.histogram],
    )


def _of_all(found: Sequence[FieldStatistics]) -> Answer:
    return Answer(
        lambda: StatisticsAnswer([*map(_document, found)]),
        lambda: text_table.lines(_summary_rows(found)),
        lambda: _summary_rows(found),
    )


def _document(found: FieldStatistics) -> FieldStatisticsAnswer:
    return FieldStatisticsAnswer(
        **members(_counts(found)),
        histogram=found.histogram,
        outliers=[OutlierMembers(str(it.place.address), it.place.row, it.value) for it in found.outliers],
        invariants=found.invariants,
    )


def _counts(found: FieldStatistics) -> FieldCounts:
    return FieldCounts(
        found.field, found.rows, found.models, found.distinct, min=found.least, max=found.greatest
    )


def _summary_rows(found: Iterable[FieldStatistics]) -> list[SummaryRow]:
    """A row for each field."""
    return [
        SummaryRow(**members(_counts(it)), outliers=it.outlier_count, invariants="; ".join(it.invariants))
        for it in found
    ]


def _lines(found: FieldStatistics) -> Iterator[str]:
    cell = text_table.cell
    yield Styled(
        found.field,
        Style.HEADING,
        after=_(": {rows} rows in {models} models", rows=found.rows, models=found.models),
    )
    yield _("distinct values  {distinct}", distinct=found.distinct)
    yield _("range            {least} to {greatest}", least=cell(found.least), greatest=cell(found.greatest))
    for words in found.invariants:
        yield _("holds for all    {words}", words=words)
    if found.bin_width is not None:
        yield _("each bar is {bin_width} wide and begins at its value:", bin_width=cell(found.bin_width))
    names = [cell(value) for value, _ in found.histogram]
    counts = [count for _, count in found.histogram]
    wide, most = max(map(len, names), default=0), max(counts, default=1)
    digits = len(str(most))
    for name, count in zip(names, counts, strict=True):
        # Rounded up, so that what occurs once has a mark too.
        bar = "#" * (-(-count * BAR // most))
        yield f"  {name.rjust(wide)}  {str(count).rjust(digits)}  {bar}".rstrip()
    left_out = found.distinct - len(found.histogram) if found.bin_width is None else 0
    if left_out > 0:
        yield _("  and {left_out} more, which are less frequent", left_out=left_out)
    if found.outlier_count:
        yield _("outliers: {outlier_count}", outlier_count=found.outlier_count)
    for it in found.outliers:
        yield f"  {it.place}  {cell(it.value)}"
    if found.outlier_count > len(found.outliers):
        yield _("  and {count} more", count=found.outlier_count - len(found.outliers))
