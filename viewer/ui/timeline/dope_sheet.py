"""Dope sheet panel: the keys of all nodes over the frames, chosen, moved, copied and removed together."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.session.field_text import counted
from viewer.session.opened.document import Document
from viewer.session.play.keys.key_sheet import CopiedKey, KeyEdit, KeySheet, Mark
from viewer.session.selection import Selection
from viewer.translation import _, translated
from viewer.ui.context import PerTab, UiContext
from viewer.ui.editing.in_place import InPlaceEdit
from viewer.ui.panels.node_tree import NodeTree
from viewer.ui.timeline.key_rows import FrameWindow, KeyRows, SheetFrame, cursors
from viewer.ui.timeline.sheet_header import SheetHeader
from viewer.ui.timeline.sheet_hints import (
    draw_edit,
    draw_model_problems,
    edit_lines,
    explained,
    faults_at,
    problem_color,
    problem_lines,
    why_nothing_moves,
    word_lines,
)
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.table_grid import TreeRow, indent
from viewer.ui.widgets.widgets import colored, cut, empty, ghost_button, icon_button, labeled, tooltip

NAMES: Final = 14.0
"""Width of the names, in font heights."""
BUTTONS, LEAST_FILTER = 22.9, 4.0
"""Width of what follows the filter, and the least of the filter itself, in font heights."""
SHORT, SHORT_NAMES, SHORT_BUTTONS = 9.0, 18.9, 12.9
"""Height below which the buttons are above the names, the width of the names and of the buttons then."""
NO_NODE: Final = -1
"""Number in place of a node for problems of the whole model."""
REACH: Final = 0.4
"""Distance at which a click hits a key, in font heights."""
ZOOM: Final = 1.2
"""Factor of a step of the wheel."""
LEAST_FRAMES: Final = 4.0
"""Fewest frames in sight."""
LEAST_SCALED: Final = 0.5
"""Frames from the cursor of a key that scales others."""
BOX, MOVE, SCALE = "box", "move", "scale"


class DopeSheetPanel:
    """A row for each node; owner: the shell."""

    id = "dope_sheet"
    title = _("Dope sheet")

    def __init__(self) -> None:
        self._sheets = PerTab(_Sheet)

    def draw(self, frame: UiContext) -> None:
        """Draw the rows of the open document that are on screen."""
        if frame.document is None:
            empty(_("The keys of the open model appear here."))
        elif not frame.document.animation.is_animated:
            empty(why_nothing_moves(frame.document))
        else:
            self._sheets.of(frame.state.tabs).draw(frame, frame.document)


class _Sheet:
    """The chosen, folded and visible rows of one document."""

    def __init__(self) -> None:
        self._filter = FilterField("sheet_filter", _("Filter nodes"))
        self._has_only_moving = True
        self._closed: set[int] = set()
        self._marks: frozenset[Mark] = frozenset()
        self._expected: frozenset[tuple[int, float]] = frozenset()
        self._copied: tuple[CopiedKey, ...] = ()
        self._window: tuple[float, float] | None = None
        self._end = 1.0
        self._document: Document | None = None
        self._keys: KeySheet | None = None
        self._tree: NodeTree | None = None
        self._nodes: list[TreeRow[int]] | None = None
        self._active: int | None = None
        self._gesture = ""
        self._scales = False
        self._began = 0.0, 0.0
        self._header, self._edits = SheetHeader(), InPlaceEdit()

    def draw(self, frame: UiContext, document: Document) -> None:
        """Draw the line of controls, the frames, and the rows on screen."""
        was_edited = bool(self._expected) and document is not self._document
        keys, tree = self._followed(document)
        if was_edited and len(self._marks) == 1:
            (mark,) = self._marks
            chosen = Selection((mark.node,), key=keys.row(mark))  # it may be another row now
            frame.change(lambda view: replace(view, selection=chosen))
        corner, room = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail()
        is_short = room.y < theme.em(SHORT) and room.x >= 2 * theme.em(SHORT_NAMES)
        names = theme.em(SHORT_NAMES) if is_short else min(theme.em(NAMES), room.x / 2)
        sheet = SheetFrame(frame, document, keys)
        self._draw_controls(sheet, names - theme.em(1.2) if is_short else 0.0)
        if not is_short:
            corner = imgui.get_cursor_screen_pos()
        if self._nodes is None:
            self._nodes = self._shown(tree, keys)
        left, self._end = corner.x + names, max(document.last_frame, keys.last_time, 1.0)
        bar = imgui.get_style().scrollbar_size
        first, last = self._window or (0.0, self._end)
        pad = theme.em(0.6)
        shown = FrameWindow(left + pad, max(corner.x + room.x - bar - left - 2 * pad, 1.0), first, last)
        self._header.draw(sheet, shown, corner, room.x)
        self._zoom(shown)
        imgui.begin_child("rows", ImVec2(0, 0))
        self._draw_rows(sheet, shown)
        imgui.end_child()
        self._handle_keys(sheet)
        self._edits.draw()

    def _followed(self, document: Document) -> tuple[KeySheet, NodeTree]:
        """The keys and nodes of a document; what an edit chose is chosen then, else the same keys."""
        if self._keys is None or self._tree is None or document is not self._document:
            before, keys = self._keys, KeySheet(document)
            if self._expected:
                self._marks = keys.marks(self._expected)
            elif before is not None and not keys.has_tracks_of(before):
                self._marks = keys.marks(before.chosen(self._marks))
            self._keys = keys
            self._tree = NodeTree(document.model, document.skeleton, document.names, document.socket_tags)
            self._document, self._nodes = document, None
        # An edit is made before the next frame, or it was refused.
        self._expected = frozenset()
        return self._keys, self._tree

    def _shown(self, tree: NodeTree, keys: KeySheet) -> list[TreeRow[int]]:
        rows = tree.rows(self._filter.names, self._closed)
        if not self._has_only_moving:
            return rows
        moving = keys.moving()
        kept = [row for row in rows if row.key in moving]
        # A row that is open can be folded if there are rows below it.
        deeper = [after.depth > row.depth for row, after in pairwise(kept)]
        return [
            replace(row, has_children=row.has_children and (has_more or not row.is_open))
            for row, has_more in zip(kept, [*deeper, False], strict=True)
        ]

    def _draw_controls(self, sheet: SheetFrame, width: float) -> None:
        """Draw the filter, the buttons and the count of keys; in a low panel no texts, above the names."""
        is_short, room = width > 0, imgui.get_content_region_avail().x
        if not is_short:
            width = min(theme.em(NAMES), max(room - theme.em(BUTTONS), theme.em(LEAST_FILTER)))
        room += theme.em(SHORT_BUTTONS) if is_short else 0.0
        if self._filter.draw(room=max(room - width, 0.0)):
            self._nodes = None
        imgui.same_line(0, theme.em(0.2) if is_short else -1.0)
        self._draw_moving(is_short=is_short)
        imgui.same_line(0, theme.em(0.2) if is_short else -1.0)
        fit = _("All frames") + "\nHome. " + _("Ctrl+wheel: closer; Shift+wheel: along the frames")
        if icon_button(fa.ICON_FA_ARROWS_LEFT_RIGHT, "fit", fit):
            self._window = None
        self._draw_edits(sheet)
        imgui.same_line(0, theme.em(0.2))
        scale = _("A drag scales the chosen keys about the cursor\nAlt+drag")
        if icon_button(fa.ICON_FA_UP_RIGHT_AND_DOWN_LEFT_FROM_CENTER, "scale", scale, is_on=self._scales):
            self._scales = not self._scales
        draw_model_problems(sheet.keys.problems.get(NO_NODE, ()))
        if not is_short:
            imgui.same_line(0, theme.em(0.8))
            imgui.align_text_to_frame_padding()
            chosen = counted(len(self._marks), "{count} key chosen", "{count} keys chosen")
            idle = _("Drag: scale about the cursor") if self._scales else _("Drag: choose or move keys")
            cut(chosen if self._marks else idle, theme.DIM)

    def _draw_moving(self, *, is_short: bool) -> None:
        """Draw what shows only the nodes that move."""
        words, is_on = _("Only moving"), self._has_only_moving
        if is_short:
            is_changed = icon_button(fa.ICON_FA_PERSON_RUNNING, "moving", words, is_on=is_on)
        else:
            is_changed = imgui.checkbox(labeled(words, "moving"), is_on)[0]
        if is_changed:
            self._has_only_moving, self._nodes = not is_on, None

    def _draw_edits(self, sheet: SheetFrame) -> None:
        """Draw the buttons that copy and edit keys; their tooltips list what they will do."""
        has_any = bool(self._marks)
        for icon, name, words, is_enabled in (
            (fa.ICON_FA_COPY, "copy", _("Copy the chosen keys") + "\n" + translated("Ctrl+C"), has_any),
            (
                fa.ICON_FA_PASTE,
                "paste",
                _("Paste at the cursor") + "\n" + translated("Ctrl+V"),
                bool(self._copied),
            ),
            (
                fa.ICON_FA_CLONE,
                "duplicate",
                _("Duplicate at the cursor") + "\n" + translated("Ctrl+D"),
                has_any,
            ),
            (fa.ICON_FA_TRASH, "remove", _("Remove the chosen keys") + "\nDel", has_any),
        ):
            imgui.same_line(0, theme.em(0.2))

            def hint(name: str = name, words: str = words, is_enabled: bool = is_enabled) -> str:
                planned = self._planned(name, sheet) if is_enabled else None
                return "\n".join([words, *(() if planned is None else edit_lines(planned))])

            if icon_button(icon, name, hint, is_enabled=is_enabled):
                self._do(name, sheet)

    def _planned(self, name: str, sheet: SheetFrame) -> KeyEdit | None:
        """The planned edit of a button or key of the chosen or copied keys; None for no edit."""
        keys, frame = sheet.keys, sheet.frame
        if name == "remove":
            return keys.removed(self._marks)
        if name == "copy":
            return None
        copied = keys.copied(self._marks) if name == "duplicate" else self._copied
        return keys.pasted(copied, cursors(frame, sheet.document)[0][0], frame.view.selection.node)

    def _do(self, name: str, sheet: SheetFrame) -> None:
        if name in ("copy", "duplicate"):
            self._copied = sheet.keys.copied(self._marks)
        planned = self._planned(name, sheet)
        if planned is not None:
            self._edit(sheet, planned)

    def _edit(self, sheet: SheetFrame, edit: KeyEdit) -> None:
        """Make changes as one step, after which other keys are chosen."""
        if edit.changes:
            self._expected = edit.chosen
            nodes = sorted({node for node, _time in edit.chosen}) or [it.node for it in self._marks]
            self._edits.make(sheet.frame, sheet.document, edit.changes, next(iter(nodes), None))

    def _handle_keys(self, sheet: SheetFrame) -> None:
        flags, ctrl = int(imgui.InputFlags_.route_focused), int(imgui.Key.mod_ctrl)
        for chord, name in (
            (int(imgui.Key.delete), "remove"),
            (ctrl | int(imgui.Key.c), "copy"),
            (ctrl | int(imgui.Key.v), "paste"),
            (ctrl | int(imgui.Key.d), "duplicate"),
        ):
            if imgui.shortcut(chord, flags):
                self._do(name, sheet)
        if imgui.shortcut(ctrl | int(imgui.Key.a), flags):
            self._marks = sheet.keys.inside((row.key for row in self._nodes or ()), -np.inf, np.inf)
        if imgui.shortcut(int(imgui.Key.home), flags):
            self._window = None

    def _zoom(self, shown: FrameWindow) -> None:
        """Follow the wheel over the panel: with Ctrl closer, with Shift along the frames."""
        io = imgui.get_io()
        wheel = io.mouse_wheel or io.mouse_wheel_h
        if (
            not wheel
            or not (io.key_ctrl or io.key_shift)
            or not imgui.is_window_hovered(imgui.HoveredFlags_.child_windows)
        ):
            return
        first, last = shown.first, shown.last
        if io.key_ctrl:
            center = shown.time_of(io.mouse_pos.x)
            factor = ZOOM**-wheel
            first, last = center + (first - center) * factor, center + (last - center) * factor
        else:
            step = wheel * (last - first) / 10
            first, last = first - step, last - step
        end = self._end
        length = min(max(last - first, LEAST_FRAMES), end)
        first = min(max(first, 0.0), end - length)
        self._window = None if length >= end else (first, first + length)

    def _draw_rows(self, sheet: SheetFrame, shown: FrameWindow) -> None:
        nodes = self._nodes or []
        gap = imgui.get_style().item_spacing.y
        height = imgui.get_text_line_height() + gap
        self._scroll_to(sheet.frame.view.selection.node, height)
        start, top = imgui.get_cursor_screen_pos(), imgui.get_scroll_y()
        first = int(top // height)
        visible = nodes[first : first + int(imgui.get_window_height() // height) + 2]
        keys = [row.key for row in visible]
        drawn = KeyRows(sheet, shown, keys, start.y + first * height, height)
        size = ImVec2(shown.width + theme.em(1.2), max(len(nodes) * height, 1.0))
        imgui.set_cursor_screen_pos(ImVec2(shown.left - theme.em(0.6), start.y))
        imgui.invisible_button("keys", size)
        self._react(sheet, shown, (imgui.get_mouse_pos().y - start.y) / height)
        drawn.paint(self._marks)
        self._paint_gesture(sheet, shown, drawn, start.y)
        for number, row in enumerate(visible, first):
            imgui.set_cursor_screen_pos(ImVec2(start.x, start.y + number * height + gap / 2))
            self._draw_name(row, sheet, shown.left - theme.em(0.8))

    def _scroll_to(self, node: int | None, height: float) -> None:
        """Bring the row of a node into sight that was selected since the frame before."""
        if node == self._active:
            return
        self._active = node
        place = next((number for number, row in enumerate(self._nodes or ()) if row.key == node), None)
        top, room = imgui.get_scroll_y(), imgui.get_window_height()
        if place is not None and not top <= place * height <= top + room - height:
            imgui.set_scroll_y(max(place * height - room / 2, 0.0))

    def _draw_name(self, row: TreeRow[int], sheet: SheetFrame, right: float) -> None:
        """Draw the fold and the name of a node, which a click selects, in the color of what is wrong."""
        frame, problems = sheet.frame, sheet.keys.problems.get(row.key, ())
        left = imgui.get_cursor_pos_x() + indent(row.depth) / 2
        imgui.set_cursor_pos_x(left)
        if row.has_children:
            icon = fa.ICON_FA_CARET_DOWN if row.is_open else fa.ICON_FA_CARET_RIGHT
            if ghost_button(icon, f"fold{row.key}", "", theme.DIM, is_in_tree=True):
                self._closed ^= {row.key}
                self._nodes = None
            imgui.same_line()
        # Names of nodes of one depth start at one place, with and without something to fold.
        imgui.set_cursor_pos_x(left + imgui.get_text_line_height() * 1.25 + theme.em(0.2))
        width = max(right - imgui.get_cursor_screen_pos().x, 1.0)
        is_selected = row.key in frame.view.selection.nodes
        words = f"{sheet.document.label(row.key)}###node{row.key}"
        with colored(problem_color(problems)):
            flags = imgui.SelectableFlags_.none
            is_clicked = imgui.selectable(words, is_selected, flags, ImVec2(width, 0))[0]
        if problems:
            tooltip(lambda: problem_lines(problems), is_beside=True)
        if is_clicked:
            chosen = Selection((row.key,))
            frame.change(lambda view: replace(view, selection=chosen))

    def _react(self, sheet: SheetFrame, shown: FrameWindow, place: float) -> None:
        """Choose keys by a click or a box, or move or scale the chosen; `place` is the mouse, in rows."""
        nodes, io, keys = [row.key for row in self._nodes or ()], imgui.get_io(), sheet.keys
        hit = _hit(keys, nodes, place, shown, io.mouse_pos.x)
        if not imgui.is_item_active() and 0 <= place < len(nodes):
            node, time = nodes[int(place)], shown.time_of(io.mouse_pos.x)
            tooltip(
                lambda: [
                    *explained(sheet.frame, sheet.document, node),
                    *word_lines(keys, node, time),
                    *faults_at(keys, node, time),
                ]
            )
        if imgui.is_item_activated():
            self._began = shown.time_of(io.mouse_pos.x), place
            self._begin(sheet, hit)
        if self._gesture and key_focus.takes_escape():
            self._gesture = ""
        if imgui.is_item_deactivated() and self._gesture:
            now = shown.time_of(io.mouse_pos.x)
            if self._gesture == BOX:
                low, high = sorted((self._began[1], place))
                boxed = nodes[max(int(low), 0) : max(int(high) + 1, 0)]
                inside = keys.inside(boxed, *sorted((self._began[0], now)))
                self._marks = self._marks | inside if io.key_ctrl else inside
            else:
                self._edit(sheet, self._dragged(sheet, now)[0])
            self._gesture = ""

    def _begin(self, sheet: SheetFrame, hit: Mark | None) -> None:
        """Begin what a press does: on a key choose it, and hold the chosen ones; elsewhere a box."""
        io = imgui.get_io()
        drags = SCALE if io.key_alt or self._scales else MOVE
        self._gesture = BOX if hit is None else "" if io.key_ctrl else drags
        if hit is None:
            return
        if io.key_ctrl:
            self._marks ^= {hit}
        elif hit not in self._marks:
            self._marks = frozenset({hit})
            chosen = Selection((hit.node,), key=sheet.keys.row(hit))
            sheet.frame.change(lambda view: replace(view, selection=chosen))

    def _factor(self, center: float, now: float) -> float:
        """Factor by which a drag changes the distances of keys from a time."""
        before = self._began[0] - center
        return max((now - center) / before, 0.0) if abs(before) >= LEAST_SCALED else 1.0

    def _paint_gesture(self, sheet: SheetFrame, shown: FrameWindow, drawn: KeyRows, start: float) -> None:
        """Paint the box, or where the chosen keys will be, and say what will be changed."""
        if not self._gesture:
            return
        painter, mouse = imgui.get_window_draw_list(), imgui.get_mouse_pos()
        time, now = self._began[0], shown.time_of(mouse.x)
        if self._gesture == BOX:
            corner = ImVec2(float(shown.x_of(time)), start + self._began[1] * drawn.height)
            painter.add_rect_filled(corner, mouse, theme.packed(theme.SELECTION, 0.12))
            painter.add_rect(corner, mouse, theme.packed(theme.SELECTION, 0.7))
            return
        edit, title = self._dragged(sheet, now)
        drawn.paint_planned(edit.chosen)
        draw_edit(title, edit, sheet.keys.taken(self._marks, edit))

    def _dragged(self, sheet: SheetFrame, now: float) -> tuple[KeyEdit, str]:
        """The planned edit of a drag of the chosen keys, with the offset or scale."""
        keys = sheet.keys
        if self._gesture == MOVE:
            frames = keys.distance(self._marks, round(now - self._began[0]))
            return keys.shifted(self._marks, frames), _("frames: {frames:+d}", frames=frames)
        center = cursors(sheet.frame, sheet.document)[0][0]
        factor = self._factor(center, now)
        return keys.scaled(self._marks, center, factor), _("times {factor:.2f}", factor=factor)


def _hit(keys: KeySheet, nodes: list[int], place: float, shown: FrameWindow, x: float) -> Mark | None:
    """The key at a height in rows and a position in pixels."""
    if not 0 <= place < len(nodes):
        return None
    node = nodes[int(place)]
    distances = np.abs(shown.x_of(keys.times[keys.of(node)]) - x)
    if not len(distances) or distances.min() > theme.em(REACH):
        return None
    return Mark(node, int(distances.argmin()))
