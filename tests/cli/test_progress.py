"""The line that says how far work is."""

from __future__ import annotations

import sys
import time

import pytest

from tests.cli.console import Capture
from viewer.cli import output
from viewer.cli.output import Progress


def test_nothing_is_shown_where_nobody_watches(capsys: Capture) -> None:
    line = Progress(3, "files")
    for _ in range(3):
        line.advance()
    line.clear()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_how_far_it_is(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    line = Progress(20, "files")
    for _ in range(20):
        now += output.INTERVAL / 4.5
        line.advance()
    shown = capsys.readouterr().err.split("\r")
    assert shown == [
        "",
        "5 of 20 files\x1b[K",
        "10 of 20 files\x1b[K",
        "15 of 20 files\x1b[K",
        "20 of 20 files\x1b[K",
    ]
    line.clear()
    assert capsys.readouterr() == ("", "\r\x1b[K")
