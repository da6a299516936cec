"""The view cube: a small cube in the corner that turns with the camera.

A click on a face, an edge or a corner looks from there; dragging it orbits.
"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_char
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from msgspec import Struct
from msgspec.structs import replace

from viewer.session.view.camera import DIRECTIONS, Camera, Direction, Side
from viewer.session.view.view_state import ViewState
from viewer.ui.context import UiContext
from viewer.ui.viewport.mouse import CLICK_LIMIT
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import Area
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.shapes import Stroke
from viewer.ui.widgets.widgets import tooltip

ITEM: Final = "view_cube"
_HALF: Final = 2.0
"""Half the edge of the cube, font heights."""
_REACH: Final = 4.1
"""Half the room that it takes in any position, with its axes, font heights."""
_LEAST: Final = 14.0
"""Least width and height of a viewport with a cube, font heights."""
_INNER: Final = 0.68
"""Half the part of a face that is the face itself and not an edge or a corner, as a share of the face."""
_TEXT: Final = (1.8, 0.6)
"""Largest width and height of the text on a face, which is 2 wide; Russian names have up to seven letters."""
_AXIS: Final = 1.35
"""End of an axis line, which begins at -1."""
_LONGEST: Final = 0.95
"""Cosine to the direction of view above which an axis is too short for its letter."""
_FRONT_ON: Final = 1e-3
"""Cosine below which a face is seen from its edge."""
_FACE: Final = (0.30, 0.33, 0.37)
_DIMMEST: Final = 0.62
"""Color of a face seen from the front, and how much of it is left seen from its edge."""

_VERTEX: Final = np.dtype([("pos", "f4", 2), ("uv", "f4", 2), ("color", "u4")])
"""ImGui's `ImDrawVert` as it lies in memory."""

Vector = npt.NDArray[np.float64]
Span = tuple[float, float]


class _Face(Struct, frozen=True, eq=False):
    """A visible face.

    Attributes
    ----------
    side
        What it is called.
    normal, across, up
        World space; `across` and `up` are the directions of its text.
    facing
        Cosine of the angle at which it is seen.
    """

    side: Side
    normal: Vector
    across: Vector
    up: Vector
    facing: float


class ViewCube:
    """The cube in the upper right corner; owner: the shell."""

    def __init__(self) -> None:
        self._is_held = False
        self._pressed: Direction | None = None
        self._picture: Cached[_Picture] = Cached(_Picture)

    def draw(self, frame: UiContext, area: Area) -> None:
        """Draw it in the current window and handle the mouse over it, and only there."""
        if not is_shown(frame.view, area):
            self._is_held = False
            return
        camera, middle = frame.view.camera, center(area)
        made_of = camera.axes.tobytes(), middle.x, middle.y, theme.em()
        picture = self._picture.of(made_of, camera, middle)
        picture.draw(self._handle(frame, picture))

    def _handle(self, frame: UiContext, picture: _Picture) -> Direction | None:
        """Handle the mouse; return what the pointer is on."""
        pointed = picture.direction_at(imgui.get_io().mouse_pos)
        if pointed is None and not self._is_held:
            return None
        reach = theme.em(_REACH)
        imgui.set_cursor_screen_pos(picture.center - ImVec2(reach, reach))
        is_released = imgui.invisible_button(ITEM, ImVec2(2 * reach, 2 * reach))
        is_hovered, self._is_held = imgui.is_item_hovered(), imgui.is_item_active()
        if imgui.is_item_activated():
            self._pressed = pointed
        if self._is_held and imgui.is_mouse_dragging(imgui.MouseButton_.left, CLICK_LIMIT):
            self._pressed = None
            _orbit(frame)
        if is_released and self._pressed is not None and self._pressed == pointed:
            _look_from(frame, self._pressed)
        if is_hovered and pointed is not None and not self._is_held:
            tooltip(name_of_direction(pointed))
        return pointed if is_hovered else None


