"""Where output goes decides how wide it may be."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.console import ROOT

ASKS = "import sys; from viewer.cli.output import line_width; sys.stderr.write(str(line_width()))"


def line_width(stdout: int) -> str:
    """What a process with this standard output takes for the width of a line."""
    done = subprocess.run(
        [sys.executable, "-c", ASKS], cwd=ROOT, stdout=stdout, stderr=subprocess.PIPE, text=True, check=True
    )
    return done.stderr


def test_a_pipe_has_no_width() -> None:
    assert line_width(subprocess.PIPE) == "None"


def test_a_terminal_has_its_own_width() -> None:
    termios = pytest.importorskip("termios")
    ours, theirs = os.openpty()
    try:
        termios.tcsetwinsize(theirs, (24, 132))
        assert line_width(theirs) == "132"
        termios.tcsetwinsize(theirs, (0, 0))
        assert line_width(theirs) == "None", "a terminal that does not know its size"
    finally:
        os.close(ours)
        os.close(theirs)
