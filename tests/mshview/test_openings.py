"""Openings: unsaved changes belong to one, entries share them; archives are like lists."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import mshview
from tests.builders import ModelBuilder, Node, box
from tests.cli.picturing.test_ground import write_map
from viewer.model.mesh.model import Model


def archive_of(path: Path) -> mshview.Archive:
    """An opened archive."""
    found = mshview.open(path)
    assert isinstance(found, mshview.Archive)
    return found


def flags(resource: mshview.Resource) -> int:
    """The flags of the first batch, from the bytes: `fields` makes values of all tables."""
    return int(Model.read(resource.data).batches["flags"][0])


def test_two_openings_of_a_file_are_two_states(game: Path) -> None:
    path = game / "models.rlb"
    one, other = archive_of(path), archive_of(path)
    before = flags(one["walker.msh"])
    one["walker.msh"].set("batches[0].flags", before ^ 8)
    assert flags(one["WALKER.MSH"]) == before ^ 8, "entries of one opening share its state"
    assert flags(other["walker.msh"]) == before
    assert other.changes() == []
    other["drone.msh"].set("batches[0].flags", 77)
    assert flags(one["drone.msh"]) != 77
    one.save()
    assert flags(mshview.open(f"{path}::walker.msh")) == before ^ 8
    with pytest.raises(mshview.Error, match="another program"):
        other.save()
    other.discard()
    assert flags(other["walker.msh"]) == before ^ 8


def test_models_of_one_call_are_one_opening(game: Path) -> None:
    path = game / "models.rlb"
    archive = archive_of(path)
    for model in mshview.models(archive):
        model.set("batches[0].flags", 11)
    assert {it["after"] for it in archive.changes()} == {11}
    one, other = [*mshview.models(path)][:2]
    one.set("batches[0].flags", 12)
    assert {it["address"] for it in other.changes()} == {one.address}
    assert flags(archive[one.name]) == 11


def test_what_is_set_back_is_read_from_the_disk_again(game: Path) -> None:
    path = game / "models.rlb"
    model = mshview.open(f"{path}::walker.msh")
    before = flags(model)
    model.set("batches[0].flags", before ^ 8)
    model.set("batches[0].flags", before)
    assert model.changes() == []
    other = mshview.open(f"{path}::walker.msh")
    other.set("batches[0].flags", before ^ 1)
    other.save()
    assert flags(model) == before ^ 1
    model.save(game / "copy.rlb")
    assert flags(mshview.open(f"{game / 'copy.rlb'}::walker.msh")) == before ^ 1


def test_a_copy_of_an_edited_file_that_another_program_wrote_is_warned_of(game: Path) -> None:
    path = game / "models.rlb"
    model = mshview.open(f"{path}::walker.msh")
    before = flags(model)
    model.set("batches[0].flags", before ^ 8)
    other = mshview.open(f"{path}::walker.msh")
    other.set("batches[0].flags", before ^ 1)
    other.save()
    with pytest.warns(UserWarning, match=r"models\.rlb: was changed by another program") as found:
        model.save(game / "copy.rlb")
    assert found[0].filename == __file__
    assert flags(mshview.open(f"{game / 'copy.rlb'}::walker.msh")) == before ^ 8
    with pytest.warns(UserWarning, match=r"models\.rlb: was changed by another program") as found:
        model.export(game / "walker.json")
    assert found[0].filename == __file__
    model.discard()
    with warnings.catch_warnings(action="error"):
        model.export(game / "walker.json")


def test_setting_a_file_back_keeps_what_an_import_has_changed_next_to_it(tmp_path: Path) -> None:
    path = tmp_path / "cube.msh"
    path.write_bytes(ModelBuilder.of([Node("cube", shapes={(0, 0): [box((1, 1, 1))]})]).build())
    path.with_suffix(".wea").write_bytes(b"1\r\n0 STEEL\r\n")
    model = mshview.open(path)
    assert isinstance(model, mshview.Model)
    model.export(tmp_path / "cube.obj")
    library = tmp_path / "cube.mtl"
    library.write_text(library.read_text().replace("STEEL", "BRASS"))
    shape = tmp_path / "cube.obj"
    shape.write_text(shape.read_text().replace("STEEL", "BRASS"))
    model.import_from(shape)
    wear = path.with_suffix(".wea").read_bytes()
    before = flags(model)
    model.set("batches[0].flags", before ^ 8)
    model.set("batches[0].flags", before)
    assert model.changes() == []
    model.save()
    assert path.with_suffix(".wea").read_bytes() == wear.replace(b"STEEL", b"BRASS")


def test_a_model_that_was_read_is_read_again_if_a_file_changes(game: Path) -> None:
    path = game / "models.rlb"
    (model,) = mshview.models(f"{path}::walker.msh")
    assert model.nodes[6].name == "eye"
    assert model.materials[0].texture is not None
    other = mshview.open(f"{path}::walker.msh")
    other.edit({"do": "rename-node", "node": "eye", "name": "glaz"})
    other.save()
    assert model.nodes[6].name == "glaz"
    (game / "Material.lib").unlink()
    assert model.materials[0].texture is None


def test_a_relative_path_survives_another_folder(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(game)
    model = mshview.open("models.rlb::walker.msh", game=".", wear="models.rlb::walker.wea")
    (other,) = mshview.models("models.rlb::wal*.msh")
    with pytest.raises(mshview.Error) as caught:
        mshview.open("absent.rlb")
    assert str(caught.value).startswith("absent.rlb: "), "an error has the path as it was given"
    monkeypatch.chdir("/")
    assert isinstance(model, mshview.Model)
    assert len(model.nodes) == len(other.nodes) == 39
    assert model.materials[0].texture is not None
    model.set("batches[0].flags", 9)
    model.save()
    assert flags(mshview.open(f"{game / 'models.rlb'}::walker.msh")) == 9
    assert model.address == f"{game / 'models.rlb'}::walker.msh"


def test_an_archive_is_like_a_list(game: Path) -> None:
    archive = archive_of(game / "models.rlb")
    names = archive.names
    assert [it.name for it in archive] == names
    for number in (0, -1, 5, -len(names), np.int64(-2), np.uint8(3)):
        assert archive[number].name == names[int(number)]
    for part in (slice(2), slice(-3, None), slice(None, None, -1), slice(4, 1), slice(0, 999, 7)):
        assert [it.name for it in archive[part]] == names[part]
    for number in (len(names), -len(names) - 1, 10**30, -(10**30)):
        with pytest.raises(mshview.Error, match="has no entry"):
            archive[number]
    wrong: list[Any] = [1.5, None, b"walker.msh", slice("a"), slice(None, None, 0), (0, 1)]
    for index in wrong:
        with pytest.raises(mshview.Error, match=r"models\.rlb"):
            archive[index]
    assert [it.name for it in reversed(archive)] == names[::-1]


def test_an_archive_contains_names_and_resources(game: Path) -> None:
    archive = archive_of(game / "models.rlb")
    assert "walker.msh" in archive
    assert "WALKER.MSH" in archive
    assert "wolker.msh" not in archive
    assert 3 not in archive
    assert archive["walker.msh"] in archive
    assert mshview.open(f"{game / 'models.rlb'}::walker.msh") in archive
    assert mshview.open(game / "Textures.lib") not in archive


def test_openings_are_equal_if_they_have_the_same_bytes(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"{game / 'models.rlb'}::walker.msh"
    monkeypatch.chdir(game)
    one, other = mshview.open(address), mshview.open("models.rlb::walker.msh")
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1
    assert one != mshview.open(address, reading="seed")
    assert one != mshview.open(f"{game / 'models.rlb'}::drone.msh")
    assert one != address
    other.set("batches[0].flags", 9)
    assert one != other
    other.discard()
    assert one == other
    (game / "models.rlb").unlink()
    assert one != other
    assert one == one  # noqa: PLR0124 an object is itself


def test_with_forgets_what_is_not_saved_and_says_so(game: Path) -> None:
    path = game / "models.rlb"
    before = path.read_bytes()
    with mshview.open(path) as archive:
        assert isinstance(archive, mshview.Archive)
        with archive["walker.msh"] as model:
            model.set("batches[0].flags", 9)
        assert archive.changes(), "an entry ends nothing"
        archive.save()
    assert path.read_bytes() != before
    with pytest.warns(UserWarning, match="not saved"), mshview.open(f"{path}::drone.msh") as drone:
        drone.set("batches[0].flags", 9)
    assert drone.changes() == []
    drone.set("batches[0].flags", 9)
    with pytest.raises(mshview.Error, match="absent"), drone:
        drone.set("absent[0].flags", 9)
    assert drone.changes() == []


def test_copies_are_openings_of_their_own(game: Path) -> None:
    model = mshview.open(f"{game / 'models.rlb'}::walker.msh", reading="seed")
    for other in (copy.deepcopy(model), copy.copy(model), pickle.loads(pickle.dumps(model))):
        assert other == model
        other.set("batches[0].flags", 9)
        assert flags(model) != 9
        with pytest.raises(mshview.Error, match="not saved"):
            pickle.dumps(other)


def test_discard_forgets_in_all_openings(game: Path) -> None:
    path = game / "models.rlb"
    one, other = mshview.open(f"{path}::walker.msh"), mshview.open(f"{path}::walker.msh")
    texture = next(mshview.textures(game / "Textures.lib"))
    one.set("batches[0].flags", 9)
    other.set("batches[0].flags", 10)
    texture.replace(texture.pixels[::-1])
    mshview.discard(path)
    assert one.changes() == other.changes() == []
    assert texture.changes()
    mshview.discard()
    assert texture.changes() == []


PICTURES = """
import concurrent.futures, multiprocessing, os, sys
import numpy as np
import mshview

