"""The schema of each verb's JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from viewer.cli.gallery.card import CAMERAS, COUNTS, GalleryChange
from viewer.cli.output import schema_name
from viewer.cli.schemas import inspection, typed
from viewer.cli.schemas.values import (
    COUNT,
    DIAGNOSTIC,
    ENTRIES,
    FIELD_VALUE,
    NUMBER,
    SOURCED_DIAGNOSTIC,
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
from viewer.cli.usage.verbs import VERBS
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.clips.clip import Movement
from viewer.model.compare.differences import ChangeKind
from viewer.model.edit.change import Topic
from viewer.model.edit.faults import Fault
from viewer.model.mesh.portals import PortalKind
from viewer.model.mesh.reading import Reason
from viewer.model.patch import patch
from viewer.model.query.search_query import Scope
from viewer.model.write import unpacked_folder

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
SEVERAL: Final = (
    "ls",
    "inspect",
    "draws",
    "triangles",
    "materials",
    "clips",
    "pose",
    "why",
    "effect",
    "edit",
    "repair",
)
"""Verbs that take several inputs and then print ``results``."""
FAILURE: Final = written("{error: text; ...}")
"""What any verb prints with ``--json`` if it fails as a whole."""


def schema(verb: str, *, can_fail: bool = True) -> Schema:
    """Return the schema of the documents of a verb.

    Parameters
    ----------
    can_fail
        Whether it prints an error as a document too; what it writes to files is always whole.
    """
    definitions = DEFINITIONS[verb]()
    content = reference("answer")
    if verb in SEVERAL:
        definitions["results"] = _results()
        content = {"if": {"required": ["results"]}, "then": reference("results"), "else": content}
    if can_fail:
        content = {"if": {"required": ["error"]}, "then": FAILURE, "else": content}
    return {
        "$schema": DIALECT,
        "title": schema_name(verb),
        "description": VERBS[verb].summary,
        "type": "object",
        "properties": {"schema": {"const": schema_name(verb)}},
        "required": ["schema"],
        "allOf": [content],
        "unevaluatedProperties": False,
        "$defs": definitions,
    }


def _results() -> Schema:
    """One answer per input, without a schema of its own; an error in place of one that fails."""
    found = {
        "type": "object",
        "properties": {"source": TEXT},
        "required": ["source"],
        "allOf": [reference("answer")],
        "unevaluatedProperties": False,
    }
    failed = written("{source, error: text}")
    return open_record({"results": array({"if": {"required": ["error"]}, "then": failed, "else": found})})


_NAMES: Final[Mapping[str, Schema | str]] = {
    **TYPES,
    "movement": one_of(Movement),
    "order": one_of(QuaternionOrder),
    "reason": one_of(Reason),
    "status": {"enum": ["ok", "errors", "unreadable"]},
    "what": one_of(ChangeKind),
    "rows_by_what": record(dict.fromkeys(map(str, ChangeKind), COUNT)),
    "topic": one_of(Topic),
    "fault": one_of(Fault),
    "range": "{offset, size: count; before, after?: hex}",
    "change": """{
        what: what
        address, table: text; row: count?; field: text?
        before, after: @value
        count?: count
    }""",
    "scope": one_of(Scope),
    "portal_kind": one_of(PortalKind),
    "camera": one_of(CAMERAS),
    "images": record({}, dict.fromkeys(CAMERAS, TEXT)),
    "counts": record(dict.fromkeys(COUNTS, COUNT)),
    "difference": one_of(GalleryChange),
    "differences": record(dict.fromkeys(map(str, GalleryChange), COUNT)),
}
"""Types of `_ANSWERS`."""
_ANSWERS: Final[Mapping[str, str]] = {
    "readings": """{
        models: [{
            source: text
            xyzw_error, wxyz_error, margin: number?
            pick: order; decided_by: reason; xyzw_votes, wxyz_votes: count
            material_field: material_field; names_from: text; reading: text
            questions: [{
                question: text
                seed, field: {answer: text; measured: text?}
                automatic, used: text?; why: text
            }]
        }]
        ...
    }""",
    "selfcheck": """{
        checks: [{name, source: text; ok: bool; expected, found: text}]
        failed: count
        ...
    }""",
    "find": """{
        query: text
        count: count
        hits: [{
            address: text; at, table: text?; row: count?; field: text?
            kind: text; by: scope; text: text; node, material: text?
        }]
        unreadable: [{source, error: text}]
        ...
    }""",
    "draws": """{
        lod, group: int
        cell: text
        draws: [{
            node: count; slot, batch: count?
            material: int
            index_start, index_count, base_vertex: count?
            triangles: count
            portal: bool; portal_kind: portal_kind?
        }]
        ...
    }""",
    "triangles": """{
        source: text
        require, forbid: u32; from: count?
        tested, count: count
        triangles: [{
            order: count
            node, slot, batch, triangle, descriptor, flags: count?
            indices, vertices: [count? * 3]; positions: [vector * 3]?
            links: [count?]; steps: count?
        }]
        open_edges, non_manifold_edges: [[count * 2]]
        one_way_links, apart_links: [[int * 3]]
        ...
    }""",
    "materials": """{
        source: text
        reading: {material_field: material_field; why: text}
        wear: text?
        batches: [{
            batch: count?; row: int?; material: text?
            found: found
            phase: phase
            texture_found: bool
            lightmap, layer, second_material, microtexture: text?
            +blending
            trace: [text]
        }]
        ...
    }""",
    "clips": """{
        source: text
        control: text?
        others: [text]
        frames: count
        clips: [{
            index: count; name: text; guess: bool
            frames_a: [number * 2]; frames_b: [number * 2]?
            weight_b: number; seconds: number?
            chain: [count]
            request: int?; intact, destroyed: [int]
        }]
        channels: [{
            index: count; node: int
            first, last, initial, rate, span: number
            flags: count; movement: movement?
        }]
        ...
    }""",
    "pose": """{
        time: number; frame: int
        nodes: [{
            index: count; key: count?; interpolated: bool
            quaternion: quaternion; position: vector
            local, world: matrix
        }]
        ...
    }""",
    "why": """{
        x, y: count; hit: bool
        node, slot: count?; cell: [count * 2]?
        batch, triangle, descriptor: count?
        indices, vertices: [count * 3]?
        material, texture: text?
        position: vector?
        bytes: [{what, table: text; row: count?; offset: count?; size: count}]
        ...
    }""",
    "validate": """{
        files: [{source, format: text; status: status; diagnostics: [@diagnostic]}]
        summary: {files, ok, errors, unreadable, bytes: count; seconds: number}
        ...
    }""",
    "diff": """{
        a, b: text
        same: bool
        summary: [text]
        changes?: [{
            path: [text]; table: text; field: text?
            what: what
            count: count
            rows: [{row_a, row_b?: count; name?: text?; a, b?: any}]
        }]
        tables?: [{path: [text]; table: text; fields: count; +rows_by_what}]
        ...
    }""",
    "edit": """{
        source: text
        changes: [change]
        count: count
        summary: [text]
        renumbered: [{address, table, field: text; count: count}]
        ranges: [range]
        identical: bool
        diagnostics, repaired: [@diagnostic]
        made, offered: [topic]
        notes: [text]
        ...
    }""",
    "repair": """{
        +edit
        repairs: [{address: text; fault: fault; words: text; ranges, bytes: count; diagnostics: [@unsourced]
            is_made: bool}]
        ...
    }""",
    "import": """{
        source: text
        changes: [change]
        diagnostics: [@diagnostic]
        ranges: [range]
        identical: bool
        made: [topic]
        notes: [text]
        lossy: [text]
        items: [{item, change: text; is_made: bool}]
        libraries: [{source: text; changes: [change]; ranges: [range]}]
        clips: [{name: text; first, last, rate: number}]
        ...
    }""",
    "effect": """{
        source: text; seed: int; duration: number; mode: int; t, lin: number; alive: bool
        blocks: [{
            index: count; type: int; on_top, active: bool; p: number
            material: {archive, name: text}?
            sprites: [{
                particle: count; center, x, y: vector; z: vector?; alpha, phase: number
            }]
            light: {position, direction: vector; range: number; color: [number * 4]}?
            sound: {archive, name: text; near, far, rate: number}?
            bolt: {from, to: vector; pieces: count; width, repeat: number}?
        }]
        ...
    }""",
    "gallery": """{
        title: text
        models: [{
            source, name, holder, kind: text; called: text?
            sha256: sha256?; size: count
            error: text?
            counts: counts
            extent: vector?
            errors, warnings: count; diagnostics: [@diagnostic]
            pictures: images; turntable, model: text?
            change: difference?; changed: [camera]; earlier: images
        }]
        summary: {models, unreadable: count; changes: differences?}
        ...
    }""",
    "bench": """{
        results: [{
            name, unit: text
            median, min, max: number; runs: count
            baselines, numpy_starts?: number
        }]
        machine, gl: text
        ...
    }""",
}
"""The answers of verbs in the notation of `written`."""
_EDITED: Final[Mapping[str, Schema]] = {"diagnostic": SOURCED_DIAGNOSTIC, "value": FIELD_VALUE}
_SHARED: Final[Mapping[str, Mapping[str, Schema]]] = {
    "validate": {"diagnostic": DIAGNOSTIC},
    "edit": _EDITED,
    "repair": {**_EDITED, "unsourced": DIAGNOSTIC},
    "import": _EDITED,
    "gallery": {"diagnostic": DIAGNOSTIC},
}
"""What answers refer to, by name."""


def _ls() -> dict[str, Schema]:
    kinds = {
        name: open_record({"entries": array(reference(f"entry.{name}"))})
        for name in ("nres", "rsli", "folder")
    }
    answer = written("{source: text; kind: kind; size: count; entries: any; ...}", {"kind": one_of(kinds)})
    return {"answer": {**answer, "allOf": [by_value("kind", kinds, {})]}, **ENTRIES}


def _diff() -> dict[str, Schema]:
    """The changes of fields, or with ``--stat`` the numbers of rows of each table."""
    answer = written(_ANSWERS["diff"], _NAMES)
    return {"answer": {**answer, "oneOf": [{"required": ["changes"]}, {"required": ["tables"]}]}}


def _stats() -> dict[str, Schema]:
    """The statistics of one field, or of all of them."""
    cell: Schema = {"anyOf": [NUMBER, TEXT]}
    bar: Schema = {"type": "array", "prefixItems": [nullable(cell), COUNT], "minItems": 2, "maxItems": 2}
    found = written(
        """{
            field: text
            rows, models, distinct: count
            min, max: cell?
            histogram: [bar]
            outliers: [{source: text; row: count?; value: cell?}]
            invariants: [text]
            ...
        }""",
        {"cell": cell, "bar": bar},
    )
    every = written("{fields: [@field]; ...}")
    return {
        "answer": {"if": {"required": ["fields"]}, "then": every, "else": reference("field")},
        "field": found,
    }


def _extract() -> dict[str, Schema]:
    version = {"const": unpacked_folder.VERSION}
    return {"answer": typed.document(unpacked_folder.FolderIndex, version=version)}


def _patch() -> dict[str, Schema]:
    form, version = {"const": patch.FORMAT}, {"const": patch.VERSION}
    return {"answer": typed.document(patch.Patch, format=form, version=version), "value": FIELD_VALUE}


def _answer(verb: str) -> dict[str, Schema]:
    return {"answer": written(_ANSWERS[verb], {**_NAMES, "edit": _ANSWERS["edit"]}), **_SHARED.get(verb, {})}


DEFINITIONS: Final[Mapping[str, Callable[[], dict[str, Schema]]]] = {
    **{verb: partial(_answer, verb) for verb in _ANSWERS},
    "ls": _ls,
    "stats": _stats,
    "inspect": inspection.definitions,
    "diff": _diff,
    "extract": _extract,
    "patch": _patch,
}
"""What makes the definitions of each verb that prints or writes JSON: ``answer``, and what that refers to."""
