"""One message in front of everything, until it is read."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.ui import theme
from viewer.ui.widgets import text, wrapped

TITLE: Final = "Message"


def draw_message(message: str) -> bool:
    """Draw the message, if there is one; tell whether it has been read."""
    if not message:
        return False
    if not imgui.is_popup_open(TITLE):
        imgui.open_popup(TITLE)
    centre = imgui.get_main_viewport().get_center()
    imgui.set_next_window_pos(centre, imgui.Cond_.appearing, ImVec2(0.5, 0.5))
    imgui.set_next_window_size(ImVec2(theme.em(34), 0))
    if not imgui.begin_popup_modal(TITLE, None, imgui.WindowFlags_.no_saved_settings)[0]:
        return False
    text(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  That did not work", theme.WARNING)
    imgui.spacing()
    wrapped(message)
    imgui.spacing()
    is_read = _draw_buttons(message)
    if is_read:
        imgui.close_current_popup()
    imgui.end_popup()
    return is_read


def _draw_buttons(message: str) -> bool:
    is_read = imgui.button("OK", ImVec2(theme.em(6), 0))
    imgui.set_item_default_focus()
    imgui.same_line()
    if imgui.button("Copy", ImVec2(theme.em(6), 0)):
        imgui.set_clipboard_text(message)
    closing_keys = (imgui.Key.escape, imgui.Key.enter, imgui.Key.keypad_enter)
    return is_read or any(imgui.is_key_pressed(key, False) for key in closing_keys)
