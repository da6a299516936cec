"""Pictures as files."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from viewer.app.images import exports
from viewer.app.images.exports import OSASCRIPT, POWERSHELL, WL_COPY, XCLIP, copy, programs
from viewer.errors import OutputError
from viewer.progress import Cancelled, Progress, working

PIXELS = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


def test_a_picture_reads_back_with_its_transparency(tmp_path: Path) -> None:
    path = exports.save(PIXELS, tmp_path / "new" / "a.png")
    np.testing.assert_array_equal(np.asarray(Image.open(path)), PIXELS)


def test_a_new_picture_never_takes_the_place_of_an_old_one(tmp_path: Path) -> None:
    for number in (1, 2):
        path = exports.new_path("game/robots.rlb::Walker.msh", tmp_path)
        assert path.name == f"Walker-{number}.png"
        exports.save(PIXELS, path)


def test_a_picture_is_named_even_where_its_document_has_no_name(tmp_path: Path) -> None:
    assert exports.new_path("game/robots.rlb::#3", tmp_path).name == "3-1.png"


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="file"):
        exports.save(PIXELS, tmp_path / "file" / "a.png")


def test_nothing_is_written_after_it_was_cancelled(tmp_path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with working(progress), pytest.raises(Cancelled):
        exports.save(np.zeros((2, 2, 4), np.uint8), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


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
    monkeypatch.setattr(exports, "PATIENCE", 10.0)
    copy(b"png")


def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "exec sleep 30")
    monkeypatch.setattr(exports, "PATIENCE", 0.3)
    with pytest.raises(OutputError, match="xclip"):
        copy(b"png")


def test_a_program_that_reads_files_gets_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = tmp_path / "got"
    install(tmp_path, monkeypatch, f"""cat "$(echo "$2" | cut -d'"' -f2)" > '{got}'""", "osascript")
    monkeypatch.setattr(sys, "platform", "darwin")
    copy(b"the picture")
    assert got.read_bytes() == b"the picture"
