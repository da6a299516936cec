"""The program's own dialog: titles, places, filtering as one types.

The program's own dialog, for systems without one.

Choosing where a new file goes, in the program's own dialog and in a native one.
"""

from __future__ import annotations

import locale
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui, portable_file_dialogs

from tests.gui.hand import click
from tests.gui.harness import BOTTOM, Context, GuiTester, exists
from viewer.app.dialogs import dialogs, path_dialog
from viewer.app.dialogs.path_dialog import with_suffix_of
from viewer.control.opening.loading import sample_address
from viewer.control.window_commands import DialogCommands
from viewer.formats import wear
from viewer.model.convert.scene_images import SUFFIXES
from viewer.model.kinds.registry import KINDS
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened import listing
from viewer.session.opened.entry_list import FOLDER
from viewer.translation import _

pytestmark = pytest.mark.closed("outline", "inspector", *BOTTOM)


@pytest.fixture
def asked(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The application with the dialog open on the folder of the archive, which has three other files."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    for name in ("walker.msh", "wagon.msh", "notes.txt"):
        (archive.parent / name).write_bytes(b"")
    gui.state.settings = gui.state.settings.opened(Address(archive))
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
    for _ignored in range(5):
        asked.run(lambda context: context.key_press(imgui.Key.backspace))
    type_text(asked, "models")
    asked.run(lambda context: context.key_press(imgui.Key.enter))
    asked.until(lambda: asked.state.document is not None)
    assert str(asked.document.address).startswith(str(archive))


def test_a_list_that_nothing_is_left_of_says_so(asked: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(path_dialog, "text", lambda words, _ignored: drawn.append(words))
    type_text(asked, "wa")
    assert "Nothing here has such a name." not in drawn
    type_text(asked, "xyz")
    assert "Nothing here has such a name." in drawn


def test_a_place_is_one_click_away(asked: GuiTester) -> None:
    folder = sample_address().path.parent
    asked.run(lambda context: context.item_click("//open/**/###sample"))
    asked.settle()
    assert asked.app.dialog._own._path == f"{folder}/"
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


@pytest.fixture
def asked_above(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The application with the dialog open on the folder above the archive's."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    gui.state.settings = gui.state.settings.opened(Address(archive.parent / "missing.rlb"))
    gui.commands.dialogs.open_file()
    return gui


def test_a_native_dialog_offers_the_files_of_every_kind() -> None:
    patterns = set(dialogs.filters()[1].split())
    assert {f"*.{suffix.decode()}" for kind in KINDS for suffix in kind.suffixes} <= patterns
    assert {"*.ctl", "*.CTL", "*.msh", "*.Msh"} <= patterns


def test_a_native_dialog_lists_the_images_that_are_read() -> None:
    patterns = set(dialogs.filters(SUFFIXES)[1].split())
    assert {"*.png", "*.tga", "*.TGA", "*.jpg", "*.Jpeg", "*.bmp", "*.webp"} <= patterns


def click_row(gui: GuiTester, row: int) -> None:
    """Click a row of the list; row 0 is the folder above."""
    gui.run(lambda context: context.item_click(f"//open/**/###row{row}"))


def test_a_file_is_chosen_from_the_list(asked_above: GuiTester, archive: Path) -> None:
    click_row(asked_above, 1)
    asked_above.until(lambda: asked_above.state.document is not None)
    assert str(asked_above.document.address) == f"{archive}::crane.msh"


def test_whatever_can_be_opened_is_listed(asked_above: GuiTester, archive: Path) -> None:
    """A wear table too, as it is asked for where a model has none."""
    (archive.parent / "a.wea").write_bytes(wear.build([b"SKIN"]))
    asked_above.run(lambda context: context.key_press(imgui.Key.escape))
    asked_above.commands.dialogs.open_file()
    click_row(asked_above, 1)
    asked_above.until(lambda: asked_above.state.resource is not None)
    assert asked_above.state.resource is not None
    assert asked_above.state.resource.kind == "wear"


def test_a_path_is_typed(asked_above: GuiTester, archive: Path) -> None:
    def type_path(context: Context) -> None:
        context.item_input_value("//open/##path", str(archive))

    asked_above.run(type_path)
    asked_above.until(lambda: asked_above.state.document is not None)
    assert str(asked_above.document.address) == f"{archive}::crane.msh"


def test_a_whole_path_that_is_pasted_after_the_folder_is_that_path(asked: GuiTester, archive: Path) -> None:
    type_text(asked, str(archive))
    assert asked.app.dialog._own._path == str(archive)
    asked.run(lambda context: context.key_press(imgui.Key.enter))
    asked.until(lambda: asked.state.document is not None)
    assert str(asked.document.address) == f"{archive}::crane.msh"


def test_a_click_on_a_folder_goes_into_it(asked_above: GuiTester, archive: Path) -> None:
    folder = archive.parent / "game"
    folder.mkdir()
    archive.rename(folder / archive.name)
    asked_above.run(lambda context: context.key_press(imgui.Key.escape))
    asked_above.commands.dialogs.open_folder()
    click_row(asked_above, 1)
    asked_above.run(lambda context: context.item_click("//open/###confirm"))
    asked_above.until(lambda: asked_above.state.tabs.active.address == Address(folder))
    assert [str(root.address) for root in asked_above.state.browser.roots] == [str(folder)]


def test_an_entry_is_looked_for_in_archives(asked_above: GuiTester, archive: Path) -> None:
    """Rows are where one came from, the archive; in it that again, two models, and the wear table."""
    asked_above.run(lambda context: context.key_press(imgui.Key.escape))
    asked_above.open(f"{archive}::rock.msh")
    assert asked_above.document.materials.wear_source is None
    asked_above.commands.dialogs.choose_wear()
    click_row(asked_above, 1)
    names = [row.name for row in listing.entries_below(FileStore(), Address(archive))]
    click_row(asked_above, 1 + names.index("crane.wea"))
    asked_above.until(lambda: asked_above.document.materials.wear_source is not None)
    assert str(asked_above.document.address) == f"{archive}::rock.msh"
    assert asked_above.document.materials.wear_source == Address(archive, ("crane.wea",))


def test_the_way_back_leads_out_of_an_archive(asked_above: GuiTester, archive: Path) -> None:
    asked_above.run(lambda context: context.key_press(imgui.Key.escape))
    asked_above.app.dialog._ask(_("Open"), asked_above.app.dialog._open, for_entry=True)
    asked_above.settle()
    for row in (1, 0, 1, 1):
        click_row(asked_above, row)
    asked_above.until(lambda: asked_above.state.document is not None)
    assert str(asked_above.document.address) == f"{archive}::crane.msh"


def test_escape_leaves_it(asked_above: GuiTester) -> None:
    asked_above.run(lambda context: context.key_press(imgui.Key.escape))
    assert not asked_above.app.dialog.is_open
    assert asked_above.state.document is None


@pytest.fixture
def asked_to_save(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The application with a model, and the dialog open in the archive's folder to save a picture of it."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    gui.open(archive)
    save_in(gui, archive.parent)
    return gui


def save_in(gui: GuiTester, folder: Path) -> None:
    gui.state.set(save_folder=str(folder))
    gui.commands.dialogs.choose_new(_("Save picture"), "crane.png", gui.app.control.pictures.save_screenshot)


def type_path(gui: GuiTester, path: Path | str) -> None:
    def script(context: Context) -> None:
        context.item_input_value("//open/##path", str(path))

    gui.run(script)


def test_the_proposed_name_is_saved_where_the_last_file_went(asked_to_save: GuiTester, archive: Path) -> None:
    path = archive.parent / "crane.png"
    click(asked_to_save, "//open/###confirm")
    asked_to_save.until(path.exists)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_folder_of_a_saved_file_is_remembered(asked_to_save: GuiTester, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    type_path(asked_to_save, folder / "a.png")
    asked_to_save.until((folder / "a.png").exists)
    assert asked_to_save.state.settings.save_folder == str(folder)
    asked_to_save.commands.dialogs.choose_new(
        _("Save picture"), "b.png", asked_to_save.app.control.pictures.save_screenshot
    )
    click(asked_to_save, "//open/###confirm")
    asked_to_save.until((folder / "b.png").exists)


def test_an_import_begins_around_the_model_then_where_the_last_one_was(
    asked_to_save: GuiTester, archive: Path, tmp_path: Path
) -> None:
    gui, chosen = asked_to_save, list[Path]()
    gui.app.dialog._own.is_open = False
    gui.state.settings = gui.state.settings.opened(Address(tmp_path / "elsewhere"))
    gui.commands.dialogs.choose_file(_("Import"), chosen.append)
    assert gui.app.dialog._own._path == f"{archive.parent}/"
    made = tmp_path / "made"
    made.mkdir()
    (made / "a.glb").write_bytes(b"")
    type_path(gui, made / "a.glb")
    gui.settle()
    assert chosen == [made / "a.glb"]
    gui.commands.dialogs.choose_file(_("Import"), chosen.append)
    assert gui.app.dialog._own._path == f"{made}/"
    assert gui.state.settings.save_folder == str(archive.parent), "what is saved has a folder of its own"


def test_only_the_files_that_are_asked_for_are_listed_until_all_are(
    asked_to_save: GuiTester, archive: Path
) -> None:
    gui = asked_to_save
    gui.app.dialog._own.is_open = False
    for name in ("a.png", "b.PNG", "c.txt"):
        (archive.parent / name).write_bytes(b"")
    gui.commands.dialogs.choose_file(_("Choose a picture"), lambda path: None, ("png",))
    gui.frames(3)
    dialog = gui.app.dialog._own
    listed = [it.name for it in dialog._matches() if it.kind != FOLDER]
    assert listed == ["a.png", "b.PNG"]
    click(gui, "//open/###all_files")
    assert {"a.png", "c.txt", archive.name} <= {it.name for it in dialog._matches()}
    dialog.is_open = False


def test_a_name_without_a_suffix_gets_one(asked_to_save: GuiTester, tmp_path: Path) -> None:
    type_path(asked_to_save, tmp_path / "robot")
    asked_to_save.until((tmp_path / "robot.png").exists)
    assert not (tmp_path / "robot").exists()


def test_a_folder_is_entered_with_the_name_kept(asked_to_save: GuiTester, tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    type_path(asked_to_save, folder)
    assert asked_to_save.app.dialog.is_open
    click(asked_to_save, "//open/###confirm")
    asked_to_save.until((folder / "crane.png").exists)


def test_an_existing_file_is_replaced_only_after_a_second_press(
    asked_to_save: GuiTester, archive: Path
) -> None:
    path = archive.parent / "crane.png"
    path.write_bytes(b"old")
    click(asked_to_save, "//open/###confirm")
    assert (asked_to_save.app.dialog.is_open, path.read_bytes()) == (True, b"old")
    click(asked_to_save, "//open/###confirm")
    asked_to_save.until(lambda: path.read_bytes() != b"old")


def test_a_confirmation_is_for_one_path_only(asked_to_save: GuiTester, archive: Path, tmp_path: Path) -> None:
    first, second = archive.parent / "crane.png", tmp_path / "other.png"
    first.write_bytes(b"first")
    second.write_bytes(b"second")
    click(asked_to_save, "//open/###confirm")
    type_path(asked_to_save, second)
    assert asked_to_save.app.dialog.is_open
    assert (first.read_bytes(), second.read_bytes()) == (b"first", b"second")


def test_escape_saves_nothing(asked_to_save: GuiTester, archive: Path) -> None:
    asked_to_save.run(lambda context: context.key_press(imgui.Key.escape))
    asked_to_save.settle()
    assert not asked_to_save.app.dialog.is_open
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


def test_a_native_dialog_that_ends_at_once_is_replaced(
    gui: GuiTester, answered: Callable[[Path], None]
) -> None:
    """Zenity does so without its display, which looks like a dialog that was cancelled."""
    gui.commands.dialogs.choose_new(_("Save picture"), "a.png", lambda _ignored: None)
    gui.until(lambda: exists(gui, "//open"))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need no program for it")
def test_programs_that_would_refuse_a_text_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zenity ends with "This option is not available" for Russian in the locale C."""
    monkeypatch.setattr(shutil, "which", lambda _name: "/usr/bin/zenity")
    for charset, has_native in (("UTF-8", True), ("ANSI_X3.4-1968", False)):
        monkeypatch.setattr(locale, "nl_langinfo", lambda _item, charset=charset: charset)
        assert dialogs.has_native_dialog() is has_native


def test_adding_the_suffix_never_replaces_a_file_unasked(
    gui: GuiTester, answered: Callable[[Path], None], tmp_path: Path
) -> None:
    """A native dialog asks about the name as it was typed, without its suffix."""
    path = tmp_path / "native.png"
    path.write_bytes(b"old")
    answered(tmp_path / "native")
    assert (gui.app.dialog.is_open, path.read_bytes()) == (True, b"old")
    click(gui, "//open/###confirm")
    click(gui, "//open/###confirm")
    gui.until(lambda: path.read_bytes() != b"old")


def test_the_suffix_of_the_proposed_name_is_added_where_there_is_none() -> None:
    assert with_suffix_of("a/robot", "x.png") == "a/robot.png"
    assert with_suffix_of("a/robot.PNG", "x.png") == "a/robot.PNG"
    assert with_suffix_of("a.b/robot", "x.png") == "a.b/robot.png"
    known = (".webp", ".png")
    assert with_suffix_of("a/robot.PNG", "x.webp", known) == "a/robot.PNG"
    assert with_suffix_of("a/robot.v2", "x.webp", known) == "a/robot.v2.webp"


@pytest.mark.parametrize("is_whole", [False, True], ids=["name", "path"])
def test_what_is_typed_takes_the_place_of_the_proposed_name(
    asked_to_save: GuiTester, archive: Path, tmp_path: Path, is_whole: bool
) -> None:
    folder = tmp_path / "pictures" if is_whole else archive.parent
    folder.mkdir(exist_ok=True)
    typed = str(folder / "mine.png") if is_whole else "mine"
    asked_to_save.frames(3)

    def script(context: Context) -> None:
        context.key_chars(typed)
        context.key_press(int(imgui.Key.enter))

    asked_to_save.run(script)
    asked_to_save.until((folder / "mine.png").exists)


def test_a_folder_is_not_made_without_being_asked_for(asked_to_save: GuiTester, archive: Path) -> None:
    path = archive.parent / "missing" / "a.png"
    type_path(asked_to_save, path)
    asked_to_save.settle()
    assert asked_to_save.app.dialog.is_open
    assert not path.parent.exists()
    click(asked_to_save, "//open/###confirm")
    asked_to_save.until(path.exists)
