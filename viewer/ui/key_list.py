"""The list of keys (F1): every action with its keys, searchable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.ui import theme
from viewer.ui.actions import Action
from viewer.ui.name_filter import NameFilter
from viewer.ui.widgets import filter_field, text

MOUSE: Final = (
    ("Left or middle drag", "Orbit"),
    ("Shift + left or middle drag, right drag", "Pan"),
    ("Wheel", "Zoom towards the cursor"),
    ("Click", "Select; again at the same place: what lies beneath; Ctrl: add"),
    ("Double click", "Frame what is under the cursor"),
    ("Right click", "Menu of what is under the cursor"),
    ("Up / Down in the browser", "Show the previous or next model, camera kept"),
)


class KeyList:
    """A window that is shown on demand."""

    title = "Keys"

    def __init__(self) -> None:
        self._is_open = False
        self._filter = NameFilter()

    def toggle(self) -> None:
        """Show the window, or stop showing it."""
        self._is_open = not self._is_open

    def draw(self, actions: Sequence[Action]) -> None:
        """Draw the window where it is shown."""
        if not self._is_open:
            return
        centre = imgui.get_main_viewport().get_center()
        imgui.set_next_window_pos(centre, imgui.Cond_.appearing, ImVec2(0.5, 0.5))
        imgui.set_next_window_size(ImVec2(theme.em(34), theme.em(36)), imgui.Cond_.appearing)
        is_shown, is_open = imgui.begin(self.title, True, imgui.WindowFlags_.no_docking)
        self._is_open = bool(is_open)
        if is_shown:
            if imgui.is_window_appearing():
                imgui.set_keyboard_focus_here()
            self._filter = NameFilter(
                filter_field("key filter", self._filter.text, "Search keys and actions")
            )
            self._draw_table(actions)
            if imgui.is_window_focused() and imgui.is_key_pressed(imgui.Key.escape):
                self._is_open = False
        imgui.end()

    def _draw_table(self, actions: Sequence[Action]) -> None:
        flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.no_saved_settings
        if not imgui.begin_table("##keys", 3, flags, imgui.get_content_region_avail()):
            return
        imgui.table_setup_column("keys", imgui.TableColumnFlags_.width_stretch, 1.0)
        imgui.table_setup_column("action", imgui.TableColumnFlags_.width_stretch, 1.3)
        imgui.table_setup_column("menu", imgui.TableColumnFlags_.width_stretch, 0.7)
        for keys, what, menu in listed(actions, self._filter):
            imgui.table_next_row()
            for words, colour in ((keys, theme.ACCENT), (what, theme.TEXT), (menu, theme.FAINT)):
                imgui.table_next_column()
                imgui.push_text_wrap_pos(0.0)
                text(words, colour)
                imgui.pop_text_wrap_pos()
        imgui.end_table()


def listed(actions: Sequence[Action], wanted: NameFilter) -> list[tuple[str, str, str]]:
    """Return keys, action and menu of what has a key and passes the filter; the mouse comes last."""
    rows = [
        ("  ".join(chord.text for chord in action.chords), action.text, action.menu)
        for action in actions
        if action.keys
    ]
    rows += [(keys, what, "Mouse") for keys, what in MOUSE]
    return [row for row in rows if wanted.matches(" ".join(row))]
