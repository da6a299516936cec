"""The footer shows the five keys of what the user is doing, and they do what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester, bring_to_front
from viewer.ui.frame.bottom_bars import ENTRIES, Occupation, focused_panel, keys_of, occupation
from viewer.version import VERSION

SAMPLE = Path(__file__).parents[3] / "assets" / "game"


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    gui.open(archive)
    gui.pause()
    bring_to_front(gui, "viewport")
    return gui


def doing(gui: GuiTester) -> Occupation:
    gui.settle()
    return occupation(gui.app._frame(), focused_panel())


def test_it_follows_what_the_user_is_doing(crane: GuiTester) -> None:
    assert doing(crane) is Occupation.LOOKING
    crane.select(1)
    assert doing(crane) is Occupation.SELECTION
    crane.run(lambda context: context.key_press(imgui.Key.escape))
    crane.change(is_playing=True)
    assert doing(crane) is Occupation.ANIMATION
    crane.pause()
    assert doing(crane) is Occupation.LOOKING


def test_it_follows_the_panel_with_the_focus(crane: GuiTester) -> None:
    seen: list[Occupation] = []

    def look(context: Context) -> None:
        for panel in ("tables", "timeline", "viewport"):
            context.window_focus(f"//{panel}")
            context.yield_(2)
            seen.append(occupation(crane.app._frame(), focused_panel()))

    crane.run(look)
    assert seen == [Occupation.TABLE, Occupation.ANIMATION, Occupation.LOOKING]


def test_it_follows_what_is_open(gui: GuiTester) -> None:
    assert doing(gui) is Occupation.NOTHING_OPEN
    gui.open(next(SAMPLE.glob("Textures.lib")))
    address = next(entry.address for rows in gui.state.browser.children.values() for entry in rows)
    gui.open(address)
    assert doing(gui) is Occupation.TEXTURE
    gui.open(f"{SAMPLE / 'models.rlb'}::walker.wea")
    assert doing(gui) is Occupation.RESOURCE


@pytest.mark.parametrize("kind", list(Occupation))
def test_there_are_five_entries_with_keys_of_real_actions(gui: GuiTester, kind: Occupation) -> None:
    actions = {action.id: action for action in gui.app._shell._actions}
    keys = [keys_of(entry, actions) for entry in ENTRIES[kind]]
    assert len(keys) == len(set(keys)) == 5
    assert all(keys)


@pytest.mark.parametrize(("kind", "expected"), [(Occupation.LOOKING, "Space"), (Occupation.SELECTION, "F")])
def test_the_keys_are_those_of_the_actions(gui: GuiTester, kind: Occupation, expected: str) -> None:
    actions = {action.id: action for action in gui.app._shell._actions}
    assert expected in [keys_of(entry, actions) for entry in ENTRIES[kind]]


def test_it_is_drawn_above_the_status_bar(crane: GuiTester) -> None:
    footer = imgui.internal.find_window_by_name("##footer")
    status = imgui.internal.find_window_by_name("##status")
    assert footer is not None
    assert status is not None
    assert footer.was_active
    assert footer.pos.y + footer.size.y <= status.pos.y + 1


def test_the_about_box_copies_what_a_bug_report_needs(gui: GuiTester) -> None:
    gui.run(lambda context: context.menu_click("//##MainMenuBar/###help/###help.about"))
    gui.settle()
    copied: list[str] = []

    def copy(context: Context) -> None:
        context.item_click("//about/###copy_about")
        context.yield_(2)
        copied.append(imgui.get_clipboard_text())

    gui.run(copy)
    assert f"mshview {VERSION}" in copied[0]
    assert gui.window.ctx.info["GL_RENDERER"] in copied[0]
