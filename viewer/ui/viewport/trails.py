"""The ways of the selected nodes, painted over the image of the model."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.session.play.trails import Trails, moment_key, number_of, trails_of
from viewer.session.view.view_state import Overlay
from viewer.ui.context import UiContext
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

    def draw(self, frame: UiContext, area: Area) -> bool:
        """Paint in the current window; tell whether there is anything that moves with the camera."""
        document, view = frame.document, frame.view
        if document is None or Overlay.TRAILS not in view.overlays or not document.animation.is_animated:
            return False
        nodes = tuple(it for it in view.selection.nodes if it < document.model.node_count)[-MOST_NODES:]
        if not nodes:
            return False
        made_of = document.identity, document.revision, nodes, *moment_key(view)
        trails = self._kept.of(made_of, document, view, nodes)
        painter = imgui.get_window_draw_list()
        painter.push_clip_rect(*area.corners, True)
        now = number_of(trails, document, view)
        for place in range(len(nodes)):
            points = screen_points(view.camera, area, trails.points[place])[:, :2]
            _paint(painter, points, trails, place, now, is_active=nodes[place] == view.selection.node)
        painter.pop_clip_rect()
        return True


def _paint(
    painter: imgui.ImDrawList, points: Pixels, trails: Trails, place: int, now: int, *, is_active: bool
) -> None:
    """Paint a way: what is over in another color than what comes, ticks at frames, marks at keys, now."""
    strength = 1.0 if is_active else 0.55
    starts, ends = points[:-1], points[1:]
    is_over = np.arange(len(starts)) < now
    for part, color in ((is_over, theme.PAIRS[1]), (~is_over, theme.PAIRS[0])):
        add_lines(painter, starts[part], ends[part], theme.em(0.13), theme.packed(color, strength))
    tick, ticks = theme.em(0.12), points[trails.frames]
    x, y = ticks.T
    add_rects(painter, x - tick, y - tick, x + tick, y + tick, theme.packed(theme.TEXT, 0.8 * strength))
    keys = points[trails.keys[place]]
    add_diamonds(painter, keys[:, 0], keys[:, 1], theme.em(0.22), theme.packed(theme.SELECTION, strength))
    if np.isfinite(points[now]).all():
        painter.add_circle_filled(ImVec2(*points[now].tolist()), theme.em(0.3), theme.packed(theme.ACCENT))
