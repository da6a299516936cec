"""``inspect``: every field of a model or of any other resource."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace

from viewer.cli import answers, output, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import expand, file_store, findings_in, reading_options, single
from viewer.cli.reading.inspected.answers import CalledPart, TableAnswer
from viewer.cli.reading.own_fields import add_overlay, use_overlay, with_own_columns, with_own_values
from viewer.cli.usage.arguments import HOUR, add_addresses, add_forms, add_hour
from viewer.cli.usage.reading_arguments import add_reading
from viewer.cli.usage.values import Value, takes
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, UsageError, reading_from
from viewer.formats.archive import nres
from viewer.formats.msh.guesses import GUESSES
from viewer.json_types import members
from viewer.model.kinds.columns import Columns, PlainRows
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import MODEL, SKY, WEAR, kind_of
from viewer.model.sky.roles import roles_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.translation import _, translated

if TYPE_CHECKING:
    from viewer.formats.sky import Sky
    from viewer.model.kinds.json_text import AnyRows
    from viewer.model.tables.table import ModelTable
    from viewer.operations.units.units import UnitMounts

MOST_ROWS: Final = 10_000
"""Rows of a table that a terminal shows unless all are requested."""
WORDS_PER_LINE: Final = 16
_OFFSET: Final = r"0x([0-9a-fA-F]{1,16})|([0-9]{1,18})"
UNKNOWN: Final = "0"
"""Format name of a payload without a type that no format recognises."""

_TITLES: Final = {it.template for it in (_("source"), _("format"), _("size"))}
"""Members of payloads that are no fields of their formats."""


ANSWER: Final = Struct
"""Class of the answer, whose documents have members of the formats: `cli/schemas/inspection`."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    takes(
        parser.add_argument(
            "--table",
            metavar="TABLE",
            help="print one table: vertices, indices, tri_descriptors, keys, frame_map, strings, nodes, "
            "slots, batches, resources, or another by its name; engine: what the engine would hold of a "
            "model in memory",
        ),
        Value.TABLE,
    )
    parser.add_argument(
        "--as",
        dest="guess",
        metavar="GUESS",
        help="print a table of unknown meaning as the seeds propose: stream15 as floats or shorts, stream16 "
        "as vectors or color, stream18 as color, light_probes as words or rows",
    )
    parser.add_argument(
        "--at",
        metavar="PLACE",
        help="print one place: a part, row or field as messages name it (nodes[3].parent), "
        "or what an offset in the payload belongs to (0x1A0)",
    )
    add_overlay(parser)
    add_hour(parser, "print the scene color, the lights and the fog of a sky at this hour, too")
    add_forms(parser, "the rows of --table")
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the item at each address."""
    if options.form is not None and options.table is None:
        raise UsageError("--format prints one table, which --table names", source="inspect")
    if options.guess is not None:
        known = [it.name for it in GUESSES.get(options.table, ())]
        if options.guess not in known:
            hint = (
                _("it can be printed as {known}", known=", ".join(known))
                if known
                else _("it has one meaning")
            )
            message = _(
                "table {table!r}, --as {guess!r}: {hint}", table=options.table, guess=options.guess, hint=hint
            )
            raise UsageError(message, source="inspect")
    reading_options(options)
    use_overlay(options)
    store = file_store(*options.addresses, options.wear)
    expand(options, store)
    return answers.write("inspect", options, lambda text: _answer(options, store, text))


def _answer(options: Namespace, store: FileStore, text: str) -> Answer:
    item = store.open(Address.given(text))
    kind = kind_of(item)
    if kind.id == UNKNOWN and item.entry is None:
        message = _(
            "{found!r} is neither {magic!r} nor the start of another known format",
            found=bytes(item.data[:4]),
            magic=nres.MAGIC,
        )
        raise FormatError(message, table=nres.HEADER.name, field="magic", source=text)
    if options.hour is not None and kind is not SKY:
        raise UsageError(
            _("{option} is for a sky, not for {format}", option=HOUR, format=kind.id), source="inspect"
        )
    if options.at is not None:
        return _at_place(options, text, item, kind)
    if kind is MODEL:
        return _model(options, text, store)
    return _other(options, text, item, kind, store)


def _at_place(options: Namespace, source: str, item: Item, kind: Kind) -> Answer:
    from viewer.model.edit.set_field import STORED, stored_place  # noqa: PLC0415
    from viewer.model.kinds.plain import at_offset, describe_place  # noqa: PLC0415 of no use for a whole payload

    if not kind.is_known:
        raise UsageError(_("the contents of kind {id!r} are unknown", id=kind.id), source="inspect")
    with reading_from(source):
        value = kind.read(item)
        root = kind.parts(value)
    wrong = findings_in(options, item, kind.findings(value))
    output.report(source, wrong, is_strict=options.strict)
    offset = re.fullmatch(_OFFSET, options.at)
    if offset:
        place = at_offset(root, int(offset[1], 16) if offset[1] else int(offset[2]))
    else:
        place = Place.parse(f": {options.at}")
        if place.in_file != options.at:
            words = _("{text!r} does not name a part, a row or a field", text=options.at)
            raise UsageError(words, source="inspect")
        table, field = stored_place(kind.id, place.table, place.field)
        place = replace(place, table=table, field=STORED.get((table, field), field))
    try:
        described = describe_place(root, place)
    except UsageError:
        if kind is MODEL:
            _refuse_column(place)
        raise
    found = {"source": source, "format": kind.id, **members(described)}
    shown = {name: translated(value) if name == "status" else value for name, value in found.items()}
    return Answer(lambda: found, lambda: text_table.document_lines(shown, output.most_shown(MOST_ROWS)))


def _refuse_column(place: Place) -> None:
    """Refuse a place that is printed and named by `find`, but is not in the payload."""
    from viewer.cli.schemas.inspection import table_columns  # noqa: PLC0415 only needed for the error
    from viewer.model.tables.model_tables import DECLARED  # noqa: PLC0415

    declared = DECLARED.get(place.table)
    # A field of the record is missing only with its row.
    stored = () if declared is None or declared.record is None else (it.name for it in declared.record.fields)
    if declared is not None and place.field not in stored and place.field in table_columns(declared):
        words = _(
            "there are no bytes at {place}: it is a column, which --table {table} prints",
            place=place.in_file,
            table=place.table,
        )
        raise UsageError(words, source="inspect") from None


def _model(options: Namespace, source: str, store: FileStore) -> Answer:
    from viewer.cli.models import open_model  # noqa: PLC0415
    from viewer.cli.reading.inspected import model_tables  # noqa: PLC0415 only needed for a model
    from viewer.model.tables.neighbors import neighbors_of  # noqa: PLC0415

    opened = open_model(options, single(store, source), store)
    if options.table is not None:
        around = partial(neighbors_of, store, store.open(Address.given(source)))
        return _model_table(options, source, model_tables.table(opened, options.table, options.guess, around))
    return Answer(lambda: model_tables.model_document(opened), lambda: model_tables.lines(opened))


def _other(options: Namespace, source: str, item: Item, kind: Kind, store: FileStore) -> Answer:
    from viewer.model.game.part_names import names_around  # noqa: PLC0415 not needed for a model
    from viewer.model.kinds.plain import describe  # noqa: PLC0415

    entry = item.nres_entry
    with reading_from(source):
        fields = {"source": source, **with_own_values(kind.id, describe(kind, item.data, entry))}
    if kind.id == "units":
        fields |= members(_mounts(options, item, store))
    elif kind.id == "objects":
        called = names_around(store, item.address.path).of_key(item.name)
        fields |= members(CalledPart(str(called or "") or None))
    elif kind is WEAR and (roles := roles_of(item.name)):
        fields["materials"] = [
            {**row, "role": role and role.template}
            for row, role in zip_longest(fields["materials"], roles[: len(fields["materials"])])
        ]
    readable = fields
    if kind is SKY:
        fields, readable = _sky(options, kind.read(item), fields)
    output.report(source, findings_in(options, item, _findings(fields)), is_strict=options.strict)
    if options.table is not None:
        rows = fields.get(options.table, readable.get(options.table))
        if not isinstance(rows, Sequence) or isinstance(rows, str):
            words = _("a {format} has no table {table!r}", format=fields["format"], table=options.table)
            raise UsageError(words, source="inspect")
        return _table(options, source, rows, _readable(rows))
    shown = {name: _readable(value) for name, value in readable.items() if name != "diagnostics"}
    return Answer(
        lambda: fields, lambda: text_table.document_lines(shown, output.most_shown(MOST_ROWS), _title)
    )


def _sky(options: Namespace, sky: Sky, fields: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A sky's description, with what lights it at the requested hour, as JSON and as text."""
    from viewer.cli.reading.inspected import sky_document  # noqa: PLC0415 only needed for a sky

    if options.hour is not None:
        fields = {**fields, **members(sky_document.at(sky, options.hour))}
    return fields, sky_document.readable(sky, fields)


