"""Models that break one rule of the tables, the geometry or the animation each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.broken.case import ERROR, INFO, WARNING, Case, findings
from tests.builders import Key, ModelBuilder, Node, archive_of, box, legacy24, quad
from viewer.diagnostics import Diagnostic
from viewer.formats.archive import nres
from viewer.formats.msh.tables import (
    BATCHES,
    FRAME_MAP,
    INDICES,
    KEYS,
    NODES,
    POSITIONS,
    SLOTS,
    STREAM15,
    STREAM16,
    STREAM18,
    STRINGS,
    UVS,
)
from viewer.model.checks.payload import Surroundings

Change = Callable[[ModelBuilder], object]


def sound() -> ModelBuilder:
    """Two animated nodes, a still one without geometry, three slots."""
    hull, gun = [box(), quad(center=(0, 0, 2))], [box((1, 1, 3))]
    swing = (Key(), Key(4, position=(1, 0, 0)))
    return ModelBuilder.of(
        [
            Node("hull", shapes={(0, 0): hull, (1, 0): [quad()]}, keys=swing),
            Node("gun", parent=0, shapes={(0, 0): gun}, keys=swing),
            Node("socket", parent=1),
        ]
    )


def still() -> ModelBuilder:
    """One node that does not move."""
    return ModelBuilder.of([Node("stone", shapes={(0, 0): [box()]})])


def broken() -> bytes:
    """A model with a batch that begins beyond the indices."""
    builder = sound()
    builder.batches["index_start"][3] = 49
    return builder.build()


def _broken(change: Change, make: Callable[[], ModelBuilder] = sound) -> Callable[[], list[Diagnostic]]:
    def find() -> list[Diagnostic]:
        builder = make()
        change(builder)
        return findings("msh", builder.build())

    return find


def _set(
    table: str, field: str, place: object, value: object, make: Callable[[], ModelBuilder] = sound
) -> Callable[[], list[Diagnostic]]:
    """Findings after one value of one table is changed."""

    def change(builder: ModelBuilder) -> None:
        getattr(builder, table)[field][place] = value

    return _broken(change, make)


def _attributes(
    type_id: int, attr1: int, attr2: int, attr3: int, make: Callable[[], ModelBuilder] = sound
) -> Callable[[], list[Diagnostic]]:
    return _broken(lambda builder: builder.attributes.update({type_id: (attr1, attr2, attr3)}), make)


def _resized(type_id: int, change: Callable[[bytes], bytes]) -> Callable[[], list[Diagnostic]]:
    """Findings after the payload of one table is changed."""
    return _broken(lambda builder: builder.tables.update({type_id: change(builder.payloads()[type_id])}))


def _with_entry(type_id: int, payload: bytes) -> list[Diagnostic]:
    """Findings with one more resource at the end."""
    archive = nres.Archive.read(sound().build())
    entries = [
        nres.NewEntry(e.type_id, archive.payload(e.index), e.name, e.attr1, e.attr2, e.attr3)
        for e in archive.entries
    ]
    return findings("msh", nres.build([*entries, nres.NewEntry(type_id, payload, b"zz")]))


def _beyond_wear() -> list[Diagnostic]:
    builder = sound()
    builder.batches["material"][1] = 2
    builder.batches["opaque4"] = 0x0101
    archive = nres.Archive.read(archive_of({"x.msh": builder.build(), "x.wea": b"2\r\n0 A.0\r\n0 B.0\r\n"}))
    return findings(
        "msh", archive.payload(0), b"x.msh", archive.entries[0], Surroundings().in_archive(archive)
    )


def _lose_keys(builder: ModelBuilder) -> None:
    """A map word before a fallback beyond the keys, which is the last key itself."""
    builder.nodes["fallback_key"][1] = 99
    builder.frame_map[5:10] = len(builder.keys) - 1


def _spare_word(builder: ModelBuilder) -> None:
    builder.frame_map = np.append(builder.frame_map, np.uint16(1)).astype("<u2")


TABLES = (
    Case("V01", ERROR, "directory", _broken(lambda b: b.missing.add(BATCHES)), "13 batches"),
    Case("V02", ERROR, "directory[13].type_id", lambda: _with_entry(POSITIONS, bytes(12)), "2"),
    Case("V02", WARNING, "directory[13].type_id", lambda: _with_entry(UVS, bytes(4)), "2"),
    Case("V03", ERROR, "directory[0].attr3", _attributes(NODES, 3, 0, 37), "37 38"),
    Case("V03", INFO, "directory[0].attr3", lambda: findings("msh", legacy24([box()])), "24"),
    Case("V04", ERROR, "indices[84]", _resized(INDICES, lambda data: data + b"\0"), "1"),
    Case("V04", ERROR, "keys[5]", _resized(KEYS, lambda data: data + bytes(5)), "5"),
    Case("V05", ERROR, "slots[3]", _resized(SLOTS, lambda data: data + bytes(5)), "5"),
    Case("V06", ERROR, "directory[6].attr1", _attributes(BATCHES, 9, 0, 20), "9 4"),
    Case("V06", ERROR, "directory[12].attr1", _attributes(STRINGS, 9, 0, 0), "9 3"),
    Case("V07", ERROR, "directory[6].attr3", _attributes(BATCHES, 4, 0, 19), "19 20"),
    Case("V07", ERROR, "directory[9].attr3", _attributes(KEYS, 5, 0, 24), "24 4"),
    Case("V07", WARNING, "directory[12].attr3", _attributes(STRINGS, 3, 0, 1), "1 0"),
    Case("V08", WARNING, "directory[6].attr2", _attributes(BATCHES, 4, 7, 20), "7 0"),
    Case("V09", ERROR, "uvs[55]", _resized(UVS, lambda data: data[:-4]), "55 56"),
    Case("V10", WARNING, "stream15[55]", _resized(STREAM15, lambda data: data[:-8]), "55 56"),
    Case("V10", WARNING, "stream16[1]", _broken(lambda b: b.tables.update({STREAM16: bytes(8)})), "1"),
    Case("V10", WARNING, "stream18[2]", _broken(lambda b: b.tables.update({STREAM18: bytes(8)})), "2"),
    Case(
        "V20", WARNING, "positions[3].position", _broken(lambda b: b.positions.__setitem__(3, np.inf)), "inf"
    ),
    Case("V20", WARNING, "header.capsule_radius", _set("header", "capsule_radius", 0, np.nan), "finite"),
    Case("V21", ERROR, "strings[2]", _resized(STRINGS, lambda data: data[:-1]), "6 6"),
    Case("V21", ERROR, "strings[2]", _resized(STRINGS, lambda data: data[:-1] + b"!"), "NUL"),
    Case("V21", ERROR, "strings_tail", _resized(STRINGS, lambda data: data + b"\0"), "1"),
    Case("V27", INFO, "directory[13].type_id", lambda: _with_entry(77, b"?"), "77"),
)

GEOMETRY = (
    Case("V11", ERROR, "nodes[1].slots", _set("nodes", "slots", (1, 2, 4), 3), "3 3"),
    Case("V12", ERROR, "slots[2].batch_start", _set("slots", "batch_count", 2, 2), "3 2 4"),
    Case("V13", ERROR, "slots[2].tri_start", _set("slots", "tri_count", 2, 99), "16 99 28"),
    Case("V14", ERROR, "batches[3].index_start", _set("batches", "index_start", 3, 49), "49 36 84"),
    Case("V15", ERROR, "batches[3].base_vertex", _set("batches", "base_vertex", 3, 33), "33 23 56"),
    Case("V16", ERROR, "tri_descriptors[7].links", _set("triangles", "links", (7, 1), 40), "6 40 2 28"),
    Case("V17", WARNING, "batches[3].index_count", _set("batches", "index_count", 3, 35), "35"),
    Case("V18", WARNING, "slots[2].tri_count", _set("slots", "tri_count", 2, 11), "11 12"),
    Case("V19", WARNING, "slots[1].aabb_min", _set("slots", "aabb_min", 1, np.nan), "bounds"),
    Case("V19", WARNING, "slots[1].aabb_min", _set("slots", "sphere_radius", 1, -1), "bounds"),
    Case("V22", ERROR, "nodes[2].parent", _set("nodes", "parent", 2, 3), "3 3"),
    Case("V22", ERROR, "nodes[2].parent", _set("nodes", "parent", 2, 2), "2 3"),
    Case(
        "V22",
        ERROR,
        "nodes[1].parent",
        _set("nodes", "parent", slice(0, 2), (1, 0)),
        "cycle",
        count=3,
    ),
    Case("V22", WARNING, "nodes[0].parent", _set("nodes", "parent", slice(0, 2), (1, 0xFFFF)), "after"),
    Case("V26", WARNING, "batches[1].material", _beyond_wear, "2 2"),
    Case(
        "V27",
        INFO,
        "slots[2]",
        _set("nodes", "slots", (1, 0, 0), 0xFFFF),
        "1 3",
        count=3,
    ),
)

ANIMATION = (
    Case("A02", ERROR, "nodes[2].fallback_key", _set("nodes", "fallback_key", 2, 5), "5 5"),
    Case("A03", ERROR, "nodes[1].map_start", _set("nodes", "map_start", 1, 6), "6 5 10"),
    Case("A04", ERROR, "frame_map[5].key", _broken(_lose_keys), "keys", frozenset({"A02"}), 5),
    Case("A05", ERROR, "keys[3].time", _set("keys", "time", 3, 0), "0.0 0.0"),
    Case(
        "A05",
        ERROR,
        "nodes[0].fallback_key",
        _set("nodes", "fallback_key", 0, 0),
        "frame map",
        count=2,
    ),
    Case("A06", ERROR, "directory[10].attr2", _attributes(FRAME_MAP, 0, 0, 2, still), "0"),
    Case("A07", WARNING, "keys[2].time", _set("keys", "time", 2, 0.5), "0.5"),
    Case("A07", WARNING, "keys[0].time", _set("keys", "time", 0, 1), "1.0"),
    Case("A07", WARNING, "nodes[2].fallback_key", _set("nodes", "fallback_key", 2, 3), "3 3"),
    Case("A08", WARNING, "directory[10].attr2", _attributes(FRAME_MAP, 0, 2, 2, still), "2"),
    Case("A09", WARNING, "nodes[1].map_start", _set("nodes", "map_start", 1, 0), "5"),
    Case("A09", WARNING, "frame_map", _broken(_spare_word), "11 2"),
    Case("A10", WARNING, "frame_map[4].key", _broken(lambda b: b.frame_map.__setitem__(4, 9)), "9"),
    Case(
        "A11",
        WARNING,
        "frame_map[6].key",
        _broken(lambda b: b.frame_map.__setitem__(6, 0)),
        "0 2",
    ),
    Case("A12", ERROR, "keys[1].position", _set("keys", "position", 1, np.nan), "finite"),
    Case("A12", ERROR, "keys[4].time", _set("keys", "time", 4, np.inf), "finite"),
    Case("A13", WARNING, "keys[2].quaternion", _set("keys", "quaternion", 2, 7), "0.0004"),
    Case("A13", INFO, "keys[2].quaternion", _set("keys", "quaternion", 2, 0), "zero"),
)

CASES = (*TABLES, *GEOMETRY, *ANIMATION)
