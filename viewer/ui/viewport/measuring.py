"""Measuring in the viewport: clicked points, which snap to vertices, with distances and an angle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import is_not
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.geometry.transforms import Doubles, Point
from viewer.session.field_text import numbers_text
from viewer.session.measuring import MOST_POINTS, MeasuredPoint, Measurement, SurfacePoint
from viewer.session.opened.tabs import Tabs
from viewer.session.view.camera import Size
from viewer.translation import _
from viewer.ui.actions.actions import Action
from viewer.ui.context import PerTab, UiContext
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.viewport.mouse import PixelArea
from viewer.ui.viewport.obstacles import models
from viewer.ui.viewport.world_labels import screen_points
from viewer.ui.widgets import controls, key_focus, theme
from viewer.ui.widgets.floating import UPPER_LEFT, Area, card
from viewer.ui.widgets.shapes import add_diamonds, add_lines
from viewer.ui.widgets.widgets import icon_button, text

KEY: Final = "D"
CARD: Final = 17.0
"""Least width of the card with numbers, so that those of three axes fit into one line; font heights."""
SNAP: Final = 0.9
"""Distance from a vertex within which a point snaps to it, font heights."""
RADIUS: Final = 0.35
LINE: Final = 0.14
"""Half the size of the mark of a point and width of a line, font heights."""

_NOTHING: Final = (None, None, None)
PointAt = Callable[[Size, int, int], SurfacePoint | None]
"""Finds the point of a model at a pixel, counted from the top left."""


class MeasureTool:
    """The points of each tab, and the one under the pointer; owner: the viewport.

    Attributes
    ----------
    is_on
        Clicks add points instead of selecting.
    """

    def __init__(self, point_at: PointAt) -> None:
        self.is_on = False
        self._point_at = point_at
        self._points: PerTab[list[MeasuredPoint]] = PerTab(list)
        self._pointed: MeasuredPoint | None = None
        self._seen: tuple[object, object, object] = _NOTHING

    def actions(self) -> Iterator[Action]:
        """Yield what begins and ends measuring, and what copies the numbers."""
        title, is_on = _("Measure"), lambda _ignored: self.is_on
        icon = fa.ICON_FA_RULER
        yield Action("select.measure", title, self.toggle, KEY, is_on=is_on, needs=models, icon=icon)
        title, obstacle = _("Copy the measured numbers"), self._without_points
        yield Action("select.copy_measured", title, self._copy, needs=models, obstacle=obstacle)

    def draw_button(self, frame: UiContext) -> None:
        """Draw the button of the toolbar."""
        hint = _("Measure distances and angles between points: click them") + f"\n{KEY}"
        is_enabled = not models(frame)
        if icon_button(fa.ICON_FA_RULER, "measure", hint, is_on=self.is_on, is_enabled=is_enabled):
            self.toggle(frame)

    def toggle(self, frame: UiContext) -> None:
        """Begin to measure, or end it and forget the points."""
        self.is_on = not self.is_on
        self._pointed = None
        self.points_of(frame.state.tabs).clear()

    def add(self, frame: UiContext, area: PixelArea, mouse: ImVec2) -> None:
        """Add the point under the mouse, if there is one."""
        found = self._found(frame, area, mouse)
        if found is not None:
            points = self.points_of(frame.state.tabs)
            points[:] = [*points, found][-MOST_POINTS:]

    def points_of(self, tabs: Tabs) -> list[MeasuredPoint]:
        """The points of the active tab, in the order of their clicks."""
        return self._points.of(tabs)

    def is_active(self, frame: UiContext) -> bool:
        """Whether clicks in what the active tab shows measure."""
        return self.is_on and not models(frame)

    def has_points(self, frame: UiContext) -> bool:
        """Whether something moves with the model."""
        return self.is_active(frame) and bool(self.points_of(frame.state.tabs))

    def follow(self, frame: UiContext, area: PixelArea, *, is_pointed: bool) -> None:
        """Take the keys, and find the point under the pointer again if anything has moved."""
        if not self.is_active(frame):
            return
        points = self.points_of(frame.state.tabs)
        if key_focus.takes_escape():
            self.toggle(frame)
            return
        if points and key_focus.is_pressed(imgui.Key.backspace, imgui.Key.delete):
            points.pop()
        mouse = imgui.get_mouse_pos()
        # A pick draws all vertices of the model: only if the picture or the pointer is another one.
        seen = (mouse.x, mouse.y, area), frame.view, frame.state.pose
        is_moved = self._seen[0] != seen[0] or any(map(is_not, self._seen[1:], seen[1:]))
        if not is_pointed or imgui.is_any_mouse_down():
            self._pointed, self._seen = None, _NOTHING
        elif is_moved:
            self._pointed, self._seen = self._found(frame, area, mouse), seen

    def _found(self, frame: UiContext, area: PixelArea, mouse: ImVec2) -> MeasuredPoint | None:
        """The point of the model under the mouse, or the vertex of its triangle that is near enough."""
        hit = self._point_at(area.size, *area.pixel(mouse))
        if hit is None:
            return None
        screen = screen_points(frame.view.camera, area, hit.corners)[:, :2]
        away = np.hypot(*(screen - (mouse.x, mouse.y)).T)
        nearest = int(np.argmin(np.where(np.isfinite(away), away, np.inf)))
        is_near = bool(away[nearest] < theme.em(SNAP))
        return hit.measured(nearest if is_near else None, frame.state.pose)

    def draw(self, frame: UiContext, area: Area) -> None:
        """Paint points and lines in the current window, and the card with the numbers."""
        if not self.is_active(frame):
            return
        points, pose = self.points_of(frame.state.tabs), frame.state.pose
        places = [it.at(pose) for it in points]
        # None to the point that was just clicked, as long as the pointer rests on it: its length is 0.
        pointed = [] if self._pointed is None else [self._pointed.at(pose)]
        shown = places if pointed == places[-1:] else [*places, *pointed]
        painter = imgui.get_window_draw_list()
        painter.push_clip_rect(*area.corners, True)
        _paint(frame, area, Measurement(_places(shown)), len(points), self._pointed)
        painter.pop_clip_rect()
        self._draw_card(frame, area, Measurement(_places(places)))

    def _draw_card(self, frame: UiContext, area: Area, measured: Measurement) -> None:
        """Draw the numbers of the last points, and what the next click and the keys do."""
        with card("##measured", area, UPPER_LEFT):
            text(f"{fa.ICON_FA_RULER}  {_('Measure')}", theme.SELECTION)
            imgui.same_line()
            text(_("in model units"), theme.DIM)
            for words in self.said(frame):
                text(words, theme.DIM)
            facts = measured.facts()
            if facts:
                imgui.dummy(ImVec2(theme.em(CARD), 0))
                draw_facts("measured", facts)
                if controls.small_button(_("Copy"), "copy_measured"):
                    self._copy(frame)

    def said(self, frame: UiContext) -> Iterator[str]:
        """Yield what the next click does."""
        count = len(self.points_of(frame.state.tabs))
        if not count:
            yield _("Click the first point: near a vertex it snaps")
        elif count == 1:
            yield _("Click the second point")
        else:
            yield _("Click the next point")

    def _without_points(self, frame: UiContext) -> str:
        is_measured = self.is_on and len(self.points_of(frame.state.tabs)) > 1
        return "" if is_measured else _("fewer than two points are measured")

    def _copy(self, frame: UiContext) -> None:
        places = _places([it.at(frame.state.pose) for it in self.points_of(frame.state.tabs)])
        frame.later(frame.control.window.copy_text, Measurement(places).text())


def _places(points: Sequence[Point]) -> Doubles:
    return np.array(points, np.float64).reshape(-1, 3)


def _paint(
    frame: UiContext, area: Area, shown: Measurement, count: int, pointed: MeasuredPoint | None
) -> None:
    """Paint the points that were clicked, the one under the pointer, lines between them and their lengths."""
    painter = imgui.get_window_draw_list()
    screen = (
        screen_points(frame.view.camera, area, shown.points)[:, :2]
        if len(shown.points)
        else shown.points[:, :2]
    )
    shadow, ink = theme.exact((0.0, 0.0, 0.0, 0.6)), theme.exact(theme.SELECTION)
    add_lines(painter, screen[:-1], screen[1:], theme.em(2.5 * LINE), shadow)
    add_lines(painter, screen[:-1], screen[1:], theme.em(LINE), ink)
    for color, more in ((shadow, 0.12), (ink, 0.0)):
        add_diamonds(painter, screen[:count, 0], screen[:count, 1], theme.em(RADIUS + more), color)
    if pointed is not None and len(screen) and np.isfinite(screen[-1]).all():
        place = ImVec2(*screen[-1].tolist())
        radius = theme.em(RADIUS if pointed.vertex is None else 1.4 * RADIUS)
        painter.add_circle(place, radius, shadow, thickness=theme.em(0.25))
        painter.add_circle(place, radius, ink, thickness=theme.em(0.12))
    for middle, distance in zip((screen[:-1] + screen[1:]) / 2, shown.distances.tolist(), strict=True):
        if np.isfinite(middle).all():
            _write(painter, middle, numbers_text(distance))


def _write(painter: imgui.ImDrawList, middle: Doubles, words: str) -> None:
    """Write a length in the middle of its line, on a ground of its own."""
    size, gap = imgui.calc_text_size(words), theme.em(0.25)
    left, top = middle[0] - size.x / 2, middle[1] - size.y / 2
    corner, end = ImVec2(left - gap, top), ImVec2(left + size.x + gap, top + size.y)
    painter.add_rect_filled(corner, end, theme.packed(theme.BACKDROP), gap)
    painter.add_text(ImVec2(left, top), theme.packed(theme.TEXT), words)
