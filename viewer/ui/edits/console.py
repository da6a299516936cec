"""Console panel: Python with the library; its edits are undo steps."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.session.console import LineKind
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import cut, labeled, readable, text, tooltip, wrapped

_COLORS: Final = {LineKind.INPUT: theme.DIM, LineKind.OUTPUT: theme.TEXT, LineKind.ERROR: theme.ERROR}
_FLAGS: Final = (
    int(imgui.InputTextFlags_.enter_returns_true)
    | int(imgui.InputTextFlags_.callback_completion)
    | int(imgui.InputTextFlags_.callback_history)
)
MOST_OFFERED: Final = 40
"""Completions that are listed."""


class ConsolePanel:
    """The lines of the console and the field that commands are typed in.

    Tab completes a name, Up and Down go through what was typed before.
    """

    id = "console"
    title = _("Console")

    def __init__(self) -> None:
        self._text = ""
        self._place = 0
        self._offered: tuple[str, ...] = ()
        self._shown: object = None
        self._wants_cursor = False

    def draw(self, frame: UiContext) -> None:
        """Draw the lines on screen, and the field below them."""
        console = frame.state.console
        theme.push_mono()
        height = imgui.get_frame_height_with_spacing() + (
            imgui.get_text_line_height_with_spacing() if self._offered else 0
        )
        if imgui.begin_child("##lines", ImVec2(0, -height)):
            if not console.lines:
                wrapped(
                    _(
                        "here is what the tab in front shows, mshview the library: "
                        "here.set('batches[0].flags', 8), len(here.nodes), help(mshview)."
                    ),
                    theme.DIM,
                )
            for row in rows_on_screen(len(console.lines)):
                text(readable(console.lines[row].text), _COLORS[console.lines[row].kind])
            if console.lines is not self._shown or imgui.get_scroll_y() >= imgui.get_scroll_max_y():
                self._shown = console.lines
                imgui.set_scroll_here_y(1.0)
            self._draw_menu(frame)
        imgui.end_child()
        if self._offered:
            names = [it.rpartition(".")[2] for it in self._offered[:MOST_OFFERED]]
            cut("  ".join(names) + (" …" if len(self._offered) > MOST_OFFERED else ""), theme.DIM)
        self._draw_field(frame)
        imgui.pop_font()

    def _draw_field(self, frame: UiContext) -> None:
        console = frame.state.console
        imgui.align_text_to_frame_padding()
        text("..." if console.is_continued else ">>>", theme.DIM)
        imgui.same_line()
        stop = _("Stop")
        room = imgui.calc_text_size(stop).x + 4 * imgui.get_style().frame_padding.x
        imgui.set_next_item_width(-room if console.is_running else -1)
        if self._wants_cursor and not console.is_running:
            imgui.set_keyboard_focus_here()
            self._wants_cursor = False
        imgui.begin_disabled(console.is_running)

        def edited(data: imgui.InputTextCallbackData) -> int:
            if data.event_flag == imgui.InputTextFlags_.callback_completion:
                self._complete(data, frame)
            else:
                self._recall(data, console.typed)
            return 0

        is_entered, self._text = imgui.input_text("###command", self._text, _FLAGS, edited)
        imgui.end_disabled()
        if console.is_running:
            imgui.same_line()
            if imgui.button(labeled(stop, "stop")):
                frame.later(frame.control.console.stop)
        if is_entered:
            frame.later(frame.control.console.run, self._text)
            self._text, self._place, self._offered, self._wants_cursor = "", 0, (), True

    def _complete(self, data: imgui.InputTextCallbackData, frame: UiContext) -> None:
        """Type what all completions begin with; list them if there are several."""
        found = tuple(frame.lookups.complete(self._text))
        self._offered = found if len(found) > 1 else ()
        common = _common(found)
        if len(common) > len(self._text):
            _replace(data, common)

    def _recall(self, data: imgui.InputTextCallbackData, typed: tuple[str, ...]) -> None:
        """Show what was typed before (Up) or after (Down)."""
        step = 1 if data.event_key == imgui.Key.up_arrow else -1
        self._place = min(max(self._place + step, 0), len(typed))
        _replace(data, typed[-self._place] if self._place else "")

    def _draw_menu(self, frame: UiContext) -> None:
        if not imgui.begin_popup_context_window("console_menu"):
            return
        if imgui.menu_item_simple(labeled(_("Copy all"), "copy_all")):
            frame.later(
                frame.control.window.copy_text, "\n".join(it.text for it in frame.state.console.lines)
            )
        if imgui.menu_item_simple(labeled(_("Clear"), "clear")):
            frame.later(frame.control.console.clear)
        if imgui.menu_item_simple(labeled(_("Run a script…"), "run_script")):
            frame.later(
                frame.control.dialogs.choose_file,
                _("Run a script"),
                frame.control.console.run_script,
                ("py",),
            )
        tooltip(_("As mshview run does, with the names of the console."))
        imgui.end_popup()


def _replace(data: imgui.InputTextCallbackData, words: str) -> None:
    data.delete_chars(0, data.buf_text_len)
    data.insert_chars(0, words)


def _common(texts: tuple[str, ...]) -> str:
    """The common beginning of all texts."""
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]
