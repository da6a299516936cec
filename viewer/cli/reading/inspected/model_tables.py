"""A model as ``inspect`` prints it: summary, reading, the rows of every table, and the text of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.cli import output, text_table
from viewer.cli.reading import materials
from viewer.errors import UsageError
from viewer.formats.msh import keys, triangles
from viewer.formats.msh.guesses import guess_of
from viewer.formats.msh.nodes import LEGACY_NODE, NONE
from viewer.formats.msh.path_graph import PATH_LINK, PATH_NODE, PathGraph
from viewer.formats.msh.path_graph import decode as decode_graph
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import NAME_RECORDS, NORMALS, PATH_GRAPH, POSITIONS, STRINGS, TABLES, UVS
from viewer.formats.msh.vertices import decode_normals, decode_uvs
from viewer.formats.text import decode
from viewer.model.game.sockets import fitting
from viewer.model.kinds.columns import Column, Columns, NullableArray, diagnostic_rows, record_rows
from viewer.model.mesh.engine_model import engine_fields
from viewer.model.mesh.model import Model, Variant
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import OpenedModel
from viewer.translation import _, ngettext, translated


def model_document(opened: OpenedModel) -> dict[str, Any]:
    """The document without the long tables."""
    return {
        **_shown(opened),
        "materials": materials.material_rows(opened),
        "diagnostics": diagnostic_rows(opened.diagnostics),
    }


def _shown(opened: OpenedModel) -> dict[str, Any]:
    """What the document and the text share."""
    model = opened.model
    return {
        "source": opened.address,
        "format": "msh",
        "called": opened.called or None,
        "variant": str(model.variant),
        "reading": reading(opened),
        "resources": resources(opened),
        "counts": counts(opened),
        "cells": cells(opened),
        "header": header(model),
        "nodes": nodes(opened),
        "slots": slots(opened),
        "batches": record_table(model, "batches"),
    }


def reading(opened: OpenedModel) -> dict[str, Any]:
    """The chosen reading, who chose it, and the evidence."""
    choice = opened.choice
    return {
        "quaternion_order": str(choice.reading.quaternion_order),
        "chosen": "auto" if choice.requested == "auto" else "user",
        "errors": choice.errors and {str(order): error for order, error in choice.errors.items()},
        "decided_by": str(choice.reason),
        "votes": {str(order): count for order, count in choice.votes.items()},
        "material_field": str(choice.reading.material_field),
        "names_from": TABLES[NAME_RECORDS if choice.reading.has_name_records else STRINGS].name,
    }


def counts(opened: OpenedModel) -> dict[str, int]:
    """Number of records of each table, computed from its size."""
    model = opened.model
    return {
        "nodes": len(model.legacy_nodes) or len(model.nodes),
        "slots": len(model.slots),
        "vertices": model.vertex_count,
        "indices": len(model.indices),
        "batches": len(model.batches),
        "tri_descriptors": len(model.tri_descriptors),
        "keys": len(model.keys),
        "map_words": len(model.frame_map),
        "frames": model.frame_count,
        "faces": len(model.faces),
    }


def cells(opened: OpenedModel) -> list[dict[str, Any]]:
    """The cells of the slot matrix that have geometry, by LOD and group, with their names."""
    triangles = opened.triangle_counts
    return [
        {
            "lod": lod,
            "group": group,
            "name": opened.cell_names.cell(lod, group),
            "triangles": int(triangles[lod, group]),
        }
        for lod, group in np.argwhere(triangles > 0).tolist()
    ]


def header(model: Model) -> dict[str, Any] | None:
    """The bounds at the start of Res2, or None if it is cut."""
    if model.header is None:
        return None
    stored = {name: model.header[name] for name in model.header.dtype.names or ()}
    return {
        "hull": stored["hull"],
        "sphere": {"center": stored["sphere_center"], "radius": stored["sphere_radius"]},
        "capsule": {
            "a": stored["capsule_a"],
            "b": stored["capsule_b"],
            "radius": stored["capsule_radius"],
        },
    }


def table(opened: OpenedModel, name: str, guess: str | None = None) -> Columns | list[Any] | npt.NDArray[Any]:
    """One table of a model, perhaps as a guess; raises `UsageError` for an unknown name."""
    looked_at = guess_of(name, {} if guess is None else {name: guess})
    if looked_at is not None:
        rows = looked_at.record.view(opened.model.payload(RECORD_TABLES[name]))
        decoded = {
            f"{it.name}_decoded": decode_normals(rows[it.name]) for it in looked_at.record.fields if it.scale
        }
        return Columns(len(rows), {**record_rows(looked_at.record, rows).columns, **decoded})
    if name in SPECIAL_TABLES:
        return SPECIAL_TABLES[name](opened)
    if name not in RECORD_TABLES:
        known = ", ".join(sorted({*SPECIAL_TABLES, *RECORD_TABLES}))
        raise UsageError(
            _("a model has no table {name!r}; it has {known}", name=name, known=known), source="inspect"
        )
    return record_table(opened.model, name)


def record_table(model: Model, name: str) -> Columns:
    """A table with the fields that its record declares, and the index of each row."""
    declared = TABLES[RECORD_TABLES[name]]
    rows = model.rows(declared.type_id)
    return Columns(len(rows), {}) if declared.record is None else record_rows(declared.record, rows)


def nodes(opened: OpenedModel) -> Columns:
    """Res1 with the names and labels of the chosen reading; the words of legacy nodes."""
    if opened.model.variant is Variant.LEGACY24:
        return record_rows(LEGACY_NODE, opened.model.legacy_nodes)
    stored = record_table(opened.model, "nodes")
    names = [name or None for name in opened.names[: len(stored)]]
    tags = [label or None for label in opened.socket_tags[: len(stored)]]
    fallback = NullableArray.of(opened.model.nodes["fallback_key"], NONE)
    columns: dict[str, Column] = {
        "index": None,
        "name": names,
        "takes": tags,
        **stored.columns,
        "fallback_key": fallback,
    }
    return Columns(len(stored), columns)


def slots(opened: OpenedModel) -> Columns:
    """The slots of Res2, also what is known of their last words."""
    stored = record_table(opened.model, "slots")
    words = SLOT.field("opaque")
    measured = {bits.name: bits.of_rows(opened.model.slots[words.name]) for bits in words.bits}
    return Columns(len(stored), {**stored.columns, **measured})


def resources(opened: OpenedModel) -> Columns:
    """The directory of the model's own container."""
    entries = opened.model.archive.entries
    names = ("index", "type", "name", "size", "offset", "attr1", "attr2", "attr3")
    stored = {"type": "type_id", "name": "text"}
    columns = {name: [getattr(it, stored.get(name, name)) for it in entries] for name in names}
    return Columns(len(entries), columns)


