"""The trails of the selected nodes and of a root that travels, painted over the image of the model.

The keys on the trail of the active node can be dragged to where the node should be at their time.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.edit.nodes.set_key import SetKey
from viewer.session.edits.row_commands import node_choice
from viewer.session.opened.document import Document
from viewer.session.play import timeline
from viewer.session.play.keys.trails import (
    KeyHandle,
    Points,
    Trails,
    handle_of,
    moment_key,
    number_of,
    trails_of,
    travel_of,
)
from viewer.session.play.playback import Root
from viewer.session.play.playing import axis_of
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import HeldNode
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.editing.in_place import InPlaceEdit
from viewer.ui.viewport.world_labels import moved_on_screen, screen_points
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import Area
from viewer.ui.widgets.shapes import Pixels, add_diamonds, add_lines, add_rects
from viewer.ui.widgets.widgets import tooltip

MOST_NODES: Final = 8
"""Selected nodes whose trails are painted, the last ones."""


class TrailsOverlay:
    """Paints the trails, and works them out when something else plays or is selected; owner: the shell."""

    def __init__(self) -> None:
        self._kept: Cached[Trails] = Cached(trails_of)
        self._travel: Cached[Points | None] = Cached(travel_of)
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
        """Paint the path of a root that travels on the ground; tell whether its mark moves."""
        view = frame.view
        if view.playback.root is not Root.TRAVEL or not view.overlays & {Overlay.GRID, Overlay.TRAILS}:
            return False
        made_of = document.identity, document.revision, *moment_key(view)
        path = self._travel.of(made_of, document, view)
        pose = frame.state.pose
        if path is None or pose is None:
            return False
        _paint_travel(view.camera, area, path, pose.world[0, :3, 3].astype(np.float64))
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


def _paint_travel(camera: Camera, area: Area, path: Points, now: Points) -> None:
    """Paint a path on the ground, with a mark where the root is now, and the line from there up to it."""
    painter, color = imgui.get_window_draw_list(), theme.packed(theme.GOOD, 0.8)
    flat = np.array([1.0, 1.0, 0.0])
    points = screen_points(camera, area, path * flat)[:, :2]
    add_lines(painter, points[:-1], points[1:], theme.em(0.16), color)
    foot, root = screen_points(camera, area, np.stack([now * flat, now]))[:, :2]
    add_lines(painter, foot[None], root[None], theme.em(0.08), theme.packed(theme.GOOD, 0.45))
    x, y = np.stack([points[0], points[-1]]).T
    add_diamonds(painter, x, y, theme.em(0.22), color)
    if np.isfinite(foot).all():
        painter.add_circle_filled(ImVec2(*foot.tolist()), theme.em(0.3), theme.packed(theme.ACCENT))


def _paint(points: Pixels, trails: Trails, place: int, now: int, *, is_active: bool) -> None:
    """Paint a trail: what is over in another color than what comes, ticks at frames, marks at keys, now."""
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


REACH: Final = 0.6
"""Distance at which the pointer hits a key, in font heights."""
LEAST_DRAG: Final = 3.0
"""Pixels; a press that moves less goes to the key and changes nothing."""
RADIUS: Final = 0.32
"""Radius of the mark of a key that is pointed at or dragged, font heights."""


class _KeyDrag(Struct, frozen=True):
    """A key that is dragged, from where, and the pixels from there to its point."""

    handle: KeyHandle
    start: ImVec2
    is_moved: bool = False


class TrailHandles:
    """The key that is pointed at or dragged; owner: the trails over the image."""

    def __init__(self) -> None:
        self._drag: _KeyDrag | None = None
        self._pointed: tuple[tuple[object, ...], KeyHandle | None] = (), None
        self._edits = InPlaceEdit()

    def draw(
        self,
        frame: UiContext,
        area: Area,
        trails: Trails,
        shown: tuple[object, ...],
        points: Pixels,
    ) -> None:
        """Draw the key under the pointer, and what a drag of it will do.

        Parameters
        ----------
        shown
            What the trails are made of.
        points
            Those of the trail of the active node on screen, (t, 2).
        """
        self._edits.draw()
        document, node = frame.document, frame.view.selection.node
        if document is None or node is None or node not in trails.nodes:
            self._drag = None
            return
        if self._drag is not None and self._drag.handle.node == node:
            self._follow(frame, area, document, trails, self._drag)
            return
        self._drag = None
        keys = trails.keys[trails.nodes.index(node)].numbers
        mouse = imgui.get_mouse_pos()
        distances = np.hypot(*(points[keys] - [mouse.x, mouse.y]).T) if len(keys) else np.zeros(0)
        distances[~np.isfinite(distances)] = np.inf
        if not len(distances) or distances.min() > theme.em(REACH):
            return
        number = int(distances.argmin())
        made_of = (*shown, node, number)
        if self._pointed[0] != made_of:
            self._pointed = made_of, handle_of(document, frame.view, trails, node, number)
        self._point_at(frame, document, self._pointed[1], ImVec2(*points[keys[number]].tolist()))

    def _point_at(
        self, frame: UiContext, document: Document, handle: KeyHandle | None, place: ImVec2
    ) -> None:
        """Mark the key that is pointed at; a press takes it."""
        reach = theme.em(REACH)
        imgui.set_cursor_screen_pos(ImVec2(place.x - reach, place.y - reach))
        imgui.invisible_button("trail_key", ImVec2(2 * reach, 2 * reach))
        painter = imgui.get_window_draw_list()
        add_diamonds(
            painter,
            np.array([place.x]),
            np.array([place.y]),
            theme.em(RADIUS),
            theme.packed(theme.TEXT if handle else theme.FAINT),
        )
        if handle is None:
            tooltip(_("The part is not where this key says: it is blended, frozen, or follows a channel"))
            return
        words = _("Key {key} at frame {frame:g}", key=handle.key, frame=handle.frames[handle.key])
        tooltip([words, _("Drag: move it in the plane of the screen. Click: go to it")], is_below=True)
        if imgui.is_item_activated():
            self._drag = _KeyDrag(handle, imgui.get_mouse_pos())
            chosen = Selection(
                frame.view.selection.nodes, key=document.animation.track(handle.node)[handle.key]
            )
            axis = axis_of(document, frame.view)
            frame.change(
                lambda view: timeline.seek(
                    replace(view, is_playing=False, selection=chosen), handle.time, axis
                )
            )

    def _follow(
        self, frame: UiContext, area: Area, document: Document, trails: Trails, drag: _KeyDrag
    ) -> None:
        """Show where the key will be while it is held; when it is let go, make one change of it."""
        mouse, handle = imgui.get_mouse_pos(), drag.handle
        moved = mouse - drag.start
        drag = self._drag = replace(drag, is_moved=drag.is_moved or np.hypot(moved.x, moved.y) >= LEAST_DRAG)
        is_let_go = not imgui.is_mouse_down(imgui.MouseButton_.left)
        if is_let_go or key_focus.takes_escape():
            self._drag = None
        point = moved_on_screen(frame.view.camera, area, handle.point, (moved.x, moved.y))
        # Held by an item, so that the camera does not turn.
        imgui.set_cursor_screen_pos(ImVec2(mouse.x - theme.em(), mouse.y - theme.em()))
        imgui.invisible_button("trail_key", ImVec2(theme.em(2), theme.em(2)))
        if not drag.is_moved:
            return
        if self._drag is not None:
            held = tuple(handle.local(point).ravel().tolist())
            frame.change(lambda view: replace(view, held=HeldNode(handle.node, held)))
            _paint_handle(frame.view.camera, area, trails, handle, point)
        elif is_let_go:
            position = tuple(handle.position(point).tolist())
            changed = SetKey(node_choice(document.names, handle.node), handle.key, position)
            self._edits.make(frame, document, (changed,), handle.node)


def _paint_handle(camera: Camera, area: Area, trails: Trails, handle: KeyHandle, point: Points) -> None:
    """Paint the trail as it will be, and what the key will say."""
    painter = imgui.get_window_draw_list()
    trail = screen_points(camera, area, handle.moved_trail(trails, point)[1])[:, :2]
    add_lines(painter, trail[:-1], trail[1:], theme.em(0.16), theme.packed(theme.SELECTION))
    x, y = screen_points(camera, area, point[None])[:, :2].T
    add_diamonds(painter, x, y, theme.em(RADIUS), theme.packed(theme.SELECTION))
    position, before = handle.position(point), handle.position(handle.point)
    lines = [
        _("frame {frame:g}", frame=handle.frames[handle.key]),
        *(
            f"{axis} {now:.3f}  {now - was:+.3f}"
            for axis, now, was in zip("xyz", position.tolist(), before.tolist(), strict=True)
        ),
    ]
    corner = ImVec2(float(x[0]) + theme.em(0.8), float(y[0]) - theme.em(1))
    size = imgui.calc_text_size("\n".join(lines))
    gap = ImVec2(theme.em(0.3), theme.em(0.2))
    painter.add_rect_filled(
        corner - gap, corner + size + gap, theme.packed(theme.BACKDROP, 0.8), theme.em(0.2)
    )
    painter.add_text(corner, theme.packed(theme.SELECTION), "\n".join(lines))
