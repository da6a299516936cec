"""Every field of a payload as plain data: what ``inspect`` prints for everything that is not a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from viewer.formats import (
    control_points,
    damage,
    font,
    fxid,
    ground_plan,
    mat0,
    nres,
    objects,
    palette,
    rsli,
    texm,
    units,
    wear,
)
from viewer.formats.fxid_commands import COMMAND_KINDS, REFERENCE, CommandKind
from viewer.formats.msh import extras, path_graph, strings
from viewer.formats.msh.tables import TABLES
from viewer.formats.record import flags_text
from viewer.formats.text import decode
from viewer.model.kinds.columns import Columns, MadeColumn, MixedRows, PlainArray
from viewer.model.kinds.listing import listing
from viewer.model.kinds.record_rows import diagnostic_rows, record_columns, record_row, record_rows
from viewer.model.material.materials import BLENDS, LIT_SKIN, blend_index

_RECORDS = {table.name: table for table in TABLES.values() if table.record}


def describe(kind: str, payload: memoryview, entry: nres.Entry | None = None) -> dict[str, Any]:
    """A payload of a kind that `entries.type_name` tells, as data that JSON can hold.

    `entry` is its directory entry, where a material keeps its version and some tables their counts.
    What is not known is given by its size. Raises `FormatError` where the payload cannot be read.
    """
    if kind in _BY_ENTRY:
        fields = _BY_ENTRY[kind](payload, entry)
    elif kind in _DESCRIBERS:
        fields = _DESCRIBERS[kind](payload)
    elif kind in _RECORDS:
        fields = _table(kind, payload)
    else:
        fields = {"size": len(payload)}
    return {"format": kind, **fields}


def _table(kind: str, payload: memoryview) -> dict[str, Any]:
    table = _RECORDS[kind]
    if table.record is None:
        return {}
    return {"rows": record_rows(table.record, table.record.view(payload, offset=table.header_size))}


def _path_graph(payload: memoryview, entry: nres.Entry | None) -> dict[str, Any]:
    node_count, link_count = (entry.attr1, entry.attr2) if entry else (0, 0)
    graph = path_graph.decode(payload, node_count, link_count)
    return {
        "nodes": record_rows(extras.PATH_NODE, graph.nodes),
        "links": record_rows(extras.PATH_LINK, graph.links),
        "diagnostics": diagnostic_rows(graph.diagnostics),
    }


def _strings(payload: memoryview, entry: nres.Entry | None) -> dict[str, Any]:
    table = strings.read_texts(payload, entry.attr1 if entry else 0)
    return {
        "rows": [decode(text) or None for text in table.texts],
        "diagnostics": diagnostic_rows(table.diagnostics),
    }


def _nres(payload: memoryview) -> dict[str, Any]:
    archive = nres.Archive.read(payload)
    return {
        "size": archive.total_size,
        "entries": listing(archive),
        "diagnostics": diagnostic_rows(archive.diagnostics),
    }


def _rsli(payload: memoryview) -> dict[str, Any]:
    archive = rsli.PackedLibrary.read(payload)
    return {
        "size": len(archive.data),
        **record_row(rsli.HEADER, archive.header),
        "overlay": archive.overlay,
        "entries": listing(archive),
        "diagnostics": diagnostic_rows(archive.diagnostics),
    }


def _wear(payload: memoryview) -> dict[str, Any]:
    table = wear.decode(payload)
    return {
        "materials": _wear_rows(table.materials),
        "lightmaps": _wear_rows(table.lightmaps),
        "diagnostics": diagnostic_rows(table.diagnostics),
    }


def _wear_rows(rows: Sequence[wear.Row]) -> Columns:
    numbers = np.array([row.number for row in rows], np.int64)
    return Columns(len(rows), {"number": numbers, "name": MadeColumn(rows, lambda row: decode(row.name))})


def _material(payload: memoryview, entry: nres.Entry | None) -> dict[str, Any]:
    attr1, version, attr3 = (entry.attr1, entry.attr2, entry.attr3) if entry else (0, mat0.VERSION, 0)
    material = mat0.decode(payload, version)
    index = blend_index(attr1)
    return {
        "attr1": attr1,
        "version": version,
        "attr3": attr3,
        "blend_mode": BLENDS[index] if index < len(BLENDS) else None,
        "is_lit_skin": bool(attr1 & LIT_SKIN),
        **_meta(material.header),
        "phases": record_rows(mat0.PHASE, material.phases),
        "blocks": [_block(index, block) for index, block in enumerate(material.blocks)],
        "tail": len(material.tail),
        "diagnostics": diagnostic_rows(material.diagnostics),
    }


def _meta(header: np.void) -> dict[str, Any]:
    row = record_row(mat0.HEADER, header)
    return {
        "phase_count": row["phase_count"],
        "block_count": row["block_count"],
        "meta": {letter: row[f"meta_{letter}"] for letter in "abcd"},
        "meta_raw": {letter: int(header[f"meta_{letter}"].view("<u4")) for letter in "cd"},
    }


def _block(index: int, block: mat0.BlockRecord) -> dict[str, Any]:
    keys = record_rows(mat0.KEY, block.keys)
    return {"index": index, "header": block.header, "mode": block.mode, "mask": block.mask, "keys": keys}


def _texture(payload: memoryview) -> dict[str, Any]:
    texture = texm.decode(payload)
    header = record_row(texm.HEADER, texture.header)
    colors = texture.palette
    return {
        **{name: header[name] for name in ("width", "height", "mip_count", "flags4", "flags5")},
        "unknown6": header["mean_color"],
        "pixel_format": header["pixel_format"],
        "palette": None if colors is None else colors[:, :3].tolist(),
        "levels": [
            {"w": level.width, "h": level.height, "offset": level.offset, "size": level.size}
            for level in texture.levels
        ],
        "pages": record_rows(texm.PAGE, texture.pages),
        "diagnostics": diagnostic_rows(texture.diagnostics),
    }


def _font(payload: memoryview) -> dict[str, Any]:
    found = font.decode(payload)
    return {
        **record_row(font.HEADER, found.header),
        "glyphs": record_rows(font.GLYPH, found.glyphs),
        "texture": None if found.texture is None else _texture(payload[font.TEXTURE_START :]),
        "diagnostics": diagnostic_rows(found.diagnostics),
    }


def _effect(payload: memoryview) -> dict[str, Any]:
    effect = fxid.decode(payload)
    header = record_row(fxid.HEADER, effect.header)
    mode = header["time_mode"]
    return {
        **header,
        "time_mode_meaning": fxid.TIME_MODES.get(mode),
        "flags_meaning": flags_text(header["flags"], fxid.FLAG_HINTS),
        "commands": _commands(effect),
        "diagnostics": diagnostic_rows(effect.diagnostics),
    }


def _commands(effect: fxid.Effect) -> MixedRows:
    opcodes, kinds = np.unique(effect.opcodes, return_inverse=True)
    parts = [_commands_of(effect, COMMAND_KINDS[opcode]) for opcode in opcodes.tolist()]
    return MixedRows(kinds, parts)


def _commands_of(effect: fxid.Effect, kind: CommandKind) -> Columns:
    """The commands of one kind, each with its number among all."""
    numbers = np.flatnonzero(effect.opcodes == kind.opcode)
    count = len(numbers)
    fields = record_columns(kind.record, effect.records(kind))
    names = {name: fields.pop(name) for name in REFERENCE if kind.has_reference}
    return Columns(
        count,
        {
            "index": numbers,
            "opcode": np.full(count, kind.opcode),
            "kind": np.full(count, kind.name),
            "enabled": effect.enabled[numbers],
            "offset": effect.offsets[numbers],
            "size": np.full(count, kind.record.size),
            "reference": Columns(count, names) if kind.has_reference else None,
            "fields": Columns(count, fields),
        },
    )


def _objects(payload: memoryview) -> dict[str, Any]:
    references = objects.decode(payload)
    return {
        "references": record_rows(objects.REFERENCE, references.rows),
        "diagnostics": diagnostic_rows(references.diagnostics),
    }


def _control_points(payload: memoryview) -> dict[str, Any]:
    decoded = control_points.decode(payload)
    points = record_rows(control_points.POINT, decoded.points)
    return {
        "points": points.with_columns(name=MadeColumn(decoded.names, decode)),
        "diagnostics": diagnostic_rows(decoded.diagnostics),
    }


def _damage(payload: memoryview) -> dict[str, Any]:
    decoded = damage.decode(payload)
    return {
        "nodes": record_rows(damage.NODE_DAMAGE, decoded.rows),
        "diagnostics": diagnostic_rows(decoded.diagnostics),
    }


def _ground_plan(payload: memoryview) -> dict[str, Any]:
    plan = ground_plan.decode(payload)
    return {
        "rings": [
            {
                "mark": ring.mark,
                "points": PlainArray(ring.points),
                "triangles": PlainArray(ring.triangles),
                "corners": PlainArray(ring.corners),
            }
            for ring in plan.rings
        ],
        "diagnostics": diagnostic_rows(plan.diagnostics),
    }


def _unit(payload: memoryview) -> dict[str, Any]:
    unit = units.decode(payload)
    components = record_rows(units.COMPONENT, unit.components)
    return {
        **record_row(units.HEADER, unit.header),
        "components": components.with_columns(parent=np.array(unit.parents, np.int64)),
        "diagnostics": diagnostic_rows(unit.diagnostics),
    }


def _palette(payload: memoryview) -> dict[str, Any]:
    return {"size": len(payload), "colors": palette.decode(payload).colors[:, :3].tolist()}


_BY_ENTRY: dict[str, Callable[[memoryview, nres.Entry | None], dict[str, Any]]] = {
    "mat0": _material,
    "path_graph": _path_graph,
    "strings": _strings,
}
_DESCRIBERS: dict[str, Callable[[memoryview], dict[str, Any]]] = {
    "nres": _nres,
    "rsli": _rsli,
    "wear": _wear,
    "texm": _texture,
    "font": _font,
    "fxid": _effect,
    "objects": _objects,
    "control_points": _control_points,
    "damage": _damage,
    "ground_plan": _ground_plan,
    "units": _unit,
    "palette": _palette,
}
