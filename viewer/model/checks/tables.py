"""Rules V02 to V10 and V20: sizes, attributes and counts of a model's tables.

V01 is an error of the reader; V02, V04, V05 and V21 are reported by the model when it is read.

Source: spec/msh.md 1, 11; spec/land.md 1, 6 (L01, L02, L07).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from viewer.errors import Diagnostic, Severity
from viewer.formats.archive.nres import ENTRY, Entry
from viewer.formats.findings import findings
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import (
    FRAME_MAP,
    KEYS,
    LIGHT_PROBES,
    NAME_RECORDS,
    NODES,
    NORMALS,
    POSITIONS,
    STREAM14,
    STREAM15,
    STREAM16,
    STREAM18,
    STRINGS,
    TABLES,
    UVS,
    Table,
)
from viewer.model.mesh.model import Model, Variant
from viewer.translation import Sentence

PRESERVED = frozenset({NAME_RECORDS, LIGHT_PROBES})
"""Tables whose attributes are not specified."""
OPTIONAL = frozenset({STREAM14, STREAM15, STREAM16, STREAM18})
"""Tables that may come without attributes: all three are 0."""


def check(model: Model) -> list[Diagnostic]:
    """Diagnostics of the tables."""
    return [*model.diagnostics, *_attributes(model), *_counts(model), *_finite(model), *_unknown(model)]


def _attributes(model: Model) -> Iterator[Diagnostic]:
    for table in TABLES.values():
        index = model.archive.find_type(table.type_id)
        if index is None:
            continue
        entry = model.archive.entries[index]
        if table.type_id == STRINGS:
            yield from _string_attributes(model, entry)
        elif table.record is not None and table.type_id not in PRESERVED:
            yield from _record_attributes(model, table, entry)


def _string_attributes(model: Model, entry: Entry) -> Iterator[Diagnostic]:
    if entry.attr1 != model.record_count:
        yield _stated("V06", entry, "attr1", entry.attr1, model.record_count)
    if entry.attr3 != 0:
        yield _stated("V07", entry, "attr3", entry.attr3, 0, Severity.WARNING)
    if entry.attr2 != 0:
        yield _stated("V08", entry, "attr2", entry.attr2, 0, Severity.WARNING)


def _record_attributes(model: Model, table: Table, entry: Entry) -> Iterator[Diagnostic]:
    if table.type_id in OPTIONAL and not any((entry.attr1, entry.attr2, entry.attr3)):
        return
    is_terrain = model.variant is Variant.TERRAIN
    count = model.record_count if table.type_id == NODES else len(model.rows(table.type_id))
    if entry.attr1 != count:
        yield _stated("L02" if is_terrain else "V06", entry, "attr1", entry.attr1, count)
    size = 4 if table.type_id == KEYS else table.record.size if table.record else 0
    if table.type_id == NODES and model.variant is Variant.LEGACY24:
        message = Sentence("records of {size} bytes, whose layout is unknown", size=LEGACY_SIZE)
        yield Diagnostic("V03", Severity.INFO, message, ENTRY.name, entry.index, "attr3")
    elif entry.attr3 != size:
        rule = "L02" if is_terrain else "V03" if table.type_id == NODES else "V07"
        yield _stated(rule, entry, "attr3", entry.attr3, size)
    if entry.attr2 != 0 and table.type_id not in {NODES, FRAME_MAP}:
        yield _stated("V08", entry, "attr2", entry.attr2, 0, Severity.WARNING)


def _stated(
    rule: str, entry: Entry, field: str, stated: int, right: int, severity: Severity = Severity.ERROR
) -> Diagnostic:
    message = Sentence(
        "{stated} is stated for {table}, {right} is right",
        stated=stated,
        table=TABLES[entry.type_id].name,
        right=right,
    )
    return Diagnostic(rule, severity, message, ENTRY.name, entry.index, field)


def _counts(model: Model) -> Iterator[Diagnostic]:
    """Vertex tables whose length differs from the positions."""
    for type_id in (NORMALS, UVS, STREAM15, STREAM16, STREAM18):
        count = len(model.rows(type_id))
        if not model.has(type_id) or count == model.vertex_count:
            continue
        is_read = type_id in {NORMALS, UVS}
        yield Diagnostic(
            "V09" if is_read else "V10",
            Severity.ERROR if is_read else Severity.WARNING,
            Sentence("{rows} rows for {vertices} vertices", rows=count, vertices=model.vertex_count),
            TABLES[type_id].name,
            min(count, model.vertex_count),
        )


def _finite(model: Model) -> Iterator[Diagnostic]:
    stored = model.rows(POSITIONS)["position"]
    is_wrong = ~np.isfinite(stored).all(axis=1)
    yield from findings(
        "V20",
        Severity.WARNING,
        TABLES[POSITIONS].name,
        is_wrong,
        lambda row: Sentence("{position} is not finite", position=stored[row].tolist()),
        "position",
    )
    if model.header is None:
        return
    for field in HEADER.fields:
        if not np.isfinite(model.header[field.name]).all():
            yield Diagnostic("V20", Severity.WARNING, "not finite", HEADER.name, field=field.name)


def _unknown(model: Model) -> Iterator[Diagnostic]:
    for entry in model.archive.entries:
        if entry.type_id not in TABLES:
            message = Sentence(
                "type {type_id} is unknown; its {size} bytes are kept", type_id=entry.type_id, size=entry.size
            )
            yield Diagnostic("V27", Severity.INFO, message, ENTRY.name, entry.index, "type_id")
