"""Schemas of records and of the parts of a payload, from the declarations that decode them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import reduce
from typing import Final

import numpy as np

from viewer.cli.schemas.values import HEX, INTEGER, NUMBER, TEXT, Schema, array, nullable, reference
from viewer.formats.msh import path_graph
from viewer.formats.msh.tables import LEGACY_NODES, NODES, PATH_GRAPH, TABLES
from viewer.formats.record import DECIMAL, Field, Record
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.plain import HEADER

LISTED: Final = {"index": INTEGER, "kind": TEXT, "offset": INTEGER, "size": INTEGER}
"""What each row of a list of parts has."""


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


def definitions(
    kind: Kind, facts: Mapping[str, Mapping[str, Schema]], replaced: Collection[str]
) -> dict[str, Schema]:
    """Return the definitions of a kind: one per record, and one of its parts, named after the kind.

    That of its parts is an object of them by name, and anything inside. A part with the name of a record
    is that record, alone or in rows; the fields of a list's rows follow from their ``kind``. `facts` are
    further fields of the rows of a part; `replaced` names parts whose place a fact takes.
    """
    names = _definition_names(kind)
    by_name: dict[str, list[Schema]] = defaultdict(list)
    for name, declared in names.items():
        if declared.name not in (HEADER, *replaced):
            by_name[declared.name] += [_alone(name, declared), rows(name, declared, facts.get(declared.name))]
    return {
        **{name: {"type": "object", "properties": fields(declared)} for name, declared in names.items()},
        kind.id: {
            "items": reference(kind.id),
            "properties": {name: {"anyOf": [INTEGER, *known]} for name, known in by_name.items()},
            "additionalProperties": reference(kind.id),
            "allOf": [{}, *(_listed(name, it) for name, it in names.items() if it.name != HEADER)],
        },
    }


def _definition_names(kind: Kind) -> dict[str, Record]:
    """The records of a kind by the names of their definitions."""
    found: dict[str, Record] = {}
    for declared in records_of(kind):
        name = f"{kind.id}.{declared.name}"
        while found.get(name, declared) is not declared:
            name += "'"
        found[name] = declared
    return found


def tables_of(kind: Kind, facts: Mapping[str, Mapping[str, Schema]]) -> Iterator[tuple[str, Schema]]:
    """Yield name and rows of each table that a kind may have, which refer to its definitions."""
    for name, declared in _definition_names(kind).items():
        yield declared.name, rows(name, declared, facts.get(declared.name))


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
    return {
        part.name: {**(NUMBER if part.is_float else INTEGER), "description": part.doc} for part in field.bits
    }


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
