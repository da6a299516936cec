"""Standard output that is closed or full after files were written: what was done keeps its status."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.console import GAME, ROOT
from tests.systems import needs_programs

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")

WALKER = "models.rlb::walker.msh"
WRITING = {
    "edit": ["edit", WALKER, "--rename-node", "eye", "glaz", "--in-place"],
    "edit --json": ["edit", WALKER, "--rename-node", "eye", "glaz", "--in-place", "--json"],
    "repair": ["repair", "models.rlb", "-o", "fixed.rlb"],
    "export": ["export", WALKER, "-o", "w.json"],
    "extract": ["extract", "models.rlb", "-o", "entries"],
    "copy": ["copy", "models.rlb", "-o", "copy.rlb"],
    "patch": ["patch", "make", "models.rlb", "models.rlb", "-o", "p.json"],
    "texture": ["texture", "Textures.lib", "-o", "{entry}.png", "--jobs", "1"],
    "texture in processes": ["texture", "Textures.lib", "-o", "{entry}.png", "--jobs", "2"],
}

pytestmark = needs_programs


def state_of(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {it.relative_to(folder).as_posix(): it.read_bytes() for it in folder.rglob("*") if it.is_file()}


def run(
    program: Sequence[str], folder: Path, arguments: list[str], out: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a verb in a copy of the game with a standard output of a kind."""
    shutil.copytree(GAME, folder)
    command = [*program, *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    if out == "closed":
        command = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    if out == "left":
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as stdout:
            return subprocess.run(
                command, cwd=folder, env=environment, stdout=stdout, stderr=subprocess.PIPE, check=False
            )
    with Path("/dev/full" if out == "full" else os.devnull).open("wb") as stdout:
        return subprocess.run(
            command, cwd=folder, env=environment, stdout=stdout, stderr=subprocess.PIPE, check=False
        )


@pytest.mark.parametrize("arguments", WRITING.values(), ids=WRITING)
def test_what_was_written_keeps_its_status(
    program: tuple[str, ...], tmp_path: Path, arguments: list[str]
) -> None:
    expected = run(program, tmp_path / "usual", arguments, "null")
    assert expected.returncode == 0, expected.stderr
    files = state_of(tmp_path / "usual")
    assert files != state_of(GAME)
    for out, lines in (("full", 1), ("closed", 1), ("left", 0)):
        found = run(program, tmp_path / out, arguments, out)
        assert found.returncode == 0, (out, found.stderr)
        assert found.stderr.count(b"warning: standard output") == lines, (out, found.stderr)
        assert state_of(tmp_path / out) == files


def test_what_was_only_printed_fails(tmp_path: Path) -> None:
    program = sys.executable, "-m", "viewer"
    for out, status in (("full", 2), ("closed", 2), ("left", 141)):
        assert run(program, tmp_path / out, ["ls", "models.rlb"], out).returncode == status
