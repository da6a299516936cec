"""What is wrong with the open file: findings by severity, each leading to its row."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.errors import Diagnostic, Severity
from viewer.session.document import Document
from viewer.ui.context import UiContext
from viewer.ui.fields.field_view import Place
from viewer.ui.fields.navigation import reaches, selection_at
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import copy_menu, empty, text, tooltip

ICONS: Final = {
    Severity.ERROR: fa.ICON_FA_CIRCLE_XMARK,
    Severity.WARNING: fa.ICON_FA_TRIANGLE_EXCLAMATION,
    Severity.INFO: fa.ICON_FA_CIRCLE_INFO,
}
_FLAGS = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg | imgui.TableFlags_.resizable
_WHOLE_ROW = imgui.SelectableFlags_.span_all_columns


class ProblemsPanel:
    """Findings sorted by severity, with a switch for each."""

    title = "Problems"

    def __init__(self) -> None:
        self._document: Document | None = None
        self._found: list[Diagnostic] = []
        self._muted: frozenset[Severity] = frozenset()

    def draw(self, frame: UiContext) -> None:
        """Draw the findings of the open document."""
        document = frame.document
        if document is not self._document:
            self._document = document
            self._found = [] if document is None else by_severity(document.findings)
        if document is None or not self._found:
            empty("Nothing wrong was found." if document else "What is wrong with a file appears here.")
            return
        self._draw_switches()
        self._draw_table([item for item in self._found if item.severity not in self._muted], frame, document)

    def _draw_switches(self) -> None:
        counts = Counter(item.severity for item in self._found)
        for severity in Severity:
            icon = f"{ICONS[severity]}  {counts[severity]}"
            color = theme.SEVERITIES[severity] if counts[severity] else theme.FAINT
            imgui.push_style_color(imgui.Col_.text, theme.FAINT if severity in self._muted else color)
            if imgui.small_button(f"{icon}###{severity}"):
                self._muted ^= {severity}
            imgui.pop_style_color()
            tooltip(f"{counts[severity]} of severity {severity}; a click hides or shows them")
            imgui.same_line()
        imgui.new_line()

    def _draw_table(self, items: list[Diagnostic], frame: UiContext, document: Document) -> None:
        if not imgui.begin_table("##problems", 3, _FLAGS, imgui.get_content_region_avail()):
            return
        imgui.table_setup_column("rule", imgui.TableColumnFlags_.width_fixed, theme.em(4.5))
        imgui.table_setup_column("where", imgui.TableColumnFlags_.width_fixed, theme.em(13))
        imgui.table_setup_column("what")
        for number in rows_on_screen(len(items)):
            _draw_row(number, items[number], frame, document)
        imgui.end_table()


def by_severity(found: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    """Return the findings, errors first, else in the order they were found."""
    order = list(Severity)
    return sorted(found, key=lambda item: order.index(item.severity))


def _draw_row(number: int, item: Diagnostic, frame: UiContext, document: Document) -> None:
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.push_style_color(imgui.Col_.text, theme.SEVERITIES[item.severity])
    label = f"{ICONS[item.severity]}  {item.rule}###problem{number}"
    is_clicked, _ = imgui.selectable(label, False, _WHOLE_ROW)
    imgui.pop_style_color()
    tooltip([item.message, item.where])
    copy_menu(f"copy{number}", f"{item.severity}: {item.rule}: {item}")
    imgui.table_next_column()
    text(item.where or "file", theme.DIM)
    imgui.table_next_column()
    text(item.message)
    place = Place(item.table, -1 if item.index is None else item.index)
    if is_clicked and reaches(document, place):
        frame.change(lambda view: replace(view, selection=selection_at(document, place, view.selection)))