class _Picture:
    """The cube as the camera sees it, in parallel projection."""

    def __init__(self, camera: Camera, middle: ImVec2) -> None:
        self.center = middle
        self.axes = camera.axes
        self.faces = [*_visible_faces(self.axes)]
        self._half = theme.em(_HALF)
        self._strokes: Cached[tuple[Stroke, ...]] = Cached(self._painted)
        self._letters: dict[Side, Vector] = {}

    def draw(self, pointed: Direction | None) -> None:
        """Draw it in the current window, the part that the pointer is on highlighted."""
        painter = imgui.get_window_draw_list()
        for draw, arguments in self._strokes.of((pointed,), pointed):
            draw(painter, *arguments)

    def _painted(self, pointed: Direction | None) -> tuple[Stroke, ...]:
        """The shapes in drawing order: the axes behind the cube, its faces, the other axes."""
        faces = chain.from_iterable(_face(self, face, pointed) for face in self.faces)
        return (*_axes(self, is_behind=True), *faces, *_axes(self, is_behind=False))

    def write(self, painter: imgui.ImDrawList, face: _Face) -> None:
        """Write the name of a face on it: its vertices are laid out flat, then moved onto the face."""
        words = name_of(face.side)
        size, first = imgui.calc_text_size(words), painter.vtx_buffer.size()
        painter.add_text(self.center - size / 2, theme.packed(theme.TEXT, min(1.0, 3 * face.facing)), words)
        # ImGui has no text in perspective: the quads of the letters are mapped onto the face.
        vertices = painter.vtx_buffer
        start, count = vertices.data_address() + first * _VERTEX.itemsize, vertices.size() - first
        memory = memoryview((c_char * (count * _VERTEX.itemsize)).from_address(start))
        corners = np.frombuffer(memory, _VERTEX)["pos"]
        if len(self._letters.get(face.side, ())) != count:  # ImGui leaves out what is clipped
            scale = text_scale(size)
            offsets = (corners - [self.center.x, self.center.y]) * scale
            points = face.normal + offsets[:, :1] * face.across - offsets[:, 1:] * face.up
            # Y of the screen points down.
            on_screen = points @ self.axes[:2].T * self._half * [1, -1]
            self._letters[face.side] = np.add(on_screen, [self.center.x, self.center.y])
        corners[:] = self._letters[face.side]

    def rectangle(self, face: _Face, across: Span, up: Span) -> tuple[ImVec2, ImVec2, ImVec2, ImVec2]:
        """The corners of a part of a face on screen, in turn."""
        rows = [[face.normal + x * face.across + y * face.up for x in across] for y in up]
        return self.at(rows[0][0]), self.at(rows[0][1]), self.at(rows[1][1]), self.at(rows[1][0])

    def at(self, point: Vector) -> ImVec2:
        """A point of the cube, whose corners are at -1 and 1, on screen."""
        across, up, _ = self.axes @ point * self._half
        return self.center + ImVec2(across, -up)

    def direction_at(self, point: ImVec2) -> Direction | None:
        """The face, edge or corner at a point on screen, as the direction from the middle of the cube."""
        offset = point - self.center
        if max(abs(offset.x), abs(offset.y)) > 2 * self._half:  # no corner is further out than sqrt(3)
            return None
        on_screen = np.array([offset.x, -offset.y]) / self._half
        for face in self.faces:
            # On screen, a point of the face is normal + x * across + y * up; solved for x and y.
            basis = self.axes[:2] @ np.column_stack([face.across, face.up])
            shares = np.linalg.solve(basis, on_screen - self.axes[:2] @ face.normal)
            if (np.abs(shares) <= 1).all():
                # The rim of the face stands for its edges and corners: (0.9, 0.1) steps (1, 0), to an edge.
                steps = np.where(np.abs(shares) > _INNER, np.sign(shares), 0.0)
                x, y, z = (
                    np.rint(face.normal + steps[0] * face.across + steps[1] * face.up).astype(int).tolist()
                )
                return x, y, z
        return None


def text_scale(size: ImVec2) -> float:
    """Return by how much a text is scaled to fit a face, whose half is 1 wide."""
    return min(_TEXT[0] / size.x, _TEXT[1] / size.y)


def is_shown(view: ViewState, area: Area) -> bool:
    """Tell whether there is a cube in the viewport, and room for it."""
    return view.has_view_cube and min(area.width, area.height) >= theme.em(_LEAST)