def vertices(opened: OpenedModel) -> Columns:
    """Res3, Res4 and Res5 as one table; null if a table is missing or shorter."""
    model = opened.model
    normal, uv = model.rows(NORMALS)["normal"], model.rows(UVS)["uv"]
    columns: Mapping[str, Column] = {
        "position": model.rows(POSITIONS)["position"],
        "normal": decode_normals(normal),
        "normal_raw": normal,
        "uv": decode_uvs(uv),
        "uv_raw": uv,
    }
    count = model.vertex_count
    return Columns(count, {name: None if it is None else it[:count] for name, it in columns.items()})


def tri_descriptors(opened: OpenedModel) -> Columns:
    """Res7, raw and decoded."""
    rows = opened.model.tri_descriptors
    selectors = triangles.decode_selectors(rows["selectors"])
    return Columns(
        len(rows),
        {
            "flags": rows["flags"],
            "links": NullableArray.of(rows["links"], triangles.NONE),
            "normal": triangles.decode_normal(rows["normal"]),
            "normal_raw": rows["normal"],
            "selectors": NullableArray.of(selectors, triangles.NO_SELECTOR),
            "selectors_raw": rows["selectors"],
        },
    )


def key_table(opened: OpenedModel) -> Columns:
    """Res8, with quaternions in the chosen reading."""
    rows = opened.model.keys
    order = opened.choice.reading.quaternion_order
    return Columns(
        len(rows),
        {
            "position": rows["position"],
            "time": rows["time"],
            "quaternion": keys.decode_quaternion(rows["quaternion"], order),
            "quaternion_raw": rows["quaternion"],
        },
    )


def path_graph(opened: OpenedModel) -> Columns:
    """The points of the path graph, Res17."""
    return record_rows(PATH_NODE, _graph(opened).nodes)


def path_links(opened: OpenedModel) -> Columns:
    """The links of the path graph, Res17."""
    return record_rows(PATH_LINK, _graph(opened).links)


def _graph(opened: OpenedModel) -> PathGraph:
    archive = opened.model.archive
    index = archive.find_type(PATH_GRAPH)
    entry = None if index is None else archive.entries[index]
    counts = (entry.attr1, entry.attr2) if entry else (0, 0)
    return decode_graph(opened.model.payload(PATH_GRAPH), *counts)