def _readable(value: Any) -> Any:
    """A value of a description; the entries of an archive as `ls` lists them."""
    from viewer.cli.reading.ls import with_letters  # noqa: PLC0415 not needed for a model

    return with_letters(value) if isinstance(value, Columns) and "type_name" in value.columns else value


def _title(name: str) -> str:
    """Heading of a line, in the user's language unless it is a field of the format."""
    return text_table.title_of(name) if name in _TITLES else name


def _mounts(options: Namespace, item: Item, store: FileStore) -> UnitMounts:
    """Places of the models of a unit's components."""
    from viewer.operations.units.units import UnitMounts, parts_of, rows_of  # noqa: PLC0415

    reading = reading_options(options)
    parts = parts_of(store, item, reading.game, reading.reading)
    return UnitMounts(rows_of(parts))


def _findings(fields: Mapping[str, Any]) -> list[Diagnostic]:
    """The diagnostics of a description, which holds them as rows."""
    rows = fields.get("diagnostics", ())
    return [Diagnostic(it.rule, it.severity, it.message, it.table, it.index, it.field) for it in rows]


def _model_table(options: Namespace, source: str, table: ModelTable) -> Answer:
    """A table of a model; of one whose rows are single values in JSON the other columns stand beside them."""
    from viewer.model.tables.model_tables import DECLARED  # noqa: PLC0415 only needed for a model

    scalar = DECLARED[table.name].scalar
    plain = with_own_columns(MODEL.id, table.name, table.plain())
    if not scalar:
        document = TableAnswer(source, table.name, plain)
        readable = with_own_columns(MODEL.id, table.name, table.readable())
        return Answer(lambda: document, lambda: _table_lines(readable), lambda: plain)
    columns: dict[str, Any] = {**plain.columns}
    values = columns.pop(scalar)
    del columns[table.numbers.name]
    document = TableAnswer(source, table.name, values, columns or UNSET)
    return Answer(lambda: document, lambda: _table_lines(document.rows), lambda: plain)


