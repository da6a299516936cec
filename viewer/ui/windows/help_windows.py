"""What the menu Help opens: the manual, the list of all keys, the about box."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.program import Component
from viewer.translation import _
from viewer.ui.actions.actions import Action
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.widgets import labeled, wrapped
from viewer.ui.windows.key_window import KeyList
from viewer.ui.windows.manual_window import ManualWindow


class AboutWindow(Floating):
    """What the program is made of and runs on."""

    id = "about"
    title = _("About mshview")
    size = 38, 34

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                _draw_content(frame)


def _draw_content(frame: UiContext) -> None:
    about = frame.state.about
    wrapped(_("Viewer and inspector for models and archives of Parkan: Iron Strategy (1998)."), theme.DIM)
    imgui.spacing()
    if imgui.button(labeled(f"{fa.ICON_FA_COPY}  {_('Copy for a bug report')}", "copy_about")):
        frame.commands.window.copy_text(about.text)
    imgui.separator_text(_("Program"))
    _draw_components("program", about.shipped)
    imgui.separator_text(_("System"))
    _draw_rows("system", about.system)
    imgui.separator_text(_("Uses"))
    _draw_components("used", about.used)


def _draw_components(name: str, components: Iterable[Component]) -> None:
    _draw_rows(name, ((it.name, it.version, it.license) for it in components))


def _draw_rows(name: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Draw rows of texts, the first column dimmed."""
    rows = list(rows)
    columns = max(map(len, rows), default=0)
    if not columns or not imgui.begin_table(f"##{name}", columns, imgui.TableFlags_.no_saved_settings):
        return
    imgui.table_setup_column("name", imgui.TableColumnFlags_.width_fixed, theme.em(11))
    for row in rows:
        imgui.table_next_row()
        for color, cell in zip((theme.DIM, theme.TEXT, theme.TEXT), row, strict=False):
            imgui.table_next_column()
            wrapped(cell, color)
    imgui.end_table()


class HelpWindows:
    """The windows of the menu Help; owner: the shell."""

    def __init__(self) -> None:
        self.manual, self.keys, self.about = ManualWindow(), KeyList(), AboutWindow()

    def actions(self) -> Iterator[Action]:
        """Yield what opens them."""
        for name, title, window, keys in (
            ("help.manual", _("Manual"), self.manual, "Shift+F1"),
            ("help.keys", _("Command palette and keys"), self.keys, "F1 Ctrl+P"),
            ("help.about", _("About…"), self.about, ""),
        ):
            yield Action(name, "help", title, partial(_toggle, window), keys, needs_document=False)

    def draw(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Draw those that are open."""
        self.manual.draw()
        self.keys.draw(actions, frame)
        self.about.draw(frame)


def _toggle(window: Floating, _frame: UiContext) -> None:
    window.toggle()
