"""The filter field that every list, table and dialog uses: a text, an x, and Esc to clear it."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, ImVec4, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.query.names import NameFilter
from viewer.translation import Text, _
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.widgets import ghost_button, tooltip

WORDS: Final = _("The name must contain all words; * and ? are wildcards.")
_TRANSPARENT: Final = ImVec4(0.0, 0.0, 0.0, 0.0)
_FRAMES: Final = (
    int(imgui.Col_.frame_bg),
    int(imgui.Col_.frame_bg_hovered),
    int(imgui.Col_.frame_bg_active),
)
_FLAGS: Final = int(imgui.InputTextFlags_.escape_clears_all) | int(imgui.InputTextFlags_.auto_select_all)


class FilterField:
    """A filter text and its field.

    Esc clears the text while the cursor is in the field or the panel around it has the focus; nothing else
    gets that Esc. With an empty text Esc does what it does elsewhere.

    Parameters
    ----------
    name
        Id of the field, also for tests: ``##name``; the x is ``###clear_name``.
    hint
        What is shown while it is empty.
    explanation
        Its tooltip while it is empty.

    Attributes
    ----------
    text
        What was typed.
    is_entered
        Enter was pressed in it in the last frame.
    """

    def __init__(self, name: str, hint: Text, explanation: Text = WORDS) -> None:
        self._name = name
        self._hint = hint
        self._explanation = explanation
        self.text = ""
        self.is_entered = False
        self._drawn, self._is_changed = "", False
        self._names = NameFilter()
        self._wants_cursor = False
        self._is_outdated = False

    @property
    def names(self) -> NameFilter:
        """The text as a filter of names."""
        if self._names.text != self.text:
            self._names = NameFilter(self.text)
        return self._names

    @property
    def is_empty(self) -> bool:
        """Whether everything passes."""
        return not self.text.strip()

    def ask(self) -> None:
        """Put the cursor into the field in the next frame."""
        self._wants_cursor = True

    def clear(self) -> None:
        """Clear the text of the filter."""
        self.put("")

    def put(self, text: str) -> None:
        """Replace the text of the filter."""
        self.text, self._is_outdated = text, True

    def draw(self, *, room: float = 0.0) -> bool:
        """Draw the field over the panel's width, less some `room` on its right; tell if the text changed."""
        before = self.text
        side, has_x = imgui.get_frame_height(), bool(self.text)
        width = max(imgui.get_content_region_avail().x - room, 2 * side)
        end = imgui.get_cursor_pos_x() + width
        _draw_frame(ImVec2(width, side))
        self._draw_input(width - side * has_x)
        if has_x:
            imgui.same_line(0, 0)
            imgui.set_cursor_pos_x(end - side)
            self._draw_x(side)
        self._is_changed, self._drawn = self.text != self._drawn, self.text
        return self.text != before

    def scroll_to_top(self) -> None:
        """Show the first rows of the list that is being drawn if its filter has just changed."""
        if self._is_changed:
            imgui.set_scroll_y(0)

    def _draw_input(self, width: float) -> None:
        # A field that is being edited has a copy of its text, and would write that back.
        if self._is_outdated and imgui.internal.get_active_id() == imgui.get_id(f"##{self._name}"):
            imgui.internal.clear_active_id()
        if self._wants_cursor:
            imgui.set_keyboard_focus_here()
        self._wants_cursor = self._is_outdated = False
        imgui.set_next_item_width(width)
        before = self.text
        for color in _FRAMES:
            imgui.push_style_color(color, _TRANSPARENT)
        hint = f"{fa.ICON_FA_MAGNIFYING_GLASS}  {self._hint}"
        if imgui.calc_text_size(hint).x > width - 2 * imgui.get_style().frame_padding.x:
            hint = fa.ICON_FA_MAGNIFYING_GLASS
        _ignored, self.text = imgui.input_text_with_hint(f"##{self._name}", hint, self.text, _FLAGS)
        imgui.pop_style_color(3)
        self.is_entered = imgui.is_item_deactivated() and key_focus.is_entered()
        if self.is_empty and not imgui.is_item_active():
            tooltip(str(self._explanation))
        self._take_escape(before)

    def _take_escape(self, before: str) -> None:
        """Clear the text with Esc, and keep that Esc from everything that is drawn after the field."""
        if not before:
            return
        if imgui.shortcut(int(imgui.Key.escape), imgui.InputFlags_.route_focused):
            self.text = ""
        if not self.text and imgui.is_key_pressed(imgui.Key.escape):
            key_focus.lock_escape()

    def _draw_x(self, side: float) -> None:
        """Draw the button that clears the text, at the right end of the frame."""
        inset = (side - imgui.get_text_line_height()) / 2
        imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + inset)
        if ghost_button(fa.ICON_FA_XMARK, f"clear_{self._name}", _("Clear the filter (Esc)"), theme.FAINT):
            self.clear()


def _draw_frame(size: ImVec2) -> None:
    corner = imgui.get_cursor_screen_pos()
    is_hovered = imgui.is_mouse_hovering_rect(corner, corner + size) and imgui.is_window_hovered()
    color = imgui.get_color_u32(imgui.Col_.frame_bg_hovered if is_hovered else imgui.Col_.frame_bg)
    rounding = imgui.get_style().frame_rounding
    imgui.get_window_draw_list().add_rect_filled(corner, corner + size, color, rounding)
