"""The schema of ``inspect``: models, archives, other payloads, single tables and single spots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Final

import numpy as np

from viewer.cli.schemas.values import (
    COUNT,
    DIAGNOSTIC,
    ENTRIES,
    HEX,
    INTEGER,
    NUMBER,
    TEXT,
    TYPES,
    Schema,
    array,
    by_value,
    nullable,
    one_of,
    open_record,
    record,
    reference,
    written,
)
from viewer.dataclass import replace
from viewer.formats import wear
from viewer.formats.archive import rsli
from viewer.formats.msh import path_graph
from viewer.formats.msh.guesses import GUESSES
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import LEGACY_NODE, NODE
from viewer.formats.msh.tables import LEGACY_NODES, NODES, PATH_GRAPH, TABLES
from viewer.formats.record import DECIMAL, Bits, Field, Record, Status
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.plain import HEADER
from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, PACKED, tables
from viewer.model.material.materials import AlphaKind
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import Reason
from viewer.model.tables.column import NAME, column_name
from viewer.model.tables.declaration import Computed, Declaration, is_labeled
from viewer.model.tables.model_tables import DECLARED
from viewer.model.tables.table import numbers_name

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
    formats = {MODEL.id: written(_MODEL, _NAMES), ARCHIVE.id: written(_ARCHIVE, _NAMES), PACKED.id: _packed()}
    formats |= {kind.id: _payload(kind) for kind in plain}
    unknown = written("{source, format: text; size: count; ...}")
    payload = by_value("format", {name: reference(f"format.{name}") for name in formats}, unknown)
    part = {"if": {"required": ["place"]}, "then": reference("spot"), "else": payload}
    return {
        "answer": {"if": {"required": ["table", "rows"]}, "then": reference("table"), "else": part},
        "table": _table(plain),
        "spot": written(_SPOT, _NAMES),
        **{f"format.{name}": schema for name, schema in formats.items()},
        **{name: it for kind in plain for name, it in _definitions(kind).items()},
        **{f"msh.{name}": table for name, table in _model_tables().items()},
        **ENTRIES,
        "diagnostic": DIAGNOSTIC,
    }


def _by_name(declared: Iterable[Field]) -> dict[str, Schema]:
    return {field.name: field_schema(field) for field in declared}


_ROW_FACTS: Final[Mapping[str, dict[str, dict[str, Schema]]]] = {
    "units": {"components": {"parent": INTEGER}},
    "control_points": {"points": {"name": TEXT}},
}
"""Columns that the ``facts`` of a kind add to its tables."""
_FACTS: Final[Mapping[str, Mapping[str, Schema]]] = {
    "units": {
        "mounts": written("""[{
            component, parent: int; key: text; called: text?; outcome: text
            model: text?; socket: int?; socket_name, socket_tag: text?
            mount, matrix: [[number * 4] * 3]?
            is_drawn, is_guess: bool; problem: text?
        }]""")
    },
    "texm": {
        "palette": written("[[int * 3]]?"),
        "levels": written("[{w, h, offset, size: count}]"),
    },
    "mat0": written("{attr1: u32; version: int; attr3: u32; blend_mode: int?; is_lit_skin: bool}")[
        "properties"
    ],
    "control": {
        "components": written("""[{
            index, class, node, group, switch: int; class_name: text?; flags: u32; groups: [int * 2]
            power: number; weights: [number * 2]; values: [number * 16]
            archive, name: text; channels: [int]; label: text?; turns: number?
        }]"""),
        "rest_size": COUNT,
    },
    "objects": {"called": written("text?")},
    "description": written("""{
        code, feeds: text?; name: text; tab, level: count?
        kind, free: [text]; fields: {...}; rows: [{label, field, unit: text}]
    }""")["properties"],
    "sky": {
        "sections": written("""[{
            day_seconds: count
            keyframes: [{
                hour, minute, event: count; slots: [hex * 22]; fog: [number * 2]
                names: [text * 6]; floats: [number * 4]; effects: [text]
            }]
        }]"""),
        "start": written("{section, hour, minute: count}?"),
        "at": written("{scene: vector; lights: [{direction, color: vector}]; fog: [number * 2]}", TYPES),
    },
    "wear": {
        **dict.fromkeys((wear.MATERIAL_COUNT, wear.LIGHTMAP_COUNT), record({}, _by_name(wear.COUNT_FIELDS))),
        **dict.fromkeys(
            (wear.MATERIALS, wear.LIGHTMAPS),
            array(record(LISTED, {**_by_name(wear.ROW_FIELDS), "role": nullable(TEXT)})),
        ),
    },
}
"""Fields that the ``facts`` of a kind add to its document, and the lines of text files."""
_KEYFRAMES: Final = written("""[{
    section, index: count; time, event, name, scene, main_light: text
    strength: number; counter_light: text; fog: [number * 2]; effects: [text]
}]""")
"""The keyframes of all sections of a sky as ``--table`` prints them, colors as ``#rrggbb``."""
_ORDERS: Final = [*map(str, QuaternionOrder)]
_NAMES: Final[Mapping[str, Schema]] = {
    **TYPES,
    "model": {"const": MODEL.id},
    "archive": {"const": ARCHIVE.id},
    "variant": one_of(Variant),
    "order": one_of(_ORDERS),
    "chosen": one_of(("auto", "user")),
    "status": one_of(Status),
    "errors": record({}, dict.fromkeys(_ORDERS, NUMBER)),
    "reason": one_of(Reason),
    "votes": record({}, dict.fromkeys(_ORDERS, COUNT)),
    "alpha": one_of(AlphaKind),
}
_SPOT: Final = """{
    source, format, place: text
    offset, size: count
    value: any
    type?: text; bytes?: hex; meaning?: text?; doc?: text; status?: status
    ...
}"""
_ARCHIVE: Final = """{
    source: text
    format: archive
    size: count
    entries: [@entry.nres]
    diagnostics: [@diagnostic]
    ...
}"""
_MODEL: Final = """{
    source: text
    format: model
    called: text?
    variant: variant
    reading: {
        quaternion_order: order; chosen: chosen
        errors: errors?; decided_by: reason; votes: votes
        material_field: material_field; names_from: text
    }
    counts: {nodes, slots, vertices, indices, batches, tri_descriptors, keys, map_words, frames, faces: count}
    cells: [{lod, group: int; name: text; triangles: count}]
    header: {
        hull: [vector * 8]
        sphere: {center: vector; radius: number}
        capsule: {a, b: vector; radius: number}
    }?
    materials: [{
        row: int?; name: text?; found: found; entry: text?
        batches: [count]
        attr1: u32
        +blending
        phases: [{+phase; texture_found: bool; alpha: alpha}]
        blocks: [{mode, mask: int; keys: [[number]]}]
        lightmap, layer, second_material, microtexture: text?
        trace: [text]
    }]
    diagnostics: [@diagnostic]
    resources: @msh.resources; nodes: @msh.nodes; slots: @msh.slots; batches: @msh.batches
    ...
}"""
_LEGACY: Final = record({"index": COUNT, **fields(LEGACY_NODE)})


