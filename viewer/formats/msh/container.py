"""Writing a model's container from its tables, with types and attributes in the order of retail files.

Source: spec/msh.md 1, 12, 14.
Status: proven (order, attributes), open (names: not specified).
"""

from __future__ import annotations

from collections.abc import Mapping

from viewer.formats.archive import nres
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.tables import DERIVED, KEYS, NODES, SLOTS, TABLES, attributes
from viewer.formats.record import Bytes
from viewer.translation import _

# Three orders in one: 1 2 3 4 5 15 13 6 7 8 19 9 10 17 of 414 models, the same with 18 and 20 of 21 models,
# and 1 2 3 4 5 18 14 11 21 of all terrains. 16 and 12 are in no model of the game; 16 is put to the other
# streams.
ORDER = (1, 2, 3, 4, 5, 18, 14, 16, 15, 13, 6, 7, 8, 19, 9, 10, 17, 20, 11, 12, 21)
"""Order of types in retail models and terrains."""

NUMBERED = {SLOTS: NONE, KEYS: NONE}
"""Most records of a table: indices have 16 bits and one value means none."""

Attributes = tuple[int, int, int]


def build(
    payloads: Mapping[int, Bytes],
    *,
    frame_count: int = 1,
    given: Mapping[int, Attributes] | None = None,
    names: Mapping[int, bytes] | None = None,
) -> bytes:
    """Write a container of tables, by type.

    Attributes follow from the sizes, and attr2 of the frame map is `frame_count`; `given` has those
    of other tables, and of nodes that fill a grid. Tables have the name ``Res`` and their number unless
    `names` (from a template) has another name. Raises `ValueError` for more records than
    can be indexed.
    """
    given, names = given or {}, names or {}
    # For attr1 of the labels, which is the number of nodes, not that of texts.
    node_count = len(payloads.get(NODES, b"")) // NODE.size
    entries = []
    for type_id in sorted(payloads, key=_place):
        payload = payloads[type_id]
        _check_count(type_id, len(payload))
        attrs = given.get(type_id, (0, 0, 0))
        if type_id in DERIVED and type_id not in given:
            attrs = attributes(type_id, len(payload), node_count=node_count, frame_count=frame_count)
        entries.append(nres.NewEntry(type_id, payload, names.get(type_id, b"Res%d" % type_id), *attrs))
    return nres.build(entries)


def _place(type_id: int) -> tuple[int, int]:
    """Sort key of a table: as in retail files, unknown ones last."""
    return (ORDER.index(type_id) if type_id in ORDER else len(ORDER)), type_id


def _check_count(type_id: int, size: int) -> None:
    limit = NUMBERED.get(type_id)
    table = TABLES.get(type_id)
    if limit is None or table is None or table.record is None:
        return
    count = (size - table.header_size) // table.record.size
    if count > limit:
        raise ValueError(
            _("{count} {table}, at most {limit} can be indexed", count=count, table=table.name, limit=limit)
        )
