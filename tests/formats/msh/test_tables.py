"""The table of tables: names, records and the attributes that new tables get.

A model's container from its tables.

A model taken apart: every byte of its container has a place, however damaged it is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.broken.models import sound
from tests.builders import box, legacy24
from tests.formats.contract import check_field_change, check_payload, check_tree
from tests.terrains import terrain
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.msh import container, keys, path_graph, slots, tables, vertices
from viewer.formats.msh.nodes import LEGACY_SIZE, NODE
from viewer.formats.msh.parts import is_legacy, node_count, parts
from viewer.formats.msh.tables import (
    FRAME_MAP,
    INDICES,
    KEYS,
    NAME_RECORDS,
    NODES,
    PATH_GRAPH,
    POSITIONS,
    REQUIRED,
    SLOTS,
    STRINGS,
    TABLES,
    TERRAIN,
    attributes,
)
from viewer.formats.part import Part, find, place_at
from viewer.formats.record import Record


def test_every_type_of_the_spec_has_a_table_with_a_name_of_its_own() -> None:
    assert set(TABLES) == set(range(1, 22))
    assert len({table.name for table in TABLES.values()}) == len(TABLES)
    assert all(type_id == table.type_id for type_id, table in TABLES.items())


def test_record_sizes_are_the_specs() -> None:
    sizes = {type_id: table.record.size for type_id, table in TABLES.items() if table.record}
    assert sizes == {
        1: 38, 2: 68, 3: 12, 4: 4, 5: 4, 6: 2, 7: 16, 8: 24, 9: 32, 11: 4, 13: 20,
        14: 4, 15: 8, 16: 8, 18: 4, 19: 2, 20: 48, 21: 28,
    }  # fmt: skip
    assert TABLES[SLOTS].header_size == 0x8C
    assert (path_graph.PATH_NODE.size, path_graph.PATH_LINK.size) == (20, 40)
    assert vertices.STREAM15.size == vertices.STREAM16.size == 8


def test_models_and_terrains_are_told_by_their_types() -> None:
    assert {1, 2, 3, 6, 13} == REQUIRED
    assert {3, 21} == TERRAIN


@pytest.mark.parametrize(
    ("type_id", "size", "expected"),
    [
        (NODES, 76, (2, 0, 38)),
        (SLOTS, 0x8C + 3 * 68, (3, 0, 68)),
        (SLOTS, 0, (0, 0, 68)),
        (KEYS, 48, (2, 0, 4)),
        (FRAME_MAP, 36, (18, 9, 2)),
        (STRINGS, 99, (2, 0, 0)),
        (NAME_RECORDS, 64, (2, 0, 32)),
    ],
)
def test_attributes_of_new_tables(type_id: int, size: int, expected: tuple[int, int, int]) -> None:
    assert attributes(type_id, size, node_count=2, frame_count=9) == expected


@pytest.mark.parametrize("type_id", [PATH_GRAPH, 99])
def test_no_source_states_the_attributes_of_the_others(type_id: int) -> None:
    with pytest.raises(KeyError):
        attributes(type_id, 0, node_count=1, frame_count=1)


@pytest.mark.parametrize("type_id", TABLES)
@given(
    data=st.binary(max_size=300),
    counts=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    attr3=st.sampled_from((0, LEGACY_SIZE)),
)
def test_any_bytes_survive(type_id: int, data: bytes, counts: tuple[int, int], attr3: int) -> None:
    value = tables.decode(data, type_id, *counts, attr3)
    check_payload(data, tables.encode(value), tables.parts(value), value.diagnostics)


@pytest.mark.parametrize("type_id", TABLES)
@given(data=st.data())
def test_a_changed_field_changes_its_bytes_alone(type_id: int, data: st.DataObject) -> None:
    value = tables.decode(b"\1\0\0\0A\0" + bytes(500), type_id, 2, 2)
    check_field_change(value, tables.encode, tables.parts(value), data)


@pytest.mark.parametrize(
    ("type_id", "data", "paths"),
    [
        (SLOTS, bytes(0x8C + 68), ["header", "slots"]),
        (SLOTS, bytes(0x8B), ["slots", "slots_tail"]),
        (NODES, bytes(39), ["nodes", "nodes_tail"]),
        (STRINGS, b"\0\0\0\0?", ["strings", "strings_tail"]),
        (12, b"?", ["areal_map"]),
    ],
)
def test_parts_have_the_names_of_the_table(type_id: int, data: bytes, paths: list[str]) -> None:
    root = tables.parts(tables.decode(data, type_id, 1))
    assert [child.name for child in root.children] == paths


def test_nodes_of_24_bytes_are_rows_without_known_fields() -> None:
    value: Any = tables.decode(bytes(2 * LEGACY_SIZE), NODES, 2, 0, LEGACY_SIZE)
    nodes = find(tables.parts(value), "nodes")
    assert nodes is not None
    assert nodes.count == 2


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


MODEL = sound().build()


def tree(data: bytes) -> Part:
    return parts(nres.Archive.read(data))


def entry_of(data: bytes, type_id: int) -> nres.Entry:
    archive = nres.Archive.read(data)
    index = archive.find_type(type_id)
    assert index is not None
    return archive.entry(index)


def with_entry(data: bytes, type_id: int, **fields: int) -> bytes:
    """The container with other numbers in the entry of a type."""
    changed = bytearray(data)
    archive = nres.Archive.read(data)
    rows = nres.ENTRY.view(changed, offset=archive.directory_offset)
    for name, value in fields.items():
        rows[name][entry_of(data, type_id).index] = value
    return bytes(changed)


def with_another(data: bytes, type_id: int) -> bytes:
    """The container with one more entry."""
    archive = nres.Archive.read(data)
    old = [nres.NewEntry(e.type_id, archive.payload(e.index), e.name) for e in archive.entries]
    return nres.build([*old, nres.NewEntry(type_id, b"more", b"more")])


@pytest.mark.parametrize("data", [MODEL, legacy24([box()]), terrain(is_coarse=False)])
def test_every_table_is_found_where_its_entry_says(data: bytes) -> None:
    root = tree(data)
    check_tree(data, root)
    archive = nres.Archive.read(data)
    for entry in archive.entries:
        part = find(root, TABLES[entry.type_id].name)
        assert part is not None
        assert part.start == entry.offset + (TABLES[entry.type_id].header_size if part.is_table else 0)
    assert [root.children[0].name, root.children[-1].name] == ["container", "directory"]


def test_names_are_unique_and_lead_to_their_part() -> None:
    root = tree(with_another(MODEL, POSITIONS))
    names = [child.name for child in root.children]
    assert len(set(names)) == len(names)
    assert all(find(root, child.name) is child for child in root.children)


@pytest.mark.parametrize("type_id", [POSITIONS, 999])
def test_second_tables_and_unknown_types_are_bytes(type_id: int) -> None:
    data = with_another(MODEL, type_id)
    archive = nres.Archive.read(data)
    part = find(tree(data), f"resource_{len(archive.entries) - 1}")
    assert part is not None
    assert bytes(part.data) == b"more"


def test_bytes_that_two_tables_share_belong_to_the_one_that_starts_first() -> None:
    positions = entry_of(MODEL, POSITIONS)
    data = with_entry(MODEL, INDICES, data_offset=positions.offset + 12, size=positions.size)
    root = tree(data)
    check_tree(data, root)
    found = place_at(root, positions.offset + 12)
    assert (found.path, found.row) == ("positions", 1)
    rest = find(root, "indices")
    assert rest is not None
    assert (rest.start, rest.end) == (positions.end, positions.end + 12)
    assert rest.rows is None


def test_a_table_inside_another_one_is_empty() -> None:
    positions = entry_of(MODEL, POSITIONS)
    data = with_entry(MODEL, INDICES, data_offset=positions.offset, size=4)
    data = with_entry(data, INDICES, data_offset=positions.offset + 12)
    root = tree(data)
    check_tree(data, root)
    indices = find(root, "indices")
    assert indices is not None
    assert indices.count == 0


def test_a_table_outside_the_container_has_no_part() -> None:
    data = with_entry(MODEL, NODES, size=1 << 31)
    root = tree(data)
    check_tree(data, root)
    assert find(root, "nodes") is None
    assert node_count(nres.Archive.read(data)) == 0


def test_nodes_of_24_bytes_are_counted() -> None:
    archive = nres.Archive.read(legacy24([box()]))
    assert is_legacy(archive)
    assert node_count(archive) == entry_of(legacy24([box()]), NODES).attr1


@given(CHANGES, st.sampled_from((MODEL, terrain(is_coarse=False))))
def test_any_damage_leaves_a_tree_that_tiles(changes: Changes, data: bytes) -> None:
    payload = damaged(data, changes)
    try:
        root = tree(payload)
    except FormatError:
        return
    check_tree(payload, root)


def test_the_corpora_tile(files: Path) -> None:
    folder = files / "damaged"
    manifest = json.loads((folder / "manifest.json").read_text())["mutants"]
    paths = [folder / mutant["file"] for mutant in manifest if mutant["kind"] == "msh"]
    paths += (files / "field").rglob("*.msh")
    assert len(paths) > 40
    for path in paths:
        data = path.read_bytes()
        try:
            root = tree(data)
        except FormatError:
            continue
        check_tree(data, root)


def test_tables_are_numbered_by_fields_of_others() -> None:
    """Specification msh.md 4 to 12."""
    assert tables.fields_to("keys") == ["nodes.fallback_key", "frame_map.key"]
    assert tables.fields_to("slots") == ["nodes.slots"]
    assert tables.fields_to("normals") == []
