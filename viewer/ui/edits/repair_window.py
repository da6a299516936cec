"""Repair: what can be repaired of what is open, what each repair solves and changes; the chosen are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.diagnostics import Diagnostic
from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.edit.faults import Fault
from viewer.model.edit.repair import FoundRepair
from viewer.session.edits.questions import RepairList
from viewer.session.field_text import counted
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.edits.value_list import ByteRanges
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import empty, identified, labeled, readable, text, tooltip, wrapped

LIST_SHARE: Final = 0.5
"""Width of the list; the rest shows what the chosen line changes."""
MOST_FINDINGS: Final = 200
"""Findings of one repair that are listed."""


class RepairWindow(Floating):
    """The repairs with check boxes; the one that was clicked last is shown on the right."""

    id = "repair"
    title = _("Repair")
    size = 66, 34

    def __init__(self) -> None:
        super().__init__()
        self._switched: frozenset[Fault] = frozenset()
        self._shown: Fault | None = None
        self._asked: object = None
        self._bytes = ByteRanges()

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                self._draw_content(frame)
        if not self.is_open:
            self._asked = None

    def _draw_content(self, frame: UiContext) -> None:
        shown = frame.state.file
        if shown is None:
            empty(_("Open something to repair it."))
            return
        if self._asked is not shown:
            self._asked, self._switched = shown, frozenset()
            frame.later(frame.control.repair.find, shown.address)
        text(f"{fa.ICON_FA_SCREWDRIVER_WRENCH}  {readable(shown.address.name)}")
        tooltip(readable(str(shown.address)))
        found = frame.state.repairs
        if found is None or found.address != shown.address or found.repairs is None:
            empty(_("Looking for what can be repaired…"))
        elif not found.repairs:
            empty(_("Nothing can be repaired: there is no fault whose right value is known."))
        else:
            self._draw_repairs(found, found.repairs, frame)

    def _draw_repairs(self, found: RepairList, repairs: Sequence[FoundRepair], frame: UiContext) -> None:
        wrapped(_("Each repair was tried: it solves the problems listed and adds no error."), theme.DIM)
        room = imgui.get_content_region_avail()
        height = room.y - imgui.get_frame_height_with_spacing() - imgui.get_style().item_spacing.y
        if imgui.begin_child("repairs", ImVec2(room.x * LIST_SHARE, height), imgui.ChildFlags_.borders):
            for number, repair in enumerate(repairs):
                with identified(f"repair{number}"):
                    self._draw_repair(repair)
        imgui.end_child()
        imgui.same_line()
        if imgui.begin_child("about", ImVec2(0, height), imgui.ChildFlags_.borders):
            self._draw_about(next((it for it in repairs if it.change.fault == self._shown), repairs[0]))
        imgui.end_child()
        chosen = tuple(repair.change for repair in repairs if self._is_chosen(repair))
        words = counted(len(chosen), "Make {count} repair", "Make {count} repairs")
        hint = _("As one change, which can be undone.")
        if answer(words, "repair", hint, is_enabled=bool(chosen), is_main=True):
            frame.later(frame.control.edits.edit, found.address, chosen)
            self.is_open = len(chosen) < len(repairs)  # with all of them made there is nothing left to see
        if answer(_("Close"), "close"):
            self.is_open = False

    def _draw_repair(self, repair: FoundRepair) -> None:
        """Draw a check box and the line that shows more about a repair."""
        fault = repair.change.fault
        if imgui.checkbox("###chosen", self._is_chosen(repair))[0]:
            self._switched ^= {fault}
        imgui.same_line()
        if imgui.selectable(labeled(translated(repair.words), "line"), fault == self._shown)[0]:
            self._shown = fault
        imgui.indent(theme.em(2))
        text(what_changes(repair.diagnostics, repair.splices), theme.DIM)
        if repair.empties:
            text(_("leaves something empty or cut: look at it first"), theme.WARNING)
        imgui.unindent(theme.em(2))

    def _is_chosen(self, repair: FoundRepair) -> bool:
        """Whether a repair is made; one that empties something is not until it is ticked."""
        return (repair.change.fault in self._switched) == repair.empties

    def _draw_about(self, repair: FoundRepair) -> None:
        """Draw the problems that a repair takes away, and its bytes below them."""
        wrapped(translated(repair.words))
        for number in rows_on_screen(min(len(repair.diagnostics), MOST_FINDINGS)):
            found = repair.diagnostics[number]
            text(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {found.rule}", theme.SEVERITIES[found.severity])
            imgui.same_line(theme.em(4.5))
            text(": ".join(filter(None, (found.where, translated(found.message)))))
            tooltip(translated(found.message))
        imgui.separator()
        self._bytes.draw(repair.splices, max((it.end for it in repair.splices), default=0))


def what_changes(diagnostics: Sequence[Diagnostic], splices: Splices) -> str:
    """Say how much a repair takes away and changes: ``solves 2 problems, 8 bytes in 2 ranges``."""
    ranges = counted(len(splices), "{count} range", "{count} ranges")
    touched = counted(
        splice.total(splices), "{count} byte in {ranges}", "{count} bytes in {ranges}", ranges=ranges
    )
    if not diagnostics:
        return touched
    return counted(len(diagnostics), "solves {count} problem", "solves {count} problems") + f", {touched}"
