"""A value as text with a frame that appears under the pointer: it can be clicked, and dragged sideways."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import readable

LEAST_WIDTH: Final = 0.9
"""Width of a value without text, font heights."""
_MARGIN: Final = 0.2
"""How much wider the frame is than the text on either side, font heights."""


class Touch(Enum):
    """What is being done to a value."""

    NONE = auto()
    CLICKED = auto()
    HELD = auto()
    DRAGGED = auto()


def value_box(
    name: str, words: str, color: Color, *, width: float = LEAST_WIDTH, is_scrubbable: bool = False
) -> Touch:
    """Draw a value; tell what is done to it.

    Parameters
    ----------
    name
        Its id, also for tests: it is found as ``###name``.
    width
        The least width, font heights.
    is_scrubbable
        Whether it shows that it can be dragged.
    """
    shown = readable(words)
    corner = imgui.get_cursor_screen_pos()
    size = ImVec2(max(imgui.calc_text_size(shown).x, theme.em(width)), imgui.get_text_line_height())
    base = imgui.internal.get_current_window().dc.curr_line_text_base_offset
    imgui.invisible_button(f"###{name}", size)
    if base:
        corner = imgui.get_item_rect_min()
    is_active = imgui.is_item_active()
    if is_active or imgui.is_item_hovered():
        _draw_frame(corner, size, is_active=is_active)
        cursor = imgui.MouseCursor_.resize_ew if is_scrubbable else imgui.MouseCursor_.hand
        imgui.set_mouse_cursor(cursor)
    imgui.get_window_draw_list().add_text(corner, theme.packed(color), shown)
    return _touch()


def _draw_frame(corner: ImVec2, size: ImVec2, *, is_active: bool) -> None:
    margin = ImVec2(theme.em(_MARGIN), 1.0)
    color = imgui.get_color_u32(imgui.Col_.frame_bg_active if is_active else imgui.Col_.frame_bg_hovered)
    rounding = imgui.get_style().frame_rounding
    imgui.get_window_draw_list().add_rect_filled(corner - margin, corner + size + margin, color, rounding)


def _touch() -> Touch:
    is_dragged = imgui.is_mouse_dragging(imgui.MouseButton_.left)
    if imgui.is_item_active():
        return Touch.DRAGGED if is_dragged else Touch.HELD
    released = imgui.is_item_deactivated() and imgui.is_item_hovered()
    was_dragged = imgui.get_io().mouse_drag_max_distance_sqr[0] >= imgui.get_io().mouse_drag_threshold ** 2
    return Touch.CLICKED if released and not was_dragged else Touch.NONE
