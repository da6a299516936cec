"""Asking for a file or folder: the system's dialog where there is one, a field for the path where not."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import portable_file_dialogs as native

from viewer.ui import theme
from viewer.ui.widgets import text

TITLE: Final = "Open a file or folder"
LINUX_HELPERS: Final = ("zenity", "kdialog", "matedialog", "qarma")
FILTERS: Final = [
    "Models and archives", "*.msh *.rlb *.lib *.MSH *.RLB *.LIB *.Msh *.Rlb *.Lib",
    "All files", "*",
]  # fmt: skip


def has_native_dialog() -> bool:
    """Whether the system can ask; on Linux its dialogs without a helper answer at once, with nothing."""
    return sys.platform != "linux" or any(shutil.which(helper) for helper in LINUX_HELPERS)


class FileDialog:
    """At most one open dialog; owner: the application."""

    def __init__(self) -> None:
        self._native: native.open_file | native.select_folder | None = None
        self._is_asking = False
        self._path = ""

    @property
    def is_open(self) -> bool:
        """Whether an answer is still to come, so that frames have to look for it."""
        return self._native is not None or self._is_asking

    def ask(self, folder: Path, *, for_folder: bool) -> None:
        """Open a dialog that starts in `folder`."""
        if self.is_open:
            return
        if not has_native_dialog():
            self._is_asking, self._path = True, f"{folder}/"
        elif for_folder:
            self._native = native.select_folder("Open a game folder", str(folder))
        else:
            self._native = native.open_file("Open", f"{folder}/", FILTERS)

    def draw(self) -> str | None:
        """Draw the field where there is no native dialog; return the answer in the frame that has it."""
        if self._native is not None and self._native.ready(0):
            answer = self._native.result()
            self._native = None
            path = answer[0] if isinstance(answer, list) and answer else answer
            return str(path) if path else None
        return self._draw_field() if self._is_asking else None

    def _draw_field(self) -> str | None:
        if not imgui.is_popup_open(TITLE):
            imgui.open_popup(TITLE)
        imgui.set_next_window_size(ImVec2(theme.em(40), 0))
        centre = imgui.get_main_viewport().get_center()
        imgui.set_next_window_pos(centre, imgui.Cond_.appearing, ImVec2(0.5, 0.5))
        if not imgui.begin_popup_modal(TITLE, None, imgui.WindowFlags_.no_saved_settings)[0]:
            return None
        answer = self._draw_content()
        if not self._is_asking:
            imgui.close_current_popup()
        imgui.end_popup()
        return answer

    def _draw_content(self) -> str | None:
        text("Path of a model, an archive or a game folder", theme.DIM)
        if imgui.is_window_appearing():
            imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(-1)
        is_entered, self._path = imgui.input_text(
            "##path", self._path, imgui.InputTextFlags_.enter_returns_true
        )
        is_entered |= imgui.button("Open", ImVec2(theme.em(6), 0))
        imgui.same_line()
        is_left = imgui.button("Cancel", ImVec2(theme.em(6), 0)) or imgui.is_key_pressed(imgui.Key.escape)
        self._is_asking = not (is_entered or is_left)
        return self._path.strip() or None if is_entered else None
