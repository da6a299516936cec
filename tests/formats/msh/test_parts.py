"""A model taken apart: every byte of its container has a place, however damaged it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.broken.models import sound
from tests.builders import box, legacy24
from tests.formats.contract import check_tree
from tests.terrains import terrain
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.msh.parts import is_legacy, node_count, parts
from viewer.formats.msh.tables import INDICES, NODES, POSITIONS, TABLES
from viewer.formats.part import Part, find, spot_at

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
    spot = spot_at(root, positions.offset + 12)
    assert (spot.path, spot.row) == ("positions", 1)
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
