"""The about box: versions, the graphics card, licenses; one button copies it for bug reports."""

from __future__ import annotations

from collections.abc import Iterable

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.program_info import Component
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.widgets import labeled, wrapped


class AboutWindow(Floating):
    """What the program is made of and runs on."""

    id = "about"
    title = Message("About mshview")
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
