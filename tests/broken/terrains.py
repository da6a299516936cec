"""Terrains that break one rule each."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

from tests.broken.case import ERROR, WARNING, Case, findings
from tests.terrains import terrain
from viewer.diagnostics import Diagnostic
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.msh import vertices
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.msh.tables import FACES, NODES, NORMALS, SLOTS, STREAM14, STREAM18
from viewer.formats.msh.terrain import FACE
from viewer.formats.record import Record


def sound() -> bytes:
    """Four tiles of two faces in the fine level."""
    return terrain(is_coarse=False)


def check(data: bytes) -> list[Diagnostic]:
    """What is found in a terrain."""
    return findings("msh", data)


def _rebuilt(change: Callable[[dict[int, NewEntry]], object]) -> Callable[[], list[Diagnostic]]:
    """Findings after entries are changed, by type."""

    def find() -> list[Diagnostic]:
        archive = nres.Archive.read(sound())
        entries = {
            e.type_id: NewEntry(
                e.type_id, bytearray(archive.payload(e.index)), e.name, e.attr1, e.attr2, e.attr3
            )
            for e in archive.entries
        }
        change(entries)
        return check(nres.build(entries.values()))

    return find


def _set(
    type_id: int, record: Record, field: str, place: int | tuple[int, ...], value: float, start: int = 0
) -> Callable[[], list[Diagnostic]]:
    def change(entries: dict[int, NewEntry]) -> None:
        record.view(entries[type_id].payload, offset=start)[field][place] = value

    return _rebuilt(change)


def _attributes(type_id: int, attr1: int, attr2: int, attr3: int) -> Callable[[], list[Diagnostic]]:
    def change(entries: dict[int, NewEntry]) -> None:
        old = entries[type_id]
        entries[type_id] = NewEntry(type_id, old.payload, old.name, attr1, attr2, attr3)

    return _rebuilt(change)


def _ragged(entries: dict[int, NewEntry]) -> None:
    old = entries[FACES]
    entries[FACES] = NewEntry(FACES, bytes(old.payload) + b"?", old.name, old.attr1, old.attr2, old.attr3)


def _reorder(entries: dict[int, NewEntry]) -> None:
    entries[NORMALS] = entries.pop(NORMALS)


CASES = (
    Case("L01", ERROR, "directory", _rebuilt(lambda entries: entries.pop(STREAM18)), "18 stream18"),
    Case("L02", ERROR, "directory[8].attr3", _attributes(FACES, 8, 0, 27), "27 28"),
    Case("L02", ERROR, "directory[8].attr1", _attributes(FACES, 9, 0, 28), "9 8"),
    Case("L02", ERROR, "faces[8]", _rebuilt(_ragged), "1 8 28"),
    Case("L03", ERROR, "faces[5].vertices", _set(FACES, FACE, "vertices", (5, 1), 9), "9"),
    Case("L04", ERROR, "faces[2].neighbours", _set(FACES, FACE, "neighbours", (2, 0), 8), "8"),
    Case(
        "L05",
        ERROR,
        "slots[3].tri_start",
        _set(SLOTS, SLOT, "tri_count", 3, 9, HEADER.size),
        "6 9 8",
    ),
    Case("L06", ERROR, "nodes[1].slots", _set(NODES, NODE, "slots", (1, 0, 0), 4), "4 4"),
    Case("L07", ERROR, "directory[0].attr2", _attributes(NODES, 4, 3, 38), "3 4"),
    Case("L07", ERROR, "directory[0].attr2", _attributes(NODES, 4, 0, 38), "0 4"),
    Case("L08", WARNING, "directory", _rebuilt(_reorder), "1 2 3 4"),
    Case("L10", WARNING, "stream14[3].value", _set(STREAM14, vertices.STREAM14, "value", 3, 1.5), "1.5"),
    Case("L10", WARNING, "stream14[0].value", _set(STREAM14, vertices.STREAM14, "value", 0, nan), "nan"),
)
