"""What batches and faces ask for, by what they are drawn with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, archive_of, box, quad
from tests.game_folders import materials_of, wear_of
from tests.messages import states
from tests.terrains import terrain
from viewer.errors import AddressError
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.msh.tables import FACES
from viewer.formats.msh.terrain import FACE
from viewer.model.material import selectors
from viewer.model.material.materials import FoundIn, Materials
from viewer.model.mesh.reading import FIELD, SEED, ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.opening import Source
from viewer.session.opened.document import Document


def test_batches_with_the_same_row_share_a_material(tmp_path: Path) -> None:
    shapes = [box(material=2), box(), box(material=2, flags=0x108), box(material=2)]
    model = ModelBuilder([Node("a", shapes={(0, 0): shapes})]).model()
    found = materials_of(model, wear_of([b"SKIN", b"GLASS", b"leaves"]), game_folders.write(tmp_path))
    assert [(m.row, m.name, m.has_see_through_flag) for m in found.rows] == [
        (0, "SKIN", False),
        (2, "leaves", False),
        (2, "leaves", True),
    ]
    assert found.of_batch.tolist() == found.of_draw.tolist() == [1, 0, 2, 1]
    assert found.batches(1).tolist() == [0, 3]
    assert found.wear_names == ("SKIN", "GLASS", "leaves")
    assert found.problems == ()
    assert [any("see-through" in step for step in row.trace) for row in found.rows] == [False, False, True]


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


def land(folder: Path, layers: Sequence[tuple[int, int]], *, has_second_table: bool = True) -> Materials:
    """The materials of a terrain of one tile in two levels whose faces have these pairs of materials."""
    game_folders.write(folder)
    container = nres.Archive.read(terrain(1, 1))
    index = container.find_type(FACES)
    assert index is not None
    faces = FACE.view(container.payload(index)).copy()
    faces["material_a"], faces["material_b"] = np.array(layers).T
    (folder / "Land.msh").write_bytes(rewrite(container, {index: faces.tobytes()}))
    (folder / "Land1.wea").write_bytes(wear.build([b"SKIN", b"GLASS"]))
    if has_second_table:
        (folder / "LAND2.WEA").write_bytes(wear.build([b"leaves", b"GONE"]))
    return Document.open(FileStore(), Source(Address(folder / "Land.msh"))).materials


def test_layers_of_a_terrain_have_the_same_tables_at_both_levels_of_detail(tmp_path: Path) -> None:
    found = land(tmp_path, [(0, 0xFF), (1, 0), (0, 0xFF), (1, 0)])
    names = [found.rows[row].name for row in found.of_draw]
    assert names == ["SKIN", "GLASS"] * 2
    seconds = [found.rows[row].second_layer for row in found.of_draw]
    assert seconds == [None, 2] * 2
    assert (found.rows[2].name, found.rows[2].is_second_layer) == ("leaves", True)
    assert not any(row.is_second_layer for row in found.rows[:2])
    assert len(found.of_batch) == 0


def test_a_second_layer_is_looked_up_in_the_second_table(tmp_path: Path) -> None:
    found = land(tmp_path, [(0, 1), (0, 0xFF), (0, 7), (0, 0xFF)])
    lost, outside = (row for row in found.rows if row.is_second_layer)
    assert (lost.name, lost.found) == ("GONE", FoundIn.DEFAULT)
    assert outside.name is None
    assert lost.steps[0].place == Place(str(tmp_path / "Land.msh"), FACE.name, 0, "material_b")
    assert states(outside.problems[0], "LAND2.WEA no row 7 2")
    assert [row.name for row in found.unused] == ["GLASS", "leaves"]


def test_without_the_second_table_the_second_layers_are_named_missing(tmp_path: Path) -> None:
    found = land(tmp_path, [(0, 0), (0, 0), (0, 0), (0, 0)], has_second_table=False)
    assert [(row.name, row.is_second_layer) for row in found.rows] == [("SKIN", False), (None, True)]
    assert any("Land2.wea" in problem for problem in found.rows[1].problems)


TABLE = wear.build([b"STONE", b"SAND"])


def test_a_loose_model_has_its_table_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ROCK.WEA").write_bytes(TABLE)
    found = selectors.of_model(FileStore(), Address(tmp_path / "rock.msh"))
    assert (found.source, found.row_count) == (str(tmp_path / "ROCK.WEA"), 2)


def test_a_table_in_an_archive_is_named_as_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"rock.msh": b"", "Rock.wea": TABLE}))
    for entry in ("ROCK.msh", "#0"):
        found = selectors.of_model(FileStore(), Address(path, (entry,)))
        assert found.source == f"{path}::Rock.wea"
    lonely = tmp_path / "b.rlb"
    lonely.write_bytes(archive_of({"rock.msh": b""}))
    for entry in ("rock.msh", "#0"):
        missing = selectors.of_model(FileStore(), Address(lonely, (entry,)))
        assert states(missing.problem, f"rock.wea {lonely}")


def test_a_table_that_is_missing_or_illegal_says_so(tmp_path: Path) -> None:
    model = Address(tmp_path / "rock.msh")
    missing = selectors.of_model(FileStore(), model)
    assert (missing.table, missing.row_count) == (None, None)
    assert states(missing.problem, f"rock.wea {tmp_path}")
    (tmp_path / "rock.wea").write_bytes(b"none\r\n")
    illegal = selectors.of_model(FileStore(), model)
    assert illegal.table is None
    assert states(illegal.problem, f"{tmp_path / 'rock.wea'} read")


def test_a_terrain_has_two(tmp_path: Path) -> None:
    (tmp_path / "land1.wea").write_bytes(TABLE)
    first, second = selectors.of_terrain(FileStore(), Address(tmp_path / "Land.msh"))
    assert (first.row_count, second.row_count) == (2, None)


def test_an_address_has_to_lead_somewhere(tmp_path: Path) -> None:
    with pytest.raises(AddressError):
        selectors.at(FileStore(), Address(tmp_path / "none.wea"))
