"""Texts at points of the world, over the image: names of nodes, sockets, rooms behind portals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache, partial
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Doubles, Mask, project_points
from viewer.model.mesh.portals import KINDS
from viewer.model.mesh.pose.animation import Pose
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.document import Document
from viewer.session.play.unit_posing import LABELS, placed
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.coloring import PORTAL_COLORS
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.triangle_lab import TriangleLab, found_in
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import Area

MOST: Final = 200
"""Points of one kind that are marked in a frame."""
_DOT: Final = 0.2
_GAP: Final = 0.45
"""Radius of the mark at a point, and distance of its text; font heights."""
_SPREAD: Final = (2.0, 0.5)
"""Width and height of the part of the screen that shows one point only, font heights."""
_MANY: Final = 1 << 20
"""More parts of the screen than there are below each other."""
_STEP: Final = 0.5
"""Step in which the room on screen is divided, font heights."""


def screen_points(camera: Camera, area: Area, points: npt.ArrayLike) -> Doubles:
    """Points of world space, (n, 3), on screen: x, y and the distance along the view; NaN behind the eye."""
    clip = project_points(_clip_from_world(camera, area.width / max(area.height, 1)), points)
    w = clip[:, 3:]
    scale = [area.width / 2, -area.height / 2, 1.0]
    middle = [area.left + area.width / 2, area.top + area.height / 2, 0.0]
    return clip[:, :3] / np.where(w > 0, w, np.nan) * scale + middle


def moved_on_screen(camera: Camera, area: Area, point: npt.ArrayLike, pixels: tuple[float, float]) -> Doubles:
    """A point of world space, (3,), moved right and down in the plane of the screen that it is in."""
    matrix = _clip_from_world(camera, area.width / max(area.height, 1))
    clip = project_points(matrix, np.asarray(point, np.float64)[None])[0].astype(np.float64)
    clip[:2] += np.array(pixels) * (2 / area.width, -2 / area.height) * clip[3]
    world: Doubles = np.linalg.solve(matrix.astype(np.float64), clip)
    moved: Doubles = world[:3] / world[3]
    return moved


@lru_cache(maxsize=2)
def _clip_from_world(camera: Camera, aspect: float) -> Doubles:
    return camera.clip_from_world(aspect)


class _Mark(Struct, frozen=True):
    """A point on screen, what is written next to it, and its color."""

    place: ImVec2
    text: Callable[[], str]
    color: theme.Color


class PlacedText(Struct, frozen=True):
    """A text on screen, from its upper left to its lower right corner."""

    words: str
    color: theme.Color
    corner: ImVec2
    end: ImVec2


class WorldLabels:
    """The labels of one frame, of all kinds together; made anew for each frame.

    Parameters
    ----------
    area
        Where the image is on screen; what lies outside it has no label.
    """

    def __init__(self, camera: Camera, area: Area) -> None:
        self._camera = camera
        self._area = area
        self._marks: list[_Mark] = []
        self._step = theme.em(_STEP)
        self._columns = int((area.left + area.width) // self._step) + 1
        # A bit for each column of every row of the screen: much faster than a set of both, for every text.
        self._taken = 0

    def add(
        self,
        points: npt.ArrayLike,
        text_of: Callable[[int], str],
        tint: theme.Color,
        chosen: Collection[int] = (),
    ) -> None:
        """Have points marked, and a text written next to those that have room.

        Parameters
        ----------
        points
            World space, (n, 3).
        text_of
            Gives the text of the point of an index; its lines after the first are not tinted.
        tint
            Color of the marks and of the first lines.
        chosen
            Indices of the points that come first, in the color of the selection.
        """
        for index, place in spread(screen_points(self._camera, self._area, points), self._area, chosen):
            color = theme.SELECTION if index in chosen else tint
            self._marks.append(_Mark(place, partial(text_of, index), color))

    @property
    def has_any(self) -> bool:
        """Whether any point is marked."""
        return bool(self._marks)

    def draw(self) -> None:
        """Draw everything added in the current window."""
        painter, radius, shade = imgui.get_window_draw_list(), theme.em(_DOT), theme.packed(theme.BACKDROP)
        painter.push_clip_rect(*self._area.corners, True)
        for mark in self._marks:
            painter.add_circle_filled(mark.place, radius * 1.5, shade)
            painter.add_circle_filled(mark.place, radius, theme.packed(mark.color))
        for text in self.texts():
            _draw_text(painter, text)
        painter.pop_clip_rect()

    def texts(self) -> Iterator[PlacedText]:
        """Yield the texts that have room, in the order in which they were added."""
        em, half, gap = theme.em(), imgui.get_text_line_height() / 2, theme.em(_GAP)
        first, end = self._area.left, self._area.left + self._area.width
        for mark in self._marks:
            words = mark.text()
            size = _size(words, em)
            x, top = mark.place.x, mark.place.y - half
            # To the right of the mark, else to its left.
            for left in (x + gap, x - gap - size.x):
                if first <= left <= end - size.x:
                    corner = ImVec2(left, top)
                    if self.take(corner, corner + size):
                        yield PlacedText(words, mark.color, corner, corner + size)
                        break

    def take(self, corner: ImVec2, end: ImVec2) -> bool:
        """Take a rectangle of the screen, in steps, unless some of it is taken; no later text is there."""
        step, width = self._step, self._columns
        first, last = max(0, int(corner.x // step)), max(0, min(int(end.x // step), width - 1))
        top, count = max(0, int(corner.y // step)), int(end.y // step) - int(corner.y // step) + 1
        # The bits from `first` to `last`, 2..4 gives 0b100000 - 0b000100 = 0b011100, in `count` rows.
        columns = (1 << last + 1) - (1 << first)
        place = columns * _repeated(count, width) << top * width
        if self._taken & place:
            return False
        self._taken |= place
        return True


@lru_cache(maxsize=64)
def _repeated(count: int, width: int) -> int:
    """A bit at the beginning of each of some rows of `width` bits."""
    return sum(1 << row * width for row in range(count))


@lru_cache(maxsize=4 * MOST)
def _size(words: str, _em: float) -> ImVec2:
    return imgui.calc_text_size(words)


def _draw_text(painter: imgui.ImDrawList, text: PlacedText) -> None:
    margin, line = ImVec2(theme.em(0.2), theme.em(0.05)), imgui.get_text_line_height()
    shade = theme.packed(theme.BACKDROP)
    painter.add_rect_filled(text.corner - margin, text.end + margin, shade, theme.em(0.2))
    for number, words in enumerate(text.words.split("\n")):
        ink = theme.packed(theme.TEXT if number else text.color)
        painter.add_text(text.corner + ImVec2(0, number * line), ink, words)


def spread(
    points: Doubles, area: Area, chosen: Collection[int] = (), most: int = MOST
) -> Iterator[tuple[int, ImVec2]]:
    """Yield the indices of points inside an area and their places: the chosen first, then from near to far.

    Of points close to each other only the first is given, and at most `most` of all.

    Parameters
    ----------
    points
        As `screen_points` gives them, (n, 3).
    """
    low, high = ((corner.x, corner.y) for corner in area.corners)
    # A point behind the eye is not a number, which is never inside.
    with np.errstate(invalid="ignore"):
        is_inside = ((points[:, :2] >= low) & (points[:, :2] <= high)).all(axis=1)
    index = np.flatnonzero(is_inside)
    # The last key counts most: chosen points (False) sort before the others, then depth.
    is_other = ~np.isin(index, list(chosen)) if chosen else np.ones(len(index), bool)
    order = index[np.lexsort((points[index, 2], is_other))]
    column, row = (points[order, axis] // theme.em(_SPREAD[axis]) for axis in range(2))
    # One number for each field of the screen; of equal keys the one put in last remains: the nearest point.
    fields = (column * _MANY + row)[::-1].tolist()
    nearest = dict(zip(fields, range(len(fields) - 1, -1, -1), strict=True))
    for point in order[sorted(nearest.values())[:most]].tolist():
        yield point, ImVec2(float(points[point, 0]), float(points[point, 1]))


Nodes = npt.NDArray[np.int64]


class NodeLabels:
    """The overlays of sockets and of names; owner: the shell."""

    def __init__(self) -> None:
        self._nodes = Cached(_labeled)

    def add(self, frame: UiContext, document: Document, pose: Pose, labels: WorldLabels) -> None:
        """Add the labels of the nodes that are shown."""
        overlays = frame.view.overlays
        if not overlays & {Overlay.SOCKETS, Overlay.NAMES}:
            return
        shown, has_sockets = document.shown(frame.view), Overlay.SOCKETS in overlays
        made_of = document.identity, document.revision, shown, has_sockets
        sockets, named = self._nodes.of(made_of, document, shown.kept, has_sockets)
        if has_sockets:
            _add(frame, pose, labels, sockets, lambda node: socket_text(document, node), theme.ACCENT)
        if Overlay.NAMES in overlays:
            _add(frame, pose, labels, named, document.label, theme.TEXT)


def _labeled(document: Document, is_kept: Mask, has_sockets: bool) -> tuple[Nodes, Nodes]:
    """The shown nodes that are labelled as sockets, and those that are named."""
    kept = np.flatnonzero(is_kept[: document.model.node_count]).tolist()
    sockets = [node for node in kept if node in document.sockets]
    others = [node for node in kept if not has_sockets or node not in document.sockets]
    return np.array(sockets, np.int64), np.array(others, np.int64)


def _add(
    frame: UiContext,
    pose: Pose,
    labels: WorldLabels,
    nodes: Nodes,
    text_of: Callable[[int], str],
    tint: theme.Color,
) -> None:
    nodes = nodes[nodes < len(pose.world)]
    selected = frame.view.selection.nodes
    chosen = np.flatnonzero(np.isin(nodes, selected)).tolist() if selected else ()
    labels.add(pose.world[nodes, :3, 3], lambda index: text_of(int(nodes[index])), tint, chosen)


def socket_text(document: Document, node: int) -> str:
    """Return the name of a socket, and in a second line its tag if it has one."""
    tag = document.socket_tags[node]
    return f"{document.label(node)}\n{_('socket tag {label}', label=tag)}" if tag else document.label(node)


class PortalLabels:
    """The texts of the portal overlay; owner: the shell."""

    def __init__(self) -> None:
        self._portals = Cached(_portals)

    def add(self, frame: UiContext, document: Document, pose: Pose, labels: WorldLabels) -> None:
        """Add the kind of each portal that is shown, and the name of the room behind it."""
        if not frame.view.shows_portals:
            return
        shown = document.shown(frame.view)
        draws, centers = self._portals.of(
            (document.identity, document.revision, shown), document, shown.portals
        )
        if not len(draws):
            return
        nodes = document.draws.node[draws]
        points = np.einsum("nij,nj->ni", pose.world[nodes, :3], centers)
        is_chosen = document.draws.batch[draws] == frame.view.selection.batch
        for number, kind in enumerate(KINDS):
            rows = np.flatnonzero(document.chooser.portal[draws] == number)
            chosen = np.flatnonzero(is_chosen[rows]).tolist()
            labels.add(
                points[rows], _portal_texts(document, draws[rows]), (*PORTAL_COLORS[kind], 1.0), chosen
            )


def _portals(document: Document, is_portal: Mask) -> tuple[npt.NDArray[np.int64], Doubles]:
    """The draws of the portals that are shown, and the middle of each, (n, 4)."""
    draws = np.flatnonzero(is_portal & (document.draws.triangle_count > 0))
    return draws, np.array([_center(document, draw) for draw in draws.tolist()]).reshape(-1, 4)


def _portal_texts(document: Document, draws: npt.NDArray[np.int64]) -> Callable[[int], str]:
    """The text of each of some portals."""
    return lambda index: document.portal_label(int(draws[index]))


def _center(document: Document, draw: int) -> Doubles:
    """The middle of the vertices of a draw in the space of its node, and 1, (4,)."""
    start, end = document.draws.triangle_start[draw : draw + 2]
    points = document.model.positions[np.unique(document.draws.corners[start:end])]
    return np.append((points.min(axis=0) / 2 + points.max(axis=0) / 2).astype(np.float64), 1.0)


class TriangleNumbers:
    """The order of the triangles that pass the query; owner: the shell."""

    def __init__(self) -> None:
        self._found = Cached(_numbered)

    def add(self, frame: UiContext, document: Document, pose: Pose, labels: WorldLabels) -> None:
        """Add the number of each, from 0, at its middle."""
        lab = frame.view.lab
        if not lab.has_numbers:
            return
        shown = document.shown(frame.view)
        visible = shown.visible(has_portals=frame.view.shows_portals)
        made_of = document.identity, document.revision, shown, lab.masks, lab.start
        nodes, centers = self._found.of(made_of, document, visible, lab)
        points = np.einsum("nij,nj->ni", pose.world[nodes, :3], centers)
        labels.add(points, str, theme.ACCENT)


def _numbered(document: Document, visible: Mask, lab: TriangleLab) -> tuple[Nodes, Doubles]:
    """The node and the middle of each triangle in the space of its node, and 1, (n, 4)."""
    found = found_in(document.model, document.draws, visible, lab)
    is_drawn = found.row >= 0
    corners = document.draws.corners[found.row[is_drawn]]
    centers = document.model.positions[corners].mean(axis=1, dtype=np.float64)
    return document.draws.node[found.draw[is_drawn]], np.column_stack([centers, np.ones(len(centers))])


class ModelLabels:
    """The labels of nodes, portals and triangles together; owner: the shell."""

    def __init__(self) -> None:
        self._kinds = NodeLabels(), PortalLabels(), TriangleNumbers()

    def add(self, frame: UiContext, labels: WorldLabels) -> None:
        """Add the labels of the shown nodes and points."""
        document, pose = frame.document, frame.state.pose
        if document is not None and pose is not None:
            for kind in self._kinds:
                kind.add(frame, document, pose, labels)


class UnitLabels:
    """The labels of the nodes and portals of all parts of a unit; owner: the shell."""

    def __init__(self) -> None:
        self._parts: dict[int, tuple[NodeLabels, PortalLabels]] = {}

    def add(self, frame: UiContext, unit: AssembledUnit, labels: WorldLabels) -> None:
        """Add the labels of the parts that are shown, where these stand."""
        if not frame.view.overlays & LABELS:
            return
        for part in placed(unit, frame.view):
            view = replace(part.view, overlays=frame.view.overlays, selection=Selection())
            own = replace(frame, document=part.document, view=view)
            for kind in self._parts.setdefault(part.component, (NodeLabels(), PortalLabels())):
                kind.add(own, part.document, part.pose, labels)
