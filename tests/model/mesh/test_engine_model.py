"""What the engine holds in memory against the numbers of seed 000, section 4."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.builders import ModelBuilder, Node, legacy24, quad
from tests.terrains import terrain
from viewer.formats.archive import nres
from viewer.formats.msh.tables import FRAME_MAP, LIGHT_PROBES, NORMALS, STREAM16, STREAM18
from viewer.formats.record import Status
from viewer.model.mesh.engine_model import SIZE, EngineField, engine_fields
from viewer.model.mesh.model import Model

_POINTERS = {
    0x00: (1, 0),
    0x04: (2, 0),
    0x08: (2, 0x8C),
    0x0C: (3, 0),
    0x10: (4, 0),
    0x14: (5, 0),
    0x18: (8, 0),
    0x1C: (19, 0),
    0x20: (10, 0),
    0x24: (7, 0),
    0x28: (13, 0),
    0x2C: (6, 0),
    0x30: (20, 0),
    0x34: (15, 0),
    0x38: (16, 0),
    0x3C: (3, 0),
    0x44: (4, 0),
    0x4C: (16, 0),
    0x54: (16, 4),
    0x5C: (5, 0),
    0x64: (18, 0),
    0x8C: (15, 0),
}
"""Offset of each pointer: the resource that it leads into, and how far (4.1, 4.2)."""
_STRIDES = {0x40: 12, 0x48: 4, 0x50: 8, 0x58: 8, 0x60: 4, 0x68: 4, 0x90: 8}


def _model(*left_out: int) -> Model:
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [quad()]})])
    vertices = 4
    for type_id, size in ((15, 8), (16, 8), (18, 4), (20, 48)):
        count = 2 if type_id == LIGHT_PROBES else vertices
        builder.tables[type_id] = bytes(count * size)
        builder.attributes[type_id] = (count, 0, size)
    archive = nres.Archive.read(builder.build())
    return Model.read(
        nres.build(
            nres.NewEntry(it.type_id, archive.payload(it.index), b"", it.attr1, it.attr2, it.attr3)
            for it in archive.entries
            if it.type_id not in left_out
        )
    )


def _at(model: Model) -> dict[int, EngineField]:
    return {it.offset: it for it in engine_fields(model)}


def test_every_pointer_leads_where_the_loader_puts_it() -> None:
    model = _model()
    found = _at(model)
    for offset, (type_id, shift) in _POINTERS.items():
        index = model.archive.find_type(type_id)
        assert index is not None
        assert found[offset].at == model.archive.entries[index].offset + shift, hex(offset)
        assert found[offset].type_id == type_id
    assert {it.offset for it in found.values() if it.at is not None} == {*_POINTERS}
    assert {offset: found[offset].value for offset in _STRIDES} == _STRIDES
    assert (found[0x94].value, found[0x9C].value, found[0xA0].value) == (0, 1, 2)


def test_the_fields_tile_the_structure_and_what_no_source_mentions_is_open() -> None:
    fields = engine_fields(_model())
    assert all(a.offset + a.size == b.offset for a, b in pairwise(fields))
    assert (fields[0].offset, fields[-1].offset + fields[-1].size) == (0, SIZE)
    unknown = [(it.offset, it.size) for it in fields if it.status is Status.OPEN]
    assert unknown == [(0x6C, 32), (0x94, 4), (0x98, 4)]


def test_missing_streams_are_null_and_only_the_stride_of_res18_is_cleared() -> None:
    found = _at(_model(15, STREAM16, STREAM18, LIGHT_PROBES))
    for offset in (0x34, 0x38, 0x4C, 0x54, 0x64, 0x8C, 0x30):
        assert (found[offset].at, found[offset].value) == (None, 0)
    assert [found[it].value for it in (0x50, 0x58, 0x68, 0x90, 0xA0)] == [None, None, 0, 8, 0]
    assert ["whatever was in memory" in found[it].doc for it in (0x50, 0x58, 0x68)] == [True, True, False]
    assert found[0x68].doc == "0 without Res18."


def test_what_follows_without_a_usual_table_is_not_guessed() -> None:
    found = _at(_model(NORMALS, FRAME_MAP))
    assert [(found[it].at, found[it].value) for it in (0x10, 0x44, 0x1C, 0x9C)] == [(None, None)] * 4


@pytest.mark.parametrize(
    ("model", "nodes"), [(legacy24([quad()]), (1, 24)), (bytes(_model().archive.data), (1, 38))]
)
def test_rows_and_strides_are_those_of_the_tables(model: bytes, nodes: tuple[int, int]) -> None:
    found = _at(Model.read(model))
    assert (found[0x00].count, found[0x00].stride) == nodes
    assert (found[0x08].count, found[0x08].stride) == (1, 68)


def test_a_terrain_is_not_loaded_so() -> None:
    assert engine_fields(Model.read(terrain())) == ()


def test_a_table_outside_of_the_file_is_said_to_be() -> None:
    data = bytearray(_model().archive.data)
    archive = nres.Archive.read(bytes(data))
    index = archive.find_type(NORMALS)
    assert index is not None
    row = len(data) - nres.ENTRY.size * (len(archive.entries) - index)
    at = row + nres.ENTRY.field("size").offset
    data[at : at + 4] = (1 << 30).to_bytes(4, "little")
    field = _at(Model.read(bytes(data)))[0x10]
    assert "not inside of the file" in field.doc
    assert field.count == 0
