"""A loaded model on the GPU: its buffers, and the draws of it that a frame submits."""

from __future__ import annotations

from math import hypot, isfinite

import moderngl
import numpy as np

from viewer.formats.archive import nres
from viewer.geometry import segments
from viewer.geometry.frustum import meets_boxes
from viewer.geometry.transforms import Floats, Indices, Mask, Point
from viewer.model.material.materials import NO_MATERIALS
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.draws import (
    NO_BATCH,
    Draws,
    affine_columns,
    posed_centers,
    posed_extents,
    visible_parts,
)
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.portals import PortalKind
from viewer.model.mesh.pose.animation import Pose
from viewer.model.mesh.reading import Reading
from viewer.model.mesh.shown import PartChooser, ShownParts
from viewer.render.buffers.merge import MergedDraws, merge
from viewer.render.buffers.upload import GroupNumbers, MeshBuffers, NodeMatrices, Submission
from viewer.render.programs import Projection
from viewer.render.textures.material_bindings import MaterialBindings
from viewer.render.textures.texture_store import TextureStore
from viewer.session.view.coloring import numbers
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState


class ModelBuffers:
    """A model, its draws and their buffers; owner: the renderer, lifetime: until the next `load`.

    Attributes
    ----------
    reading
        The reading of the model, if it is known.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        model: Model,
        draws: Draws,
        merged: MergedDraws,
        bindings: MaterialBindings | None = None,
        material: Indices | None = None,
        before: ModelBuffers | None = None,
    ) -> None:
        self.bindings = bindings or MaterialBindings(
            ctx, TextureStore(ctx), NO_MATERIALS, np.zeros(len(merged.row), np.int64)
        )
        self.model = model
        self.draws = draws
        self.reading: Reading | None = None
        self.merged = merged
        self.mesh: MeshBuffers = MeshBuffers(ctx, merged, before.mesh if before else None)
        self.matrices = NodeMatrices(ctx, self.node_count)
        self.shown = Submission(self.mesh)
        self.selected = Submission(self.mesh)
        self.highlighted = Submission(self.mesh)
        self.flashed = Submission(self.mesh)
        self.picked = Submission(self.mesh)
        self.portals = {kind: Submission(self.mesh) for kind in PortalKind}
        self.chooser = PartChooser(model, draws)
        self._material = np.zeros(len(draws), np.int64) if material is None else material
        self._groups = GroupNumbers(ctx)
        # Both caches are keyed by the identity of what the view shows: `PartChooser` returns the same object
        # as long as the choice is the same.
        self._requested: tuple[object, int] = (None, 0)
        self._numbers: tuple[object, Indices] = ((), np.zeros(0, np.int64))
        self.world = np.tile(np.eye(4, dtype=np.float32), (self.node_count, 1, 1))
        self._pose: Pose | None = None
        self._box_node = draws.node[merged.draw]
        with np.errstate(invalid="ignore"):
            # Halves are added, since the sum of two large numbers could exceed float32. Coordinates are rows,
            # so that `_measure` reads memory in order.
            self._box_center: Floats = np.ascontiguousarray((merged.box_low / 2 + merged.box_high / 2).T)
            self._box_extent: Floats = np.ascontiguousarray((merged.box_high / 2 - merged.box_low / 2).T)
        self._measure()

    @property
    def node_count(self) -> int:
        """The number of nodes that a draw or a pose may refer to."""
        return max(self.model.node_count, 1)

    @property
    def size(self) -> int:
        """Bytes on the graphics card, without textures."""
        return self.mesh.size + self.matrices.size

    def take(self, pose: Pose | None) -> None:
        """Upload the matrices of a pose, unless they are uploaded already."""
        # Poses are immutable, so the same object means that its matrices are on the card and the boxes are
        # measured.
        if pose is None or pose is self._pose:
            return
        self._pose = pose
        # A model without nodes has one matrix: its draws name node 0, which stays the identity.
        self.world[: len(pose.world)] = pose.world
        self.matrices.write(self.world)
        self._measure()

    def choose(self, view: ViewState) -> ShownParts:
        """The parts and draws that a view shows, regardless of the camera."""
        return self.chooser.shown(view.parts)

    def requested_count(self, shown: ShownParts) -> int:
        """The number of merged draws that a view shows, regardless of the camera."""
        if self._requested[0] is not shown:
            self._requested = shown, int(np.count_nonzero(self.merged.mask_of(shown.draws)))
        return self._requested[1]

    def seen(self, parts: Mask, projection: Projection) -> Mask:
        """The draws of some parts (p,) bool that are inside the view frustum, (d,) bool."""
        return self.draws.draws_of(visible_parts(self.draws, self.world, projection.frustum, parts))

    def show(self, draws: Mask) -> None:
        """Set the draws that the next frame submits, (d,) bool."""
        self.shown.show(self.merged.mask_of(draws))

    def show_groups(self, view: ViewState) -> None:
        """Bind the numbers that color the submitted triangles in the shading of a view."""
        shown = self.choose(view)
        # Only the numbers of levels of detail follow from the parts that are shown; those of nodes, batches
        # and materials are the same for any choice, so moving through the levels does not count them again.
        made_of = view.shading, shown if view.shading is Shading.LOD else None
        if made_of != self._numbers[0]:
            found = numbers(view.shading, self.model, self.draws, self._material, shown)
            merged = np.arange(self.merged.triangle_count)
            self._numbers = made_of, found[self.merged.source_triangles(self.draws, merged)[1]]
        self._groups.write(self._numbers[1], self.shown.draws)
        self._groups.bind()

    def pick_from(self, draws: Mask, projection: Projection) -> None:
        """Set the draws (d,) bool for the next id image, limited to the frustum.

        Uses the bounds of the vertices: stored bounds may be too small, and everything drawn can be picked.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            # For a click the frustum is that of one pixel, which few boxes meet.
            is_near = meets_boxes(projection.frustum, self._center, self._extent)
        self.picked.show(self.merged.mask_of(draws) & is_near)

    def select(self, draws: Mask, nodes: tuple[int, ...]) -> None:
        """Set the nodes that the next frame outlines, limited to some `draws`."""
        is_selected = np.zeros(self.node_count, np.bool_)
        is_selected[[node for node in nodes if 0 <= node < self.node_count]] = True
        self.selected.show(self.merged.mask_of(draws & is_selected[self.draws.node]))

    def flash(self, draws: Mask, batches: frozenset[int]) -> None:
        """Set the batches that flash in the next frame, limited to some `draws`."""
        is_meant = np.isin(self.draws.batch, list(batches - {NO_BATCH}))
        self.flashed.show(self.merged.mask_of(draws & is_meant))

    def covers(self, eye: segments.Reals, point: segments.Reals, draws: Mask) -> bool:
        """Whether a triangle of some draws (d,) is between an eye and a point, world space, (3,) each."""
        is_met = segments.meets_boxes(eye, point, self._center, self._extent) & self.merged.mask_of(draws)
        # Triangles are tested in world space, draw by draw: boxes have left few of them, and one hit is
        # enough.
        for row in np.flatnonzero(is_met).tolist():
            start, end = self.merged.triangle_start[row : row + 2]
            matrix = self.world[self._box_node[row], :3]
            corners = self.merged.positions[self.merged.corners[start:end]] @ matrix[:, :3].T + matrix[:, 3]
            if segments.meets_triangles(eye, point, corners):
                return True
        return False

    def depth(self, projection: Projection, draws: Indices) -> Floats:
        """Distance of the centers of merged draws (k,) from the plane of the eye, (k,)."""
        # The camera looks along -z. The offset of the view is left out: it is the same for all draws.
        axis = projection.view_from_world[2, :3].astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            depth: Floats = -(axis @ self._center[:, draws])
        return depth

    def reach(self, target: Point) -> float:
        """Distance from a point to the farthest corner of the box around all draws, model units."""
        if self._bounds is None:
            return 0.0
        sides = zip(target, *self._bounds, strict=True)
        return hypot(*(max(at - low, high - at) for at, low, high in sides))

    def distance(self, pose: Pose) -> float:
        """The farthest that a node is in another pose from where it is, model units."""
        here, there = self.world[: len(pose.world), :3, 3], pose.world[:, :3, 3]
        farthest = float(np.abs(there - here).max(initial=0.0))
        return farthest if isfinite(farthest) else 0.0

    def _measure(self) -> None:
        """Compute the boxes of all draws in the uploaded pose, world space, and the box around them."""
        matrix = affine_columns(self.world, self._box_node)
        with np.errstate(over="ignore", invalid="ignore"):
            self._center = posed_centers(matrix, self._box_center)
            self._extent = posed_extents(matrix, self._box_extent)
            self._bounds = _around(self._center - self._extent, self._center + self._extent)


def _around(low: Floats, high: Floats) -> tuple[list[float], list[float]] | None:
    """The corners of the box around the finite ones of some boxes (3, n); None if there are none."""
    if not low.shape[1]:
        return None
    # Damaged vertices may be NaN or infinite. Looking for them in all boxes is only worth it if the result
    # has caught one; the second call has finite boxes only, so it ends.
    lowest, highest = low.min(axis=1).tolist(), high.max(axis=1).tolist()
    if all(map(isfinite, (*lowest, *highest))):
        return lowest, highest
    is_finite = np.isfinite(low + high).all(axis=0)
    return _around(low[:, is_finite], high[:, is_finite])


def nothing(ctx: moderngl.Context) -> ModelBuffers:
    """Buffers without nodes and triangles."""
    model = Model(nres.Archive.read(nres.build(())), Variant.MODEL)
    draws = build(model)
    return ModelBuffers(ctx, model, draws, merge(model, draws))
