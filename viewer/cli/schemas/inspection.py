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
from viewer.formats import wear
from viewer.formats.archive import rsli
from viewer.formats.msh import keys, path_graph, triangles
from viewer.formats.msh.guesses import GUESSES, VECTORS
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import LEGACY_NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import LEGACY_NODES, NODES, PATH_GRAPH, TABLES
from viewer.formats.msh.vertices import NORMAL, UV
from viewer.formats.record import DECIMAL, Field, Record, Status
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.plain import HEADER
from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, PACKED, tables
from viewer.model.material.materials import AlphaKind
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import Reason

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
    return {it.name: {**(NUMBER if it.is_float else INTEGER), "description": it.doc} for it in field.bits}


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
    "stored.normal": field_schema(NORMAL.field("normal")),
    "stored.uv": field_schema(UV.field("uv")),
    **{f"triangle.{name}": it for name, it in fields(triangles.TRIANGLE).items()},
    **{f"key.{name}": it for name, it in fields(keys.KEY).items()},
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
_TABLES: Final[Mapping[str, str]] = {
    "vertices": """[{
        position, normal: vector?; normal_raw: stored.normal?
        uv: [number * 2]?; uv_raw: stored.uv?
    }]""",
    "indices": "[count]",
    "tri_descriptors": """[{
        flags: triangle.flags; links: triangle.links
        normal: vector; normal_raw: triangle.normal
        selectors: [count? * 3]; selectors_raw: triangle.selectors
    }]""",
    "keys": """[{
        position: key.position; time: key.time
        quaternion: quaternion; quaternion_raw: key.quaternion
    }]""",
    "frame_map": "[count]",
    "strings": "[text?]",
    "resources": "[{index: count; name: text; type, size, offset, attr1, attr2, attr3: u32}]",
    "fitting_parts": "[{node: count; name: text?; socket_tag: text; key, called: text?}]",
    "engine": """[{
        offset, size: count; name: text; type: count?; table: text?
        at, count, stride, value: count?; status: status; doc: text
    }]""",
}
"""Tables of a model that are not the rows of a record as they are stored."""


def _model_tables() -> dict[str, Schema]:
    """Every table that ``--table`` prints of a model; its rows have an index also if they have one field."""
    stored = {table.name: table.record for table in TABLES.values() if table.record}
    decoded = written("{name, takes: text?; fallback_key: count?}")["properties"]
    return {
        **{name: array(row(f"{name}.{name}", it)) for name, it in stored.items()},
        **{name: _guessed(name, stored[name]) for name in GUESSES},
        "nodes": {
            "anyOf": [
                array(record({"index": COUNT, **fields(stored["nodes"]), **decoded})),
                array(record({"index": COUNT, **fields(LEGACY_NODE)})),
            ]
        },
        "slots": array(row("slots.slots", SLOT, bits(SLOT.field("opaque")))),
        **{name: written(text, _NAMES) for name, text in _TABLES.items()},
        "path_graph": array(row("path_graph.path_graph", path_graph.PATH_NODE)),
        "path_links": array(row("path_graph.path_links", path_graph.PATH_LINK)),
    }


def _guessed(name: str, declared: Record) -> Schema:
    """A table as declared, or as one of the guesses."""
    decoded = {"a_decoded": array(NUMBER), "b_decoded": array(NUMBER)}
    guesses = [
        open_record({"index": COUNT, **fields(it.record)}, decoded if it.name == VECTORS else {})
        for it in GUESSES[name]
    ]
    return {"anyOf": [array(row(f"{name}.{name}", declared)), *map(array, guesses)]}


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
    answer = open_record({"source": TEXT, "table": TEXT, "rows": {"type": "array"}})
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
