"""The library imports, validates, patches and draws effects."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import mshview
from viewer.cli.main import main


def model_at(address: str) -> mshview.Model:
    """A model."""
    (model,) = mshview.models(address)
    return model


def test_an_import_changes_what_differs(game: Path, tmp_path: Path) -> None:
    address, out = f"{game / 'models.rlb'}::s_sign.msh", tmp_path / "sign.glb"
    model = model_at(address)
    wanted = model.positions
    wanted[0] += [0.25, 0, 0]
    model.positions = wanted
    assert model.export(out, animation="none") == []
    model.discard()
    before = model.data
    assert model.import_from(out) == []
    assert np.array_equal(model.positions, wanted)
    moved = {it["row"] for it in model.changes() if it["table"] == "positions"}
    assert moved == {0}
    model.save()
    assert np.array_equal(model_at(address).positions, wanted)
    (tmp_path / "broken.glb").write_bytes(b"glTF")
    with pytest.raises(mshview.Error, match="broken"):
        model.import_from(tmp_path / "broken.glb")
    assert model.changes() == []
    assert model.data != before


def test_an_import_into_a_file_changes_the_wear_table_next_to_it(game: Path, tmp_path: Path) -> None:
    archive = mshview.open(game / "models.rlb")
    assert isinstance(archive, mshview.Archive)
    for name in ("s_sign.msh", "s_sign.wea"):
        (game / name).write_bytes(archive[name].data)
    model = model_at(str(game / "s_sign.msh"))
    model.export(tmp_path / "sign.obj", textures=False)
    text = (tmp_path / "sign.obj").read_text()
    old = next(line.split()[1] for line in text.splitlines() if line.startswith("usemtl"))
    (tmp_path / "sign.obj").write_text(text.replace(f"usemtl {old}", "usemtl WALKER_METAL"))
    wear, before = game / "s_sign.wea", (game / "s_sign.wea").read_bytes()
    model.import_from(tmp_path / "sign.obj")
    assert "WALKER_METAL" in [it.name for it in model.materials]
    assert wear.read_bytes() == before
    model.save()
    assert b"WALKER_METAL" in wear.read_bytes(), "what the model needs is saved with it"
    assert (game / "s_sign.wea.bak").read_bytes() == before
    assert model_at(str(game / "s_sign.msh")).data == model.data


def test_json_is_taken_over_whole(game: Path, tmp_path: Path) -> None:
    texture = next(mshview.textures(game / "Textures.lib"))
    texture.export(tmp_path / "texture.json")
    before = texture.data
    texture.replace(np.zeros((4, 4, 4), np.uint8))
    assert texture.import_from(tmp_path / "texture.json") == []
    assert texture.data == before
    assert texture.changes() == []


def test_a_new_model_is_that_of_the_shell(game: Path, tmp_path: Path) -> None:
    model_at(f"{game / 'models.rlb'}::s_sign.msh").export(tmp_path / "sign.glb", animation="none")
    ours, shell = tmp_path / "ours.msh", tmp_path / "shell.msh"
    losses = mshview.import_file(tmp_path / "sign.glb", ours, textures=tmp_path / "ours.lib")
    assert main(["import", str(tmp_path / "sign.glb"), "-o", str(shell)]) == 0
    assert ours.read_bytes() == shell.read_bytes()
    assert ours.with_suffix(".wea").read_bytes() == shell.with_suffix(".wea").read_bytes()
    assert [*mshview.textures(tmp_path / "ours.lib")]
    assert all(isinstance(it, str) for it in losses)
    with pytest.raises(mshview.Error, match=r"exists already; .*: replace=True takes its place"):
        mshview.import_file(tmp_path / "sign.glb", ours)
    ours.write_bytes(shell.read_bytes()[:-1])
    mshview.import_file(tmp_path / "sign.glb", ours, replace=True)
    assert ours.read_bytes() == shell.read_bytes()
    assert ours.with_name("ours.msh.bak").read_bytes() == shell.read_bytes()[:-1]
    model_at(str(ours)).export(tmp_path / "x.json")
    with pytest.raises(mshview.Error, match="textures: only a model has textures"):
        mshview.import_file(tmp_path / "x.json", tmp_path / "x.msh", textures=tmp_path / "x.lib")


def test_a_new_entry_is_that_of_the_shell(game: Path, tmp_path: Path) -> None:
    """The materials are those of a library that is not there yet, which is made."""
    ours, shell = (shutil.copytree(game, tmp_path / name) for name in ("ours", "shell"))
    for folder in (ours, shell):
        (folder / "Textures.lib").unlink()
    model_at(f"{game / 'models.rlb'}::s_sign.msh").export(tmp_path / "sign.glb", animation="none")
    file = tmp_path / "sign.glb"
    into = ours / "models.rlb"
    losses = mshview.import_file(file, into=f"{into}::new.msh", textures=ours / "Textures.lib")
    own = ["--into", f"{shell / 'models.rlb'}::new.msh", "--in-place", "--textures"]
    assert main(["import", str(file), *own]) == 0
    for name in ("models.rlb", "Material.lib", "Textures.lib"):
        assert (ours / name).read_bytes() == (shell / name).read_bytes(), name
    assert [*mshview.textures(ours / "Textures.lib")]
    assert all(isinstance(it, str) for it in losses)
    with pytest.raises(mshview.Error, match=r"new\.msh: exists already; Resource\.import_from changes it"):
        mshview.import_file(file, into=f"{into}::new.msh")
    before = into.read_bytes()
    mshview.import_file(file, tmp_path / "other.rlb", into=f"{into}::other.msh")
    assert into.read_bytes() == before
    assert model_at(f"{tmp_path / 'other.rlb'}::other.msh").data == model_at(f"{into}::new.msh").data
    model_at(f"{into}::s_sign.msh").export(tmp_path / "text.json")
    mshview.import_file(tmp_path / "text.json", into=f"{into}::text.msh")
    assert model_at(f"{into}::text.msh").data == model_at(f"{into}::s_sign.msh").data
    with pytest.raises(mshview.Error, match="names no entry"):
        mshview.import_file(file, into=into)
    with pytest.raises(mshview.Error, match="one of out and into is needed"):
        mshview.import_file(file)


def test_problems_are_those_of_validate(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(shutil.copy(game / "models.rlb", tmp_path))
    archive = mshview.open(path, game=game)
    assert isinstance(archive, mshview.Archive)
    model = archive["s_sign.msh"]
    model.set("batches[0].index_start", 2_000_000)
    found = [it for it in archive.validate() if it.severity == "error"]
    assert {(it.address, it.table, it.index) for it in found} == {(model.address, "batches", 0)}
    own = [it.message for it in model.validate() if it.severity == "error"]
    assert own == [it.message for it in found]
    archive.save(force=True)
    assert main(["validate", str(path), "--game", str(game), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)["files"]
    rows = [(it["source"], row["rule"], row["message"]) for it in said for row in it["diagnostics"]]
    assert rows == [(it.address, it.rule, it.message) for it in archive.validate()]


def test_a_patch_is_applied_and_undone(game: Path, tmp_path: Path) -> None:
    path, patch = game / "models.rlb", tmp_path / "p.json"
    original = path.read_bytes()
    model = model_at(f"{path}::walker.msh")
    model.edit({"do": "rename-node", "node": "eye", "name": "glaz"})
    model.save(tmp_path / "after.rlb")
    model.discard()
    mshview.make_patch(path, tmp_path / "after.rlb", patch)
    model.apply_patch(patch)
    assert model.nodes[6].name == "glaz"
    assert path.read_bytes() == original
    model.save()
    assert path.read_bytes() == (tmp_path / "after.rlb").read_bytes()
    with pytest.raises(mshview.Error, match="has the patch already"):
        model.apply_patch(patch)
    model.apply_patch(patch, reverse=True)
    model.save()
    assert path.read_bytes() == original


def test_an_effect_is_drawn(game: Path) -> None:
    effect = mshview.open(f"{game / 'effects.rlb'}::blast")
    assert isinstance(effect, mshview.Effect)
    assert effect.seconds > 0
    picture = effect.render((64, 48), time=0.3)
    assert picture.shape == (48, 64, 4)
    assert (picture[..., 3] > 0).mean() > 0.01
    assert np.array_equal(picture, effect.render((64, 48), time=0.3))
    assert not np.array_equal(picture, effect.render((64, 48), time=0.5))
    with pytest.raises(mshview.Error, match=r"time: -1 is below 0"):
        effect.render(time=-1)


@pytest.mark.parametrize("name", ["drone.msh", "b_tower.msh"])
def test_an_export_is_that_of_the_shell(game: Path, tmp_path: Path, name: str) -> None:
    """Byte by byte: with the clips, and with the explosions of the table of damage next to it."""
    address = f"{game / 'models.rlb'}::{name}"
    (tmp_path / "library").mkdir()
    assert main(["export", address, "-q", "-o", str(tmp_path / "model.glb")]) == 0
    model_at(address).export(tmp_path / "library" / "model.glb")
    assert (tmp_path / "library" / "model.glb").read_bytes() == (tmp_path / "model.glb").read_bytes()
