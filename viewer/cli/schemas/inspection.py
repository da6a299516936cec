"""The schema of ``inspect``: models, archives, other payloads, single tables and single places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Final, get_type_hints

import numpy as np
from msgspec import Struct
from msgspec.json import schema_components
from msgspec.structs import replace

from viewer.cli.reading.inspected.answers import CalledPart, TableAnswer
from viewer.cli.reading.inspected.model_tables import ModelAnswer
from viewer.cli.reading.inspected.sky_document import KEYFRAMES, KeyframeLine, SkyAt
from viewer.cli.schemas.pieces import (
    COUNT,
    HEX,
    INTEGER,
    NUMBER,
    TEXT,
    Schema,
    array,
    by_value,
    nullable,
    open_record,
    record,
    reference,
)
from viewer.formats import wear
from viewer.formats.archive import rsli
from viewer.formats.msh import path_graph
from viewer.formats.msh.guesses import GUESSES
from viewer.formats.msh.nodes import LEGACY_NODE, NODE
from viewer.formats.msh.tables import LEGACY_NODES, NODES, PATH_GRAPH, TABLES
from viewer.formats.record import DECIMAL, Bits, Field, Record
from viewer.model.kinds.columns import DiagnosticRow
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.plain import (
    HEADER,
    ArchiveDescription,
    ArchiveRow,
    FileRow,
    LibraryRow,
    PlaceDescription,
)
from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, PACKED, WEAR, tables
from viewer.model.tables.column import NAME, column_name
from viewer.model.tables.declaration import Computed, Declaration, is_labeled
from viewer.model.tables.model_tables import DECLARED
from viewer.model.tables.table import numbers_name
from viewer.operations.units.units import UnitMounts

_DIAGNOSTICS: Final = array(reference(DiagnosticRow.__name__))
LISTED: Final = {"index": INTEGER, "kind": TEXT, "offset": INTEGER, "size": INTEGER}
"""Members of each row of a list of parts."""


def field_schema(field: Field) -> Schema:
    """Return the schema of a field, with its meaning."""
    scalar = _scalar(field)
    if field.none is not None:
        scalar = nullable(scalar)
    nested = reduce(array, reversed(field.shape), scalar)
    return {**nested, "description": field.doc}


def _scalar(field: Field) -> Schema:
    dtype = np.dtype(field.dtype)
    if dtype.kind in "SV":
        text = TEXT if field.is_text else HEX
        return {"anyOf": [INTEGER, text]} if field.encoding == DECIMAL else text
    if dtype.kind == "f":
        return NUMBER
    limits = np.iinfo(dtype)
    return {"type": "integer", "minimum": int(limits.min), "maximum": int(limits.max)}


def fields(declared: Record) -> dict[str, Schema]:
    """Return the schemas of the fields of a record, by name."""
    return {field.name: field_schema(field) for field in declared.fields}


def _definition_names(kind: Kind) -> dict[str, Record]:
    """The records of a kind by the names of their definitions."""
    found: dict[str, Record] = {}
    for declared in records_of(kind):
        name = f"{kind.id}.{declared.name}"
        while found.get(name, declared) is not declared:
            name += "'"
        found[name] = declared
    return found


def rows(name: str, declared: Record, more: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of a table of the record with a definition; that of a single field has its values."""
    if len(declared.fields) == 1:
        return array(field_schema(declared.fields[0]))
    return array(row(name, declared, more))


