"""Problems panel, findings linked to what they are about, and the Log panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.errors import Severity
from viewer.model.store.place import Place
from viewer.session.field_text import counted
from viewer.session.jobs import Validation
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.places import Problem, problems
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.result_age import draw_age
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.table_grid import rows_on_screen, table_rows
from viewer.ui.widgets.widgets import colored, empty, icon_button, labeled, text, tooltip

ICONS: Final = {
    Severity.ERROR: fa.ICON_FA_CIRCLE_XMARK,
    Severity.WARNING: fa.ICON_FA_TRIANGLE_EXCLAMATION,
    Severity.INFO: fa.ICON_FA_CIRCLE_INFO,
}
REPAIR: Final = fa.ICON_FA_SCREWDRIVER_WRENCH
_FLAGS: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg | imgui.TableFlags_.resizable
_WHOLE_ROW: Final = imgui.SelectableFlags_.span_all_columns
_EXPLANATION: Final = _("Rule, location or message must contain all words; * and ? are wildcards.")


class ProblemsPanel:
    """Findings sorted by severity, with a switch for each."""

    id = "problems"
    title = _("Problems")

    def __init__(self) -> None:
        self._shown: Document | OpenedResource | None = None
        self._validation: Validation | None = None
        self._is_validation = False
        self._found: list[Problem] = []
        self._counts: Counter[Severity] = Counter()
        self._muted: frozenset[Severity] = frozenset()
        self._passing_of: tuple[frozenset[Severity], str] | None = None
        self._shown_rows: list[Problem] = []
        self._chosen: Problem | None = None
        self._filter = FilterField("problem_filter", _("Filter problems"), _EXPLANATION)

    def draw(self, frame: UiContext) -> None:
        """Draw the findings of what the active tab shows, or those of the last validation."""
        self._take(frame)
        if self._validation is not None:
            self._draw_choice(self._validation, frame)
            if self._is_validation and draw_age(frame, self._validation.read):
                frame.later(frame.control.validation.start, *self._validation.addresses)
        self._draw_switches()
        gap = theme.em(0.3)
        self._filter.draw(room=2 * (imgui.get_frame_height() + gap))
        imgui.same_line(0, gap)
        hint = f"{_('Validate everything open')}\n{translated('Ctrl+Shift+V')}"
        if icon_button(fa.ICON_FA_LIST_CHECK, "validate", hint, is_enabled=bool(frame.state.browser.roots)):
            frame.later(frame.control.validation.start)
        imgui.same_line(0, gap)
        hint = _("Show what can be repaired of this file")
        if icon_button(REPAIR, "repair", hint, is_enabled=bool(frame.state.file)):
            frame.later(frame.control.panels.show_repair)
        if not self._found:
            empty(self._reason())
            return
        if passing := self._passing():
            columns = {"rule": 4.5, "where": 13, "what": 0}
            for number in table_rows("##problems", columns, rows_on_screen(len(passing)), _FLAGS):
                self._filter.scroll_to_top()
                self._draw_row(number, passing[number], frame)
        else:
            is_hidden = all(item.finding.severity in self._muted for item in self._found)
            empty(_("All severities are hidden.") if is_hidden else _("No problem matches the filter."))

    def _take(self, frame: UiContext) -> None:
        """Adopt what else is shown, or another validation, which is listed at once."""
        shown, validation = frame.state.file, frame.state.validation
        if validation is not self._validation:
            self._is_validation = True
        elif self._is_validation or shown is self._shown:
            return
        self._shown, self._validation = shown, validation
        self._list()

    def _list(self) -> None:
        """List the chosen findings; a filter that hides all of them is cleared."""
        if self._is_validation and self._validation is not None:
            self._found = by_severity(self._validation.problems)
        else:
            self._found = [] if self._shown is None else by_severity(problems(self._shown))
        self._passing_of = None
        self._counts = Counter(item.finding.severity for item in self._found)
        if not any(map(self._passes, self._found)):
            self._filter.clear()

    def _reason(self) -> str:
        """Reason for which nothing is listed."""
        if self._is_validation or self._shown is not None:
            return _("No problems found.")
        return _("Problems of the open file appear here.")

    def _draw_choice(self, validation: Validation, frame: UiContext) -> None:
        names = ", ".join(address.name for address in validation.addresses)
        checked = counted(validation.checked, "{count} checked", "{count} checked")
        for is_validation, key, words in (
            (False, "this_file", _("This file")),
            (True, "validation", f"{names}: {checked}"),
        ):
            if controls.radio_button(words, key, is_on=self._is_validation is is_validation):
                self._is_validation, self._shown = is_validation, frame.state.file
                self._list()
            imgui.same_line(0, theme.em(1))
        if validation.left_out:
            text(counted(validation.left_out, "{count} more problem", "{count} more problems"), theme.WARNING)
            tooltip(_("mshview validate lists all of them."))
        else:
            imgui.new_line()

    def _passing(self) -> list[Problem]:
        """The listed problems that are not hidden, found again only if that may have changed."""
        made_of = self._muted, self._filter.text
        if made_of != self._passing_of:
            shown = [item for item in self._found if item.finding.severity not in self._muted]
            self._passing_of, self._shown_rows = made_of, [*filter(self._passes, shown)]
        return self._shown_rows

    def _passes(self, problem: Problem) -> bool:
        finding = problem.finding
        words = finding.rule, _where(problem, is_alone=not self._is_validation), translated(finding.message)
        return self._filter.names.matches(" ".join(words))

    def _draw_switches(self) -> None:
        counts = self._counts
        for severity in Severity:
            icon = f"{ICONS[severity]}  {counts[severity]}"
            is_seen = counts[severity] and severity not in self._muted
            with colored(theme.SEVERITIES[severity] if is_seen else theme.FAINT):
                if controls.small_button(icon, severity.value):
                    self._muted ^= {severity}
            tooltip([severity_count(severity, counts[severity]), _("Click to filter.")])
            imgui.same_line()

    def _draw_row(self, number: int, problem: Problem, frame: UiContext) -> None:
        item = problem.finding
        label = labeled(f"{ICONS[item.severity]}  {item.rule}", f"problem{number}")
        with colored(theme.SEVERITIES[item.severity]):
            if imgui.selectable(label, problem is self._chosen, _WHOLE_ROW)[0]:
                self._chosen = problem
                frame.later(frame.control.opening.go_to, problem.place)
        tooltip([translated(item.message), str(problem.place)])
        self._draw_menu(number, problem, frame)
        imgui.table_next_column()
        text(_where(problem, is_alone=not self._is_validation), theme.DIM)
        if name := _name_of_row(problem.place, frame.document):
            imgui.same_line()
            text(name, theme.FAINT)
        imgui.table_next_column()
        text(translated(item.message))

    def _draw_menu(self, number: int, problem: Problem, frame: UiContext) -> None:
        """Draw the context menu of a row, which is marked."""
        if not imgui.begin_popup_context_item(f"menu{number}"):
            return
        self._chosen, item = problem, problem.finding
        if controls.menu_item(_("Go to it"), "go_to"):
            frame.later(frame.control.opening.go_to, problem.place)
        if controls.menu_item(_("Repair…"), "repair", icon=REPAIR):
            frame.later(frame.control.opening.go_to, problem.place)
            frame.later(frame.control.panels.show_repair)
        if controls.menu_item(_("Copy"), "copy", icon=fa.ICON_FA_COPY):
            frame.later(
                frame.control.window.copy_text,
                f"{item.severity}: {item.rule}: {problem.place}: {item.message}",
            )
        imgui.end_popup()


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


def _name_of_row(place: Place, document: Document | None) -> str:
    """Return the name of the row that a problem of the open model is about, or an empty text."""
    if document is None or place.row is None or place.address != document.address:
        return ""
    names = document.labels.names(place.table)
    return names[place.row] if 0 <= place.row < len(names) else ""


def _where(problem: Problem, *, is_alone: bool) -> str:
    """Return the location in a file, with the name of the file if there are several."""
    where = problem.finding.where
    name = "" if is_alone else problem.place.address.name
    return ": ".join(filter(None, (name, where))) or _("file")


class LogPanel:
    """The lines of the log; follows the end unless scrolled up."""

    id = "log"
    title = _("Log")

    def draw(self, frame: UiContext) -> None:
        """Draw the lines on screen."""
        if not frame.state.log:
            empty(_("Events are logged here."))
            return
        if imgui.begin_child("##lines"):
            for row in rows_on_screen(len(frame.state.log)):
                text(frame.state.log[row])
            if imgui.get_scroll_y() >= imgui.get_scroll_max_y():
                imgui.set_scroll_here_y(1.0)
            if imgui.begin_popup_context_window("log_menu"):
                if controls.menu_item(_("Copy all"), "copy_all"):
                    frame.later(frame.control.window.copy_text, "\n".join(frame.state.log))
                imgui.end_popup()
        imgui.end_child()
