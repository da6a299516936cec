"""The tag of a socket, and the parts of the registry that fit there."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.field_text import counted
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import copy_menu, labeled, readable, text, tooltip

MOST_LINES: Final = 16
"""Parts that are seen at once."""
WIDTH: Final = 26.0
"""Width of the list, font heights."""
_LIST: Final = "fitting_parts"


def draw_socket_tag(frame: UiContext, address: Address, tag: str) -> None:
    """Draw a socket tag as a link that lists the fitting parts; `address` is of a file in the game folder."""
    if imgui.text_link(labeled(readable(tag), "socket_tag")):
        imgui.open_popup(_LIST)
    hint = _("The prefix of the parts that a socket accepts; click: those of the registry that fit")
    tooltip([_("socket tag {label}", label=tag), hint])
    copy_menu("copy_socket_tag", tag)
    if not imgui.begin_popup(_LIST):
        return
    found = frame.lookups.fitting(address, tag)
    parts = found or ()
    fit = counted(len(parts), "{count} part of the registry fits", "{count} parts of the registry fit")
    text(_("There is no game folder with a registry around it.") if found is None else fit, theme.DIM)
    height = min(len(parts), MOST_LINES) * imgui.get_text_line_height_with_spacing()
    if parts and imgui.begin_child("parts", ImVec2(theme.em(WIDTH), height)):
        for number in rows_on_screen(len(parts)):
            part = parts[number]
            words = f"{part.key}   {part.called}" if part.called else part.key
            if imgui.selectable(labeled(readable(words), f"part{number}"), False)[0]:
                frame.later(frame.control.opening.go_to, Place(part.address))
                imgui.close_current_popup()
            tooltip(_("go to {place}", place=part.address))
    if parts:
        imgui.end_child()
    imgui.end_popup()
