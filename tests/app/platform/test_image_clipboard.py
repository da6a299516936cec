"""The programs that put a picture on the clipboard, and what goes wrong with them."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from viewer.app.platform import image_clipboard
from viewer.app.platform.image_clipboard import OSASCRIPT, POWERSHELL, WL_COPY, XCLIP, copy, programs
from viewer.errors import OutputError


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"DISPLAY": ":0"}, (XCLIP,)),
        ("linux", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, (WL_COPY, XCLIP)),
        ("darwin", {}, (OSASCRIPT,)),
        ("win32", {}, (POWERSHELL,)),
    ],
)
def test_every_window_system_has_its_program(
    platform: str, environment: dict[str, str], expected: tuple[object, ...]
) -> None:
    assert programs(platform, environment) == expected


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str, name: str = "xclip") -> None:
    """Put a program of a name before all others."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


def test_a_program_that_fails_is_an_error_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "echo 'no display' >&2; exit 1")
    with pytest.raises(OutputError, match="no display"):
        copy(b"png")


def test_a_program_that_stays_behind_with_the_picture_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As xclip does: its child keeps the outputs open for as long as it owns the clipboard."""
    install(tmp_path, monkeypatch, "cat > /dev/null; sleep 30 &")
    monkeypatch.setattr(image_clipboard, "PATIENCE", 10.0)
    copy(b"png")


def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "exec sleep 30")
    monkeypatch.setattr(image_clipboard, "PATIENCE", 0.3)
    with pytest.raises(OutputError, match="xclip"):
        copy(b"png")


def test_a_program_that_reads_files_gets_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = tmp_path / "got"
    install(tmp_path, monkeypatch, f"""cat "$(echo "$2" | cut -d'"' -f2)" > '{got}'""", "osascript")
    monkeypatch.setattr(sys, "platform", "darwin")
    copy(b"the picture")
    assert got.read_bytes() == b"the picture"
