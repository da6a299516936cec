"""Marks over the image of a model: control points, path graph, light probes, ground plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_NODE
from viewer.model.store.place import Place
from viewer.model.tables.neighbors import CONTROL_POINTS, GROUND_POINTS
from viewer.session.field_text import numbers_text
from viewer.session.opened.document import Document
from viewer.session.opened.surroundings import ARROW, SELECTED, Marks, marks_of
from viewer.session.places import selection_at
from viewer.session.selection import Selection
from viewer.session.view.around import AROUND
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.viewport.world_labels import WorldLabels, screen_points
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import Area
from viewer.ui.widgets.shapes import Pixels, add_diamonds, add_lines
from viewer.ui.widgets.widgets import tooltip

_TINTS: Final = {
    CONTROL_POINTS: theme.WARNING,
    PATH_NODE.name: theme.GOOD,
    LIGHT_PROBE.name: theme.TEXT,
    GROUND_POINTS: theme.PAIRS[0],
}
_HEAD: Final = 0.45
REACH: Final = 0.6
"""Length of the lines of an arrow's head, and the distance at which the pointer hits a mark, font heights."""
_NAMED: Final = frozenset({CONTROL_POINTS, PATH_NODE.name, LIGHT_PROBE.name})
"""The tables whose points have a text."""


class _Hit(NamedTuple):
    """A mark near the pointer, and how near, pixels."""

    table: str
    row: int
    distance: float


class MarksOverlay:
    """Paints the marks and lets them be selected; owner: the shell."""

    def __init__(self) -> None:
        self._marks = Cached(marks_of)
        self._shown: list[tuple[Marks, Pixels, Pixels]] = []

    def add(self, frame: UiContext, area: Area, labels: WorldLabels) -> bool:
        """Place the marks of this frame and add their names; tell whether there is anything."""
        self._shown = []
        document, pose = frame.document, frame.state.pose
        selection, overlays = frame.view.selection, frame.view.overlays
        if document is None or pose is None or not (overlays & AROUND.keys() or _is_marked(selection)):
            return False
        made_of = document.identity, document.revision
        known = self._marks.of(made_of, document.model, document.neighbors)
        # What is selected is shown without its overlay too.
        shown = [
            known[table]
            for overlay, table in AROUND.items()
            if table in known and (overlay in overlays or _is_selected(known[table], selection))
        ]
        camera = frame.view.camera
        for marks in shown:
            points, directions = marks.in_world(pose.world)
            screen = screen_points(camera, area, points)[:, :2]
            tips = screen_points(camera, area, points + directions * ARROW * camera.half_height)[:, :2]
            self._shown.append((marks, screen, tips))
            if marks.table in _NAMED:
                row = _chosen(marks.table, selection)
                labels.add(points, partial(_name, marks), _TINTS[marks.table], () if row is None else (row,))
        return bool(shown)

    def paint(self, frame: UiContext, area: Area) -> None:
        """Paint in the current window, over the names; the mark under the pointer can be selected."""
        painter = imgui.get_window_draw_list()
        painter.push_clip_rect(*area.corners, True)
        for marks, screen, tips in self._shown:
            _paint(marks, screen, tips, frame.view.selection)
        painter.pop_clip_rect()
        hits = [hit for marks, screen, _tips in self._shown for hit in _hits(marks, screen)]
        nearest = min(hits, key=lambda hit: hit.distance, default=None)
        if frame.document is not None and nearest is not None and nearest.distance < theme.em(REACH):
            _point_at(frame, frame.document, nearest, {marks.table: marks for marks, _, _ in self._shown})


def _is_marked(selection: Selection) -> bool:
    """Whether something around the model is selected."""
    return any(getattr(selection, name) is not None for name in SELECTED.values())


def _is_selected(marks: Marks, selection: Selection) -> bool:
    """Whether a point or a line is selected."""
    return (_chosen(marks.table, selection), _chosen(marks.line_table, selection)) != (None, None)


def _chosen(table: str, selection: Selection) -> int | None:
    """The selected row of a table."""
    row: int | None = getattr(selection, SELECTED[table]) if table else None
    return row


def _name(marks: Marks, row: int) -> str:
    """The text of a point: the name, or the row."""
    return marks.labels[row] if row < len(marks.labels) else str(row)


def _ends(marks: Marks, screen: Pixels) -> tuple[Pixels, Pixels]:
    """The ends of the lines on screen, (k, 2) both; NaN for the ones at points that do not exist."""
    # A last row of NaN, to which rows past the end are limited.
    known = np.concatenate([screen, np.full((1, 2), np.nan)])
    found = known[np.minimum(marks.lines, len(screen))]
    return found[:, 0], found[:, 1]


