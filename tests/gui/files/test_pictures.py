"""Pictures of the model: their size, where they go, the clipboard, and what a transparent one leaves out."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace
from PIL import Image

from tests.corpora import GAME
from tests.gui.hand import click, press
from tests.gui.harness import SIDES, Context, GuiTester
from viewer.app.dialogs import dialogs
from viewer.control.settings import user_files
from viewer.session.view.options.overlays import Overlay

pytestmark = pytest.mark.closed(*SIDES)

WINDOW = int(imgui.Key.mod_shift) | int(imgui.Key.f12)
COPY = int(imgui.Key.mod_ctrl) | int(imgui.Key.mod_shift) | int(imgui.Key.c)


@pytest.fixture
def crane(crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The crane, paused; files are saved in the archive's folder with the program's own dialog."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    crane.state.settings = replace(crane.state.settings, save_folder=str(archive.parent))
    return crane


def save(gui: GuiTester, path: Path, **fields: object) -> Image.Image:
    gui.commands.pictures.save_screenshot(path, **fields)  # type: ignore[arg-type]
    gui.until(path.exists)
    return Image.open(path)


@pytest.mark.parametrize("size", [(200, 100), (64, 256), (1600, 900)])
def test_a_picture_has_the_size_that_was_chosen(
    crane: GuiTester, tmp_path: Path, size: tuple[int, int]
) -> None:
    assert save(crane, tmp_path / "a.png", size=size).size == size


def test_a_picture_is_as_large_as_the_viewport_by_default(crane: GuiTester, tmp_path: Path) -> None:
    assert save(crane, tmp_path / "a.png").size == crane.app.viewport.area.size


def test_two_pictures_at_once_are_two_files(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_files, "user_pictures_path", lambda: tmp_path)
    crane.app.later(crane.app.control.pictures.save_screenshot)
    crane.app.later(crane.app.control.pictures.save_screenshot, is_transparent=True)
    crane.frames()
    crane.until(lambda: not crane.app.jobs.title)
    names = sorted(path.name for path in (tmp_path / "mshview").iterdir())
    assert names == ["crane-1.png", "crane-2.png"]


def model_in(image: Image.Image) -> tuple[float, float, float, float]:
    """The box of the opaque pixels of a transparent picture."""
    box = image.getchannel("A").getbbox()
    assert box is not None
    return box


@pytest.mark.parametrize("size", [(100, 400), (900, 300)])
def test_a_picture_of_another_shape_shows_all_of_the_model(
    crane: GuiTester, tmp_path: Path, size: tuple[int, int]
) -> None:
    image = save(crane, tmp_path / "a.png", size=size, is_transparent=True)
    left, top, right, bottom = model_in(image)
    assert left > 0
    assert top > 0
    assert right < size[0]
    assert bottom < size[1]


def test_a_transparent_picture_has_neither_grid_nor_axes(crane: GuiTester, tmp_path: Path) -> None:
    crane.change(overlays=frozenset({Overlay.GRID, Overlay.AXES}))
    with_both = save(crane, tmp_path / "a.png", is_transparent=True)
    crane.change(overlays=frozenset())
    with_none = save(crane, tmp_path / "b.png", is_transparent=True)
    assert np.array_equal(np.asarray(with_both), np.asarray(with_none))
    assert with_both.getpixel((1, 1)) == (0, 0, 0, 0)


def test_a_transparent_picture_keeps_the_other_overlays(crane: GuiTester, tmp_path: Path) -> None:
    crane.change(overlays=frozenset())
    plain = save(crane, tmp_path / "a.png", is_transparent=True)
    crane.change(overlays=frozenset({Overlay.SLOT_BOUNDS}))
    assert not np.array_equal(
        np.asarray(plain), np.asarray(save(crane, tmp_path / "b.png", is_transparent=True))
    )


def test_a_picture_that_is_too_large_is_one_message(crane: GuiTester, tmp_path: Path) -> None:
    crane.commands.pictures.save_screenshot(tmp_path / "a.png", size=(1 << 20, 10))
    assert "1048576" in crane.state.message
    assert not (tmp_path / "a.png").exists()


def choose_size(gui: GuiTester, size: str) -> None:
    def script(context: Context) -> None:
        context.key_press(WINDOW)
        context.yield_(2)
        context.item_click("//picture/##size")
        context.item_click(f"//$FOCUSED/{size}")

    gui.run(script)


def test_size_and_place_are_chosen_in_a_window(crane: GuiTester, archive: Path) -> None:
    choose_size(crane, "###viewport")
    click(crane, "//picture/##size", "//$FOCUSED/###(512, 512)", "//picture/###transparent")
    click(crane, "//picture/###save")
    click(crane, "//open/###confirm")
    path = archive.parent / "crane.png"
    crane.until(path.exists)
    image = Image.open(path)
    assert image.size == (512, 512)
    assert image.getpixel((0, 0)) == (0, 0, 0, 0)


def test_a_size_of_ones_own_is_entered(crane: GuiTester, archive: Path) -> None:
    choose_size(crane, "###custom")

    def enter(context: Context) -> None:
        context.item_input_value("//picture/##width", 333)
        context.item_input_value("//picture/##height", 99999)

    crane.run(enter)
    assert crane.app.shell._windows.picture._appearance._size == (333, 8192)
    crane.run(lambda context: context.item_input_value("//picture/##height", 44))
    click(crane, "//picture/###save")
    click(crane, "//open/###confirm")
    path = archive.parent / "crane.png"
    crane.until(path.exists)
    assert Image.open(path).size == (333, 44)


@pytest.fixture
def clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that a program called ``xclip`` writes what it is given to."""
    folder, got = tmp_path / "bin", tmp_path / "clipboard.png"
    folder.mkdir()
    program = folder / "xclip"
    program.write_text(
        f"#!/bin/sh\ncat > '{got}.part'\necho \"$@\" > '{got}.arguments'\nmv '{got}.part' '{got}'\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return got


def test_a_picture_is_copied_to_the_clipboard(crane: GuiTester, clipboard: Path) -> None:
    press(crane, COPY)
    crane.until(clipboard.exists)
    assert Image.open(clipboard).size == crane.app.viewport.area.size
    assert "image/png" in clipboard.with_name("clipboard.png.arguments").read_text()
    crane.until(lambda: "copied" in crane.state.notice)


def test_a_copy_has_the_size_of_the_window_for_pictures(crane: GuiTester, clipboard: Path) -> None:
    crane.commands.pictures.copy_screenshot((123, 45), is_transparent=True)
    crane.until(clipboard.exists)
    image = Image.open(clipboard)
    assert image.size == (123, 45)
    assert image.getpixel((0, 0)) == (0, 0, 0, 0)


def test_without_a_program_for_it_the_message_says_which_to_install(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    crane.commands.pictures.copy_screenshot()
    assert "xclip" in crane.state.message


def test_a_picture_has_the_marks_of_what_is_around_the_model(gui: GuiTester, tmp_path: Path) -> None:
    gui.open(f"{GAME / 'models.rlb'}::b_tower.msh")
    gui.pause()
    plain = np.asarray(save(gui, tmp_path / "a.png"))
    gui.change(overlays=gui.state.view.overlays | {Overlay.PATH_GRAPH})
    assert (np.asarray(save(gui, tmp_path / "b.png")) != plain).any()
