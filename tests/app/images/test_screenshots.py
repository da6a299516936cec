"""Pictures on the clipboard; small pictures of models."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

import moderngl
import numpy as np
import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.systems import needs_programs
from viewer.app.images import screenshots, thumbnail_reading
from viewer.app.images.screenshots import OSASCRIPT, POWERSHELL, WL_COPY, XCLIP, copy, programs
from viewer.app.images.thumbnail_reading import ModelPreview, ModelThumbnails, Reader, cropped
from viewer.control.opening.loading import NO_OPEN_OPTIONS
from viewer.errors import MshviewError, OutputError
from viewer.formats import mat0
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.render.portions import DrawingTimeError, Frame, Pace
from viewer.render.renderer import Renderer
from viewer.session.opened.entry_list import BrowserEntry


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


@needs_programs
def test_a_program_that_fails_is_an_error_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "echo 'no display' >&2; exit 1")
    with pytest.raises(OutputError, match="no display"):
        copy(b"png")


@needs_programs
def test_a_program_that_stays_behind_with_the_picture_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As xclip does: its child keeps the outputs open for as long as it owns the clipboard."""
    install(tmp_path, monkeypatch, "cat > /dev/null; sleep 30 &")
    monkeypatch.setattr(screenshots, "PATIENCE", 10.0)
    copy(b"png")


@needs_programs
def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "exec sleep 30")
    monkeypatch.setattr(screenshots, "PATIENCE", 0.3)
    with pytest.raises(OutputError, match="xclip"):
        copy(b"png")


@needs_programs
def test_a_program_that_reads_files_gets_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = tmp_path / "got"
    install(tmp_path, monkeypatch, f"""cat "$(echo "$2" | cut -d'"' -f2)" > '{got}'""", "osascript")
    monkeypatch.setattr(sys, "platform", "darwin")
    copy(b"the picture")
    assert got.read_bytes() == b"the picture"


@needs_programs
def test_apostrophes_in_the_name_of_a_user_are_not_in_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PowerShell takes typographic ones for quotes, too."""
    home, got = tmp_path / "O'Neil\u2019s", tmp_path / "got"
    home.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(home))
    script = f"""echo "$@" > '{got}'; cat "$MSHVIEW_PICTURE" >> '{got}'"""
    install(tmp_path, monkeypatch, script, "powershell")
    monkeypatch.setattr(screenshots, "programs", lambda *_: (POWERSHELL,))
    copy(b"the picture")
    command, picture = got.read_text().splitlines()
    assert command.endswith("::FromFile($env:MSHVIEW_PICTURE))")
    assert "Neil" not in command
    assert picture == "the picture"


SIDE = 48


def preview(folder: Path, size: float = 1) -> ModelPreview:
    """A box in a material whose texture is green."""
    green = np.full((8, 8, 4), (0, 255, 0, 255), np.uint8)
    textures = {"GREEN.0": texm.build(green, PixelFormat.RGB565)}
    game_folders.write(
        folder,
        Material=game_folders.archive(
            game_folders.MAT0, {"GREEN": mat0.build([mat0.PhaseRecord(b"GREEN.0")])}
        ),
        Textures=game_folders.archive(game_folders.TEXM, textures),
    )
    model = ModelBuilder.of([Node("box", shapes={(0, 0): [box((size, 1, 1))]})]).build()
    path = folder / "a.rlb"
    path.write_bytes(archive_of({"box.msh": model, "box.wea": b"1\r\n0 GREEN\r\n"}))
    entry = BrowserEntry(Address.parse(f"{path}::box.msh"), "box.msh", "msh")
    found = Reader(FileStore(), SIDE, lambda _: False).read(entry, NO_OPEN_OPTIONS).preview
    assert found is not None
    return found


def test_a_model_is_drawn_in_its_textures_and_nothing_else(ctx: moderngl.Context, tmp_path: Path) -> None:
    drawn = ModelThumbnails(ctx).draw(preview(tmp_path), SIDE)
    assert drawn is not None
    seen = drawn[drawn[..., 3] == 255]
    assert len(seen) > drawn[..., 3].size // 3
    assert (seen[:, 1] > 60).all()
    # Overbright light whitens: of ambient 1 and lights of 2.83 on top the spill is 0.377.
    assert (seen[:, 0] == seen[:, 2]).all()
    assert seen[:, 0].max() == pytest.approx(255 * 0.377, abs=1)
    assert not drawn[0, 0].any()


def test_one_portrait_does_not_show_in_the_next(ctx: moderngl.Context, tmp_path: Path) -> None:
    portraits = ModelThumbnails(ctx)
    wide, cube = preview(tmp_path / "wide", 9), preview(tmp_path / "cube")
    first = portraits.draw(cube, SIDE)
    portraits.draw(wide, SIDE)
    again = portraits.draw(cube, SIDE)
    assert first is not None
    assert again is not None
    np.testing.assert_array_equal(first, again)


def test_the_scene_on_screen_is_left_as_it_is(ctx: moderngl.Context, tmp_path: Path) -> None:
    scene, other = preview(tmp_path / "scene", 3), preview(tmp_path / "other")
    renderer = Renderer(ctx)
    document = scene.document
    renderer.load(document.model, document.draws, materials=document.materials)
    pose = document.animation.pose(0.0)
    before = renderer.image(Frame(scene.view, pose, (64, 64)))
    assert before.any()
    ModelThumbnails(ctx).draw(other, SIDE)
    np.testing.assert_array_equal(renderer.image(Frame(scene.view, pose, (64, 64))), before)


def test_what_the_card_refuses_has_no_portrait(
    ctx: moderngl.Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise moderngl.Error("out of memory")

    monkeypatch.setattr(Renderer, "load", refuse)
    with pytest.raises(MshviewError, match="graphics card"):
        ModelThumbnails(ctx).draw(preview(tmp_path), SIDE)


def test_a_model_of_many_portions_has_the_same_portrait(
    ctx: moderngl.Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, whole = preview(tmp_path), ModelThumbnails(ctx).draw(preview(tmp_path / "same"), SIDE)
    monkeypatch.setattr(thumbnail_reading, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(Pace, "room", lambda *_: 1)
    portraits = ModelThumbnails(ctx)
    drawn = [portraits.draw(model, SIDE)]
    while drawn[-1] is None:
        drawn.append(portraits.draw(model, SIDE))
    assert len(drawn) == 12
    np.testing.assert_array_equal(drawn[-1], whole)
    monkeypatch.setattr(thumbnail_reading, "MOST_SECONDS", 0.0)
    with pytest.raises(DrawingTimeError):
        portraits.draw(preview(tmp_path / "slow"), SIDE)


def test_margins_are_cut_off_but_holes_stay() -> None:
    image = np.zeros((9, 9, 4), np.uint8)
    image[2:5, 3:8] = 255
    image[3, 5] = 0
    assert cropped(image).shape == (3, 5, 4)
    assert not cropped(image)[1, 2].any()
    assert cropped(np.zeros((9, 9, 4), np.uint8)).shape == (9, 9, 4)
