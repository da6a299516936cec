"""Trees of parts: spans, paths, the way from an offset to a field."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_tree
from viewer.formats import mat0
from viewer.formats.part import encode, find, gaps, group, place_at, raw, walk

PHASES = [mat0.PhaseRecord(b"A.0", power=3), mat0.PhaseRecord(b"B.0")]
BLOCKS = [mat0.block(1, 2, [(0, 0), (1, 500)]), mat0.block(0, 0, [(1, 7)])]
PAYLOAD = mat0.build(PHASES, BLOCKS) + b"rest"
STORED = mat0.decode(PAYLOAD)
ROOT = mat0.parts(STORED)


def test_the_parts_of_a_material_tile_it() -> None:
    check_tree(PAYLOAD, ROOT)
    assert [child.name for child in ROOT.children] == ["header", "phases", "blocks", "tail"]


@given(data=st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    check_field_change(STORED, mat0.encode, ROOT, data)


@pytest.mark.parametrize("version", range(8))
def test_short_headers_tile_too(version: int) -> None:
    header = mat0.header_size(version)
    payload = PAYLOAD[:header] + PAYLOAD[mat0.HEADER.size :]
    check_tree(payload, mat0.parts(mat0.decode(payload, version)))


@pytest.mark.parametrize(
    ("path", "count"), [("", 0), ("phases", 2), ("blocks", 2), ("blocks[1].keys", 1), ("blocks[0].header", 1)]
)
def test_a_path_finds_its_part(path: str, count: int) -> None:
    part = find(ROOT, path)
    assert part is not None
    assert part.count == count


@pytest.mark.parametrize("path", ["nothing", "blocks[2]", "phases[0].x", "header.x", "blocks.keys"])
def test_a_path_that_leads_nowhere_finds_nothing(path: str) -> None:
    assert find(ROOT, path) is None


def test_every_part_is_found_by_its_own_path() -> None:
    assert all(find(ROOT, path) is part for path, part in walk(ROOT))


def test_every_offset_leads_to_the_field_whose_span_holds_it() -> None:
    for offset in range(len(PAYLOAD)):
        found = place_at(ROOT, offset)
        part = find(ROOT, found.path)
        assert part is not None
        start, size = part.span(found.row, found.field.name if found.field else None)
        assert start <= offset < start + size
        assert found.before == (offset - start if found.field else 0)
        assert found.field is not None or found.path == "tail"


def test_a_row_that_does_not_exist_has_no_span() -> None:
    phases = find(ROOT, "phases")
    assert phases is not None
    with pytest.raises(LookupError):
        phases.span(2)
    with pytest.raises(LookupError):
        phases.span(0, "nothing")


def test_gaps_and_overlaps_are_found() -> None:
    loose = group((raw("a", b"12", 0, "a"), raw("b", b"34", 3, "b"), raw("c", b"56", 4, "c")))
    assert list(gaps(loose)) == [(2, 3), (5, 4)]
    assert encode(loose) == b"123456"
