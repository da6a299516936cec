"""Messages: an error until it is read, a notice for a few seconds."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import LARGEST_SHARE, place_in_middle
from viewer.ui.widgets.widgets import labeled, readable, text, wrapped

ID: Final = "message"
WIDTH: Final = 34.0
"""In font heights, if there is room."""
_NOTICE: Final = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_inputs
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.always_auto_resize
)


def draw_message(message: str) -> bool:
    """Draw the message if there is one; tell whether it was closed."""
    if not message:
        return False
    if not imgui.is_popup_open(ID):
        imgui.open_popup(ID)
    place_in_middle(WIDTH, 0, imgui.Cond_.always)
    if not imgui.begin_popup_modal(labeled(_("Message"), ID), None, imgui.WindowFlags_.no_saved_settings)[0]:
        return False
    text(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {_('This could not be done')}", theme.WARNING)
    imgui.spacing()
    wrapped(message)
    imgui.spacing()
    is_read = _draw_buttons(message)
    if is_read:
        imgui.close_current_popup()
    imgui.end_popup()
    return is_read


def draw_notice(notice: str, *, is_warning: bool) -> None:
    """Draw a text at the lower edge of the window that takes no input."""
    viewport = imgui.get_main_viewport()
    place = ImVec2(viewport.get_center().x, viewport.work_pos.y + viewport.work_size.y - theme.em(1))
    imgui.set_next_window_pos(place, imgui.Cond_.always, ImVec2(0.5, 1.0))
    imgui.begin("##notice", None, _NOTICE)
    icon = fa.ICON_FA_TRIANGLE_EXCLAMATION if is_warning else fa.ICON_FA_CIRCLE_CHECK
    imgui.push_text_wrap_pos(viewport.work_size.x * LARGEST_SHARE)
    text(f"{icon}  {notice}", theme.WARNING if is_warning else theme.GOOD)
    imgui.pop_text_wrap_pos()
    imgui.end()


def _draw_buttons(message: str) -> bool:
    is_read = imgui.button(labeled(_("OK"), "ok"), ImVec2(theme.em(6), 0))
    imgui.set_item_default_focus()
    imgui.same_line()
    if imgui.button(labeled(_("Copy"), "copy"), ImVec2(theme.em(6), 0)):
        imgui.set_clipboard_text(readable(message))
    closing_keys = (imgui.Key.escape, imgui.Key.enter, imgui.Key.keypad_enter)
    return is_read or any(imgui.is_key_pressed(key, False) for key in closing_keys)
