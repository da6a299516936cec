"""The table of tables: names, records and the attributes that new tables get."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from viewer.formats.msh import path_graph, tables, vertices
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.msh.tables import (
    FRAME_MAP,
    KEYS,
    NAME_RECORDS,
    NODES,
    PATH_GRAPH,
    REQUIRED,
    SLOTS,
    STRINGS,
    TABLES,
    TERRAIN,
    attributes,
)
from viewer.formats.part import find


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
