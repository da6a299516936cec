"""Rules of the tables of models: V02 to V10, V20, V21, V27 (unknown types); L02 of terrains.

Source: spec/msh.md 1, 11; spec/land.md 1, 6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from viewer.errors import Severity
from viewer.formats.archive.nres import ENTRY
from viewer.formats.findings import Findings, Rule
from viewer.formats.msh import tables
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import TABLES
from viewer.geometry.transforms import Indices, Mask
from viewer.model.checks.joined_tables import NO_ROW, TYPES, Tables, in_some
from viewer.model.checks.rules import Rules
from viewer.model.mesh.model import LOOSE, Variant

LAYOUT: Final = Rules[Tables]()
"""Rules that say whether the tables can be read."""
TABLE: Final = Rules[Tables]()
"""Rules of their attributes, lengths and numbers."""

PRESERVED: Final = frozenset({tables.NAME_RECORDS, tables.LIGHT_PROBES})
"""Tables whose attributes are not specified."""
OPTIONAL: Final = frozenset({tables.STREAM14, tables.STREAM15, tables.STREAM16, tables.STREAM18})
"""Tables that may come without attributes: all three are 0."""


def _per_type(values: dict[int, int]) -> Indices:
    column = np.zeros(TYPES, np.int64)
    column[[*values]] = [*values.values()]
    return column


def _of_types(types: frozenset[int]) -> Mask:
    return _per_type(dict.fromkeys(types, 1)) > 0


_RECORD_SIZE: Final = _per_type({it.type_id: it.record.size for it in TABLES.values() if it.record})
_HEADER_SIZE: Final = _per_type({it.type_id: it.header_size for it in TABLES.values()})
_STATED_SIZE: Final = _RECORD_SIZE.copy()
_STATED_SIZE[tables.KEYS] = 4  # what retail files state in attr3 of keys, whatever their size
_IS_SIZED: Final = (_RECORD_SIZE > 0) & ~_of_types(LOOSE)
_HAS_ATTRIBUTES: Final = (_RECORD_SIZE > 0) & ~_of_types(PRESERVED)
_IS_OPTIONAL: Final = _of_types(OPTIONAL)
# Columns of the tiles of a terrain, and frames of the whole model.
_HAS_ATTR2: Final = _of_types(frozenset({tables.NODES, tables.FRAME_MAP}))
_IS_PER_VERTEX: Final = _of_types(
    frozenset({tables.NORMALS, tables.UVS, tables.STREAM15, tables.STREAM16, tables.STREAM18})
)
_IS_KNOWN: Final = _of_types(frozenset(TABLES))


def types(it: Tables) -> Indices:
    """The resource type of each entry, 0 for an unknown one, (n,)."""
    # A type of letters, 0x6D786554, is no index: it is cut to one, and left out by the comparison.
    stored = it.directory.rows["type_id"].astype(np.int64)
    return np.where((stored < TYPES) & _IS_KNOWN[np.minimum(stored, TYPES - 1)], stored, 0)


@LAYOUT.rule
def sizes(it: Tables) -> Findings:
    """Types with several tables (V02), and tables with a part of a record or of a header (V04, V05)."""
    known, owner = it.once(types), it.directory.owner
    # A histogram of the types of each model: type 5 of model 2 is cell 5 * m + 2.
    same = np.bincount(known * len(it.models) + owner, minlength=it.entries.size).reshape(it.entries.shape)
    record_size = _RECORD_SIZE
    if it.variant is Variant.LEGACY24:
        record_size = record_size.copy()
        record_size[tables.NODES] = LEGACY_SIZE
    body = it.sizes - _HEADER_SIZE[:, None]
    is_read = (it.sizes != NO_ROW) & _IS_SIZED[:, None]
    tail = np.where(is_read & (body >= 0), body % np.maximum(record_size, 1)[:, None], 0)
    is_short, is_repeated = is_read & (body < 0), same > 1
    is_repeated[0] = False
    # Table after table, as their rows are listed.
    for type_id in np.flatnonzero((is_repeated | is_short | (tail > 0)).any(axis=1)).tolist():
        declared = TABLES[type_id]
        severity = Severity.ERROR if type_id in tables.REQUIRED else Severity.WARNING
        yield from Rule("V02", ENTRY.name, "type_id", severity).of_subjects(
            is_repeated[type_id],
            "{count} tables {table}; the first one is used",
            _second(known == type_id, owner),
            count=same[type_id],
            table=declared.name,
        )
        number = "L02" if it.variant is Variant.TERRAIN else "V05" if declared.header_size else "V04"
        broken, size = Rule(number, declared.name), int(record_size[type_id])
        words = "{size} bytes, the header requires {header_size}"
        stated = {"size": it.sizes[type_id], "header_size": declared.header_size}
        yield from broken.of_subjects(is_short[type_id], words, **stated)
        words = "{tail} trailing bytes after {count} records of {record_size}"
        count = body[type_id] // max(size, 1)
        left = tail[type_id]
        yield from broken.of_subjects(left > 0, words, count, tail=left, count=count, record_size=size)


def _second(is_it: Mask, owner: Indices) -> Callable[[int], int]:
    """The index of the second of some entries, (n,), in the directory of a model."""
    return lambda model: int(np.flatnonzero(is_it[owner == model])[1])


@LAYOUT.rule
def texts(it: Tables) -> Findings:
    """Texts of nodes that cannot be read (V21)."""
    for number in np.flatnonzero(it.has(tables.STRINGS)).tolist():
        if found := it.models[number].texts.diagnostics:
            yield number, [*found]


@TABLE.rule
def attributes(it: Tables) -> Findings:
    """Attributes of the first entry of each type: V06, V07, V08; V03 and L02."""
    known, directory = it.once(types), it.directory
    rows, owner = directory.rows, directory.owner
    is_first = np.equal(directory.place, it.entries[known, owner]) & (known > 0)
    attr1, attr2, attr3 = (rows[name].astype(np.int64) for name in ("attr1", "attr2", "attr3"))
    is_texts, is_nodes = is_first & (known == tables.STRINGS), known == tables.NODES
    # | binds before ==: all bits of the three are 0.
    is_blank = _IS_OPTIONAL[known] & (attr1 | attr2 | attr3 == 0)
    is_stated = is_first & _HAS_ATTRIBUTES[known] & ~is_blank | is_texts
    count = np.where(is_texts | is_nodes, it.node_counts[owner], it.row_counts[known, owner])
    size = _STATED_SIZE[known]
    is_legacy = is_stated & is_nodes & (it.variant is Variant.LEGACY24)
    is_miscounted = is_stated & (attr1 != count)
    is_missized = is_stated & (attr3 != size) & ~is_legacy
    is_used = is_stated & (attr2 != 0) & ~_HAS_ATTR2[known]
    words = "{stated} is stated for {table}, {right} is right"
    # Table after table, and each attribute of one, as they are listed. Not np.unique, which loads numpy.ma.
    for type_id in sorted({*known[is_miscounted | is_missized | is_used | is_legacy].tolist()}):
        is_it, values = known == type_id, {"table": TABLES[type_id].name}
        is_terrain = it.variant is Variant.TERRAIN and type_id != tables.STRINGS
        sized = "L02" if is_terrain else "V03" if type_id == tables.NODES else "V07"
        severity = Severity.WARNING if type_id == tables.STRINGS else Severity.ERROR
        first, third = (
            Rule("L02" if is_terrain else "V06", ENTRY.name, "attr1"),
            Rule(sized, ENTRY.name, "attr3", severity),
        )
        counts = directory.counts
        yield from first.in_joined(is_miscounted & is_it, counts, words, stated=attr1, right=count, **values)
        yield from third.in_joined(is_missized & is_it, counts, words, stated=attr3, right=size, **values)
        legacy = Rule("V03", ENTRY.name, "attr3", Severity.INFO)
        says = "records of {size} bytes, whose layout is unknown"
        yield from legacy.in_joined(is_legacy & is_it, counts, says, size=LEGACY_SIZE)
        second = Rule("V08", ENTRY.name, "attr2", Severity.WARNING)
        yield from second.in_joined(is_used & is_it, counts, words, stated=attr2, right=0, **values)


@TABLE.rule
def vertex_rows(it: Tables) -> Findings:
    """Vertex tables whose length differs from the positions (V09, V10)."""
    vertices = it.counts(tables.POSITIONS)
    is_wrong = (it.sizes != NO_ROW) & (it.row_counts != vertices) & _IS_PER_VERTEX[:, None]
    for type_id in np.flatnonzero(is_wrong.any(axis=1)).tolist():
        count, name = it.counts(type_id), TABLES[type_id].name
        # Normals and coordinates are read vertex by vertex; the other streams are only kept.
        is_read = type_id in {tables.NORMALS, tables.UVS}
        rule = Rule("V09", name) if is_read else Rule("V10", name, severity=Severity.WARNING)
        words, first = "{rows} rows for {vertices} vertices", np.minimum(count, vertices)
        yield from rule.of_subjects(is_wrong[type_id], words, first, rows=count, vertices=vertices)


@TABLE.rule
def finite_numbers(it: Tables) -> Findings:
    """Positions and bounds that are not finite (V20)."""
    stored = it.rows(tables.POSITIONS)["position"]
    is_wrong = in_some(~np.isfinite(stored))
    rule = Rule("V20", TABLES[tables.POSITIONS].name, "position", Severity.WARNING)
    counts = it.counts(tables.POSITIONS)
    yield from rule.in_joined(is_wrong, counts, "{position} is not finite", position=stored)
    numbers, has_header = it.headers
    is_lost = ~np.isfinite(numbers) & has_header[:, None]
    if np.count_nonzero(is_lost):
        for field in HEADER.fields:
            # The header is 35 floats: the sphere's center, at 0x60, is columns 24 to 26.
            some = slice(field.offset // 4, (field.offset + field.size) // 4)
            rule = Rule("V20", HEADER.name, field.name, Severity.WARNING)
            yield from rule.of_subjects(in_some(is_lost[:, some]), "not finite")


@TABLE.rule
def unknown_types(it: Tables) -> Findings:
    """Types without a meaning (V27)."""
    rule, rows = Rule("V27", ENTRY.name, "type_id", Severity.INFO), it.directory.rows
    words = "type {type_id} is unknown; its {size} bytes are kept"
    counts, values = it.directory.counts, {"type_id": rows["type_id"], "size": rows["size"]}
    yield from rule.in_joined(it.once(types) == 0, counts, words, **values)
