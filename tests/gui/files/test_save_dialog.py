"""Choosing where a new file goes, in the program's own dialog and in a native one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui, portable_file_dialogs

from tests.gui.harness import Context, GuiTester
from viewer.app.dialogs import dialogs
from viewer.app.dialogs.path_dialog import with_suffix_of
from viewer.translation import Message


@pytest.fixture
def asked(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The application with a model, and the dialog open in the archive's folder to save a picture of it."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    gui.open(archive)
    save_in(gui, archive.parent)
    return gui


def save_in(gui: GuiTester, folder: Path) -> None:
    gui.state.set(save_folder=str(folder))
    gui.commands.dialogs.choose_new(
        Message("Save picture"), "crane.png", gui.app.commands.files.save_screenshot
    )


def press(gui: GuiTester, item: str) -> None:
    gui.run(lambda context: context.item_click(f"//open/{item}"))


def type_path(gui: GuiTester, path: Path | str) -> None:
    def script(context: Context) -> None:
        context.item_input_value("//open/##path", str(path))

    gui.run(script)


def test_the_proposed_name_is_saved_where_the_last_file_went(asked: GuiTester, archive: Path) -> None:
    path = archive.parent / "crane.png"
    press(asked, "###confirm")
    asked.until(path.exists)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_folder_of_a_saved_file_is_remembered(asked: GuiTester, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    type_path(asked, folder / "a.png")
    asked.until((folder / "a.png").exists)
    assert asked.state.settings.save_folder == str(folder)
    asked.commands.dialogs.choose_new(
        Message("Save picture"), "b.png", asked.app.commands.files.save_screenshot
    )
    press(asked, "###confirm")
    asked.until((folder / "b.png").exists)


def test_a_name_without_a_suffix_gets_one(asked: GuiTester, tmp_path: Path) -> None:
    type_path(asked, tmp_path / "robot")
    asked.until((tmp_path / "robot.png").exists)
    assert not (tmp_path / "robot").exists()


def test_a_folder_is_entered_with_the_name_kept(asked: GuiTester, tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    type_path(asked, folder)
    assert asked.app.dialog.is_open
    press(asked, "###confirm")
    asked.until((folder / "crane.png").exists)


def test_an_existing_file_is_replaced_only_after_a_second_press(asked: GuiTester, archive: Path) -> None:
    path = archive.parent / "crane.png"
    path.write_bytes(b"old")
    press(asked, "###confirm")
    assert (asked.app.dialog.is_open, path.read_bytes()) == (True, b"old")
    press(asked, "###confirm")
    asked.until(lambda: path.read_bytes() != b"old")


def test_a_confirmation_is_for_one_path_only(asked: GuiTester, archive: Path, tmp_path: Path) -> None:
    first, second = archive.parent / "crane.png", tmp_path / "other.png"
    first.write_bytes(b"first")
    second.write_bytes(b"second")
    press(asked, "###confirm")
    type_path(asked, second)
    assert asked.app.dialog.is_open
    assert (first.read_bytes(), second.read_bytes()) == (b"first", b"second")


def test_escape_saves_nothing(asked: GuiTester, archive: Path) -> None:
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    asked.settle()
    assert not asked.app.dialog.is_open
    assert not (archive.parent / "crane.png").exists()


class _Native:
    """A native dialog that has been answered."""

    answer = ""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def ready(self, _wait: int) -> bool:
        return True

    def result(self) -> str:
        return self.answer


@pytest.fixture
def answered(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Answers the native dialog with a path."""
    gui.open(archive)
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: True)
    monkeypatch.setattr(portable_file_dialogs, "save_file", _Native)

    def answer(path: Path) -> None:
        monkeypatch.setattr(_Native, "answer", str(path))
        save_in(gui, archive.parent)

    return answer


def test_a_native_dialog_is_used_where_there_is_one(
    gui: GuiTester, answered: Callable[[Path], None], tmp_path: Path
) -> None:
    answered(tmp_path / "native.png")
    gui.until((tmp_path / "native.png").exists)


def test_adding_the_suffix_never_replaces_a_file_unasked(
    gui: GuiTester, answered: Callable[[Path], None], tmp_path: Path
) -> None:
    """A native dialog asks about the name as it was typed, without its suffix."""
    path = tmp_path / "native.png"
    path.write_bytes(b"old")
    answered(tmp_path / "native")
    assert (gui.app.dialog.is_open, path.read_bytes()) == (True, b"old")
    press(gui, "###confirm")
    press(gui, "###confirm")
    gui.until(lambda: path.read_bytes() != b"old")


def test_the_suffix_of_the_proposed_name_is_added_where_there_is_none() -> None:
    assert with_suffix_of("a/robot", "x.png") == "a/robot.png"
    assert with_suffix_of("a/robot.PNG", "x.png") == "a/robot.PNG"
    assert with_suffix_of("a.b/robot", "x.png") == "a.b/robot.png"
