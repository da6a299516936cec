"""Problems panel: the findings of the open model by severity, each linked to what it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.errors import Severity
from viewer.session.opened.document import Document
from viewer.session.places import Problem, problems
from viewer.translation import Message, _, translated
from viewer.ui.context import UiContext
from viewer.ui.requests import GoTo
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.filter_field import FilterField
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import copy_menu, empty, labeled, text, tooltip

ICONS: Final = {
    Severity.ERROR: fa.ICON_FA_CIRCLE_XMARK,
    Severity.WARNING: fa.ICON_FA_TRIANGLE_EXCLAMATION,
    Severity.INFO: fa.ICON_FA_CIRCLE_INFO,
}
_FLAGS = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg | imgui.TableFlags_.resizable
_WHOLE_ROW = imgui.SelectableFlags_.span_all_columns
_EXPLANATION: Final = Message("Rule, location or message must contain all words; * and ? are wildcards.")


class ProblemsPanel:
    """Findings sorted by severity, with a switch for each."""

    id = "problems"
    title = Message("Problems")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._found: list[Problem] = []
        self._muted: frozenset[Severity] = frozenset()
        self._filter = FilterField("problem_filter", Message("Filter problems"), _EXPLANATION)

    def draw(self, frame: UiContext) -> None:
        """Draw the findings of the open document."""
        document = frame.document
        if document is not self._document:
            self._document = document
            self._found = [] if document is None else by_severity(problems(document))
            if not any(map(self._passes, self._found)):
                self._filter.clear()
        if document is None or not self._found:
            empty(_("No problems found.") if document else _("Problems of the open model appear here."))
            return
        self._draw_switches()
        self._filter.draw()
        shown = [item for item in self._found if item.finding.severity not in self._muted]
        if passing := [*filter(self._passes, shown)]:
            self._draw_table(passing, frame)
        else:
            empty(_("No problem matches the filter.") if shown else _("All severities are hidden."))

    def _passes(self, problem: Problem) -> bool:
        finding = problem.finding
        return self._filter.names.matches(f"{finding.rule} {finding.where} {translated(finding.message)}")

    def _draw_switches(self) -> None:
        counts = Counter(item.finding.severity for item in self._found)
        for severity in Severity:
            icon = f"{ICONS[severity]}  {counts[severity]}"
            color = theme.SEVERITIES[severity] if counts[severity] else theme.FAINT
            imgui.push_style_color(imgui.Col_.text, theme.FAINT if severity in self._muted else color)
            if imgui.small_button(labeled(icon, severity.value)):
                self._muted ^= {severity}
            imgui.pop_style_color()
            tooltip([severity_count(severity, counts[severity]), _("Click to filter.")])
            imgui.same_line()

    def _draw_table(self, items: list[Problem], frame: UiContext) -> None:
        if not imgui.begin_table("##problems", 3, _FLAGS, imgui.get_content_region_avail()):
            return
        imgui.table_setup_column("rule", imgui.TableColumnFlags_.width_fixed, theme.em(4.5))
        imgui.table_setup_column("where", imgui.TableColumnFlags_.width_fixed, theme.em(13))
        imgui.table_setup_column("what")
        for number in rows_on_screen(len(items)):
            _draw_row(number, items[number], frame)
        imgui.end_table()


def severity_count(severity: Severity, count: int) -> str:
    """Return how many findings of a severity there are: ``2 errors``."""
    match severity:
        case Severity.ERROR:
            return counted(count, "{count} error", "{count} errors")
        case Severity.WARNING:
            return counted(count, "{count} warning", "{count} warnings")
        case Severity.INFO:
            return counted(count, "{count} note", "{count} notes")


def by_severity(found: Iterable[Problem]) -> list[Problem]:
    """Return the findings, errors first, else in the order they were found."""
    order = list(Severity)
    return sorted(found, key=lambda item: order.index(item.finding.severity))


def _draw_row(number: int, problem: Problem, frame: UiContext) -> None:
    item = problem.finding
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.push_style_color(imgui.Col_.text, theme.SEVERITIES[item.severity])
    label = labeled(f"{ICONS[item.severity]}  {item.rule}", f"problem{number}")
    is_clicked = imgui.selectable(label, False, _WHOLE_ROW)[0]
    imgui.pop_style_color()
    tooltip([translated(item.message), item.where])
    copy_menu(f"copy{number}", f"{item.severity}: {item.rule}: {item}")
    imgui.table_next_column()
    text(item.where or _("file"), theme.DIM)
    imgui.table_next_column()
    text(translated(item.message))
    if is_clicked:
        frame.request(GoTo(problem.place))