def center(area: Area) -> ImVec2:
    """Return the middle of the cube on screen."""
    inset = theme.em(_REACH + 0.4)
    return ImVec2(area.left + area.width - inset, area.top + inset)


def corners(area: Area) -> tuple[ImVec2, ImVec2]:
    """Return the upper left and the lower right corner of the room that the cube takes."""
    reach = ImVec2(theme.em(_REACH), theme.em(_REACH))
    return center(area) - reach, center(area) + reach


def name_of_direction(direction: Direction) -> str:
    """Return what a face, an edge or a corner is called: the names of its faces."""
    return ", ".join(name_of(side) for side in _sides(direction))


def _sides(direction: Direction) -> list[Side]:
    """The faces that meet at a face, an edge or a corner."""
    return [side for side, normal in DIRECTIONS.items() if np.dot(normal, direction) > 0]


def _visible_faces(axes: Vector) -> Iterator[_Face]:
    """The faces turned to the eye, each with its text as upright as it can be."""
    ups = [np.array(normal, np.float64) for normal in DIRECTIONS.values()]
    for side, stored in DIRECTIONS.items():
        normal = np.array(stored, np.float64)
        facing = float(axes[2] @ normal)
        if facing > _FRONT_ON:
            # Text on a side stands upright along Z; on top and bottom it may turn with the camera.
            level = [up for up in ups if up @ normal == 0 and (up[2] > 0 or normal[2] != 0)]
            up = max(level, key=lambda up: float(axes[1] @ up))
            yield _Face(side, normal, np.cross(up, normal), up, facing)


def _orbit(frame: UiContext) -> None:
    """Turn the cube, and with it everything, by the distance that the mouse has moved over it."""
    moved, radius = imgui.get_io().mouse_delta, theme.em(_HALF) * 1.5
    yaw, pitch = moved.x / radius, moved.y / radius
    frame.change(lambda view: replace(view, camera=view.camera.orbit(yaw, pitch)))


def _look_from(frame: UiContext, direction: Direction) -> None:
    frame.change(lambda view: replace(view, camera=view.camera.seen_from(direction)))


def _face(picture: _Picture, face: _Face, pointed: Direction | None) -> Iterator[Stroke]:
    light = _DIMMEST + (1 - _DIMMEST) * face.facing
    red, green, blue = (part * light for part in _FACE)
    whole = picture.rectangle(face, (-1, 1), (-1, 1))
    yield imgui.ImDrawList.add_quad_filled, (*whole, theme.packed((red, green, blue, 0.95)))
    if pointed is not None and np.dot(face.normal, pointed) > 0:
        across, up = (_span(float(np.dot(axis, pointed))) for axis in (face.across, face.up))
        part = picture.rectangle(face, across, up)
        yield imgui.ImDrawList.add_quad_filled, (*part, theme.packed(theme.ACCENT, 0.75))
    yield imgui.ImDrawList.add_quad, (*whole, theme.packed(theme.INK), theme.em(0.06))
    yield picture.write, (face,)


def _span(step: float) -> Span:
    """Part of a face that belongs to its middle, 0, or to the edge at one end, 1 or -1."""
    if step == 0:
        return -_INNER, _INNER
    return (_INNER, 1.0) if step > 0 else (-1.0, -_INNER)


def _axes(picture: _Picture, *, is_behind: bool) -> Iterator[Stroke]:
    """The axes along the edges that meet in the lowest corner: those behind the cube, or the others."""
    backward = picture.axes[2]
    for axis, color in enumerate(theme.AXES):
        others = [other for other in range(3) if other != axis]
        # The axis is hidden by the cube unless one of the two faces along it looks at the eye.
        if is_behind != (max(-backward[other] for other in others) <= 0):
            continue
        start, end = np.full(3, -1.0), np.full(3, -1.0)
        end[axis] = _AXIS
        ink = theme.packed(color)
        yield imgui.ImDrawList.add_line, (picture.at(start), picture.at(end), ink, theme.em(0.12))
        if abs(backward[axis]) < _LONGEST:
            letter = "XYZ"[axis]
            end[axis] += 0.3
            place = picture.at(end) - imgui.calc_text_size(letter) / 2
            yield imgui.ImDrawList.add_text, (place, ink, letter)