def _paint(marks: Marks, screen: Pixels, tips: Pixels, selection: Selection) -> None:
    """Paint lines and arrows, and mark the selected ones; the points with a name are marked with it."""
    painter, tint = imgui.get_window_draw_list(), _TINTS[marks.table]
    starts, ends = _ends(marks, screen)
    add_lines(painter, starts, ends, theme.em(0.14), theme.packed(tint, 0.8))
    line = _chosen(marks.line_table, selection)
    if line is not None and line < len(starts):
        part = slice(line, line + 1)
        add_lines(painter, starts[part], ends[part], theme.em(0.3), theme.packed(theme.SELECTION))
    is_pointing = marks.directions.any(axis=1)
    _paint_arrows(screen[is_pointing], tips[is_pointing], theme.packed(tint))
    row = _chosen(marks.table, selection)
    if row is not None and row < len(screen):
        part = slice(row, row + 1)
        _paint_arrows(screen[part], tips[part], theme.packed(theme.SELECTION))
        add_diamonds(painter, screen[part, 0], screen[part, 1], theme.em(0.5), theme.packed(theme.SELECTION))
    if marks.colors is not None:
        for place, color in zip(screen.tolist(), marks.colors.tolist(), strict=True):
            if np.isfinite(place).all():
                painter.add_circle_filled(ImVec2(*place), theme.em(0.5), theme.packed((*color, 1.0)))
    if marks.table not in _NAMED:
        add_diamonds(painter, screen[:, 0], screen[:, 1], theme.em(0.2), theme.packed(tint))


def _paint_arrows(starts: Pixels, tips: Pixels, color: int) -> None:
    """Paint arrows on screen, (n, 2) both; NaN is left out."""
    painter, span = imgui.get_window_draw_list(), tips - starts
    add_lines(painter, starts, tips, theme.em(0.12), color)
    length = np.maximum(np.hypot(*span.T), 1e-6)[:, None]
    along = span / length * np.minimum(theme.em(_HEAD), length / 2)
    aside = np.stack([-along[:, 1], along[:, 0]], axis=1) / 2
    for side in (aside, -aside):
        add_lines(painter, tips, tips - along + side, theme.em(0.12), color)


def _hits(marks: Marks, screen: Pixels) -> Iterator[_Hit]:
    """The point, and the line, that is nearest to the pointer."""
    mouse = np.array([*imgui.get_mouse_pos()])
    distances = np.hypot(*(screen - mouse).T)
    if np.isfinite(distances).any():
        row = int(np.nanargmin(distances))
        yield _Hit(marks.table, row, float(distances[row]))
    if marks.line_table:
        starts, ends = _ends(marks, screen)
        span = ends - starts
        # How far along each line its nearest point is, 0 at the start and 1 at the end.
        share = np.einsum("ij,ij->i", mouse - starts, span) / np.maximum(
            np.einsum("ij,ij->i", span, span), 1e-6
        )
        away = np.hypot(*(starts + np.clip(share, 0, 1)[:, None] * span - mouse).T)
        if np.isfinite(away).any():
            row = int(np.nanargmin(away))
            # Half again as far, so that a point is easier to hit than the lines that end there.
            yield _Hit(marks.line_table, row, 1.5 * float(away[row]) + 1.0)


def _point_at(frame: UiContext, document: Document, hit: _Hit, known: Mapping[str, Marks]) -> None:
    """Show what a mark is; a click selects its row, where tables and the Inspector show it."""
    mouse, reach = imgui.get_mouse_pos(), theme.em(REACH)
    imgui.set_cursor_screen_pos(ImVec2(mouse.x - reach, mouse.y - reach))
    imgui.invisible_button("mark", ImVec2(2 * reach, 2 * reach))
    place = Place(document.address, hit.table, hit.row)
    marks = known.get(hit.table)
    tooltip(lambda: _hints(document, place, marks, hit.row), is_below=True)
    if imgui.is_item_clicked():
        chosen = selection_at(document, place, frame.view.selection)
        frame.change(lambda view: replace(view, selection=chosen))


def _hints(document: Document, place: Place, marks: Marks | None, row: int) -> Iterator[str]:
    """The row of a mark, and what is known of it."""
    if marks is None:
        yield place.in_file
        return
    if marks.labels:
        yield _name(marks, row)
    yield place.in_file
    node = int(marks.nodes[row])
    space = _("of the model") if node < 0 else _("of {node}", node=document.label(node))
    yield _("{position} in the space {space}", position=numbers_text(marks.points[row]), space=space)
    if marks.table == LIGHT_PROBE.name:
        yield translated(LIGHT_PROBE.field("position").doc)