def draw(turn):
    return mshview.open(sys.argv[1]).render((48, 48), yaw=float(turn % 4) * 90)
"""
THREADS = """
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    found = [*pool.map(draw, range(16))]
same = all(np.array_equal(it, draw(turn)) for turn, it in enumerate(found))
print(same, len({it.tobytes() for it in found}))
"""
FORKED = """
wanted = [draw(turn) for turn in range(4)]
model = mshview.open(sys.argv[1])
model.set("positions[*].position", [0, 0, 0])
with multiprocessing.get_context("fork").Pool(2) as pool:
    found = pool.map_async(draw, range(4)).get(90)
same = all(np.array_equal(it, wanted[turn]) for turn, it in enumerate(found))
print(same, flush=True)  # else the child has the text in its buffer, and prints it too
child = os.fork()
if not child:
    print(model.render((48, 48)).any(), np.array_equal(draw(1), wanted[1]), flush=True)
    try:
        model.render((0, 1))
    except mshview.Error as error:
        print(error, flush=True)
    sys.exit()
os.waitpid(child, 0)
"""


@pytest.mark.long("processes and threads that load the renderer and draw dozens of pictures")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux copies processes by default")
@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (THREADS, ["True 4"]),
        (FORKED, ["True", "False True", "size: 0 x 1 is not within 1 to 8192 a side and 16777216 pixels"]),
    ],
)
def test_threads_and_copies_of_a_process_draw(game: Path, code: str, printed: list[str]) -> None:
    address = f"{game / 'models.rlb'}::walker.msh"
    command = [sys.executable, "-W", "error", "-c", PICTURES + code, address]
    folder = Path(__file__).parents[2]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, timeout=120, env=os.environ
    )
    assert done.stdout.splitlines() == printed, done.stderr


def test_the_reading_of_the_ground_chooses_its_wear_tables(tmp_path: Path) -> None:
    """Land1.wea has the rows A, B, A and Land2.wea other ones, whose first is the base when crossed."""
    land = str(write_map(tmp_path, [(0x100604, 0, 1), (0x100604, 0, 1)]))
    names = {}
    grounds: tuple[Literal["land1", "crossed"], ...] = ("land1", "crossed")
    for ground in grounds:
        found = mshview.open(land, game=tmp_path, ground=ground)
        assert isinstance(found, mshview.Model)
        names[ground] = found.materials[0].name
        (same,) = mshview.models(land, game=tmp_path, ground=ground)
        assert same.materials[0].name == names[ground]
    assert names == {"land1": "A", "crossed": "TWO_BLOCKS"}
    with pytest.raises(mshview.Error, match=r"ground: 'other' is none of land1, levels, crossed"):
        mshview.open(land, ground="other")  # type: ignore[arg-type]
