"""Rules of models: tables (V02 to V10, V20), geometry (V16 to V18, V22, V27), terrain (L01, L04, L06-8, L10).

With its animation and its wear table. V01 is an error of the reader. V02, V04, V05 and V21 are reported by
the model when it is read, V11 to V15 and V19 when ranges are clipped, V22 (bad parents) when the hierarchy is
built, L02 with the attributes, L03 and L05 when the draws are built.

Source: spec/msh.md 1, 11; spec/animation.md 8; spec/materials.md 2.2; spec/land.md 1, 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import ENTRY, Entry
from viewer.formats.findings import Rule
from viewer.formats.msh import tables
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import LEGACY_SIZE, NODE
from viewer.formats.msh.nodes import NONE as NO_NODE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.msh.terrain import FACE, NONE
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.msh.triangles import TRIANGLE
from viewer.geometry.transforms import Indices
from viewer.model.checks import animation, containers, materials
from viewer.model.checks.payload import Payload, Surroundings
from viewer.model.game.registry import WEAR_SUFFIX, stem_of
from viewer.model.mesh import draw_builder
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draws import NO_SLOT, Draws, clipped_ranges
from viewer.model.mesh.model import Model, Variant, missing_tables, variant_of
from viewer.model.mesh.reading import material_field
from viewer.model.mesh.skeleton import Skeleton


def check_geometry(model: Model, draws: Draws) -> list[Diagnostic]:
    """Diagnostics of the geometry, including those of clipped draws."""
    return [
        *draws.diagnostics,
        *_links(model),
        *_batch_sizes(model),
        *_slot_triangles(model),
        *_parent_order(model),
        *_unreferenced(model, draws),
    ]


def _links(model: Model) -> list[Diagnostic]:
    links = model.tri_descriptors["links"]
    total = len(links)
    is_outside = ((links != NO_LINK) & (links >= total)).any(axis=1)
    rule = Rule("V16", TRIANGLE.name, "links")
    return rule.in_rows(is_outside, "{links} of {total} descriptors", links=links, total=total)


def _batch_sizes(model: Model) -> list[Diagnostic]:
    count = model.batches["index_count"]
    rule = Rule("V17", BATCH.name, "index_count", Severity.WARNING)
    return rule.in_rows(count % 3 != 0, "{count} is not a multiple of 3; the rest is not drawn", count=count)


def _slot_triangles(model: Model) -> list[Diagnostic]:
    """Slots whose number of descriptors differs from the triangles of their batches (V18)."""
    if not len(model.tri_descriptors):
        return []
    triangles, stated = needed_descriptors(model), model.slots["tri_count"]
    rule = Rule("V18", SLOT.name, "tri_count", Severity.WARNING)
    words = "{count} descriptors for {triangles} triangles"
    return rule.in_rows(triangles != stated, words, count=stated, triangles=triangles)


def needed_descriptors(model: Model) -> Indices:
    """The number of descriptors that the batches of every slot need, (s,)."""
    per_batch = (model.batches["index_count"].astype(np.int64) + 2) // 3
    # Batches of 2, 1, 3 triangles have 0, 2, 3, 6 before them; a range has the difference of two.
    before: Indices = np.concatenate(([0], np.cumsum(per_batch)))
    start, end = clipped_ranges(model.slots, "batch", len(per_batch))
    return before[end] - before[start]


def _parent_order(model: Model) -> list[Diagnostic]:
    parent = model.nodes["parent"].astype(np.int64)
    number = np.arange(len(parent))
    is_later = (parent > number) & (parent < len(parent)) & (parent != NO_NODE)
    rule = Rule("V22", NODE.name, "parent", Severity.WARNING)
    return rule.in_rows(is_later, "{parent} comes after the node itself", parent=parent)


def _unreferenced(model: Model, draws: Draws) -> Iterator[Diagnostic]:
    """Slots, batches and vertices that no cell uses (V27)."""
    slot = draws.parts.slot
    if (slot == NO_SLOT).any():
        return
    for name, total, used in (
        (SLOT.name, len(model.slots), slot),
        (BATCH.name, len(model.batches), draws.batch),
        ("positions", model.vertex_count, draws.corners.reshape(-1)),
    ):
        is_used = np.zeros(total, np.bool_)
        is_used[used] = True
        unused = total - int(is_used.sum())
        if unused:
            first = int(is_used.argmin())
            rule = Rule("V27", name, severity=Severity.INFO)
            words = "{unused} of {total} are not used by any cell, the first is {first}"
            yield rule.finding(words, first, unused=unused, total=total, first=first)


PRESERVED = frozenset({tables.NAME_RECORDS, tables.LIGHT_PROBES})
"""Tables whose attributes are not specified."""
OPTIONAL = frozenset({tables.STREAM14, tables.STREAM15, tables.STREAM16, tables.STREAM18})
"""Tables that may come without attributes: all three are 0."""


def check_tables(model: Model) -> list[Diagnostic]:
    """Diagnostics of the tables."""
    return [*model.diagnostics, *_attributes(model), *_counts(model), *_finite(model), *_unknown(model)]


def _attributes(model: Model) -> Iterator[Diagnostic]:
    for table in tables.TABLES.values():
        index = model.archive.find_type(table.type_id)
        if index is None:
            continue
        entry = model.archive.entries[index]
        if table.type_id == tables.STRINGS:
            if entry.attr1 != model.record_count:
                yield _stated("V06", entry, "attr1", entry.attr1, model.record_count)
            if entry.attr3 != 0:
                yield _stated("V07", entry, "attr3", entry.attr3, 0, Severity.WARNING)
            if entry.attr2 != 0:
                yield _stated("V08", entry, "attr2", entry.attr2, 0, Severity.WARNING)
        elif table.record is not None and table.type_id not in PRESERVED:
            yield from _record_attributes(model, table, entry)


def _record_attributes(model: Model, table: tables.Table, entry: Entry) -> Iterator[Diagnostic]:
    if table.type_id in OPTIONAL and not any((entry.attr1, entry.attr2, entry.attr3)):
        return
    is_terrain = model.variant is Variant.TERRAIN
    count = model.record_count if table.type_id == tables.NODES else len(model.rows(table.type_id))
    if entry.attr1 != count:
        yield _stated("L02" if is_terrain else "V06", entry, "attr1", entry.attr1, count)
    size = 4 if table.type_id == tables.KEYS else table.record.size if table.record else 0
    if table.type_id == tables.NODES and model.variant is Variant.LEGACY24:
        unknown = Rule("V03", ENTRY.name, "attr3", Severity.INFO)
        words = "records of {size} bytes, whose layout is unknown"
        yield unknown.finding(words, entry.index, size=LEGACY_SIZE)
    elif entry.attr3 != size:
        rule = "L02" if is_terrain else "V03" if table.type_id == tables.NODES else "V07"
        yield _stated(rule, entry, "attr3", entry.attr3, size)
    if entry.attr2 != 0 and table.type_id not in {tables.NODES, tables.FRAME_MAP}:
        yield _stated("V08", entry, "attr2", entry.attr2, 0, Severity.WARNING)


def _stated(
    rule: str, entry: Entry, field: str, stated: int, right: int, severity: Severity = Severity.ERROR
) -> Diagnostic:
    words, table = "{stated} is stated for {table}, {right} is right", tables.TABLES[entry.type_id].name
    told = Rule(rule, ENTRY.name, field, severity)
    return told.finding(words, entry.index, stated=stated, table=table, right=right)


def _counts(model: Model) -> Iterator[Diagnostic]:
    """Vertex tables whose length differs from the positions."""
    for type_id in (tables.NORMALS, tables.UVS, tables.STREAM15, tables.STREAM16, tables.STREAM18):
        count = len(model.rows(type_id))
        if not model.has(type_id) or count == model.vertex_count:
            continue
        is_read, name = type_id in {tables.NORMALS, tables.UVS}, tables.TABLES[type_id].name
        rule = Rule("V09", name) if is_read else Rule("V10", name, severity=Severity.WARNING)
        words, first = "{rows} rows for {vertices} vertices", min(count, model.vertex_count)
        yield rule.finding(words, first, rows=count, vertices=model.vertex_count)


def _finite(model: Model) -> Iterator[Diagnostic]:
    stored = model.rows(tables.POSITIONS)["position"]
    is_wrong = ~np.isfinite(stored).all(axis=1)
    rule = Rule("V20", tables.TABLES[tables.POSITIONS].name, "position", Severity.WARNING)
    yield from rule.in_rows(is_wrong, "{position} is not finite", position=stored)
    if model.header is None:
        return
    for field in HEADER.fields:
        if not np.isfinite(model.header[field.name]).all():
            yield Rule("V20", HEADER.name, field.name, Severity.WARNING).finding("not finite")


def _unknown(model: Model) -> Iterator[Diagnostic]:
    rule = Rule("V27", ENTRY.name, "type_id", Severity.INFO)
    words = "type {type_id} is unknown; its {size} bytes are kept"
    for entry in model.archive.entries:
        if entry.type_id not in tables.TABLES:
            yield rule.finding(words, entry.index, type_id=entry.type_id, size=entry.size)


REQUIRED = (
    tables.NODES,
    tables.SLOTS,
    tables.POSITIONS,
    tables.NORMALS,
    tables.UVS,
    tables.DRAW_LIST,
    tables.STREAM18,
    tables.FACES,
)
RETAIL_ORDER = (1, 2, 3, 4, 5, 18, 14, 11, 21)


def check_terrain(model: Model, draws: Draws) -> list[Diagnostic]:
    """Diagnostics of a terrain, including those of clipped draws."""
    return [*draws.diagnostics, *_types(model), *_neighbours(model), *_tiles(model), *_opacities(model)]


def _types(model: Model) -> Iterator[Diagnostic]:
    for type_id in REQUIRED:
        if not model.has(type_id):
            words, name = "no resource of type {type_id} ({name})", tables.TABLES[type_id].name
            yield Rule("L01", ENTRY.name).finding(words, type_id=type_id, name=name)
    order = [entry.type_id for entry in model.archive.entries]
    expected = [type_id for type_id in RETAIL_ORDER if type_id in order]
    if order != expected:
        rule = Rule("L08", ENTRY.name, severity=Severity.WARNING)
        yield rule.finding("types {order}, retail files have {expected}", order=order, expected=expected)


def _neighbours(model: Model) -> list[Diagnostic]:
    neighbors = model.faces["neighbours"]
    total = len(neighbors)
    is_outside = ((neighbors != NONE) & (neighbors >= total)).any(axis=1)
    rule = Rule("L04", FACE.name, "neighbours")
    return rule.in_rows(is_outside, "{neighbors} of {total} faces", neighbors=neighbors, total=total)


def _opacities(model: Model) -> list[Diagnostic]:
    stored = model.rows(tables.STREAM14)["value"] if model.has(tables.STREAM14) else np.zeros(0, np.float32)
    rule = Rule("L10", tables.TABLES[tables.STREAM14].name, "value", Severity.WARNING)
    # Written so that NaN is outside.
    is_outside = ~((stored >= 0) & (stored <= 1))
    return rule.in_rows(is_outside, "opacity {value:g} is not within 0 to 1", value=stored)


def _tiles(model: Model) -> Iterator[Diagnostic]:
    index = model.archive.find_type(tables.NODES)
    columns = 0 if index is None else model.archive.entries[index].attr2
    if columns == 0 or model.record_count % columns:
        rule = Rule("L07", ENTRY.name, None if index is None else "attr2")
        words = "{columns} columns do not divide {tiles} tiles"
        yield rule.finding(words, index, columns=columns, tiles=model.record_count)


def check_model(model: Model) -> list[Diagnostic]:
    """Diagnostics of a model, legacy model or terrain."""
    skeleton = Skeleton(model)
    draws = draw_builder.build(model)
    moving = Animation(model, skeleton, QuaternionOrder.XYZW)
    return check_parts(model, skeleton, draws, moving)


def check_parts(model: Model, skeleton: Skeleton, draws: Draws, moving: Animation) -> list[Diagnostic]:
    """Diagnostics of a model whose parts exist already."""
    found = [*containers.check(model.archive, has_names=False), *check_tables(model), *skeleton.diagnostics]
    if model.variant is Variant.TERRAIN:
        found += check_terrain(model, draws)
    else:
        found += [*check_geometry(model, draws), *animation.check(model, moving)]
    return list(dict.fromkeys(found))


def check(payload: Payload) -> list[Diagnostic]:
    """Diagnostics of a payload of kind model."""
    archive = nres.Archive.read(payload.data)
    if variant_of(archive) is None:
        return [missing_tables(archive).finding, *containers.check(archive, has_names=False)]
    model = Model.of(archive)
    found = check_model(model)
    if model.variant is Variant.TERRAIN:
        return [*found, *_terrain_wear(payload.around), *_selected_by_faces(payload, model)]
    return [*found, *_selected_rows(payload, lambda: model)]


def check_screened(payload: Payload) -> list[Diagnostic]:
    """Diagnostics of a model of which a screen says that it breaks no rule of its own."""
    return _selected_rows(payload, lambda: Model.read(payload.data))


def _selected_by_faces(payload: Payload, model: Model) -> list[Diagnostic]:
    """Faces that select a row beyond the wear tables next to a terrain."""
    first, second = map(payload.around.find, materials.TERRAIN_WEAR)
    return materials.selected_by_faces(model.faces, _row_count(first), _row_count(second))


def _row_count(data: bytes | memoryview | None) -> int | None:
    """The rows of a wear table; None without a readable one."""
    if data is None:
        return None
    try:
        return len(wear.decode(data).materials)
    except FormatError:
        return None


def _selected_rows(payload: Payload, model: Callable[[], Model]) -> list[Diagnostic]:
    """Batches that select a row beyond the wear table next to the model."""
    rows = _row_count(payload.around.find(stem_of(payload.name) + WEAR_SUFFIX))
    if rows is None:
        return []
    batches = model().batches
    return materials.selected_rows(batches, material_field(batches, rows, payload.around.requested), rows)


def _terrain_wear(around: Surroundings) -> Iterable[Diagnostic]:
    if around.game is None or around.folder is None:
        return ()
    from viewer.model.checks import resources  # noqa: PLC0415 imports the formats of everything that has names

    return resources.of_terrain(name for name in materials.TERRAIN_WEAR if around.find(name) is None)
