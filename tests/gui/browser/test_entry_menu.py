"""What is done with an entry from its row in the browser: opened in a tab, extracted, copied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.conftest import rock
from tests.gui.harness import Context, GuiTester, click
from tests.gui.tab_steps import CTRL, active, names
from viewer.app.dialogs import dialogs


def row_of(gui: GuiTester, name: str) -> str:
    """Reference of the row of an entry in the browser, below the one root."""
    (rows,) = gui.state.browser.children.values()
    return f"//browser/**/###entry{[row.name for row in rows].index(name) + 1}"


def test_the_middle_button_and_ctrl_open_a_row_in_a_new_tab(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.run(lambda context: context.item_click(row_of(gui, "rock.msh"), imgui.MouseButton_.middle))
    gui.until(lambda: active(gui) == "rock.msh")

    def with_ctrl(context: Context) -> None:
        context.key_down(CTRL)
        context.item_click(row_of(gui, "crane.wea"))
        context.key_up(CTRL)

    gui.run(with_ctrl)
    gui.until(lambda: active(gui) == "crane.wea")
    assert names(gui) == ["crane.msh", "rock.msh", "crane.wea"]


def choose(gui: GuiTester, row: str, item: str) -> None:
    """Choose an item of the context menu of a row."""

    def script(context: Context) -> None:
        context.item_click(row, imgui.MouseButton_.right)
        context.item_click(f"//$FOCUSED/###{item}")

    gui.run(script)


def test_the_menu_of_an_entry_opens_it_in_a_second_tab(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    choose(gui, row_of(gui, "crane.wea"), "open_in_tab")
    gui.until(lambda: active(gui) == "crane.wea")
    assert names(gui) == ["crane.msh", "crane.wea"]


def test_the_menu_of_an_entry_copies_its_address(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    copied = []

    def script(context: Context) -> None:
        context.item_click(row_of(gui, "crane.wea"), imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###copy_address")
        context.yield_(2)
        copied.append(imgui.get_clipboard_text())

    gui.run(script)
    assert copied == [f"{archive}::crane.wea"]


def test_the_menu_of_an_entry_extracts_it(
    gui: GuiTester, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    gui.open(archive)
    gui.state.settings = replace(gui.state.settings, save_folder=str(tmp_path))
    choose(gui, row_of(gui, "rock.msh"), "extract")
    click(gui, "//open/###confirm")
    gui.until(lambda: (tmp_path / "rock.msh").exists() and not gui.app.jobs.title)
    assert (tmp_path / "rock.msh").read_bytes() == rock().build()
    assert str(tmp_path / "rock.msh") in gui.state.notice


def test_what_cannot_be_read_is_not_extracted(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    gui.commands.files.extract(f"{archive}::missing.wea", tmp_path / "a.wea")
    gui.until(lambda: not gui.app.jobs.title)
    assert "missing.wea" in gui.state.message
    assert not (tmp_path / "a.wea").exists()


def test_an_archive_itself_is_shown_in_a_tab(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    choose(gui, "//browser/**/###entry0", "open_in_tab")
    gui.until(lambda: gui.state.resource is not None)
    assert gui.state.resource is not None
    assert (gui.state.resource.kind, gui.state.resource.address) == ("nres", str(archive))


@pytest.mark.parametrize(("keys", "expected"), [(0, ["rock.msh"]), (CTRL, ["crane.msh", "rock.msh"])])
def test_enter_in_the_filter_opens_the_first_hit(
    gui: GuiTester, archive: Path, keys: int, expected: list[str]
) -> None:
    gui.open(archive)

    def script(context: Context) -> None:
        context.item_click("//browser/##browser_filter")
        context.key_chars("ROCK")
        context.yield_(10)
        context.key_press(keys | int(imgui.Key.enter))

    gui.run(script)
    gui.until(lambda: active(gui) == "rock.msh")
    assert names(gui) == expected
