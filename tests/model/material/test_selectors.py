"""What batches and faces ask for, by what they are drawn with."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests import game_folders
from tests.builders import ModelBuilder, Node, box, quad
from tests.game_folders import materials_of, wear_of
from tests.messages import states
from tests.terrains import terrain
from viewer.formats import wear
from viewer.model.mesh.reading import FIELD, SEED, ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.opened.source import Source


def test_batches_with_the_same_row_share_a_material(tmp_path: Path) -> None:
    shapes = [box(material=2), box(), box(material=2, flags=2), box(material=2)]
    model = ModelBuilder([Node("a", shapes={(0, 0): shapes})]).model()
    found = materials_of(model, wear_of([b"SKIN", b"GLASS", b"leaves"]), game_folders.write(tmp_path))
    assert [(m.row, m.name, m.is_two_sided) for m in found.rows] == [
        (0, "SKIN", False),
        (2, "leaves", False),
        (2, "leaves", True),
    ]
    assert found.of_batch.tolist() == found.of_draw.tolist() == [1, 0, 2, 1]
    assert found.batches(1).tolist() == [0, 3]
    assert found.wear_names == ("SKIN", "GLASS", "leaves")
    assert found.problems == ()


def test_the_high_byte_asks_for_the_lightmap_in_the_field_reading(tmp_path: Path) -> None:
    shapes = [quad(material=1, has_lightmap=True), quad(material=1), quad(material=1)]
    builder = ModelBuilder([Node("a", shapes={(0, 0): shapes})], FIELD)
    builder.batches["opaque4"][2] = 0x0101
    table = wear_of([b"FIRST", b"SKIN"], [b"HALL.0"])
    found = materials_of(builder.model(), table, game_folders.write(tmp_path), ReadingChoice.FIELD)
    names = [found.rows[row].lightmap for row in found.of_batch]
    assert [picture and picture.name for picture in names] == ["HALL.0", None, None]
    assert states(found.rows[found.of_batch[2]].problems[0], "lightmap 1 1")


def test_a_flag_asks_for_the_lightmap_in_the_seed_reading(tmp_path: Path) -> None:
    shapes = [quad(material=1, flags=0x2000), quad(material=1)]
    model = ModelBuilder([Node("a", shapes={(0, 0): shapes})], SEED).model()
    found = materials_of(model, wear_of([b"FIRST", b"SKIN"], [b"HALL.0"]), game_folders.write(tmp_path))
    assert [found.rows[row].lightmap is not None for row in found.of_batch] == [True, False]
    without = materials_of(model, wear_of([b"FIRST", b"SKIN"]), tmp_path)
    assert all(material.lightmap is None for material in without.rows)


def test_where_both_readings_agree_the_high_byte_asks(tmp_path: Path) -> None:
    shapes = [quad(has_lightmap=True), quad()]
    model = ModelBuilder([Node("a", shapes={(0, 0): shapes})], FIELD).model()
    table, folder = wear_of([b"SKIN"], [b"HALL.0"]), game_folders.write(tmp_path)
    found = materials_of(model, table, folder)
    assert [found.rows[row].lightmap is not None for row in found.of_batch] == [True, False]
    forced = materials_of(model, table, folder, ReadingChoice.SEED)
    assert all(material.lightmap is None for material in forced.rows)


def test_a_terrain_has_one_table_for_each_level_of_detail(tmp_path: Path) -> None:
    game_folders.write(tmp_path)
    path = tmp_path / "Land.msh"
    path.write_bytes(terrain(is_coarse=True))
    rows = 256
    (tmp_path / "Land1.wea").write_bytes(wear.build([b"SKIN"] * rows))
    (tmp_path / "LAND2.WEA").write_bytes(wear.build([b"GLASS"] * rows))
    document = Document.open(FileStore(), Source(Address(path)))
    found = document.materials
    names = np.array([found.rows[row].name for row in found.of_draw])
    is_coarse = (document.draws.parts.cells[document.draws.part] & 1) == 0
    assert set(names[~is_coarse]) == {"SKIN"}
    assert set(names[is_coarse]) <= {"GLASS"}
    assert len(found.of_batch) == 0
