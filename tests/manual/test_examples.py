"""The scripts in `docs/examples`, each run as its first line says."""

from __future__ import annotations

import csv
import json
import runpy
from pathlib import Path

import numpy as np
import pytest

import mshview
from viewer.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    """Runs an example with arguments and returns what it prints."""

    def run(name: str, *arguments: object) -> str:
        script = str(EXAMPLES / f"{name}.py")
        monkeypatch.setattr("sys.argv", [script, *map(str, arguments)])
        runpy.run_path(script, run_name="__main__")
        return capsys.readouterr().out

    return run


def test_every_example_is_tested() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert names <= tested


def test_recolour_texture(game: Path, tmp_path: Path, run: object) -> None:
    assert callable(run)
    library, out = game / "Textures.lib", tmp_path / "new.lib"
    before = library.read_bytes()
    name = next(it.name for it in mshview.textures(library) if it.format == 8888)
    run("recolour_texture", f"{library}::{name}", out)
    old, new = ({it.name: it for it in mshview.textures(path)} for path in (library, out))
    assert library.read_bytes() == before
    assert [name for name in old if old[name].data != new[name].data] == [name]
    was, now = old[name], new[name]
    halved = was.pixels
    halved[..., 1:3] //= 2
    assert np.array_equal(now.pixels, halved)


def test_nodes_by_material(game: Path, run: object, capsys: pytest.CaptureFixture[str]) -> None:
    """The slots of a node name batches, a batch a row of the wear table."""
    assert callable(run)
    address = f"{game / 'models.rlb'}::walker.msh"
    lines = [line.split("\t") for line in run("nodes_by_material", address).splitlines()]
    found = {(material, node) for _, material, nodes in lines for node in nodes.split(", ")}
    assert main(["inspect", address, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert main(["materials", address, "--json"]) == 0
    names = {row["batch"]: row["material"] for row in json.loads(capsys.readouterr().out)["batches"]}
    expected = set()
    for node in said["nodes"]:
        for slot in (said["slots"][it] for row in node["slots"] for it in row if it is not None):
            for batch in range(slot["batch_start"], slot["batch_start"] + slot["batch_count"]):
                expected.add((names[batch], node["name"]))
    assert found == expected


def test_animations_to_csv(
    game: Path, tmp_path: Path, run: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(run)
    address, out = f"{game / 'models.rlb'}::walker.msh", tmp_path / "walker.csv"
    run("animations_to_csv", address, out)
    with out.open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert {int(row["clip"]) for row in rows} == {it.index for it in mshview.open(address).clips}  # type: ignore[attr-defined]
    row = next(it for it in rows if it["clip"] == "1" and it["node"] == "12" and float(it["time"]) > 0.3)
    assert main(["pose", address, "--clip", "1", "--time", row["time"], "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["nodes"][12]
    numbers = [float(row[name]) for name in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    assert numbers == pytest.approx([*said["position"], *said["quaternion"]], abs=1e-5)


def test_archive_pictures(game: Path, tmp_path: Path, run: object) -> None:
    assert callable(run)
    names = run("archive_pictures", game / "models.rlb", tmp_path).split()
    assert len(names) == 5
    for name in names:
        picture = mshview.read_image(tmp_path / f"{Path(name).stem}.png")
        assert picture.shape == (240, 320, 4)
        assert 0.02 < (picture[..., 3] > 0).mean() < 0.9


def test_bulk_edit(game: Path, run: object) -> None:
    assert callable(run)
    path, plain = game / "models.rlb", game / "plain.rlb"
    before = path.read_bytes()
    plain.write_bytes(before)
    said = run("bulk_edit", path)
    wanted = 0
    for model in mshview.models(plain):
        long = [it for it in model.batches if it.index_count > 300]
        wanted += sum(it.flags != 8 for it in long)
        assert (
            not long
            or main(["edit", model.address, "--set", "batches[index_count>300].flags=8", "--in-place"]) == 0
        )
    assert said.startswith(f"{wanted} fields")
    assert path.read_bytes() == plain.read_bytes() != before
    assert (game / "models.rlb.bak").read_bytes() == before
