"""Every table on its own: any bytes are taken apart and built again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from viewer.formats.msh import tables
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.msh.tables import NODES, SLOTS, STRINGS, TABLES
from viewer.formats.part import find


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
