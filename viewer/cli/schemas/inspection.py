"""The schema of ``inspect``: models, archives, other payloads, single tables and single spots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from viewer.cli.schemas import records
from viewer.cli.schemas.records import LISTED, field_schema, fields, header_fields, tables_of
from viewer.cli.schemas.shared import (
    BLENDING,
    DIAGNOSTIC,
    ENTRIES,
    FOUND,
    MATERIAL_FIELD,
    PHASE,
    QUATERNION,
    VECTOR,
)
from viewer.cli.schemas.values import (
    COUNT,
    HEX,
    INTEGER,
    NUMBER,
    TEXT,
    TRUTH,
    U32,
    Schema,
    array,
    by_value,
    nullable,
    one_of,
    open_record,
    record,
    reference,
)
from viewer.formats import wear
from viewer.formats.archive import rsli
from viewer.formats.msh import keys, path_graph, triangles
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import TABLES
from viewer.formats.msh.vertices import NORMAL, UV
from viewer.formats.record import Field, Status
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, PACKED, tables
from viewer.model.material.materials import AlphaKind
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import Reason


def _by_name(declared: Iterable[Field]) -> dict[str, Schema]:
    return {field.name: field_schema(field) for field in declared}


ROW_FACTS: Final[dict[str, dict[str, dict[str, Schema]]]] = {
    "units": {"components": {"parent": INTEGER}},
    "control_points": {"points": {"name": TEXT}},
}
"""Columns that the ``facts`` of a kind add to its tables."""
FACTS: Final[dict[str, dict[str, Schema]]] = {
    "texm": {
        "palette": nullable(array(array(INTEGER, 3))),
        "levels": array(record({"w": COUNT, "h": COUNT, "offset": COUNT, "size": COUNT})),
    },
    "mat0": {
        "attr1": U32,
        "version": INTEGER,
        "attr3": U32,
        "blend_mode": nullable(INTEGER),
        "is_lit_skin": TRUTH,
    },
    "control": {"rest_size": COUNT},
    "wear": {
        **dict.fromkeys((wear.MATERIAL_COUNT, wear.LIGHTMAP_COUNT), record({}, _by_name(wear.COUNT_FIELDS))),
        **dict.fromkeys((wear.MATERIALS, wear.LIGHTMAPS), array(record(LISTED, _by_name(wear.ROW_FIELDS)))),
    },
}
"""Fields that the ``facts`` of a kind add to its document, and the lines of text files."""


def definitions() -> dict[str, Schema]:
    """Return the answer of ``inspect`` and what it refers to."""
    plain = [kind for kind in (*KINDS, *tables().values()) if not kind.is_archive and kind is not MODEL]
    formats = {MODEL.id: _model(), ARCHIVE.id: _archive(), PACKED.id: _packed()}
    formats |= {kind.id: _payload(kind) for kind in plain}
    unknown = open_record({"source": TEXT, "format": TEXT, "size": COUNT})
    payload = by_value("format", {name: reference(f"format.{name}") for name in formats}, unknown)
    part = {"if": {"required": ["place"]}, "then": reference("spot"), "else": payload}
    return {
        "answer": {"if": {"required": ["rows"]}, "then": reference("table"), "else": part},
        "table": _table(plain),
        "spot": _spot(),
        **{f"format.{name}": schema for name, schema in formats.items()},
        **{name: it for kind in plain for name, it in _definitions(kind).items()},
        **{f"msh.{name}": table for name, table in _model_tables().items()},
        **ENTRIES,
        "diagnostic": DIAGNOSTIC,
    }


def _payload(kind: Kind) -> Schema:
    """The document of a payload: its header, its facts, and its parts by name."""
    known = {"source": TEXT, "format": {"const": kind.id}, "diagnostics": array(reference("diagnostic"))}
    more = {**header_fields(kind), **FACTS.get(kind.id, {})}
    return {**open_record(known, more), "allOf": [reference(kind.id)]}


def _archive() -> Schema:
    return open_record(
        {
            "source": TEXT,
            "format": {"const": ARCHIVE.id},
            "size": COUNT,
            "entries": array(reference("entry.nres")),
            "diagnostics": array(reference("diagnostic")),
        }
    )


def _packed() -> Schema:
    archive = _archive()
    more = {
        "format": {"const": PACKED.id},
        "entries": array(reference("entry.rsli")),
        **fields(rsli.HEADER),
        "overlay": INTEGER,
    }
    return open_record({**archive["properties"], **more})


def _model() -> Schema:
    orders = dict.fromkeys(map(str, QuaternionOrder), NUMBER)
    reading = record(
        {
            "quaternion_order": one_of(QuaternionOrder),
            "chosen": {"enum": ["auto", "user"]},
            "errors": nullable(record({}, orders)),
            "decided_by": one_of(Reason),
            "votes": record({}, dict.fromkeys(orders, COUNT)),
            "material_field": MATERIAL_FIELD,
            "names_from": TEXT,
        }
    )
    counted = "nodes slots vertices indices batches tri_descriptors keys map_words frames faces"
    known = {
        "source": TEXT,
        "format": {"const": MODEL.id},
        "variant": one_of(Variant),
        "reading": reading,
        "counts": record(dict.fromkeys(counted.split(), COUNT)),
        "cells": array(record({"lod": INTEGER, "group": INTEGER, "name": TEXT, "triangles": COUNT})),
        "header": nullable(_bounds()),
        "materials": array(_material()),
        "diagnostics": array(reference("diagnostic")),
    }
    return open_record({**known, **{name: reference(f"msh.{name}") for name in SHOWN_TABLES}})


SHOWN_TABLES: Final = ("resources", "nodes", "slots", "batches")
"""The tables that the document of a model has."""


def _bounds() -> Schema:
    return record(
        {
            "hull": array(VECTOR, 8),
            "sphere": record({"center": VECTOR, "radius": NUMBER}),
            "capsule": record({"a": VECTOR, "b": VECTOR, "radius": NUMBER}),
        }
    )


def _material() -> Schema:
    phase = record({**PHASE, "texture_found": TRUTH, "alpha": one_of(AlphaKind)})
    return record(
        {
            "row": nullable(INTEGER),
            "name": nullable(TEXT),
            "found": FOUND,
            "entry": nullable(TEXT),
            "batches": array(COUNT),
            "attr1": U32,
            **BLENDING,
            "phases": array(phase),
            "blocks": array(record({"mode": INTEGER, "mask": INTEGER, "keys": array(array(NUMBER))})),
            "lightmap": nullable(TEXT),
            "second_layer": nullable(TEXT),
            "trace": array(TEXT),
        }
    )


def _model_tables() -> dict[str, Schema]:
    """Every table that ``--table`` prints of a model; its rows have an index also if they have one field."""
    stored = {table.name: table.record for table in TABLES.values() if table.record}
    resource = dict.fromkeys(("type", "size", "offset", "attr1", "attr2", "attr3"), U32)
    names = {"name": nullable(TEXT), "takes": nullable(TEXT), "fallback_key": nullable(COUNT)}
    return {
        **{name: array(records.row(f"{name}.{name}", it)) for name, it in stored.items()},
        "nodes": array(record({"index": COUNT, **fields(stored["nodes"]), **names})),
        "slots": array(records.row("slots.slots", SLOT, records.bits(SLOT.field("opaque")))),
        "vertices": array(_vertex()),
        "indices": array(COUNT),
        "tri_descriptors": array(_descriptor()),
        "keys": array(_key()),
        "frame_map": array(COUNT),
        "strings": array(nullable(TEXT)),
        "path_graph": array(records.row("path_graph.path_graph", path_graph.PATH_NODE)),
        "path_links": array(records.row("path_graph.path_links", path_graph.PATH_LINK)),
        "resources": array(record({"index": COUNT, "name": TEXT, **resource})),
    }


def _vertex() -> Schema:
    return record(
        {
            "position": nullable(VECTOR),
            "normal": nullable(VECTOR),
            "normal_raw": nullable(field_schema(NORMAL.field("normal"))),
            "uv": nullable(array(NUMBER, 2)),
            "uv_raw": nullable(field_schema(UV.field("uv"))),
        }
    )


def _descriptor() -> Schema:
    stored = fields(triangles.TRIANGLE)
    return record(
        {
            "flags": stored["flags"],
            "links": stored["links"],
            "normal": VECTOR,
            "normal_raw": stored["normal"],
            "selectors": array(nullable(COUNT), 3),
            "selectors_raw": stored["selectors"],
        }
    )


def _key() -> Schema:
    stored = fields(keys.KEY)
    decoded = {"quaternion": QUATERNION, "quaternion_raw": stored["quaternion"]}
    return record({"position": stored["position"], "time": stored["time"], **decoded})


def _table(plain: Iterable[Kind]) -> Schema:
    """One table, of a model or of another format that has one of that name."""
    known: dict[str, list[Schema]] = defaultdict(list)
    for name in _model_tables():
        known[name].append(reference(f"msh.{name}"))
    for kind in plain:
        for name, schema in (*tables_of(kind, _row_facts(kind)), *FACTS.get(kind.id, {}).items()):
            known[name].append(schema)
    known["entries"] += [array(reference(name)) for name in ENTRIES]
    known["diagnostics"].append(array(reference("diagnostic")))
    cases = {name: {"properties": {"rows": {"anyOf": schemas}}} for name, schemas in known.items()}
    listed = {"properties": {"rows": array(open_record(LISTED))}}
    answer = open_record({"source": TEXT, "table": TEXT, "rows": {"type": "array"}})
    return {**answer, "allOf": [by_value("table", cases, listed)]}


def _definitions(kind: Kind) -> dict[str, Schema]:
    return records.definitions(kind, _row_facts(kind), FACTS.get(kind.id, {}))


def _row_facts(kind: Kind) -> dict[str, dict[str, Schema]]:
    return ROW_FACTS.get(kind.id, {})


def _spot() -> Schema:
    return open_record(
        {"source": TEXT, "format": TEXT, "place": TEXT, "offset": COUNT, "size": COUNT, "value": {}},
        {
            "type": TEXT,
            "bytes": HEX,
            "meaning": nullable(TEXT),
            "doc": TEXT,
            "status": one_of(Status),
        },
    )