def _model_tables() -> dict[str, Schema]:
    """Every table that ``--table`` prints of a model."""
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


def _payload(kind: Kind) -> Schema:
    """The document of a payload: its header, its facts, and its parts by name."""
    known = {"source": TEXT, "format": {"const": kind.id}, "diagnostics": array(reference("diagnostic"))}
    more = {**header_fields(kind), **_FACTS.get(kind.id, {})}
    return {**open_record(known, more), "allOf": [reference(kind.id)]}


def _packed() -> Schema:
    more = {
        "format": {"const": PACKED.id},
        "entries": array(reference("entry.rsli")),
        **fields(rsli.HEADER),
        "overlay": INTEGER,
    }
    return open_record({**written(_ARCHIVE, _NAMES)["properties"], **more})


def _table(plain: Iterable[Kind]) -> Schema:
    """One table, of a model or of another format that has one of that name."""
    known: dict[str, list[Schema]] = defaultdict(list)
    for name in _model_tables():
        known[name].append(reference(f"msh.{name}"))
    for kind in plain:
        more = _ROW_FACTS.get(kind.id, {})
        for name, declared in _definition_names(kind).items():
            known[declared.name].append(rows(name, declared, more.get(declared.name)))
        for name, schema in _FACTS.get(kind.id, {}).items():
            known[name].append(schema)
    known["entries"] += [array(reference(name)) for name in ENTRIES]
    known["diagnostics"].append(array(reference("diagnostic")))
    known["keyframes"].append(_KEYFRAMES)
    cases = {name: {"properties": {"rows": {"anyOf": schemas}}} for name, schemas in known.items()}
    listed = {"properties": {"rows": array(open_record(LISTED))}}
    columns = {"type": "object", "additionalProperties": {"type": "array"}}
    known_members = {"source": TEXT, "table": TEXT, "rows": {"type": "array"}}
    answer = open_record(known_members, {"columns": columns})
    return {**answer, "allOf": [by_value("table", cases, listed)]}


def _definitions(kind: Kind) -> dict[str, Schema]:
    """Return the definitions of a kind: one per record, and one of its parts, named after the kind.

    That of its parts is an object of them by name, and anything inside. A part with the name of a record
    is that record, alone or in rows; the fields of a list's rows follow from their ``kind``.
    """
    names, facts, replaced = _definition_names(kind), _ROW_FACTS.get(kind.id, {}), _FACTS.get(kind.id, {})
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
