"""What needs no window works without the library of the window; what needs one says so in a line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.console import ROOT
from tests.systems import needs_desktop


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program where GLFW cannot be loaded, with a display."""
    (folder / "glfw").mkdir()
    (folder / "glfw" / "__init__.py").write_text('raise ImportError("Failed to load GLFW3 shared library.")')
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "DISPLAY": ":77"}
    command = [sys.executable, "-m", "viewer", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["man"],
        ["completion", "bash"],
        pytest.param(["install-desktop", "--to", "share"], marks=needs_desktop),
        ["bench", "--only", "baseline_10k"],
    ],
    ids=lambda it: it[0],
)
def test_what_needs_no_window_works(tmp_path: Path, arguments: list[str]) -> None:
    found = run(tmp_path, *arguments)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["open"], ["bench", "--only", "window_built"]], ids=lambda it: it[0])
def test_what_needs_one_is_an_error_of_a_line(tmp_path: Path, arguments: list[str]) -> None:
    found = run(tmp_path, *arguments)
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "no window can be opened: Failed to load GLFW3 shared library." in found.stderr
