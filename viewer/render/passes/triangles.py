"""The query of triangles in the image: those that pass, odd edges, and the neighbors of the selected one."""

from __future__ import annotations

from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.formats.msh.triangles import decode_normal
from viewer.formats.record import Rows
from viewer.geometry.transforms import Indices
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.triangle_query import EDGES, NO_LINK, TriangleLinks, records_of
from viewer.render.passes.base import TOWARDS_EYE, Color, FrameScene, Pass, set_state
from viewer.render.passes.lines import LineBatch, LineShape
from viewer.render.programs import Programs
from viewer.session.view.options.triangle_lab import PASSING, found_in

OPEN: Final[Color] = (0.95, 0.25, 0.22, 1.0)
CROWDED: Final[Color] = (1.0, 0.85, 0.20, 1.0)
LINKED: Final[Color] = (0.45, 0.90, 0.45, 1.0)
STORED: Final[Color] = (0.35, 0.65, 1.0, 1.0)
COMPUTED: Final[Color] = (1.0, 1.0, 1.0, 1.0)
EDGE_WIDTH: Final = 2.5
"""The width of an edge on screen, pixels."""
NORMAL_SHARE: Final = 0.12
"""Length of a normal as a fraction of half the view height at the target."""
_VERTEX: Final = np.dtype([("position", "<f4", 3), ("node", "<u4")])
_LINE: Final = LineShape.of([(0, 0, 0), (1, 1, 1)])
"""From the center of an instance to its center and extent together."""


class QueryPass(Pass):
    """The triangles that pass the masks, tinted where they are visible."""

    stages = ("plain", "plain")
    is_cut = True

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._array: moderngl.VertexArray | None = None
        self._count = 0

    def draw(self, scene: FrameScene) -> None:
        """Tint what passes if the view marks it."""
        lab, subject = scene.view.lab, scene.subject
        if not lab.is_marked:
            return
        if self._is_other((*scene.choice, subject.model, lab.masks, lab.start)):
            self._write(scene)
        if self._array is None or not scene.portions.is_due(self._count):
            return
        set_state(self._ctx, scene.framebuffer, writes_depth=False, is_blended=True, depth_offset=TOWARDS_EYE)
        self._program["tint"] = PASSING
        self._array.render(moderngl.TRIANGLES)

    def _write(self, scene: FrameScene) -> None:
        model, draws = scene.subject.model, scene.subject.draws
        found = found_in(model, draws, scene.visible, scene.view.lab)
        is_drawn = found.row >= 0
        row, draw = found.row[is_drawn], found.draw[is_drawn]
        self._count, self._array = len(row), None
        if self._count:  # GL refuses an empty buffer
            vertices = np.empty(EDGES * len(row), _VERTEX)
            vertices["position"] = model.positions[draws.corners[row].reshape(-1)]
            vertices["node"] = np.repeat(draws.node[draw], EDGES)
            content = [(self._ctx.buffer(vertices), "3f 1u4", "in_position", "in_node")]
            self._array = self._ctx.vertex_array(self._program, content)


