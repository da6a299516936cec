"""The sheet before saving: every unsaved change in words, values and bytes, as a strip of the file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec import Struct

from viewer.model.edit.change import Topic
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import Step
from viewer.session.edits.questions import SaveChoice, SaveSheet
from viewer.session.field_text import counted, size_text
from viewer.session.opened.tabs import short_names
from viewer.translation import _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.edits.value_list import (
    ByteRanges,
    draw_added,
    draw_panes,
    draw_summary,
    draw_values,
    topic_text,
)
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import answer, modal
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import colored, cut, identified, labeled, readable, text, tooltip

ID: Final = "save_sheet"
SIZE: Final = 70.0, 42.0
"""Size of the window, font heights."""
MOST_ADDED: Final = 5
"""Diagnostics that are seen without scrolling."""


class SaveWindow:
    """Draws the sheet while it is the open question; owner: the shell."""

    def __init__(self) -> None:
        self._strip, self._bytes, self._steps = FileStrip(), ByteRanges(), StepList()
        self._is_forced = False

    def draw(self, sheet: SaveSheet | None, frame: UiContext) -> None:
        """Draw the sheet, or close it."""
        if sheet is None:
            self._is_forced = False
        with modal(ID, _("What will change"), *SIZE, is_asked=sheet is not None) as is_shown:
            if is_shown and sheet is not None:
                self._draw(sheet, frame)

    def _draw(self, sheet: SaveSheet, frame: UiContext) -> None:
        shown = self._draw_files(sheet) if sheet.others else sheet
        _draw_head(shown)
        clicked = self._strip.draw(shown)
        if clicked is not None:
            self._bytes.reveal(clicked)
        imgui.spacing()
        panes = {"words": partial(self._draw_words, shown, frame), "bytes": partial(self._draw_bytes, shown)}
        draw_panes(_height_below(sheet), panes)
        self._draw_added(sheet)
        self._draw_buttons(sheet, frame)

    def _draw_files(self, sheet: SaveSheet) -> SaveSheet:
        """Draw a tab for each file that is written; return the sheet of the one in front."""
        words = _("These files are saved together, all or none.")
        text(f"{fa.ICON_FA_LINK}  {words}")
        shown = sheet
        if imgui.begin_tab_bar("files"):
            names = short_names(Address(file.target) for file in sheet.all)
            for number, file in enumerate(sheet.all):
                name = readable("  ·  ".join(filter(None, names[Address(file.target)])))
                if imgui.begin_tab_item(labeled(name, f"file{number}"))[0]:
                    shown = file
                    imgui.end_tab_item()
            imgui.end_tab_bar()
        return shown

    def _draw_words(self, sheet: SaveSheet, frame: UiContext) -> None:
        self._steps.draw(sheet, frame)
        if sheet.undone:
            text(counted(len(sheet.undone), "{count} saved change undone", "{count} saved changes undone"))
            for number in rows_on_screen(len(sheet.undone)):
                words = translated(sheet.undone[number])
                text(_("undone: {words}", words=words), theme.DIM)
        imgui.spacing()
        if not sheet.is_compared:
            text(_("Comparing with the saved file…"), theme.DIM)
            return
        found = sheet.plan.report
        draw_summary(found.summary)
        imgui.separator_text(values_text(sum(it.count for it in found.values), found.shown_count))
        draw_values(found.values)

    def _draw_bytes(self, sheet: SaveSheet) -> None:
        plan = sheet.plan
        self._bytes.draw(plan.splices, max(plan.size_before, plan.size_after))

    def _draw_added(self, sheet: SaveSheet) -> None:
        added = sheet.all_added
        if added is None:
            is_one = not sheet.others
            text(_("Checking the edited file…") if is_one else _("Checking the edited files…"), theme.DIM)
        elif not added:
            text(f"{fa.ICON_FA_CIRCLE_CHECK}  {_('The changes add no problems.')}", theme.GOOD)
        else:
            draw_added(added, MOST_ADDED)

    def _draw_buttons(self, sheet: SaveSheet, frame: UiContext) -> None:
        if sheet.is_blocked:
            words = _("Save even though errors are added")
            self._is_forced = imgui.checkbox(labeled(words, "force"), self._is_forced)[1]
        is_ready = sheet.is_ready and (self._is_forced or not sheet.is_blocked)
        words = _("Save all") if sheet.others else _("Save")
        if answer(words, "write", _hint(sheet), is_enabled=is_ready, is_main=True):
            frame.later(frame.control.saving.answer, SaveChoice.WRITE, is_forced=self._is_forced)
        if answer(_("Save as patch…"), "patch", _("Share the changes without the file.")):
            frame.later(frame.control.saving.answer, SaveChoice.CANCEL)
            frame.later(frame.control.saving.save_patch)
        if answer(_("Cancel"), "cancel") or key_focus.takes_escape():
            frame.later(frame.control.saving.answer, SaveChoice.CANCEL)


def _draw_head(sheet: SaveSheet) -> None:
    """Draw the file, what it is saved as, and how much of it changes."""
    text(f"{fa.ICON_FA_FILE_PEN}  {readable(sheet.target.name)}")
    tooltip(readable(str(sheet.target)))
    imgui.same_line(0, theme.em(0.8))
    text(readable(str(sheet.target.parent)), theme.FAINT)
    if sheet.target != sheet.path:
        text(_("a copy of {name}, which keeps its bytes", name=readable(sheet.path.name)), theme.DIM)
    if sheet.is_over:
        text(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {_replaced_text(sheet)}", theme.WARNING)
    if sheet.is_over and not sheet.is_compared:
        text(_("Comparing with the file on the disk…"), theme.DIM)
        return
    text(summary(sheet), theme.UNSAVED)
    if growth := growth_text(sheet):
        imgui.same_line(0, theme.em(0.8))
        text(growth, theme.DIM)


def _replaced_text(sheet: SaveSheet) -> str:
    """Say what becomes of the version of another program."""
    if sheet.is_compared and not sheet.kept:
        return _("The file is gone from the disk; it is written again as a whole.")
    words = _("Another program has changed the file on the disk: it is replaced as a whole.")
    kept = _("Its version is kept as {name}.", name=readable(sheet.kept)) if sheet.kept else ""
    return f"{words} {kept}".rstrip()


def _height_below(sheet: SaveSheet) -> float:
    """Return the height of what is drawn below the changes."""
    lines = 1 + min(len(sheet.all_added or ()), MOST_ADDED)
    forced = imgui.get_frame_height_with_spacing() if sheet.is_blocked else 0.0
    below = lines * imgui.get_text_line_height_with_spacing() + forced
    return below + imgui.get_frame_height_with_spacing() + imgui.get_style().item_spacing.y


def _hint(sheet: SaveSheet) -> str:
    if not sheet.is_ready:
        return _("The edited file is still being checked.")
    return _("The first save keeps the file before it with the suffix .bak.")


def values_text(listed: int, count: int) -> str:
    """Return how many values change, and how many of them are listed."""
    words = counted(max(listed, count), "{count} value", "{count} values")
    if listed >= count:
        return words
    return _("{values}, the first {listed} of them listed", values=words, listed=count_text(listed))


HEIGHT: Final = 1.3
"""Height of the strip, font heights."""
LEAST: Final = 2.0
"""Width of the smallest mark, display pixels."""
_TRACK: Final = (0.09, 0.1, 0.115, 1.0)


class FileStrip:
    """Draws the strip; owner: a window."""

    def __init__(self) -> None:
        self._marks = Cached(runs)

    def draw(self, sheet: SaveSheet) -> int | None:
        """Draw the strip as wide as the window; return the offset that was clicked."""
        corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
        height = theme.em(HEIGHT)
        is_clicked = imgui.invisible_button("###strip", ImVec2(max(width, 1.0), height))
        cells = max(int(width / LEAST), 1)
        painter = imgui.get_window_draw_list()
        end = ImVec2(corner.x + width, corner.y + height)
        painter.add_rect_filled(corner, end, theme.packed(_TRACK), theme.em(0.2))
        for first, stop in self._marks.of((sheet.plan.splices, cells), sheet, cells):
            start = ImVec2(corner.x + first * width / cells, corner.y)
            painter.add_rect_filled(
                start, ImVec2(corner.x + stop * width / cells, end.y), theme.packed(theme.UNSAVED)
            )
        _draw_scale(sheet)
        offset = int((imgui.get_mouse_pos().x - corner.x) / max(width, 1.0) * sheet.plan.size_before)
        return offset if is_clicked else None


def _draw_scale(sheet: SaveSheet) -> None:
    """Draw the offsets of both ends of the file below the strip."""
    text("0", theme.FAINT)
    last = size_text(sheet.plan.size_before)
    imgui.same_line()
    room = imgui.get_content_region_avail().x - imgui.calc_text_size(last).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + room)
    text(last, theme.FAINT)


def runs(sheet: SaveSheet, cells: int) -> list[tuple[int, int]]:
    """Return the first and the end of each run of cells with changed bytes."""
    # 1 where a run begins, -1 where it has ended; False at both ends closes those at the ends.
    edges = np.diff(np.concatenate([[False], sheet.touched(cells), [False]]).astype(np.int8))
    firsts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return list(zip(firsts.tolist(), stops.tolist(), strict=True))


def summary(sheet: SaveSheet) -> str:
    """Say how much of a file changes: ``3 ranges, 14 bytes; everything else identical``."""
    ranges = counted(len(sheet.plan.splices), "{count} range", "{count} ranges")
    touched = counted(sheet.plan.byte_count, "{count} byte", "{count} bytes")
    return _("{ranges}, {bytes}; everything else identical", ranges=ranges, bytes=touched)


def growth_text(sheet: SaveSheet) -> str:
    """Say how much longer or shorter a file gets; empty if it keeps its size."""
    growth = sheet.plan.size_after - sheet.plan.size_before
    if growth > 0:
        return counted(growth, "{count} byte longer", "{count} bytes longer")
    if growth < 0:
        return counted(-growth, "{count} byte shorter", "{count} bytes shorter")
    return ""


class StepLine(Struct, frozen=True):
    """A line of the list: a step, or a consequence of it.

    Parameters
    ----------
    index
        Of the step among those of the sheet.
    topic
        The consequence; None for the step itself.
    """

    index: int
    topic: Topic | None = None


def lines_of(steps: tuple[Step, ...]) -> list[StepLine]:
    """Return the steps, each with its consequences below it, first those that were made."""
    found = []
    for index, step in enumerate(steps):
        found.append(StepLine(index))
        found += [StepLine(index, topic) for topic in topics_of(step)]
    return found


def topics_of(step: Step) -> Iterator[Topic]:
    """Yield each consequence of a step once, whether it was made or not."""
    yield from dict.fromkeys((*step.topics, *step.offered, *sorted(step.declined)))


def decided(step: Step, topic: Topic) -> tuple[frozenset[Topic], frozenset[Topic]]:
    """Return what is declined and wanted of a step after a click on one of its consequences."""
    if topic in step.topics:
        is_extra = topic in step.wanted
        return (step.declined, step.wanted - {topic}) if is_extra else (step.declined | {topic}, step.wanted)
    if topic in step.declined:
        return step.declined - {topic}, step.wanted
    return step.declined, step.wanted | {topic}


class StepList:
    """Draws the lines on screen; owner: a window."""

    def __init__(self) -> None:
        self._made_of: tuple[Step, ...] = ()
        self._lines: list[StepLine] = []

    def draw(self, sheet: SaveSheet, frame: UiContext) -> None:
        """Draw the steps of a sheet."""
        if sheet.steps is not self._made_of:
            self._made_of, self._lines = sheet.steps, lines_of(sheet.steps)
        with identified("steps"):
            for number in rows_on_screen(len(self._lines)):
                line = self._lines[number]
                step = sheet.steps[line.index]
                if line.topic is None:
                    _draw_step(step, line.index)
                elif _draw_topic(step, line.index, line.topic):
                    decide_again(sheet, line.index, line.topic, frame)


def decide_again(sheet: SaveSheet, index: int, topic: Topic, frame: UiContext) -> None:
    """Make a step of a sheet with another consequence, and show the sheet again."""
    declined, wanted = decided(sheet.steps[index], topic)
    frame.later(frame.control.edits.decide, sheet.path, sheet.first + index, declined, wanted)
    if sheet.target == sheet.path:
        frame.later(frame.control.saving.save, sheet.path)
    else:
        frame.later(frame.control.saving.save_as, sheet.target)


def _draw_step(step: Step, index: int) -> None:
    text(f"{index + 1}.", theme.FAINT)
    imgui.same_line(theme.em(2))
    cut(translated(step.words))
    tooltip([translated(step.words), readable(str(step.address))])
    if step.address.entries:
        imgui.same_line(0, theme.em(0.8))
        cut(readable(step.address.name), theme.FAINT)


def _draw_topic(step: Step, index: int, topic: Topic) -> bool:
    """Draw a check box for a consequence; tell whether it was clicked."""
    is_made = topic in step.topics
    imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(theme.em(0.1), 0))
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + theme.em(2))
    with colored(theme.TEXT if is_made else theme.DIM):
        label = labeled(_("also {topic}", topic=topic_text(topic)), f"{index}{topic.name.lower()}")
        is_clicked = imgui.checkbox(label, is_made)[0]
    imgui.pop_style_var()
    tooltip(_("Follows from the change.") if is_made else _("Would follow from the change, but is not done."))
    return is_clicked
