"""History panel: the undo steps of every edited file; a click on one goes to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats import splice
from viewer.session.edits.edited_file import NOT_REACHABLE, EditedFile, Step
from viewer.session.field_text import counted
from viewer.translation import _, code, translated
from viewer.ui.context import UiContext
from viewer.ui.edits.value_list import topic_text
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import CachedByKey
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import (
    colored,
    copy_menu,
    empty,
    fitting,
    icon_button,
    identified,
    in_lines,
    labeled,
    readable,
    section,
    text,
    tooltip,
)

RAIL: Final = 1.6
"""Width of the line with a dot for each step,"""
DISK: Final = 1.6
"""and of the disk at what is saved; font heights."""
MOST_FILES: Final = 64
"""Files of which the number of lines is kept."""
MOST_LINES: Final = 2
"""Lines of the words of a step in a narrow panel."""


class HistoryPanel:
    """The steps of each file along a line, with those that are done, where the user is, and what is saved."""

    id = "history"
    title = _("History")

    def __init__(self) -> None:
        self._seen: dict[Path, int] = {}
        self._lines = CachedByKey[int](MOST_FILES)

    def draw(self, frame: UiContext) -> None:
        """Draw the file of the active tab first, the others below it."""
        active = frame.state.edits.at(frame.state.tabs.active.address)
        files = files_to_list(frame, active.path)
        if not files:
            empty(_("Changes are listed here. A click on one goes back to it."))
            return
        if imgui.begin_child("##steps"):
            for number, file in enumerate(files):
                with identified(f"file{number}"):
                    if section(labeled(readable(file.path.name), "steps")):
                        self._draw_file(file, frame)
                    else:
                        tooltip(readable(str(file.path)))
        imgui.end_child()

    def _draw_file(self, file: EditedFile, frame: UiContext) -> None:
        tooltip(readable(str(file.path)))
        _draw_head(file, frame)
        is_new = self._seen.get(file.path) != file.position
        self._seen[file.path] = file.position
        room = imgui.get_content_region_avail().x - theme.em(RAIL + DISK)
        made_of = len(file.steps), file.steps[-1].serial, room, code()
        lines = self._lines.of(file.path, made_of, lambda: _lines_of(file.steps, room))
        for position in rows_on_screen(len(file.steps) + 1, file.position if is_new else None):
            _draw_row(file, position, frame, lines)
        imgui.spacing()


def _lines_of(steps: Sequence[Step], room: float) -> int:
    """Number of lines of the words of a step: the same for all, so that rows on screen can be counted."""
    return (
        MOST_LINES
        if any(imgui.calc_text_size(readable(translated(it.words))).x > room for it in steps)
        else 1
    )


def files_to_list(frame: UiContext, active: Path) -> list[EditedFile]:
    """The files with steps, that of the active tab first, the others by name."""
    found = [file for file in frame.state.edits.files.values() if file.steps]
    # False sorts before True: the active file is first.
    return sorted(found, key=lambda file: (file.path != active, file.path.name, file.path))


def state_text(file: EditedFile) -> str:
    """Say how a file differs from the one on the disk."""
    if not file.is_changed:
        return _("as on the disk")
    if file.saved == NOT_REACHABLE:
        return _("unsaved changes, made after going back from what is saved")
    count = abs(file.position - file.saved)
    if file.position < file.saved:
        return counted(count, "{count} saved change undone", "{count} saved changes undone")
    return counted(count, "{count} unsaved change", "{count} unsaved changes")


def _draw_head(file: EditedFile, frame: UiContext) -> None:
    """Draw the buttons to undo and redo, and next to them how the file differs from that on the disk."""
    path, position = file.path, file.position
    if icon_button(fa.ICON_FA_ROTATE_LEFT, "undo", _("Undo (Ctrl+Z)"), is_enabled=file.can_undo):
        frame.later(frame.control.edits.go_to, path, position - 1)
    imgui.same_line(0, theme.em(0.3))
    if icon_button(fa.ICON_FA_ROTATE_RIGHT, "redo", _("Redo (Ctrl+Y)"), is_enabled=file.can_redo):
        frame.later(frame.control.edits.go_to, path, position + 1)
    imgui.same_line(0, theme.em(0.6))
    imgui.align_text_to_frame_padding()
    text(state_text(file), theme.UNSAVED if file.is_changed else theme.GOOD)


def _draw_row(file: EditedFile, position: int, frame: UiContext, lines: int) -> None:
    """Draw the state after the first `position` steps, its words in some lines."""
    step = file.steps[position - 1] if position else None
    words = _("As opened") if step is None else translated(step.words)
    corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + theme.em(RAIL))
    color = theme.TEXT if position <= file.position else theme.FAINT
    is_saved = position == file.saved
    room = width - theme.em(RAIL + (DISK if is_saved else 0))
    shown = in_lines(readable(words), room, lines)
    with colored(color):
        label, size = labeled(shown, f"step{position}"), ImVec2(0, lines * imgui.get_text_line_height())
        is_clicked = imgui.selectable(label, position == file.position, 0, size)[0]
    tooltip(list(_explanation(file, position, words)), is_beside=True)
    copy_menu(f"copy{position}", words)
    if is_clicked and position != file.position:
        frame.later(frame.control.edits.go_to, file.path, position)
    _draw_rail(corner, file, position, size.y + imgui.get_style().item_spacing.y)
    used = theme.em(RAIL) + imgui.calc_text_size(shown).x + theme.em(1)
    _draw_right(corner, width, width - used, step, is_saved=is_saved)


def _explanation(file: EditedFile, position: int, words: str) -> Iterator[str]:
    """Yield the lines of the tooltip of a row."""
    yield words
    if position:
        step = file.steps[position - 1]
        yield readable(str(step.address))
        if step.topics:
            yield _("followed by: {topics}", topics=", ".join(map(topic_text, step.topics)))
        ranges = counted(len(step.splices), "{count} range", "{count} ranges")
        yield f"{ranges}, " + counted(splice.total(step.splices), "{count} byte", "{count} bytes")
    if position == file.saved:
        yield _("this is on the disk")
    if position > file.position:
        yield _("undone; the next change drops it")


def _draw_rail(corner: ImVec2, file: EditedFile, position: int, height: float) -> None:
    """Draw the line through rows of a height: filled dots up to the step that the file is at, then rings."""
    painter = imgui.get_window_draw_list()
    x, middle = corner.x + theme.em(RAIL * 0.45), corner.y + imgui.get_text_line_height() / 2
    radius, gap = theme.em(0.24), theme.em(0.36)
    if position:
        color = _rail_color(is_done=position <= file.position)
        painter.add_line(ImVec2(x, middle - height + gap), ImVec2(x, middle - gap), color, theme.em(0.12))
    color = _rail_color(is_done=position <= file.position)
    place = ImVec2(x, middle)
    if position <= file.position:
        painter.add_circle_filled(place, radius, color)
    else:
        painter.add_circle(place, radius, color)
    if position == file.position:
        painter.add_circle(place, gap, theme.packed(theme.TEXT), 0, theme.em(0.1))


def _rail_color(*, is_done: bool) -> int:
    color: Color = theme.ACCENT if is_done else theme.FAINT
    return theme.packed(color)


def _draw_right(corner: ImVec2, width: float, room: float, step: Step | None, *, is_saved: bool) -> None:
    """Draw on the right which entry was changed, and a disk at what is saved, if there is room."""
    disk = fa.ICON_FA_FLOPPY_DISK
    entry = readable(step.address.name) if step is not None and step.address.entries else ""
    painter, right = imgui.get_window_draw_list(), corner.x + width
    if is_saved:
        right -= imgui.calc_text_size(disk).x + theme.em(0.3)
        painter.add_text(ImVec2(right, corner.y), theme.packed(theme.GOOD), disk)
        right -= theme.em(0.5)
    shown = fitting([entry], room - (corner.x + width - right))
    painter.add_text(ImVec2(right - imgui.calc_text_size(shown).x, corner.y), theme.packed(theme.DIM), shown)