class TriangleEdgePass(Pass):
    """Open edges red and crowded ones yellow, of all triangles shown, over the model."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._open, self._crowded = (LineBatch(ctx, programs, _LINE) for _ in range(2))

    def draw(self, scene: FrameScene) -> None:
        """Draw the edges if the view shows them."""
        if not scene.view.lab.has_edges:
            return
        model, draws = scene.subject.model, scene.subject.draws
        if self._is_other((*scene.choice, model)):
            links = TriangleLinks.of(model, draws)
            shown = np.repeat(scene.visible, draws.triangle_count)
            for batch, chosen in ((self._open, links.is_open), (self._crowded, links.is_crowded)):
                _set_edges(batch, model, draws, np.flatnonzero(shown), chosen)
        self._set_line_state(scene, is_hidden_by_model=True)
        self._open.render(scene, EDGE_WIDTH, tint=OPEN)
        self._crowded.render(scene, EDGE_WIDTH, tint=CROWDED)


def _set_edges(batch: LineBatch, model: Model, draws: Draws, rows: Indices, chosen: np.ndarray) -> None:
    """Draw some edges (n, 3) of descriptors, of the triangles in some rows of the draws."""
    record = records_of(model, draws)[rows]
    rows, record = rows[record >= 0], record[record >= 0]
    at, edge = np.nonzero(chosen[record])
    corners = draws.corners[rows[at]]
    number = np.arange(len(at))
    start = model.positions[corners[number, edge]]
    # Edge 2 goes from corner 2 back to corner 0.
    end = model.positions[corners[number, (edge + 1) % EDGES]]
    draw = np.searchsorted(draws.triangle_start, rows[at], "right") - 1
    # `_LINE` runs from the center to center + extent, so an extent may be any vector.
    batch.set_instances(draws.node[draw], start, end - start)


class NeighborPass(Pass):
    """The edges of the selected triangle by their kind, lines to its neighbors, and both normals."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._lines = {color: LineBatch(ctx, programs, _LINE) for color in (OPEN, CROWDED, LINKED)}
        self._normals = {color: LineBatch(ctx, programs, _LINE) for color in (STORED, COMPUTED)}

    def draw(self, scene: FrameScene) -> None:
        """Draw the marks of neighbors if a triangle with a descriptor is selected, in a terrain a face."""
        selection, model = scene.view.selection, scene.subject.model
        is_terrain = model.variant is Variant.TERRAIN
        row, node = selection.triangle if is_terrain else selection.descriptor, selection.node
        # The selection may name rows that an edit has removed.
        is_known = row is not None and node is not None and row < len(_rows(model))
        if not scene.view.lab.has_links or not is_known or row is None or node is None:
            return
        if node >= len(scene.shown.kept) or not scene.shown.kept[node]:
            return
        if self._is_other((model, row, node)):
            self._write(model, TriangleLinks.of(model, scene.subject.draws), row, node)
        self._set_line_state(scene, is_hidden_by_model=False)
        for color, batch in self._lines.items():
            batch.render(scene, EDGE_WIDTH, tint=color)
        length = NORMAL_SHARE * scene.view.camera.half_height
        for color, batch in self._normals.items():
            batch.render(scene, EDGE_WIDTH, tint=color, stretch=length)

    def _write(self, model: Model, links: TriangleLinks, row: int, node: int) -> None:
        corners = links.corners[row]
        if corners[0] < 0:
            corners = np.zeros(0, np.int64)
        lines: dict[Color, list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]] = {
            color: [] for color in self._lines
        }
        points = model.positions[corners]
        for edge in range(len(points)):
            kind = CROWDED if links.is_crowded[row, edge] else OPEN if links.is_open[row, edge] else LINKED
            lines[kind].append((points[edge], points[(edge + 1) % EDGES]))
            target = int(links.target[row, edge])
            # A link may lead to a descriptor whose triangle no batch draws: it has no corners, -1.
            if target != NO_LINK and links.corners[target, 0] >= 0:
                other = model.positions[links.corners[target]].mean(axis=0)
                lines[LINKED].append((points.mean(axis=0), other))
        for color, batch in self._lines.items():
            ends = np.array(lines[color], np.float32).reshape(-1, 2, 3)
            batch.set_instances(np.full(len(ends), node), ends[:, 0], ends[:, 1] - ends[:, 0])
        middle = points.mean(axis=0) if len(points) else np.zeros(3)
        stored = decode_normal(_rows(model)["normal"][row])
        for color, normal in ((STORED, stored), (COMPUTED, computed_normal(points))):
            has = len(points) > 0 and normal is not None
            self._normals[color].set_instances([node] if has else [], middle, 0 if normal is None else normal)


def _rows(model: Model) -> Rows:
    """The rows with the normals: descriptors, or faces of a terrain."""
    return model.faces if model.variant is Variant.TERRAIN else model.tri_descriptors


def computed_normal(points: npt.NDArray[np.float32]) -> npt.NDArray[np.float64] | None:
    """The unit normal of a triangle (3, 3) by its winding; None without an area."""
    if len(points) < EDGES:
        return None
    a, b, c = points.astype(np.float64)
    normal: npt.NDArray[np.float64] = np.cross(b - a, c - a)
    length = float(np.linalg.norm(normal))
    return normal / length if length > 0 else None
