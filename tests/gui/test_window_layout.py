"""The layout of the panels from one start to the next."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from tests.gui.harness import GuiTester, headless_window, release_lock_in_frames
from viewer.app.settings.former_names import WINDOWS
from viewer.app.settings.settings import Settings

IN_FRONT = ("inspector", "problems")
BEHIND = ("materials", "timeline", "log")


def use(settings: Settings, *focused: str) -> tuple[set[str], str]:
    """Start the program, focus some panels and leave; return the panels then in front, and the layout."""
    window = headless_window()
    gui = GuiTester(window, settings)
    gui.frames(4)
    for title in focused:
        _bring_to_front(gui, title)
    shown = {title for title in (*IN_FRONT, *BEHIND) if _is_in_front(title)}
    layout = gui.app.gui.layout
    gui.close()
    window.destroy()
    return shown, layout


def _bring_to_front(gui: GuiTester, title: str) -> None:
    gui.run(lambda context: context.window_focus(f"//{title}"))


def _is_in_front(title: str) -> bool:
    found = imgui.internal.find_window_by_name(title)
    return found is not None and not found.hidden


def test_the_tabs_in_front_are_in_front_at_the_next_start(monkeypatch: pytest.MonkeyPatch) -> None:
    release_lock_in_frames(monkeypatch)
    shown, layout = use(Settings(has_seen_hint=True), *IN_FRONT)
    assert shown == set(IN_FRONT)
    shown, _ = use(Settings(has_seen_hint=True, layout=layout))
    assert shown == set(IN_FRONT)


def test_a_layout_by_titles_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts were saved by titles before panels had ids; places and tabs in front are kept."""
    release_lock_in_frames(monkeypatch)
    _, layout = use(Settings(has_seen_hint=True), *IN_FRONT)
    for title in WINDOWS:
        layout = layout.replace(f"[Window][{title.lower()}]", f"[Window][{title}]")
        layout = layout.replace(_tab_id(title.lower()), _tab_id(title))
    assert "[Window][Inspector]" in layout
    shown, _ = use(Settings(has_seen_hint=True, layout=layout))
    assert shown == set(IN_FRONT)


def _tab_id(window: str) -> str:
    return f"0x{imgui.internal.im_hash_str('#TAB', 4, imgui.internal.im_hash_str(window)):08X}"


@pytest.mark.parametrize("name", ["resource", "Resource"])
def test_a_layout_with_the_resource_panel_in_front_is_read(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It was a panel beside the inspector; another one comes to the front in its place."""
    release_lock_in_frames(monkeypatch)
    _, layout = use(Settings(has_seen_hint=True), *IN_FRONT)
    layout = layout.replace(_tab_id("inspector"), _tab_id(name))
    dock = layout.partition("[Window][inspector]")[2].partition("DockId=")[2][:10]
    layout = f"[Window][{name}]\nPos=700,56\nSize=314,559\nCollapsed=0\nDockId={dock},2\n\n{layout}"
    shown, now = use(Settings(has_seen_hint=True, layout=layout))
    assert {"problems"} < shown <= {"problems", "inspector", "materials"}
    assert "resource" not in now.lower()


def test_the_middle_has_no_second_bar_of_tabs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It lists what is open itself."""
    release_lock_in_frames(monkeypatch)
    window = headless_window()
    gui = GuiTester(window, Settings(has_seen_hint=True))
    gui.frames(4)
    shows_bar = {name: not _dock_of(name).is_hidden_tab_bar() for name in ("viewport", "inspector")}
    assert shows_bar == {"viewport": False, "inspector": True}
    gui.close()
    window.destroy()


def _dock_of(window: str) -> imgui.internal.DockNode:
    return imgui.internal.find_window_by_name(window).dock_node
