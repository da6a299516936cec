"""The library takes what it returns, also as numpy has it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mshview
from viewer.formats.archive import nres


@pytest.fixture
def walker(game: Path) -> mshview.Model:
    """The walker."""
    (model,) = mshview.models(f"{game / 'models.rlb'}::walker.msh")
    return model


@pytest.mark.parametrize("number", [np.uint16(9), np.int64(9), np.int8(9), np.array(9), 9])
def test_whole_numbers_of_numpy_are_set(walker: mshview.Model, number: Any) -> None:
    walker.set("batches[0].flags", number)
    assert walker.batches[0].flags == 9


@pytest.mark.parametrize("number", [np.float32(1.5), np.float64(1.5), np.float16(1.5), np.int32(1)])
def test_numbers_of_numpy_are_set(walker: mshview.Model, number: Any) -> None:
    walker.set("slots[0].sphere_radius", number)
    assert walker.fields()["slots"][0]["sphere_radius"] == float(number)


@pytest.mark.parametrize("form", [lambda it: it, list, tuple, lambda it: it.tolist(), lambda it: it[:]])
def test_a_row_that_was_returned_is_taken(walker: mshview.Model, form: Any) -> None:
    wanted = walker.positions[7] * np.float32(1.1)
    walker.set("positions[7].position", form(wanted))
    assert np.array_equal(walker.positions[7], wanted)
    row = walker.fields()["positions"][8]
    walker.set("positions[7]", row)
    assert np.array_equal(walker.positions[7], np.array(row, np.float32))


def test_rows_of_the_fields_are_taken(walker: mshview.Model) -> None:
    before = walker.fields()
    for table, row in (
        ("slots", 1),
        ("batches", 1),
        ("nodes", 6),
        ("normals", 1),
        ("uvs", 1),
        ("indices", 1),
    ):
        walker.set(f"{table}[{row}]", before[table][row])
        assert walker.changes() == [], table
    walker.set("slots[1]", before["slots"][2])
    assert walker.fields()["slots"][1] == before["slots"][2] | {"index": 1}


def test_values_of_a_change_may_be_of_numpy(walker: mshview.Model) -> None:
    number = walker.nodes[5].slots[0][0]
    assert number is not None
    slot = walker.fields()["slots"][number]
    vertex = walker.indices(slot["batch_start"])[0, 0]
    before = walker.positions[vertex]
    walker.edit({"do": "move", "node": np.int64(5), "by": np.array([0, 0, 0.25])})
    walker.edit({"do": "move", "node": 5, "by": (0, 0, np.float32(0.25))})
    assert walker.positions[vertex] == pytest.approx(before + np.array([0, 0, 0.5]))
    walker.edit({"do": "set", "table": "batches", "rows": np.array([1, 2]), "field": "flags", "value": 3})
    assert [it.flags for it in walker.batches[1:3]] == [3, 3]


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("batches[0].flags", np.bool_(True), "true is not a number"),
        ("batches[0].flags", np.float32(8.5), "8.5 is not a whole number"),
        ("batches[0].flags", np.int64(70000), "70000 exceeds 0..65535"),
        ("positions[0].position", np.zeros(2), "3 values are needed"),
        ("positions[0].position", np.array(["a", "b", "c"]), "'a' is not a number"),
        ("positions[0].position", object(), "is not a number"),
    ],
)
def test_values_of_numpy_are_refused_like_others(
    walker: mshview.Model, place: str, value: Any, words: str
) -> None:
    with pytest.raises(mshview.Error, match=words):
        walker.set(place, value)
    assert walker.changes() == []


def test_an_entry_is_added_of_bytes(game: Path) -> None:
    archive = mshview.open(game / "models.rlb")
    assert isinstance(archive, mshview.Archive)
    archive.edit({"do": "add-entry", "name": "new.bin", "payload": b"\0\1\2"})
    archive.edit({"do": "add-entry", "name": "other.bin", "payload": bytearray(b"\3"), "row": np.int64(0)})
    assert archive["new.bin"].data == b"\0\1\2"
    assert archive[0].name == "other.bin"
    archive.save()
    stored = nres.Archive.read(memoryview((game / "models.rlb").read_bytes()))
    assert bytes(stored.payload(0)) == b"\3"


def test_pictures_without_alpha_are_opaque(game: Path, tmp_path: Path) -> None:
    (texture,) = mshview.textures(f"{game / 'Textures.lib'}::METAL.0")
    red = np.zeros((8, 4, 3), np.uint8)
    red[..., 0] = 255
    texture.replace(red)
    assert texture.size == (4, 8)
    assert (texture.pixels == [255, 0, 0, 255]).all()
    texture.replace(texture.pixels[::-1, :2])
    assert texture.size == (2, 8)
    mshview.write_png(tmp_path / "red.png", red)
    assert (mshview.read_image(tmp_path / "red.png") == [255, 0, 0, 255]).all()
    for wrong in (red.astype(np.int32), red[..., 0], red[:0], red.tolist(), "red", None, [[1], [1, 2]]):
        with pytest.raises(mshview.Error, match="pixels: "):
            texture.replace(wrong)  # type: ignore[arg-type]


def test_positions_are_written_as_an_edit_writes_them(game: Path, walker: mshview.Model) -> None:
    before = walker.positions
    wanted = before.copy()
    wanted[3] += [0, 0, 9]
    walker.positions = wanted
    assert np.array_equal(walker.positions, wanted)
    changed = {(it["table"], it["row"], it["field"]) for it in walker.changes()}
    assert ("positions", 3, "position") in changed
    assert {table for table, *_ignored in changed} <= {"positions", "slots", "header", "tri_descriptors"}
    assert any(table == "slots" for table, *_ignored in changed), "bounds follow"
    (other,) = mshview.models(f"{game / 'models.rlb'}::walker.msh")
    other.set("positions[3].position", wanted[3])
    assert other.data == walker.data, "the same as setting the row"
    walker.positions = before.tolist()
    walker.discard()
    walker.positions = walker.positions
    assert walker.changes() == []


def test_normals_and_coordinates_are_written_in_their_steps(walker: mshview.Model) -> None:
    normals, uvs = walker.normals, walker.uvs
    assert normals is not None
    assert uvs is not None
    walker.normals, walker.uvs = normals, uvs
    assert walker.changes() == [], "what was returned changes no byte"
    normals[2], uvs[4] = [0.6, 0.0, -0.8], [1.25, -0.5]
    walker.normals, walker.uvs = normals, uvs
    assert walker.fields()["normals"][2][:3] == [76, 0, -102]  # 0.6 * 127 is 76.2
    assert walker.fields()["uvs"][4] == [1280, -512]
    assert {it["table"] for it in walker.changes()} == {"normals", "uvs"}


def test_indices_of_a_batch_are_written(walker: mshview.Model) -> None:
    batch = walker.batches[1]
    before, others = walker.indices(batch), walker.indices(0)
    assert before.shape == (batch.index_count // 3, 3)
    walker.set_indices(batch, before[:, [0, 2, 1]])
    assert np.array_equal(walker.indices(1), before[:, [0, 2, 1]])
    assert np.array_equal(walker.indices(0), others)
    stored = walker.fields()["indices"][batch.index_start : batch.index_start + 3]
    assert stored == (before[0, [0, 2, 1]] - batch.base_vertex).tolist()
    walker.set_indices(batch, before)
    assert np.array_equal(walker.indices(1), before)


@pytest.mark.parametrize("values", [0, "x", [[1, 2]], np.zeros((3, 3)), [[np.nan] * 3] * 2, None, [[], [1]]])
def test_arrays_that_do_not_fit_are_refused(walker: mshview.Model, values: Any) -> None:
    before = walker.data
    for name in ("positions", "normals", "uvs"):
        with pytest.raises(mshview.Error, match=name):
            setattr(walker, name, values)
    with pytest.raises(mshview.Error, match="indices"):
        walker.set_indices(0, values)
    assert walker.data == before


def test_values_beyond_what_is_stored_are_refused(walker: mshview.Model) -> None:
    for name, value in (("positions", np.inf), ("positions", 1e300), ("normals", 1.5), ("uvs", 40)):
        values = np.array(getattr(walker, name), np.float64)
        values[5, 1] = value
        with pytest.raises(mshview.Error, match=rf"{name}\[5\]"):
            setattr(walker, name, values)
    for value in (-1, len(walker.positions), 0.5):
        vertices = walker.indices(0).astype(np.float64)
        vertices[0, 1] = value
        with pytest.raises(mshview.Error, match=r"indices\[\d+\]: .* is not one of the vertices"):
            walker.set_indices(0, vertices)
    with pytest.raises(mshview.Error, match="batch"):
        walker.indices(999)
    assert walker.changes() == []


def test_what_was_returned_stands_for_its_number(walker: mshview.Model) -> None:
    clip, node, batch = walker.clips[2], walker.nodes[3], walker.batches[2]
    assert np.array_equal(walker.pose(0.3, clip).position, walker.pose(0.3, 2).position)
    assert node.parent is not None
    assert walker.nodes[node] == node
    walker.edit({"do": "rename-node", "node": node, "name": "elsewhere"})
    assert [it.name for it in walker.nodes].index("elsewhere") == 3
    walker.set("nodes[4].parent", node)
    assert walker.nodes[4].parent == 3
    assert np.array_equal(walker.indices(batch), walker.indices(2))
    assert walker.pose().world[node].shape == (4, 4)


def test_names_of_nodes_are_no_formulas_in_a_table(walker: mshview.Model, tmp_path: Path) -> None:
    for node, name in ((0, "=1+1"), (1, "-x"), (2, "-1.5")):
        walker.edit({"do": "rename-node", "node": node, "name": name})
    walker.write_animations(tmp_path / "a.csv", rate=1)
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [it["node_name"] for it in rows[:3]] == ["'=1+1", "'-x", "-1.5"]
    assert [it["node"] for it in rows[:3]] == ["0", "1", "2"]
