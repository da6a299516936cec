"""Repairs of the tables of a model, by the rules of its checks.

In retail files the ranges of batches tile the indices, and the ranges of slots tile the descriptors. So a
range that cannot be right is moved to the one gap that it fits exactly; without such a gap it is clipped.

Source: spec/msh.md 1, 11 (V02 to V14, V16 to V22), spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.formats.archive import nres_edit
from viewer.formats.msh import strings, tables
from viewer.formats.msh.keys import SCALE
from viewer.formats.msh.nodes import LEGACY_SIZE, NONE
from viewer.formats.msh.slots import HEADER
from viewer.formats.record import Bytes, Rows
from viewer.geometry.transforms import Indices
from viewer.model.checks.geometry import needed_descriptors
from viewer.model.checks.joined_tables import Tables
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.links import broken_rows, put_broken_links
from viewer.model.edit.geometry.measures import CLOSE, enclosed, put_header, put_slot_bounds
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.geometry.vertex_tables import STREAMS, edited
from viewer.model.mesh.draws import wide_ranges
from viewer.model.mesh.model import LOOSE, Model, Variant
from viewer.model.mesh.pose.skeleton import ROOT, Skeleton
from viewer.translation import _


class Fault(StrEnum):
    """The faults in the order of their repairs: the earlier ones make the later ones possible.

    The values are those of scripts and of the command line.
    """

    MAGIC = "magic"
    EXTENT = "extent"
    UNUSED_TABLES = "unused-tables"
    TAILS = "tails"
    ATTRIBUTES = "attributes"
    VERTEX_TABLES = "vertex-tables"
    TEXTS = "texts"
    PARENTS = "parents"
    CELLS = "cells"
    BATCH_RANGES = "batch-ranges"
    INDEX_COUNTS = "index-counts"
    INDEX_RANGES = "index-ranges"
    TRIANGLE_RANGES = "triangle-ranges"
    LINKS = "links"
    POSITIONS = "positions"
    BOUNDS = "bounds"
    HEADER = "header"
    MAPS = "maps"
    MAP_WORDS = "map-words"
    KEY_VALUES = "key-values"
    QUATERNIONS = "quaternions"
    NAMES = "names"
    SORT_INDICES = "sort-indices"
    PADDING = "padding"
    ROW_COUNTS = "row-counts"
    LIGHTMAPS = "lightmaps"


class RepairMethod(NamedTuple):
    """The repair of a fault: in which words, in payloads of which kinds, by what."""

    words: str
    kinds: tuple[str, ...]
    apply: Callable[[Draft], None]
    is_silent: bool


METHODS: Final[dict[Fault, RepairMethod]] = {}
MODEL_ONLY: Final = ("msh",)
CONTAINERS: Final = ("msh", "nres")


def repairs(
    fault: Fault, words: str, kinds: tuple[str, ...] = MODEL_ONLY, *, is_silent: bool = False
) -> Callable[[Callable[[Draft], None]], Callable[[Draft], None]]:
    """Declare what repairs a fault; a silent one may be there though no rule names it."""

    def declared(method: Callable[[Draft], None]) -> Callable[[Draft], None]:
        METHODS[fault] = RepairMethod(_(words), kinds, method, is_silent)
        return method

    return declared


@repairs(Fault.MAPS, "make nodes static whose frame map does not exist")
def repair_maps(draft: Draft) -> None:
    """Make nodes static, as they are shown, whose block of the frame map is not in the table (A03)."""
    model = draft.model
    with edited(draft, tables.NODES) as rows:
        start = rows["map_start"].astype(np.int64)
        rows["map_start"][(start != NONE) & (start + model.frame_count > len(model.frame_map))] = NONE


@repairs(Fault.MAP_WORDS, "set frame map words beyond the fallback key to it")
def repair_map_words(draft: Draft) -> None:
    """Set words beyond the fallback key of their node, which have its effect, to that key (A10)."""
    model, frames = draft.model, draft.model.frame_count
    with edited(draft, tables.FRAME_MAP) as words:
        for node in model.nodes:
            start, fallback = int(node["map_start"]), int(node["fallback_key"])
            if start != NONE and start + frames <= len(words) and fallback < len(model.keys):
                block = words["key"][start : start + frames]
                block[block > fallback] = fallback


@repairs(Fault.KEY_VALUES, "set numbers of keys that are not finite to 0")
def repair_values(draft: Draft) -> None:
    """Set times and positions that are not finite to 0, as they are used (A12)."""
    with edited(draft, tables.KEYS) as rows:
        for name in ("position", "time"):
            rows[name] = np.where(np.isfinite(rows[name]), rows[name], 0)


@repairs(Fault.QUATERNIONS, "set quaternions of length 0 to the identity")
def repair_quaternions(draft: Draft) -> None:
    """Set quaternions without a length to the identity, as they are shown (A13)."""
    order = draft.reading.reading.quaternion_order
    with edited(draft, tables.KEYS) as rows:
        is_zero = (rows["quaternion"] == 0).all(axis=1)
        # columns[0] is where w is stored, first or last by the reading; w = 1 alone is the identity.
        rows["quaternion"][is_zero, order.columns[0]] = SCALE


@repairs(Fault.LINKS, "repair neighbor links that do not fit", is_silent=True)
def repair_links(draft: Draft) -> None:
    """Set links to no descriptor, or to one that shares no edge, to the neighbor or to none (V16)."""
    if draft.model.has(tables.TRIANGLES) and draft.model.variant is not Variant.TERRAIN:
        put_broken_links(draft, broken_rows(draft.model))


@repairs(Fault.POSITIONS, "set positions that are not finite to 0")
def repair_positions(draft: Draft) -> None:
    """Set components of positions that are not finite to 0, as they are shown (V20)."""
    with edited(draft, tables.POSITIONS) as rows:
        is_finite = np.isfinite(rows["position"]).all(axis=1, keepdims=True)
        rows["position"] = np.where(is_finite, rows["position"], 0)


@repairs(Fault.BOUNDS, "set slot bounds that do not fit", is_silent=True)
@np.errstate(invalid="ignore", over="ignore")
def repair_bounds(draft: Draft) -> None:
    """Set the bounds of slots whose box is not that of their vertices, or whose sphere is too small (V19)."""
    slots, triangles = draft.model.slots, SlotTriangles.of(draft.model)
    low, high = triangles.boxes
    # Relative to the size of the slot, and absolute below 1 unit, as positions are binary32.
    reach = CLOSE * (1 + np.abs(high - low).max(axis=1, initial=0, keepdims=True))
    fits = (np.abs(slots["aabb_min"] - low) <= reach) & (np.abs(slots["aabb_max"] - high) <= reach)
    is_sound = fits.all(axis=1) & enclosed(slots, triangles) & (slots["sphere_radius"] >= 0)
    put_slot_bounds(draft, ~is_sound)


@repairs(Fault.HEADER, "set bounds in the header that are not finite")
def repair_header(draft: Draft) -> None:
    """Set the header, if it has numbers that are not finite, to the bounds of the rest pose (V20)."""
    header = draft.model.header
    if header is not None and not all(np.isfinite(header[field.name]).all() for field in HEADER.fields):
        put_header(draft)


MOST: Final = 0xFFFF


@repairs(Fault.PARENTS, "make roots of nodes whose parent cannot be used")
def repair_parents(draft: Draft) -> None:
    """Make roots of nodes whose parent is not a node, or closes a cycle, as they are shown (V22)."""
    with edited(draft, tables.NODES) as rows:
        parents = Skeleton(draft.model).parents[: len(rows)]
        rows["parent"] = np.where(parents == ROOT, NONE, rows["parent"])


@repairs(Fault.CELLS, "empty cells with slots that do not exist")
def repair_cells(draft: Draft) -> None:
    """Empty cells with a slot that does not exist, as they are shown (V11)."""
    with edited(draft, tables.NODES) as rows:
        rows["slots"] = np.where(rows["slots"] < len(draft.model.slots), rows["slots"], NONE)


@repairs(Fault.BATCH_RANGES, "clip batch ranges of slots")
def clip_batch_ranges(draft: Draft) -> None:
    """Clip the batch ranges of slots to the batches that exist (V12)."""
    if draft.model.variant is not Variant.TERRAIN:
        with edited(draft, tables.SLOTS) as rows:
            _clip(rows, "batch", len(draft.model.batches))


@repairs(Fault.INDEX_COUNTS, "set index counts to whole triangles")
def repair_index_counts(draft: Draft) -> None:
    """Complete the last triangle of batches if the indices up to the next batch do, else drop it (V17)."""
    with edited(draft, tables.BATCHES) as rows:
        # The ranges of retail batches tile the indices, so the next start is where this range should end.
        starts = np.sort(rows["index_start"].astype(np.int64))
        ends = np.append(starts, len(draft.model.indices))
        for number in np.flatnonzero(rows["index_count"] % 3).tolist():
            row = rows[number]
            start, count = int(row["index_start"]), int(row["index_count"])
            after = int(ends[np.searchsorted(ends, start, "right")]) if start < ends[-1] else start
            # Rounded up to whole triangles: 7 -> 9; taken only if the gap to the next batch has exactly
            # that.
            whole = -(-count // 3) * 3
            row["index_count"] = whole if after - start == whole else count // 3 * 3


@repairs(Fault.INDEX_RANGES, "repair index ranges of batches")
def repair_index_ranges(draft: Draft) -> None:
    """Move index ranges of batches that exceed the indices to the gap that they fit, else clip them (V14)."""
    total = len(draft.model.indices)
    with edited(draft, tables.BATCHES) as rows:
        start, count = wide_ranges(rows, "index")
        _into_gaps(rows, "index", start + count > total, count, total)
        _clip(rows, "index", total, step=3)


@repairs(Fault.TRIANGLE_RANGES, "repair descriptor ranges of slots")
def repair_triangle_ranges(draft: Draft) -> None:
    """Move descriptor ranges of slots that exceed the table or have another length than needed (V13, V18)."""
    model = draft.model
    if model.variant is Variant.TERRAIN or not model.has(tables.TRIANGLES):
        return
    total, needed = len(model.tri_descriptors), needed_descriptors(Tables([model]))
    with edited(draft, tables.SLOTS) as rows:
        start, count = wide_ranges(rows, "tri")
        _into_gaps(rows, "tri", (start + count > total) | (count != needed), needed, total)
        start, count = wide_ranges(rows, "tri")
        fits = (count != needed) & (start + needed <= total) & (needed <= MOST)
        rows["tri_count"][fits] = needed[fits]
        _clip(rows, "tri", total)


def _into_gaps(
    rows: Rows, prefix: str, is_broken: npt.NDArray[np.bool_], needed: Indices, total: int
) -> None:
    """Set the ranges of broken rows to gaps between the others that have exactly the needed size."""
    starts, counts = wide_ranges(rows, prefix)
    stored_starts, stored_counts = rows[f"{prefix}_start"], rows[f"{prefix}_count"]
    free = np.ones(total, np.bool_)
    for start, count in zip(starts[~is_broken].tolist(), counts[~is_broken].tolist(), strict=True):
        free[start : start + count] = False
    # Free rows . . X X . as 0 1 1 0 0 1 0: differences that are not 0 are starts and ends in turn.
    edges = np.flatnonzero(np.diff(np.concatenate(([False], free, [False])).astype(np.int8)))
    # Backwards, so that of several gaps of one size the first wins.
    gaps = {int(end - start): int(start) for start, end in edges.reshape(-1, 2)[::-1]}
    for row in np.flatnonzero(is_broken).tolist():
        start = gaps.pop(int(needed[row]), None)
        if start is not None and needed[row] <= MOST and start <= np.iinfo(stored_starts.dtype).max:
            stored_starts[row], stored_counts[row] = start, needed[row]


def _clip(rows: Rows, prefix: str, total: int, step: int = 1) -> None:
    """Clip ranges of rows to a table, to a multiple of `step` rows."""
    start, count = wide_ranges(rows, prefix)
    is_cut = start + count > total
    kept = np.minimum(start, total)
    rows[f"{prefix}_start"] = np.where(is_cut, kept, start)
    # 7 rows left in steps of 3 are 6: a batch keeps whole triangles.
    rows[f"{prefix}_count"] = np.where(is_cut, (total - kept) // step * step, count)


OPTIONAL: Final = frozenset(STREAMS[3:])
"""Tables of vertices that may come without attributes, all three 0: those whose meaning is not known."""


@repairs(Fault.UNUSED_TABLES, "remove tables that come a second time")
def remove_repeated(draft: Draft) -> None:
    """Remove tables of a type that comes a second time, which nothing reads (V02)."""
    archive = draft.model.archive
    edit = nres_edit.Edit(archive)
    # From the last, so that removing one does not renumber those that follow.
    for entry in reversed(archive.entries):
        if entry.type_id in tables.TABLES and archive.find_type(entry.type_id) != entry.index:
            edit.remove(entry.index)
    draft.edit_container(edit)


@repairs(Fault.TAILS, "cut the bytes after the last whole record")
def cut_tails(draft: Draft) -> None:
    """Cut what lies after the last whole record of a table (V04, V05)."""
    model = draft.model
    cut: dict[int, Bytes] = {}
    for table in tables.TABLES.values():
        data = model.payload(table.type_id)
        size = _record_size(model, table.type_id)
        if size and table.type_id not in LOOSE and len(data) >= table.header_size:
            rest = (len(data) - table.header_size) % size
            if rest:
                cut[table.type_id] = data[: len(data) - rest]
    draft.replace_tables(cut)


def _record_size(model: Model, type_id: int) -> int:
    """Size of the records of a table, 0 if it has none of one size."""
    if type_id == tables.NODES and model.variant is Variant.LEGACY24:
        return LEGACY_SIZE
    record = tables.TABLES[type_id].record
    return record.size if record else 0


@repairs(Fault.ATTRIBUTES, "set the counts and sizes that the directory states")
def repair_attributes(draft: Draft) -> None:
    """Set the attributes of the tables that are known to what follows from their sizes (V03, V06 to V08)."""
    model = draft.model
    edit = nres_edit.Edit(model.archive)
    for type_id in sorted(tables.DERIVED):
        index = model.archive.find_type(type_id)
        if index is None or not model.has(type_id) or not _is_stated(model, type_id):
            continue
        entry = model.archive.entry(index)
        kept = entry.attr2 if type_id in {tables.NODES, tables.FRAME_MAP} else 0
        size = len(model.payload(type_id))
        attr1, _ignored, attr3 = tables.attributes(
            type_id, size, node_count=model.record_count, frame_count=1
        )
        if (attr1, kept, attr3) != (entry.attr1, entry.attr2, entry.attr3):
            edit.describe(index, attr1, kept, attr3)
    draft.edit_container(edit)


def _is_stated(model: Model, type_id: int) -> bool:
    """Whether a table states attributes that follow from its size."""
    entry = next(entry for entry in model.archive.entries if entry.type_id == type_id)
    if type_id in OPTIONAL and not any((entry.attr1, entry.attr2, entry.attr3)):
        return False
    return not (type_id == tables.NODES and model.variant is Variant.LEGACY24)


@repairs(Fault.VERTEX_TABLES, "make the tables of vertices as long as the positions")
def fit_vertices(draft: Draft) -> None:
    """Cut tables of vertices that are longer than the positions, fill up shorter ones with 0 (V09, V10)."""
    model = draft.model
    fitted: dict[int, Bytes] = {}
    for type_id in STREAMS[1:]:  # all but the positions
        rows = model.rows(type_id)
        if model.has(type_id) and len(rows) != model.vertex_count:
            made = np.zeros(model.vertex_count, rows.dtype)
            made[: len(rows)] = rows[: len(made)]
            fitted[type_id] = made.tobytes()
    draft.replace_tables(fitted)


@repairs(Fault.TEXTS, "write the texts of the nodes that can be read again")
def repair_texts(draft: Draft) -> None:
    """Write the texts that can be read, with their NUL, and none for the other nodes (V21)."""
    model = draft.model
    if not model.has(tables.STRINGS):
        return
    found = strings.read_texts(model.payload(tables.STRINGS), model.record_count)
    if found.diagnostics:
        texts = [*found.texts, *[b""] * (model.record_count - len(found.texts))]
        draft.replace_tables({tables.STRINGS: strings.build(texts)})