def _table(options: Namespace, source: str, rows: Any, readable: Any = None) -> Answer:
    document = TableAnswer(source, options.table, rows)
    shown = rows if readable is None else readable
    return Answer(lambda: document, lambda: _table_lines(shown), lambda: _table_rows(shown))


def _table_rows(rows: Any) -> AnyRows:
    """The rows of a table; those of a list are numbered values."""
    if _has_names(rows):
        return cast("AnyRows", rows)
    return Columns(len(rows), {"index": np.arange(len(rows)), "value": rows})


def _has_names(rows: Any) -> bool:
    """Whether rows are objects, not single values."""
    return isinstance(rows, PlainRows) or (len(rows) > 0 and isinstance(rows[0], Mapping | Struct))


def _table_lines(rows: Any) -> Iterator[str]:
    if _has_names(rows):
        yield from text_table.lines(rows, title=str)
    elif isinstance(rows, np.ndarray):
        words = rows.tolist()
        width, margin = len(str(max(words, default=0))), len(str(len(words)))
        for start in range(0, len(words), WORDS_PER_LINE):
            line = " ".join(str(word).rjust(width) for word in words[start : start + WORDS_PER_LINE])
            yield f"{str(start).rjust(margin)}  {line}"
    else:
        yield from text_table.numbered(rows)
