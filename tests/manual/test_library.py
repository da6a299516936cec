"""`import mshview`: what the command line says, as values; nothing written before it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mshview
from viewer.cli.main import main

ROOT = Path(__file__).parents[2]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    """The JSON document of a verb."""
    assert main([*arguments, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_importing_it_loads_nothing() -> None:
    code = "import sys, mshview; print([it for it in sys.modules if it.split('.')[0] in ('numpy', 'viewer')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "['viewer', 'viewer.version']"


def test_the_page_has_every_name() -> None:
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    names = [name for name in mshview.__all__ if not name.startswith("_")]
    assert 10 <= len(names) <= 24
    assert all(f"## mshview.{name}\n" in page for name in names)


def test_a_model_has_what_inspect_prints(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"{game / 'models.rlb'}::walker.msh"
    (model,) = mshview.models(address)
    said = printed(capsys, "inspect", address)
    nodes, batches = said["nodes"], said["batches"]
    assert isinstance(nodes, list)
    assert isinstance(batches, list)
    assert [(it.name or None, it.parent, [*map(list, it.slots)]) for it in model.nodes] == [
        (row["name"], row["parent"], row["slots"]) for row in nodes
    ]
    assert [(it.flags, it.index_start, it.index_count, it.base_vertex) for it in model.batches] == [
        tuple(row[name] for name in ("flags", "index_start", "index_count", "base_vertex")) for row in batches
    ]
    assert len(model.triangles) == sum(row["index_count"] for row in batches) // 3
    assert model.triangles.max() < len(model.positions)
    posed = printed(capsys, "pose", address, "--clip", "0", "--time", "0.3")["nodes"]
    assert isinstance(posed, list)
    world = np.array([row["world"] for row in posed], np.float32).reshape(-1, 4, 4)
    assert np.array_equal(model.pose(0.3, clip=0).world, world)


def test_errors_are_the_lines_of_the_command_line(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = game / "models.rlb"
    for address in (f"{archive}::wolker.msh", f"{archive}::#99", str(game / "absent.msh")):
        assert main(["inspect", address]) == 2
        line = capsys.readouterr().err.strip()
        with pytest.raises(mshview.Error) as caught:
            mshview.open(address)
        assert line == f"mshview: error: {caught.value}"


def test_nothing_is_written_before_save_and_then_as_the_shell_does(game: Path, tmp_path: Path) -> None:
    path, copy = game / "models.rlb", tmp_path / "shell.rlb"
    before = path.read_bytes()
    archive = mshview.open(path)
    assert isinstance(archive, mshview.Archive)
    model = archive["DRONE.msh"]
    with pytest.raises(mshview.Error, match=r"nodes\[999\]"):
        model.edit({"do": "set", "table": "nodes", "rows": "999", "field": "flags", "value": 1})
    assert not archive.changes()
    model.set("batches[0].flags", 9)
    assert path.read_bytes() == before
    assert archive["drone.msh"].fields()["batches"][0]["flags"] == 9
    assert [(it["table"], it["row"], it["after"]) for it in archive.changes()] == [("batches", 0, 9)]
    archive.save()
    change = ["--set", "batches[0].flags=9", "-o", str(copy)]
    (game / "second.rlb").write_bytes(before)
    assert main(["edit", f"{game / 'second.rlb'}::drone.msh", *change]) == 0
    assert path.read_bytes() == copy.read_bytes()
    assert (game / "models.rlb.bak").read_bytes() == before
    model.set("batches[0].flags", 8)
    archive.save()
    assert (game / "models.rlb.bak").read_bytes() == before
    assert not archive.changes()


def test_what_another_program_changed_or_what_adds_errors_is_not_replaced(game: Path, tmp_path: Path) -> None:
    path = game / "models.rlb"
    before = path.read_bytes()
    archive = mshview.open(path)
    assert isinstance(archive, mshview.Archive)
    drone = archive["drone.msh"]
    drone.set("batches[0].index_start", 2_000_000)
    with pytest.raises(mshview.Error, match="adds errors"):
        archive.save()
    assert path.read_bytes() == before
    archive.save(tmp_path / "forced.rlb", force=True)
    assert (tmp_path / "forced.rlb").stat().st_size == len(before)
    archive.discard()
    assert drone.data == mshview.open(f"{path}::drone.msh").data
    assert not archive.changes()
    drone.set("batches[0].flags", 9)
    path.write_bytes(before + b"\0")
    with pytest.raises(mshview.Error, match="another program"):
        archive.save()
    assert path.read_bytes() == before + b"\0"