def row(name: str, declared: Record, more: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of a row of a table: its index, its fields and those in `more`, and no others."""
    return {**_alone(name, declared, ["index"]), "properties": {"index": INTEGER, **(more or {})}}


def _alone(name: str, declared: Record, required: Iterable[str] = ()) -> Schema:
    names = [*required, *(field.name for field in declared.fields)]
    return {"allOf": [reference(name)], "required": names, "unevaluatedProperties": False}


def _listed(name: str, declared: Record) -> Schema:
    """The fields of a row of a list that is of a record."""
    is_this = {"type": "object", "properties": {"kind": {"const": declared.name}}, "required": [*LISTED]}
    return {"if": is_this, "then": {"properties": LISTED, "allOf": [reference(name)]}}


def header_fields(kind: Kind) -> dict[str, Schema]:
    """Return the fields of a kind's header, which stand at the top of its document, and their meanings."""
    found: dict[str, Schema] = {}
    for declared in records_of(kind):
        if declared.name == HEADER:
            found |= fields(declared)
            for field in declared.fields:
                found |= bits(field)
                if field.flags or field.values:
                    found[f"{field.name}_meaning"] = TEXT
    return found


def bits(field: Field) -> dict[str, Schema]:
    """Return the schemas of the parts of a field that have a meaning of their own, by name."""
    return {it.name: _bits(it) for it in field.bits}


def _bits(declared: Bits) -> Schema:
    scalar = NUMBER if declared.is_float else INTEGER
    if declared.none is not None:
        scalar = nullable(scalar)
    return {**scalar, "description": declared.doc}


def records_of(kind: Kind) -> list[Record]:
    """Return the records that the module of a format declares; of a table of a model those of its type."""
    if kind.type_id == PATH_GRAPH:
        return [path_graph.PATH_NODE, path_graph.PATH_LINK]
    if kind.type_id:
        declared = [TABLES[kind.type_id], *([LEGACY_NODES] if kind.type_id == NODES else [])]
        return [it for table in declared for it in (table.record, table.header) if it]
    return [*dict.fromkeys(_records_in(vars(kind.codec).values()))]


def _records_in(values: Iterable[object]) -> Iterator[Record]:
    for value in values:
        declared = getattr(value, "record", value)
        if isinstance(declared, Record):
            yield declared
        elif isinstance(value, Mapping):
            yield from _records_in(value.values())


def definitions() -> dict[str, Schema]:
    """Return the answer of ``inspect`` and what it refers to."""
    plain = [kind for kind in (*KINDS, *tables().values()) if not kind.is_archive and kind is not MODEL]
    classes = schema_components((*_ANSWERS, *filter(None, map(_facts_class, plain)), *_ADDED.values()))[1]
    formats = {MODEL.id: reference(ModelAnswer.__name__), PACKED.id: _packed()}
    formats[ARCHIVE.id] = _with_source(reference(ArchiveDescription.__name__))
    formats |= {kind.id: _payload(kind, classes) for kind in plain}
    unknown = open_record({"source": TEXT, "format": TEXT, "size": COUNT})
    payload = by_value("format", {name: reference(f"format.{name}") for name in formats}, unknown)
    part = {"if": {"required": ["place"]}, "then": reference("place"), "else": payload}
    return {
        "answer": {"if": {"required": ["table", "rows"]}, "then": reference("table"), "else": part},
        "table": _table(plain, classes),
        "place": _with_source(reference(PlaceDescription.__name__), {"format": TEXT}),
        **{f"format.{name}": schema for name, schema in formats.items()},
        **{name: it for kind in plain for name, it in _definitions(kind, classes).items()},
        **{f"msh.{name}": table for name, table in _model_tables().items()},
        **classes,
    }


def _with_source(schema: Schema, more: Mapping[str, Schema] | None = None) -> Schema:
    return {**open_record({"source": TEXT, **(more or {})}), "allOf": [schema]}


def _by_name(declared: Iterable[Field]) -> dict[str, Schema]:
    return {field.name: field_schema(field) for field in declared}


_ANSWERS: Final = (
    *(ModelAnswer, ArchiveDescription, PlaceDescription, TableAnswer),
    *(LibraryRow, FileRow, DiagnosticRow, KeyframeLine),
)
_ADDED: Final[Mapping[str, type[Struct]]] = {"units": UnitMounts, "objects": CalledPart, "sky": SkyAt}
"""Members that `inspect` adds to the documents of some kinds."""
_ROWS_OF_FILES: Final = tuple(it.__name__ for it in (ArchiveRow, LibraryRow, FileRow))


def _facts_class(kind: Kind) -> type[Struct] | None:
    """The class of what follows from a value of a kind."""
    made = getattr(kind.codec, "facts", None)
    found: type[Struct] | None = made and get_type_hints(made)["return"]
    return found


def _facts(kind: Kind, classes: Mapping[str, Schema]) -> dict[str, Schema]:
    """The members that follow from a value of a kind, and those that `inspect` adds."""
    found: dict[str, Schema] = {}
    for it in filter(None, (_facts_class(kind), _ADDED.get(kind.id))):
        columns = _columns_of(it)
        own = classes[it.__name__]["properties"]
        found |= {name: schema for name, schema in own.items() if name not in columns}
    if kind is WEAR:
        found |= dict.fromkeys(
            (wear.MATERIAL_COUNT, wear.LIGHTMAP_COUNT), record({}, _by_name(wear.COUNT_FIELDS))
        )
        row = record(LISTED, {**_by_name(wear.ROW_FIELDS), "role": nullable(TEXT)})
        found |= dict.fromkeys((wear.MATERIALS, wear.LIGHTMAPS), array(row))
    return found


def _columns_of(facts: type[Struct] | None) -> dict[str, type[Struct]]:
    """The classes of further columns of tables, by the names of these."""
    hints = {} if facts is None else get_type_hints(facts)
    return {name: it for name, it in hints.items() if isinstance(it, type) and issubclass(it, Struct)}


def _row_facts(kind: Kind, classes: Mapping[str, Schema]) -> dict[str, dict[str, Schema]]:
    """The columns that follow from a value of a kind, by table."""
    found = _columns_of(_facts_class(kind))
    return {
        name: {column: it["items"] for column, it in classes[columns.__name__]["properties"].items()}
        for name, columns in found.items()
    }


_LEGACY: Final = record({"index": COUNT, **fields(LEGACY_NODE)})


def _model_tables() -> dict[str, Schema]:
    """Schemas of the tables of a model that ``--table`` prints, by name."""
    found = {name: model_table(it) for name, it in DECLARED.items()}
    for name in GUESSES:
        found[name] = {"anyOf": [found[name], *map(array, _guessed(name))]}
    return {**found, NODE.name: {"anyOf": [found[NODE.name], array(_LEGACY)]}}


def model_table(declared: Declaration) -> Schema:
    """Return the schema of a table: rows with all its columns, or the values of one of them."""
    columns = table_columns(declared)
    return array(columns[declared.scalar] if declared.scalar else record(columns))


def table_columns(declared: Declaration) -> dict[str, Schema]:
    """Return the schemas of the columns of a table, by name."""
    found = {numbers_name(declared.column_names): COUNT}
    for computed in declared.computed:
        found |= _with_names(computed.name, _computed(computed), has_names=computed.has_names)
    for field in declared.record.fields if declared.record else ():
        stored = replace(field, none=declared.nones.get(field.name, field.none))
        has_names = is_labeled(field.refers_to or "", field.shape)
        found |= _with_names(declared.stored_name(field), field_schema(stored), has_names=has_names)
        for of, it in declared.bits:
            if of is field:
                has_names = is_labeled(it.refers_to or "", ())
                found |= _with_names(column_name(it), _bits(it), has_names=has_names)
    return found


def _with_names(name: str, schema: Schema, *, has_names: bool) -> dict[str, Schema]:
    return {name: schema, **({name + NAME: nullable(TEXT)} if has_names else {})}


def _computed(declared: Computed) -> Schema:
    dtype = np.dtype(declared.dtype)
    scalar = TEXT if dtype.kind == "U" else NUMBER if dtype.kind == "f" else INTEGER
    if declared.stored is not None:
        found = field_schema(declared.stored)
    else:
        found = reduce(array, reversed(declared.shape), scalar if declared.none is None else nullable(scalar))
    if declared.is_optional:
        found = nullable(found)
    return found if declared.doc is None else {**found, "description": str(declared.doc.template)}


def _guessed(name: str) -> Iterator[Schema]:
    """The rows of a table that is looked at as one of the guesses."""
    for it in GUESSES[name]:
        decoded = {f"{field.name}_decoded": array(NUMBER) for field in it.record.fields if field.scale}
        yield open_record({"index": COUNT, **fields(it.record)}, decoded)


def _payload(kind: Kind, classes: Mapping[str, Schema]) -> Schema:
    """The document of a payload: its header, its facts, and its parts by name."""
    known = {"source": TEXT, "format": {"const": kind.id}, "diagnostics": _DIAGNOSTICS}
    more = {**header_fields(kind), **_facts(kind, classes)}
    return {**open_record(known, more), "allOf": [reference(kind.id)]}


def _packed() -> Schema:
    known = {"source": TEXT, "format": {"const": PACKED.id}, "size": COUNT}
    listed = {"entries": array(reference(LibraryRow.__name__)), "diagnostics": _DIAGNOSTICS}
    return open_record({**known, **listed, **fields(rsli.HEADER), "overlay": INTEGER})


def _table(plain: Iterable[Kind], classes: Mapping[str, Schema]) -> Schema:
    """Schema of a table of a model, or of another format that has one of that name."""
    known: dict[str, list[Schema]] = defaultdict(list)
    for name in _model_tables():
        known[name].append(reference(f"msh.{name}"))
    for kind in plain:
        more = _row_facts(kind, classes)
        for name, declared in _definition_names(kind).items():
            known[declared.name].append(rows(name, declared, more.get(declared.name)))
        for name, schema in _facts(kind, classes).items():
            known[name].append(schema)
    known["entries"] += [array(reference(name)) for name in _ROWS_OF_FILES]
    known["diagnostics"].append(_DIAGNOSTICS)
    known[KEYFRAMES].append(array(reference(KeyframeLine.__name__)))
    cases = {name: {"properties": {"rows": {"anyOf": schemas}}} for name, schemas in known.items()}
    listed = {"properties": {"rows": array(open_record(LISTED))}}
    return {"allOf": [reference(TableAnswer.__name__), by_value("table", cases, listed)]}


def _definitions(kind: Kind, classes: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the definitions of a kind: one per record, and one of its parts, named after the kind.

    That of its parts is an object of them by name, and anything inside. A part with the name of a record
    is that record, alone or in rows; the fields of a list's rows follow from their ``kind``.
    """
    names, facts, replaced = _definition_names(kind), _row_facts(kind, classes), _facts(kind, classes)
    by_name: dict[str, list[Schema]] = defaultdict(list)
    for name, declared in names.items():
        if declared.name not in (HEADER, *replaced):
            by_name[declared.name] += [_alone(name, declared), rows(name, declared, facts.get(declared.name))]
    return {
        **{name: {"type": "object", "properties": fields(declared)} for name, declared in names.items()},
        kind.id: {
            "items": reference(kind.id),
            "properties": {
                # What facts replace has a schema of its own, in which fields may have names of records.
                **{name: {} for name in replaced},
                **{name: {"anyOf": [INTEGER, *known]} for name, known in by_name.items()},
            },
            "additionalProperties": reference(kind.id),
            "allOf": [{}, *(_listed(name, it) for name, it in names.items() if it.name != HEADER)],
        },
    }
