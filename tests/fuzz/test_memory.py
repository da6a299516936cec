"""No verb needs more than eight times the size of a file and 200 MB, whatever the file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.fuzz import bombs, peak

TIMES: Final = 8
ALLOWED: Final = 200_000_000
VERBS: Final = (
    ["draws", "--lod", "0", "--group", "0"],
    ["pose", "--time", "0"],
    ["materials"],
    ["validate"],
)

pytestmark = pytest.mark.skipif(not peak.IS_KNOWN, reason="the system does not tell a peak")


def _check(path: Path, *arguments: str) -> None:
    """Run a command over a file and compare its peak with the bound; it may refuse the file."""
    finished = peak.run(*arguments)
    assert finished.status in {0, 1, 2}, finished.error
    assert "Traceback" not in finished.error
    assert finished.peak <= TIMES * path.stat().st_size + ALLOWED, (arguments, finished.peak)


@pytest.mark.parametrize("name", bombs.MODELS)
def test_models_that_repeat_their_geometry(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.msh"
    path.write_bytes(bombs.MODELS[name]())
    _check(path, "inspect", str(path), "--json")


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_verbs_that_read_models(verb: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bomb.msh"
    path.write_bytes(bombs.MODELS["eight_megabytes"]())
    _check(path, *verb, str(path))


@pytest.mark.parametrize("name", ["two_hundred_kilobytes", "far_vertices"])
def test_rendering(name: str, tmp_path: Path) -> None:
    """The driver of the software rasterizer takes part of the memory: as much as for a tiny model."""
    path, tiny, out = (tmp_path / file for file in ("bomb.msh", "tiny.msh", "out.png"))
    path.write_bytes(bombs.MODELS[name]())
    tiny.write_bytes(bombs.overlapping_batches(6, 1))
    usual = peak.run("render", str(tiny), "-o", str(out), "--size", "64x64").peak
    finished = peak.run("render", str(path), "-o", str(out), "--size", "64x64")
    assert finished.status == 0, finished.error
    assert finished.peak - usual <= TIMES * path.stat().st_size + ALLOWED / 2
