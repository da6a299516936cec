"""A model's container from its tables."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.archive import nres
from viewer.formats.msh import container, keys, slots, tables
from viewer.formats.msh.nodes import NODE
from viewer.formats.record import Record

PAYLOADS = {
    tables.STRINGS: bytes(8),
    tables.FRAME_MAP: bytes(6),
    tables.KEYS: bytes(48),
    tables.BATCHES: bytes(20),
    tables.INDICES: bytes(6),
    tables.STREAM18: bytes(12),
    tables.NODES: bytes(2 * NODE.size),
    tables.SLOTS: bytes(slots.HEADER.size + slots.SLOT.size),
    tables.POSITIONS: bytes(36),
    99: b"unknown",
}


def written(**options: object) -> dict[int, nres.Entry]:
    archive = nres.Archive.read(container.build(PAYLOADS, frame_count=3, **options))  # type: ignore[arg-type]
    return {entry.type_id: entry for entry in archive.entries}


def test_tables_stand_as_in_retail_files() -> None:
    assert list(written()) == [1, 2, 3, 18, 13, 6, 8, 19, 10, 99]


def test_attributes_follow_from_the_sizes() -> None:
    attributes = {type_id: (e.attr1, e.attr2, e.attr3) for type_id, e in written().items()}
    assert attributes[tables.NODES] == (2, 0, 38)
    assert attributes[tables.SLOTS] == (1, 0, 68)
    assert attributes[tables.KEYS] == (2, 0, 4)
    assert attributes[tables.FRAME_MAP] == (3, 3, 2)
    assert attributes[tables.STRINGS] == (2, 0, 0)
    assert attributes[99] == (0, 0, 0)


def test_attributes_and_names_can_be_given() -> None:
    entries = written(given={tables.NODES: (2, 1, 38), 99: (7, 8, 9)}, names={99: b"Own"})
    assert (entries[tables.NODES].attr2, entries[99].attr3) == (1, 9)
    assert (entries[99].name, entries[tables.NODES].name) == (b"Own", b"Res1")


@pytest.mark.parametrize(
    ("type_id", "record", "header"),
    [(tables.SLOTS, slots.SLOT, slots.HEADER.size), (tables.KEYS, keys.KEY, 0)],
)
def test_records_beyond_sixteen_bits_are_refused(type_id: int, record: Record, header: int) -> None:
    most = bytes(header + 0xFFFF * record.size)
    container.build({type_id: most})
    with pytest.raises(ValueError, match="65536"):
        container.build({type_id: most + np.zeros(record.size, "u1").tobytes()})
