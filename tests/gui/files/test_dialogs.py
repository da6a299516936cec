"""The program's own dialog: titles, places, filtering as one types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester, exists
from viewer.app.dialogs import dialogs, path_dialog
from viewer.app.loading import sample_address
from viewer.ui.commands import DialogCommands


@pytest.fixture
def asked(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The application with the dialog open on the folder of the archive, which has three other files."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    for name in ("walker.msh", "wagon.msh", "notes.txt"):
        (archive.parent / name).write_bytes(b"")
    gui.state.settings = gui.state.settings.opened(str(archive))
    gui.commands.dialogs.open_file()
    return gui


def type_text(gui: GuiTester, words: str) -> None:
    """Type with the cursor where it is."""
    gui.run(lambda context: context.key_chars(words))
    gui.settle()


def rows(gui: GuiTester) -> int:
    """How many rows are listed, the folder above among them."""
    return next(number for number in range(99) if not exists(gui, f"//open/**/###row{number}"))


def test_typing_filters_the_list_and_enter_opens_the_only_match(asked: GuiTester, archive: Path) -> None:
    assert rows(asked) == 5
    type_text(asked, "wa")
    assert rows(asked) == 3
    type_text(asked, "xyz")
    assert rows(asked) == 1
    for _ in range(5):
        asked.run(lambda context: context.key_press(imgui.Key.backspace))
    type_text(asked, "models")
    asked.run(lambda context: context.key_press(imgui.Key.enter))
    asked.until(lambda: asked.state.document is not None)
    assert asked.document.address.startswith(str(archive))


def test_a_list_that_nothing_is_left_of_says_so(asked: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(path_dialog, "text", lambda words, _: drawn.append(words))
    type_text(asked, "wa")
    assert "Nothing here has such a name." not in drawn
    type_text(asked, "xyz")
    assert "Nothing here has such a name." in drawn


def test_a_place_is_one_click_away(asked: GuiTester) -> None:
    folder = Path(sample_address().partition("::")[0]).parent
    asked.run(lambda context: context.item_click("//open/**/###sample"))
    asked.settle()
    assert asked.app.dialog._dialog._own._path == f"{folder}/"
    for name in ("home", "recent0"):
        assert exists(asked, f"//open/**/###{name}")
    assert not exists(asked, "//open/**/###game"), "none is set"


def test_only_folders_are_listed_if_a_folder_is_asked_for(asked: GuiTester, archive: Path) -> None:
    (archive.parent / "folder").mkdir()
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    asked.commands.dialogs.open_folder()
    assert rows(asked) == 2


@pytest.mark.parametrize(
    ("ask", "title"),
    [
        (DialogCommands.open_file, "Open a model or an archive"),
        (DialogCommands.open_folder, "Open a game folder"),
        (DialogCommands.choose_game, "Choose the game folder"),
        (DialogCommands.choose_wear, "Choose a wear table"),
    ],
)
def test_the_title_says_what_is_asked_for(
    asked: GuiTester, ask: Callable[[DialogCommands], None], title: str
) -> None:
    asked.run(lambda context: context.key_press(imgui.Key.escape))
    getattr(asked.commands.dialogs, ask.__name__)()
    names: list[str] = []

    def look(context: Context) -> None:
        names.append(context.get_window_by_ref("//open").name)

    asked.run(look)
    assert names[0].partition("###")[0] == title
