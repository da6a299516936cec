"""The schema of each verb's JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from viewer.cli.gallery.card import CAMERAS, Change
from viewer.cli.gallery.card import COUNTS as GALLERY_COUNTS
from viewer.cli.output import schema_name
from viewer.cli.schemas import inspection
from viewer.cli.schemas.shared import (
    BATCH_MATERIAL,
    DIAGNOSTIC,
    ENTRIES,
    FIELD_VALUE,
    MATERIAL_FIELD,
    MATRIX,
    QUATERNION,
    SHA256,
    SOURCED_DIAGNOSTIC,
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
from viewer.cli.usage.schema import WRITERS
from viewer.cli.usage.verbs import VERBS
from viewer.model.clips.clip import Movement
from viewer.model.compare.differences import What
from viewer.model.edit.change import Topic
from viewer.model.edit.repair.repair import Fault
from viewer.model.patch.patch import FORMAT
from viewer.model.patch.patch import VERSION as PATCH_VERSION
from viewer.model.write.folder_index import NRES, RSLI, VERSION

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
SEVERAL: Final = ("ls", "inspect", "draws", "materials", "clips", "pose", "edit", "repair")
"""Verbs that take several inputs and then print ``results``."""
FAILURE: Final = open_record({"error": TEXT})
"""What any verb prints with ``--json`` if it fails as a whole."""


def schema(verb: str) -> Schema:
    """Return the schema of the documents of a verb."""
    definitions = DEFINITIONS[verb]()
    content = reference("answer")
    if verb in SEVERAL:
        definitions["results"] = _results()
        content = {"if": {"required": ["results"]}, "then": reference("results"), "else": content}
    if verb not in WRITERS:
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
    failed = record({"source": TEXT, "error": TEXT})
    return open_record({"results": array({"if": {"required": ["error"]}, "then": failed, "else": found})})


def _ls() -> dict[str, Schema]:
    kinds = {
        name: open_record({"entries": array(reference(f"entry.{name}"))})
        for name in ("nres", "rsli", "folder")
    }
    answer = open_record({"source": TEXT, "kind": {"enum": [*kinds]}, "size": COUNT, "entries": {}})
    return {"answer": {**answer, "allOf": [by_value("kind", kinds, {})]}, **ENTRIES}


def _draws() -> dict[str, Schema]:
    draw = record(
        {
            "node": COUNT,
            "slot": nullable(COUNT),
            "batch": nullable(COUNT),
            "material": INTEGER,
            "index_start": nullable(COUNT),
            "index_count": nullable(COUNT),
            "base_vertex": nullable(COUNT),
            "triangles": COUNT,
            "portal": TRUTH,
        }
    )
    answer = open_record({"lod": INTEGER, "group": INTEGER, "cell": TEXT, "draws": array(draw)})
    return {"answer": answer}


def _materials() -> dict[str, Schema]:
    answer = open_record(
        {
            "source": TEXT,
            "reading": record({"material_field": MATERIAL_FIELD, "why": TEXT}),
            "wear": nullable(TEXT),
            "batches": array(BATCH_MATERIAL),
        }
    )
    return {"answer": answer}


def _clips() -> dict[str, Schema]:
    frames = array(NUMBER, 2)
    clip = record(
        {
            "index": COUNT,
            "name": TEXT,
            "guess": TRUTH,
            "frames_a": frames,
            "frames_b": nullable(frames),
            "weight_b": NUMBER,
            "seconds": nullable(NUMBER),
            "chain": array(COUNT),
        }
    )
    channel = record(
        {
            "index": COUNT,
            "node": INTEGER,
            **dict.fromkeys(("first", "last", "initial", "rate"), NUMBER),
            "span": NUMBER,
            "flags": COUNT,
            "movement": nullable(one_of(Movement)),
        }
    )
    answer = open_record(
        {
            "source": TEXT,
            "control": nullable(TEXT),
            "others": array(TEXT),
            "frames": COUNT,
            "clips": array(clip),
            "channels": array(channel),
        }
    )
    return {"answer": answer}


def _pose() -> dict[str, Schema]:
    node = record(
        {
            "index": COUNT,
            "key": nullable(COUNT),
            "interpolated": TRUTH,
            "quaternion": QUATERNION,
            "position": VECTOR,
            "local": MATRIX,
            "world": MATRIX,
        }
    )
    return {"answer": open_record({"time": NUMBER, "frame": INTEGER, "nodes": array(node)})}


def _validate() -> dict[str, Schema]:
    file = record(
        {
            "source": TEXT,
            "format": TEXT,
            "status": {"enum": ["ok", "errors", "unreadable"]},
            "diagnostics": array(reference("diagnostic")),
        }
    )
    counts = dict.fromkeys(("files", "ok", "errors", "unreadable", "bytes"), COUNT)
    answer = open_record({"files": array(file), "summary": record({**counts, "seconds": NUMBER})})
    return {"answer": answer, "diagnostic": DIAGNOSTIC}


def _diff() -> dict[str, Schema]:
    where: dict[str, Schema] = {"path": array(TEXT), "table": TEXT}
    change = record(
        {
            **where,
            "field": nullable(TEXT),
            "what": one_of(What),
            "count": COUNT,
            "rows": array(
                record({}, {"row_a": COUNT, "row_b": COUNT, "name": nullable(TEXT), "a": {}, "b": {}})
            ),
        }
    )
    counts = dict.fromkeys(("fields", *map(str, What)), COUNT)
    answer = open_record(
        {"a": TEXT, "b": TEXT, "same": TRUTH},
        {"changes": array(change), "tables": array(record({**where, **counts}))},
    )
    return {"answer": {**answer, "oneOf": [{"required": ["changes"]}, {"required": ["tables"]}]}}


def _edit() -> dict[str, Schema]:
    change = record(
        {
            "what": one_of(What),
            "address": TEXT,
            "table": TEXT,
            "row": nullable(COUNT),
            "field": nullable(TEXT),
            "before": reference("value"),
            "after": reference("value"),
        }
    )
    replaced = record({"offset": COUNT, "size": COUNT}, {"before": HEX, "after": HEX})
    topics = array(one_of(Topic))
    found = array(reference("diagnostic"))
    answer = open_record(
        {
            "source": TEXT,
            "changes": array(change),
            "count": COUNT,
            "summary": array(TEXT),
            "renumbered": array(record({"address": TEXT, "table": TEXT, "field": TEXT, "count": COUNT})),
            "ranges": array(replaced),
            "identical": TRUTH,
            "diagnostics": found,
            "mended": found,
            "made": topics,
            "offered": topics,
            "notes": array(TEXT),
        }
    )
    return {"answer": answer, "diagnostic": SOURCED_DIAGNOSTIC, "value": FIELD_VALUE}


def _import() -> dict[str, Schema]:
    """What an import changes, as for an edit, and what it cannot take over."""
    found = _edit()
    told = found["answer"]["properties"]
    names = ("source", "changes", "diagnostics", "ranges", "identical", "made", "notes")
    library = record({name: told[name] for name in ("source", "changes", "ranges")})
    item = record({"item": TEXT, "change": TEXT, "is_made": TRUTH})
    clip = record({"name": TEXT, "first": NUMBER, "last": NUMBER, "rate": NUMBER})
    more = {
        "lossy": array(TEXT),
        "items": array(item),
        "libraries": array(library),
        "clips": array(clip),
    }
    answer = open_record({**{name: told[name] for name in names}, **more})
    return {**found, "answer": answer}


def _extract() -> dict[str, Schema]:
    """The index of a folder; an entry without a file is in ``rest``, which a part of an archive has not."""
    entry = record({"index": COUNT, "name": TEXT}, {"file": TEXT, "size": COUNT, "crc32": U32})
    base64: Schema = {"type": "string", "contentEncoding": "base64"}
    answer = open_record(
        {
            "version": {"const": VERSION},
            "kind": {"enum": [NRES, RSLI]},
            "size": COUNT,
            "rest": nullable(array(record({"offset": COUNT, "bytes": base64}))),
            "entries": array(entry),
        }
    )
    return {"answer": answer}


def _repair() -> dict[str, Schema]:
    mend = record(
        {
            "address": TEXT,
            "fault": one_of(Fault),
            "words": TEXT,
            "ranges": COUNT,
            "bytes": COUNT,
            "diagnostics": array(reference("unsourced")),
        }
    )
    found = _edit()
    answer = open_record({**found["answer"]["properties"], "mends": array(mend)})
    return {**found, "answer": answer, "unsourced": DIAGNOSTIC}


def _patch() -> dict[str, Schema]:
    """A patch: values of fields, and bytes."""
    stamp = record({"size": COUNT, "sha256": SHA256})
    place: dict[str, Schema] = {"address": TEXT, "table": TEXT, "row": nullable(COUNT), "field": TEXT}
    field = record({**place, "before": reference("value"), "after": reference("value")})
    replaced = record({"address": TEXT, "offset": COUNT, "before": HEX, "after": HEX}, {"at": COUNT})
    answer = open_record(
        {
            "format": {"const": FORMAT},
            "version": {"const": PATCH_VERSION},
            "before": stamp,
            "after": stamp,
            "changes": array({"if": {"required": ["offset"]}, "then": replaced, "else": field}),
        }
    )
    return {"answer": answer, "value": FIELD_VALUE}


def _gallery() -> dict[str, Schema]:
    """The index of a site; the names of files are relative to it."""
    by_camera = {"type": "object", "properties": dict.fromkeys(CAMERAS, TEXT), "additionalProperties": False}
    model = record(
        {
            "source": TEXT,
            "name": TEXT,
            "holder": TEXT,
            "sha256": nullable(SHA256),
            "size": COUNT,
            "error": nullable(TEXT),
            "counts": record(dict.fromkeys(GALLERY_COUNTS, COUNT)),
            "extent": nullable(VECTOR),
            "errors": COUNT,
            "warnings": COUNT,
            "diagnostics": array(reference("diagnostic")),
            "pictures": by_camera,
            "turntable": nullable(TEXT),
            "model": nullable(TEXT),
            "change": nullable(one_of(Change)),
            "changed": array(one_of(CAMERAS)),
            "earlier": by_camera,
        }
    )
    changes = nullable(record(dict.fromkeys(map(str, Change), COUNT)))
    summary = record({"models": COUNT, "unreadable": COUNT, "changes": changes})
    answer = open_record({"title": TEXT, "models": array(model), "summary": summary})
    return {"answer": answer, "diagnostic": DIAGNOSTIC}


def _bench() -> dict[str, Schema]:
    measured = dict.fromkeys(("median", "min", "max"), NUMBER)
    multiples = dict.fromkeys(("baselines", "numpy_starts"), NUMBER)
    result = record({"name": TEXT, "unit": TEXT, **measured, "runs": COUNT}, multiples)
    return {"answer": open_record({"results": array(result), "machine": TEXT, "gl": TEXT})}


DEFINITIONS: Final[dict[str, Callable[[], dict[str, Schema]]]] = {
    "ls": _ls,
    "inspect": inspection.definitions,
    "draws": _draws,
    "materials": _materials,
    "clips": _clips,
    "pose": _pose,
    "validate": _validate,
    "diff": _diff,
    "edit": _edit,
    "repair": _repair,
    "import": _import,
    "gallery": _gallery,
    "bench": _bench,
    "extract": _extract,
    "patch": _patch,
}
"""What makes the definitions of each verb that prints or writes JSON: ``answer``, and what that refers to."""
