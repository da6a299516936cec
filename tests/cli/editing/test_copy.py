"""``copy``: to the byte whatever the file, canonical where asked.

``edit`` of materials and geometry: the reading that the wear table gives, and what should be known.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.broken.archives import past_directory
from tests.builders import ModelBuilder, Node, archive_of, box, quad
from tests.cli.console import Capture, failure, success
from tests.corpora import SAMPLES
from tests.game_folders import MAT0, MATERIALS, archive
from tests.messages import states
from viewer.cli.main import main
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).build()


def test_every_file_of_the_corpora_comes_back(files: Path, tmp_path: Path, capsys: Capture) -> None:
    for corpus in ["seed", "field"]:
        listed_files = [
            path for path in (files / corpus).rglob("*.*") if path.is_file() and path.suffix != ".json"
        ]
        assert len(listed_files) > (30 if files == SAMPLES else 15)
        for path in listed_files:
            out = tmp_path / "out"
            success(capsys, "copy", path, "-o", out)
            assert out.read_bytes() == path.read_bytes(), path.name


def test_every_damaged_file_comes_back_or_is_refused(files: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = files / "damaged"
    for mutant in json.loads((folder / "manifest.json").read_text("utf-8"))["mutants"]:
        path, out = folder / mutant["file"], tmp_path / "out"
        status = main(["copy", str(path), "-o", str(out)])
        if mutant["tolerant"] != "any":
            assert status == (0 if mutant["tolerant"] == "shows" else 2), mutant["name"]
        if status == 0:
            assert out.read_bytes() == path.read_bytes(), mutant["name"]
            out.unlink()
        else:
            assert capsys.readouterr().err.count("mshview: error: ") == 1
            assert [*tmp_path.iterdir()] == []


def test_every_entry_comes_out(files: Path, tmp_path: Path, capsys: Capture) -> None:
    for name in ["seed/game/robots.rlb", "field/game/Textures.lib", "field/game/sprites.lib"]:
        item = FileStore().open(Address(files / name))
        container = item.container
        assert container is not None
        for entry in container.entries[:12]:
            success(capsys, "copy", f"{files / name}::#{entry.index}", "-o", tmp_path / "out")
            assert (tmp_path / "out").read_bytes() == container.payload(entry.index)


def test_what_is_not_known_is_copied_too(tmp_path: Path, capsys: Capture) -> None:
    for data in (b"", b"?", bytes(range(256))):
        (tmp_path / "in.xyz").write_bytes(data)
        success(capsys, "copy", tmp_path / "in.xyz", "-o", tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == data


def test_a_file_may_be_copied_onto_itself(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "a.msh"
    path.write_bytes(MODEL)
    success(capsys, "copy", path, "-o", path)
    assert path.read_bytes() == MODEL


def gaps(data: bytes) -> bytes:
    """A container with room that no entry owns, before its directory and behind its end."""
    archive = nres.Archive.read(data)
    directory = data[archive.directory_offset :]
    total = (len(data) + 16).to_bytes(4, "little")
    return data[:12] + total + data[16 : archive.directory_offset] + b"not owned by any" + directory + b"tail"


def test_repack_leaves_out_what_no_entry_owns(tmp_path: Path, capsys: Capture) -> None:
    path, out = tmp_path / "a.rlb", tmp_path / "b.rlb"
    path.write_bytes(gaps(archive_of({"hull.msh": gaps(MODEL), "hull.wea": b"1\r\n0 M\r\n"})))
    success(capsys, "copy", path, "-o", out)
    assert out.read_bytes() == path.read_bytes()
    success(capsys, "copy", path, "-o", out, "--repack")
    assert out.read_bytes() == archive_of({"hull.msh": MODEL, "hull.wea": b"1\r\n0 M\r\n"})


def test_repack_leaves_canonical_files_alone(files: Path, tmp_path: Path, capsys: Capture) -> None:
    for path in sorted((files / "field" / "game").glob("*.rlb")):
        success(capsys, "copy", path, "-o", tmp_path / "out", "--repack")
        assert (tmp_path / "out").read_bytes() == path.read_bytes(), path.name


def test_a_packed_library_is_not_repacked_and_that_is_said(
    files: Path, tmp_path: Path, capsys: Capture
) -> None:
    path = files / "seed" / "game" / "sprites.lib"
    _, err = success(capsys, "copy", path, "-o", tmp_path / "out", "--repack")
    assert states(err, "canonical")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


def test_repack_refuses_what_it_would_lose(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "cut.rlb"
    path.write_bytes(past_directory(archive_of({f"{row}.bin": b"%d" % row for row in range(6)})))
    line = failure(capsys, "copy", path, "-o", tmp_path / "out", "--repack")
    assert line.startswith(f"mshview: error: {path}: directory[5].size: ")
    assert [*tmp_path.iterdir()] == [path]


def test_strict_refuses_damage_inside(tmp_path: Path, capsys: Capture) -> None:
    builder = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})])
    builder.nodes["parent"][0] = 77
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"hull.msh": builder.build()}))
    success(capsys, "copy", path, "-o", tmp_path / "out")
    (tmp_path / "out").unlink()
    line = failure(capsys, "copy", path, "-o", tmp_path / "out", "--strict")
    assert line.startswith(f"mshview: error: {path}::hull.msh: nodes[0].parent: ")
    assert not (tmp_path / "out").exists()


def test_output_that_cannot_be_written(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "a.msh"
    path.write_bytes(MODEL)
    for out in (tmp_path, path / "b.msh"):
        assert str(out) in failure(capsys, "copy", path, "-o", out)
    shutil.rmtree(tmp_path)
    assert str(path) in failure(capsys, "copy", path, "-o", tmp_path / "b.msh")
    failure(capsys, "copy", path)


def test_the_material_is_set_where_the_wear_table_has_it_read(tmp_path: Path, capsys: Capture) -> None:
    shapes = [quad(), quad()]
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): shapes}), Node("b", shapes={(0, 0): shapes})])
    builder.batches["material"] = 500
    builder.batches["opaque4"] = (0xFF00, 0xFF01)
    path, script = tmp_path / "a.rlb", tmp_path / "script.json"
    path.write_bytes(archive_of({"m.msh": builder.build(), "m.wea": wear.build([b"A", b"B"])}))
    changes = [{"do": "material", "rows": "0", "material": 1}, {"do": "move", "node": "a", "by": [0, 0, 1]}]
    script.write_text(json.dumps(changes))
    assert main(["edit", f"{path}::m.msh", "--script", str(script), "-o", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["notes"] == [
        "nodes 1 use vertices of node 0; they move too",
    ]
    model = Model.read(nres.Archive.read(path.read_bytes()).payload(0))
    assert model.batches["opaque4"].tolist() == [0xFF01, 0xFF01]
    assert model.batches["material"].tolist() == [500, 500]


@pytest.mark.parametrize("place", ["", "units"])
def test_a_material_that_the_game_around_the_file_does_not_have_is_said(
    place: str, tmp_path: Path, capsys: Capture
) -> None:
    """As in the window, which needs no --game for it either."""
    path = tmp_path / place / "a.rlb"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(archive_of({"m.wea": wear.build([b"SKIN", b"GLASS"])}))
    arguments = ("edit", f"{path}::m.wea", "--set", "materials[1].name=NOWHERE", "--dry-run", "--json")
    assert json.loads(success(capsys, *arguments)[0])["diagnostics"] == [], "no game, no names to look up"
    (tmp_path / "Material.lib").write_bytes(archive(MAT0, MATERIALS))
    (found,) = json.loads(success(capsys, *arguments)[0])["diagnostics"]
    assert (found["rule"], found["table"], found["index"]) == ("W06", "materials", 1)
    assert found["source"] == f"{path}::m.wea"
    known = ("edit", f"{path}::m.wea", "--set", "materials[1].name=LEAVES", "--dry-run", "--json")
    assert json.loads(success(capsys, *known)[0])["diagnostics"] == []
