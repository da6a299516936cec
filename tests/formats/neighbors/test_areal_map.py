"""The areal map of a terrain: polygons, their neighbors, and the grid that finds them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.neighbors import areal_map
from viewer.model.kinds.registry import recognise
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.validation.validate import check_item


def areal(*edges: tuple[int, int], more: int = 0) -> bytes:
    header = struct.pack("<3fI f3f 4I 2I", 1, 2, 3, 0, 4, 0, 0, 1, 1, 0, 0, 0, len(edges), more)
    return header + bytes(12 * len(edges)) + b"".join(struct.pack("<2i", *edge) for edge in edges)


def grid(columns: int, rows: int, *cells: tuple[int, ...]) -> bytes:
    words = [word for cell in cells for word in (len(cell), *cell)]
    return struct.pack(f"<2I{len(words)}H", columns, rows, *words)


TWO = areal((-1, -1), (1, 0)) + areal((0, 1))
SOUND = TWO + grid(2, 2, (), (0,), (0, 1), (1,))


def found(data: bytes, count: int) -> list[tuple[str, str]]:
    return [(it.rule, it.where) for it in areal_map.decode(data, count).diagnostics]


def test_the_maps_of_the_corpora(samples: Path) -> None:
    paths = sorted(samples.rglob("Land.map"))
    assert len(paths) == 2
    for path in paths:
        archive = nres.Archive.read(path.read_bytes())
        entry = archive.entry(0)
        assert recognise(entry.type_id, archive.payload(0), entry.name).id == "areal_map"
        decoded = areal_map.decode(archive.payload(0), entry.attr1)
        assert len(decoded.areals) == 4
        assert (decoded.diagnostics, decoded.tail) == ((), b"")
        check_payload(
            bytes(archive.payload(0)),
            areal_map.encode(decoded),
            areal_map.parts(decoded),
            decoded.diagnostics,
        )
        assert decoded.grid is not None
        assert (int(decoded.grid["columns"]), int(decoded.grid["rows"])) == (128, 128)
        assert len(decoded.referring) == 128 * 128
        for one in decoded.areals:
            corners = one.vertex_rows["position"]
            assert np.allclose(corners.mean(axis=0), one.header["center"])
            assert np.prod(np.ptp(corners, axis=0)[:2]) == one.header["area"]
        reports = check_item(Item(Address(path), memoryview(path.read_bytes())))
        assert [(report.kind, report.diagnostics) for report in reports] == [("nres", ()), ("areal_map", ())]


def test_neighbors_lead_back() -> None:
    decoded = areal_map.decode(SOUND, 2)
    assert decoded.areals[0].edge_rows["areal"].tolist() == [-1, 1]
    assert decoded.areals[1].edge_rows.tolist() == [(0, 1)]
    assert decoded.grid is not None
    assert decoded.words[decoded.referring].tolist() == [0, 0, 1, 1]
    assert decoded.diagnostics == ()


@pytest.mark.parametrize(
    ("data", "count", "expected"),
    [
        (SOUND + b"?", 2, [("AREA01", "tail")]),
        (SOUND[:-1], 2, [("AREA01", "tail")]),
        (TWO, 2, [("AREA01", "areals")]),
        (b"", 0, [("AREA01", "")]),
        (SOUND, 3, [("AREA01", "areals[2]")]),
        (areal() + areal(more=1) + grid(1, 1, ()), 2, [("AREA01", "areals[1]")]),
        (areal((1, 0)) + grid(1, 1, ()), 1, [("AREA02", "areals[0].edges[0].areal")]),
        (areal((0, 1)) + grid(1, 1, ()), 1, [("AREA02", "areals[0].edges[0].areal")]),
        (areal((-2, 0)) + grid(1, 1, ()), 1, [("AREA02", "areals[0].edges[0].areal")]),
        (areal() + grid(1, 2, (0,), (0, 1)), 1, [("AREA02", "cells[4].word")]),
        (areal() + grid(1 << 16, 1 << 16), 1, [("AREA01", "tail")]),
        (areal() + grid(0, 0), 1, [("AREA01", "tail")]),
    ],
)
def test_what_does_not_add_up(data: bytes, count: int, expected: list[tuple[str, str]]) -> None:
    assert found(data, count) == expected
    decoded = areal_map.decode(data, count)
    check_payload(data, areal_map.encode(decoded), areal_map.parts(decoded), decoded.diagnostics)


def test_references_that_lead_nowhere_are_few_findings() -> None:
    assert len(found(areal((7, 7)) * 1000 + grid(1, 1, ()), 1000)) < 200


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(FormatError, match=r"areals\[0\]"):
        areal_map.decode(SOUND[:50], 2)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(changes: st.DataObject) -> None:
    decoded = areal_map.decode(SOUND, 2)
    check_field_change(decoded, areal_map.encode, areal_map.parts(decoded), changes)


@given(count=st.integers(0, 1 << 32), start=st.integers(0, len(SOUND)), rest=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(count: int, start: int, rest: bytes) -> None:
    data = SOUND[:start] + rest
    try:
        decoded = areal_map.decode(data, count)
    except FormatError:
        return
    check_payload(data, areal_map.encode(decoded), areal_map.parts(decoded), decoded.diagnostics)
