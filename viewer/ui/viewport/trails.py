"""The ways of the selected nodes and of a root that travels, painted over the image of the model."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.session.opened.document import Document
from viewer.session.play.playback import Root
from viewer.session.play.trails import Points, Trails, moment_key, number_of, trails_of, travel_of
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import Overlay
from viewer.ui.context import UiContext
from viewer.ui.viewport.trail_handles import TrailHandles
from viewer.ui.viewport.world_labels import screen_points
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Area
from viewer.ui.widgets.kept import Kept
from viewer.ui.widgets.shapes import Pixels, add_diamonds, add_lines, add_rects

MOST_NODES: Final = 8
"""Selected nodes whose ways are painted, the last ones."""


class TrailsOverlay:
    """Paints the ways, and works them out when something else plays or is selected; owner: the shell."""

    def __init__(self) -> None:
        self._kept: Kept[Trails] = Kept(trails_of)
        self._travel: Kept[Points | None] = Kept(travel_of)
        self._handles = TrailHandles()

    def draw(self, frame: UiContext, area: Area) -> bool:
        """Paint in the current window; tell whether there is anything that moves with the model."""
        document, view = frame.document, frame.view
        if document is None or not document.animation.is_animated:
            return False
        imgui.get_window_draw_list().push_clip_rect(*area.corners, True)
        has_any = self._draw_travel(frame, area, document)
        if Overlay.TRAILS in view.overlays:
            has_any |= self._draw_trails(frame, area, document)
        imgui.get_window_draw_list().pop_clip_rect()
        return has_any

    def _draw_travel(self, frame: UiContext, area: Area, document: Document) -> bool:
        """Paint the way of a root that travels on the ground; tell whether its mark moves."""
        view = frame.view
        if view.playback.root is not Root.TRAVEL or not view.overlays & {Overlay.GRID, Overlay.TRAILS}:
            return False
        made_of = document.identity, document.revision, *moment_key(view)
        way = self._travel.of(made_of, document, view)
        pose = frame.state.pose
        if way is None or pose is None:
            return False
        _paint_travel(view.camera, area, way, pose.world[0, :3, 3].astype(np.float64))
        return view.is_playing

    def _draw_trails(self, frame: UiContext, area: Area, document: Document) -> bool:
        view = frame.view
        nodes = tuple(it for it in view.selection.nodes if it < document.model.node_count)[-MOST_NODES:]
        if not nodes:
            return False
        made_of = document.identity, document.revision, nodes, *moment_key(view)
        trails = self._kept.of(made_of, document, view, nodes)
        now, points = number_of(trails, view), np.empty((0, 2))
        for place in range(len(nodes)):
            points = screen_points(view.camera, area, trails.points[place])[:, :2]
            _paint(points, trails, place, now, is_active=nodes[place] == view.selection.node)
        # The active node is the last one.
        self._handles.draw(frame, area, trails, made_of, points)
        return True


def _paint_travel(camera: Camera, area: Area, way: Points, now: Points) -> None:
    """Paint a way on the ground, with a mark where the root is now, and the line from there up to it."""
    painter, color = imgui.get_window_draw_list(), theme.packed(theme.GOOD, 0.8)
    flat = np.array([1.0, 1.0, 0.0])
    points = screen_points(camera, area, way * flat)[:, :2]
    add_lines(painter, points[:-1], points[1:], theme.em(0.16), color)
    foot, root = screen_points(camera, area, np.stack([now * flat, now]))[:, :2]
    add_lines(painter, foot[None], root[None], theme.em(0.08), theme.packed(theme.GOOD, 0.45))
    x, y = np.stack([points[0], points[-1]]).T
    add_diamonds(painter, x, y, theme.em(0.22), color)
    if np.isfinite(foot).all():
        painter.add_circle_filled(ImVec2(*foot.tolist()), theme.em(0.3), theme.packed(theme.ACCENT))


def _paint(points: Pixels, trails: Trails, place: int, now: int, *, is_active: bool) -> None:
    """Paint a way: what is over in another color than what comes, ticks at frames, marks at keys, now."""
    painter = imgui.get_window_draw_list()
    strength = 1.0 if is_active else 0.55
    starts, ends = points[:-1], points[1:]
    is_over = np.arange(len(starts)) < now
    for part, color in ((is_over, theme.PAIRS[1]), (~is_over, theme.PAIRS[0])):
        add_lines(painter, starts[part], ends[part], theme.em(0.13), theme.packed(color, strength))
    tick, ticks = theme.em(0.12), points[trails.frames]
    x, y = ticks.T
    add_rects(painter, x - tick, y - tick, x + tick, y + tick, theme.packed(theme.TEXT, 0.8 * strength))
    keys = points[trails.keys[place].numbers]
    add_diamonds(painter, keys[:, 0], keys[:, 1], theme.em(0.22), theme.packed(theme.SELECTION, strength))
    if np.isfinite(points[now]).all():
        painter.add_circle_filled(ImVec2(*points[now].tolist()), theme.em(0.3), theme.packed(theme.ACCENT))