def engine(opened: OpenedModel) -> Columns:
    """What the engine would hold in memory: the fields of its structure of 0xA4 bytes."""
    fields = engine_fields(opened.model)
    columns: dict[str, Column] = {
        "offset": [it.offset for it in fields],
        "size": [it.size for it in fields],
        "name": [it.name for it in fields],
        "type": [it.type_id or None for it in fields],
        "table": [it.table or None for it in fields],
        "at": [it.at for it in fields],
        "count": [it.count for it in fields],
        "stride": [it.stride for it in fields],
        "value": [it.value for it in fields],
        "status": [str(it.status) for it in fields],
        "doc": [it.doc for it in fields],
    }
    return Columns(len(fields), columns)


def strings(opened: OpenedModel) -> list[str | None]:
    """Res10, null for a node with neither a name nor a label there."""
    return [decode(text) or None for text in opened.model.strings]


def fitting_parts(opened: OpenedModel) -> list[dict[str, Any]]:
    """The sockets with a tag, each with the parts of the registry that fit; without one a row with none."""
    store, rows = FileStore(), []
    for node, tag in enumerate(opened.socket_tags):
        socket = {"node": node, "name": opened.names[node] or None, "socket_tag": tag}
        parts = (fitting(store, opened.game.folder, tag) or ()) if tag else ()
        rows += [{**socket, "key": it.key, "called": it.called or None} for it in parts]
        rows += [{**socket, "key": None, "called": None}] if tag and not parts else []
    return rows


RECORD_TABLES: Final = {table.name: table.type_id for table in TABLES.values() if table.record}
SPECIAL_TABLES: Final[dict[str, Callable[[OpenedModel], Columns | list[Any] | npt.NDArray[Any]]]] = {
    "vertices": vertices,
    "indices": lambda opened: opened.model.indices,
    "tri_descriptors": tri_descriptors,
    "keys": key_table,
    "frame_map": lambda opened: opened.model.frame_map,
    "strings": strings,
    "path_graph": path_graph,
    "path_links": path_links,
    "nodes": nodes,
    "slots": slots,
    "resources": resources,
    "engine": engine,
    "fitting_parts": fitting_parts,
}


SHOWN_ROWS: Final = 40
"""Rows of each table that a terminal shows unless all are requested."""


def lines(opened: OpenedModel) -> Iterator[str]:
    """The whole text, line by line."""
    yield from _model_lines(_shown(opened))
    yield ""
    yield "materials"
    for line in materials.lines(opened, output.most_shown(SHOWN_ROWS)):
        yield text_table.INDENT + line if line else ""


def _model_lines(model: Mapping[str, Any]) -> Iterator[str]:
    counts = {name: count for name, count in model["counts"].items() if count}
    facts: list[tuple[str, str]] = [
        (_("source"), model["source"]),
        *([(_("called"), model["called"])] if model["called"] else []),
        (_("variant"), translated(model["variant"])),
        (_("counts"), text_table.cell(counts)),
        (_("reading"), _reading_line(model["reading"])),
    ]
    for cell in model["cells"]:
        words = ngettext("{name}: {count} triangle", "{name}: {count} triangles", cell["triangles"])
        facts.append((_("cells"), words.format(name=cell["name"], count=cell["triangles"])))
    facts += _bounds(model["header"]) if model["header"] else ()
    width, above = max(len(name) for name, _text in facts), ""
    for name, text in facts:
        yield f"{('' if name == above else name).ljust(width)}  {text}"
        above = name
    for name in ("resources", "nodes", "slots", "batches"):
        yield ""
        yield name
        rows = text_table.lines(model[name], output.most_shown(SHOWN_ROWS), title=str)
        yield from (text_table.INDENT + line for line in rows)


def _bounds(bounds: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the header says, by its name."""
    cell, sphere, capsule = text_table.cell, bounds["sphere"], bounds["capsule"]
    for corner in bounds["hull"]:
        yield _("hull"), cell(corner)
    center, radius = map(cell, (sphere["center"], sphere["radius"]))
    yield _("sphere"), _("center {center}, radius {radius}", center=center, radius=radius)
    a, b, radius = map(cell, (capsule["a"], capsule["b"], capsule["radius"]))
    yield _("cylinder"), _("{a} to {b}, radius {radius}", a=a, b=b, radius=radius)


def _reading_line(reading: Mapping[str, Any]) -> str:
    errors = reading["errors"]
    judged = "" if errors is None else _("; box error ") + text_table.cell(errors)
    decided = _(
        "{chosen}, by {decided_by}{judged}",
        chosen=reading["chosen"],
        decided_by=translated(reading["decided_by"]),
        judged=judged,
    )
    return _(
        "quaternions {quaternion_order} ({decided}), material {material_field}, names from {names_from}",
        quaternion_order=reading["quaternion_order"],
        decided=decided,
        material_field=reading["material_field"],
        names_from=reading["names_from"],
    )
