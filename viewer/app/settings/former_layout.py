"""Layouts that were saved when windows were named by their titles, or when there were other panels."""

from __future__ import annotations

import re

from imgui_bundle import imgui

from viewer.app.settings.former_names import GONE, WINDOWS, id_of_window


def layout_by_ids(layout: str) -> str:
    """Return a layout of ImGui with windows and selected tabs named by ids, without panels that are gone.

    A layout by ids is not changed otherwise.
    """
    layout = re.sub(r"(?<=^\[Window\]\[)\w+(?=\]$)", lambda found: id_of_window(found[0]), layout, flags=re.M)
    for panel in GONE:
        layout = re.sub(rf"^\[Window\]\[{panel}\]\n(?:.+\n)*\n?", "", layout, flags=re.M)
    tabs = {_tab_id(title): _tab_id(id_of_window(title)) for title in WINDOWS}
    return re.sub(r"(?<=Selected=)0x[0-9A-F]{8}", lambda found: tabs.get(found[0], found[0]), layout)


def _tab_id(window: str) -> str:
    """Return how a layout names the tab of a window."""
    return f"0x{imgui.internal.im_hash_str('#TAB', 4, imgui.internal.im_hash_str(window)):08X}"
