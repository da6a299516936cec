"""The layout of the panels from one start to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from imgui_bundle import imgui
from moderngl_window.context.headless.window import Window

from tests.gui.engine import release_lock_in_frames
from tests.gui.harness import Context, GuiTester
from viewer.control.settings import settings_file
from viewer.control.settings.settings import Settings

IN_FRONT = ("inspector", "problems")
BEHIND = ("materials", "timeline", "log")


Use = Callable[..., tuple[set[str], str]]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, window: Window) -> Iterator[Use]:
    """Start the program, focus some panels and leave; return the panels then in front, and the layout."""
    release_lock_in_frames(monkeypatch)

    def used(layout: str = "", *focused: str) -> tuple[set[str], str]:
        gui = GuiTester(window, Settings(has_seen_hint=True, layout=layout))
        gui.settle()
        for title in focused:
            _bring_to_front(gui, title)
        shown = {title for title in (*IN_FRONT, *BEHIND) if _is_in_front(title)}
        left = gui.app.gui.layout
        gui.close()
        return shown, left

    with window.ctx:
        yield used


def _bring_to_front(gui: GuiTester, title: str) -> None:
    gui.run(lambda context: context.window_focus(f"//{title}"))


def _is_in_front(title: str) -> bool:
    found = imgui.internal.find_window_by_name(title)
    return found is not None and not found.hidden


def test_the_tabs_in_front_are_in_front_at_the_next_start(use: Use) -> None:
    shown, layout = use("", *IN_FRONT)
    assert shown == set(IN_FRONT)
    shown, _ = use(layout)
    assert shown == set(IN_FRONT)


def test_the_middle_has_no_second_bar_of_tabs(gui: GuiTester) -> None:
    """It lists what is open itself."""
    shows_bar = {name: not _dock_of(name).is_hidden_tab_bar() for name in ("viewport", "inspector")}
    assert shows_bar == {"viewport": False, "inspector": True}


def _dock_of(window: str) -> imgui.internal.DockNode:
    return imgui.internal.find_window_by_name(window).dock_node


BOTTOM = ("timeline", "dope_sheet", "curves", "tables", "problems", "search")
MOVED = ("problems", "timeline", "search", "dope_sheet", "curves", "tables")


def bar_of(panel: str) -> imgui.internal.TabBar:
    window = imgui.internal.find_window_by_name(panel)
    assert window is not None
    return window.dock_node.tab_bar


def tabs() -> tuple[str, ...]:
    """The tabs of the lower dock, from left to right."""
    return tuple(panel_of(tab) for tab in bar_of("problems").tabs)


def panel_of(tab: imgui.internal.TabItem) -> str:
    return tab.window.name.rpartition("###")[2]


def drag_tab(gui: GuiTester, panel: str, onto: str) -> None:
    """Drag a tab to the place of another one."""

    def script(context: Context) -> None:
        bar = bar_of(panel)
        places = {
            panel_of(tab): imgui.ImVec2(
                bar.bar_rect.min.x + tab.offset + tab.width / 2, bar.bar_rect.min.y + 6
            )
            for tab in bar.tabs
        }
        context.mouse_move_to_pos(places[panel])
        context.mouse_down()
        for share in (0.5, 0.9, 1.0):
            context.mouse_move_to_pos(places[panel] + (places[onto] - places[panel]) * share)
        context.mouse_up()

    gui.run(script)
    gui.settle()


def test_tabs_stay_in_the_order_that_the_user_gave_them(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    assert tabs() == BOTTOM
    drag_tab(gui, "problems", "timeline")
    drag_tab(gui, "search", "dope_sheet")
    assert tabs() == MOVED
    gui.open(f"{archive}::crane.wea")
    assert tabs() == ("problems", "search"), "the others are of models"
    gui.open(archive)
    assert tabs() == MOVED
    gui.open(f"{archive}::crane.wea")
    drag_tab(gui, "search", "problems")
    gui.open(archive)
    assert tabs() == ("search", "timeline", "problems", "dope_sheet", "curves", "tables")


def test_a_panel_that_is_shown_again_is_where_it_was(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    for _ in range(2):
        gui.run(lambda context: context.menu_click("//##MainMenuBar/window/tables"))
        gui.settle()
    assert tabs() == BOTTOM


def test_the_order_of_tabs_lasts_also_if_a_table_was_open_at_the_end(
    monkeypatch: pytest.MonkeyPatch, window: Window, archive: Path, tmp_path: Path
) -> None:
    release_lock_in_frames(monkeypatch)
    path = tmp_path / "settings.json"
    with window.ctx:
        gui = GuiTester(window, Settings(has_seen_hint=True), path)
        gui.open(archive)
        drag_tab(gui, "problems", "timeline")
        gui.open(f"{archive}::crane.wea")
        gui.close()
        gui = GuiTester(window, settings_file.load(path), path)
        gui.open(f"{archive}::crane.wea")
        gui.open(archive)
        assert tabs() == ("problems", "timeline", "dope_sheet", "curves", "tables", "search")
        gui.close()


def test_every_pixel_has_a_color_also_behind_a_panel_that_is_not_docked(
    gui: GuiTester, archive: Path
) -> None:
    gui.open(archive)
    assert (gui.shown()[..., 3] == 255).all()

    def script(_: Context) -> None:
        imgui.internal.dock_builder_dock_window("outline", 0)
        imgui.set_window_pos("outline", imgui.get_main_viewport().get_center() - imgui.ImVec2(100, 100))

    gui.run(script)
    gui.settle()
    panel = imgui.internal.find_window_by_name("outline")
    assert panel is not None
    assert panel.dock_id == 0
    # In its padding nothing lies over the image of the model but the background.
    edge = gui.shown()[int(panel.pos.y + panel.size.y / 2), int(panel.pos.x) + 3, :3]
    background = imgui.get_style().color_(imgui.Col_.window_bg)
    assert edge.tolist() == [round(it * 255) for it in (*background,)[:3]]
