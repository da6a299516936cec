"""The layout of the panels from one start to the next."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from tests.gui.harness import GuiTester, headless_window, release_lock_in_frames
from viewer.app.settings.settings import Settings

IN_FRONT = ("Inspector", "Problems")
BEHIND = ("Resource", "Timeline", "Log")


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
