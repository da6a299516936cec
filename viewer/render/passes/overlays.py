"""Overlays of the view: axes, bones, stored bounds, normals and the ground grid."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import moderngl
import numpy as np

from viewer.formats.msh.guesses import VECTORS, guess_of
from viewer.formats.msh.vertices import STREAM16
from viewer.geometry.transforms import Mask
from viewer.model.effects.moment import OF_EVERYTHING
from viewer.model.mesh.draws import Parts
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import ROOT, Skeleton
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.buffers.upload import OtherTables
from viewer.render.passes import base
from viewer.render.passes.base import FrameScene, OverlayPass, Pass
from viewer.render.passes.lines import (
    WORLD,
    LineBatch,
    LineShape,
    arrows,
    axes,
    box,
    cylinder,
    diamond,
    hull,
    sphere,
)
from viewer.render.passes.textured import set_effect_lights
from viewer.render.programs import Programs
from viewer.session.opened.surroundings import ARROW, Marks
from viewer.session.view.around import AROUND
from viewer.session.view.camera import axes_length, grid_fineness, grid_step
from viewer.session.view.options.overlays import Overlay

if TYPE_CHECKING:
    from viewer.model.compare.bounds import MeasuredSlots

NODE_AXES_SHARE: Final = 0.06
NORMAL_SHARE: Final = 0.05
"""Length of a node's axes and of a normal as a fraction of half the view height at the target."""
MARK_SHARE: Final = 0.015
"""Half the size of a mark around the model, likewise."""
AXES_WIDTH: Final = 2.0
BOUNDS_WIDTH: Final = 1.25
"""The width of the lines of bounds on screen, pixels."""
HALF_COUNT: Final = 60
"""Lines of the grid on each side of the center line."""


class WorldAxesPass(OverlayPass):
    """X, Y and Z from the origin, hidden by the model."""

    overlay = Overlay.AXES

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._lines = LineBatch(ctx, programs, axes())
        self._lines.set_instances(WORLD)

    def _draw(self, scene: FrameScene) -> None:
        self._set_line_state(scene, is_hidden_by_model=True)
        self._lines.render(scene, AXES_WIDTH, stretch=axes_length(scene.view.camera))


class NodeAxesPass(Pass):
    """The axes of every node, or of the selected ones that show no geometry; drawn over the model."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._lines = LineBatch(ctx, programs, axes())
        self._nodes: tuple[int, ...] = ()

    def draw(self, scene: FrameScene) -> None:
        """Draw the axes if the view shows them, and those of selected nodes without geometry."""
        if self._is_other((scene.shown, scene.shows(Overlay.NODE_AXES), scene.view.selection.nodes)):
            self._nodes = _nodes_with_axes(scene)
            self._lines.set_instances(self._nodes)
        if not self._nodes:
            return
        self._set_line_state(scene, is_hidden_by_model=False)
        stretch = NODE_AXES_SHARE * scene.view.camera.half_height
        self._lines.render(scene, AXES_WIDTH, stretch=stretch)


def _nodes_with_axes(scene: FrameScene) -> tuple[int, ...]:
    count, selected = scene.subject.model.node_count, scene.view.selection.nodes
    if scene.shows(Overlay.NODE_AXES):
        return tuple(range(count))
    if not selected:
        return ()
    filled = set(scene.subject.draws.parts.node[scene.shown.parts].tolist())
    # The selection may name nodes that an edit has removed.
    return tuple(n for n in selected if 0 <= n < count and n not in filled)


class BonesPass(OverlayPass):
    """A line from each parent's origin to its child's; drawn over the model."""

    stages = ("bones", "lines", "lines")
    overlay = Overlay.BONES

    def __init__(self, ctx: moderngl.Context, programs: Programs, model: Model) -> None:
        super().__init__(ctx, programs)
        parents = Skeleton(model).parents
        child = np.flatnonzero(parents != ROOT)
        self._pairs = np.stack([child, parents[child]], axis=1).astype(np.uint32)

    @cached_property
    def _array(self) -> moderngl.VertexArray:
        content = [(self._ctx.buffer(self._pairs), "1u4 1u4/i", "in_node", "in_parent")]
        return self._ctx.vertex_array(self._program, content)

    def _draw(self, scene: FrameScene) -> None:
        if not len(self._pairs):  # GL refuses an empty buffer
            return
        self._set_line_state(scene, is_hidden_by_model=False)
        self._program["parent_tint"] = base.BONE_PARENT
        self._program["node_tint"] = base.BONE_NODE
        self._program["line_width"] = AXES_WIDTH * scene.pixel_scale
        if scene.portions.is_due(len(self._pairs)):
            self._array.render(moderngl.LINES, vertices=2, instances=len(self._pairs))


class SlotBoundsPass(OverlayPass):
    """Box and sphere of every shown slot, moved by its node; the measured ones too where they differ."""

    overlay = Overlay.SLOT_BOUNDS

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._boxes = LineBatch(ctx, programs, box())
        self._spheres = LineBatch(ctx, programs, sphere())
        self._measured = LineBatch(ctx, programs, box()), LineBatch(ctx, programs, sphere())
        self._measured_of: tuple[Model, MeasuredSlots] | None = None
        self._written: tuple[Mask, Parts] | None = None

    def _draw(self, scene: FrameScene) -> None:
        parts, chosen = scene.subject.draws.parts, scene.shown.parts
        # Masks are compared by value: another view may choose the same parts.
        written, self._written = self._written, (chosen, parts)
        if written is None or written[1] is not parts or not np.array_equal(written[0], chosen):
            self._write(scene.subject.model, parts, chosen)
        self._set_line_state(scene, is_hidden_by_model=True)
        self._spheres.render(scene, BOUNDS_WIDTH, tint=base.SLOT_SPHERE)
        self._boxes.render(scene, BOUNDS_WIDTH, tint=base.SLOT_BOX)
        for lines in self._measured:
            lines.render(scene, BOUNDS_WIDTH, tint=base.MEASURED)

    def _write(self, model: Model, parts: Parts, chosen: Mask) -> None:
        """Upload the bounds of some parts (p,), and the measured ones where the stored ones do not fit."""
        node = parts.node[chosen]
        self._boxes.set_instances(node, parts.box_center.T[chosen], parts.box_extent.T[chosen])
        # One radius as extent in all three directions, (n, 1): the unit sphere is scaled by it.
        self._spheres.set_instances(node, parts.sphere_center.T[chosen], parts.sphere_radius[chosen, None])
        if self._measured_of is None or self._measured_of[0] is not model:
            from viewer.model.compare.bounds import MeasuredSlots  # noqa: PLC0415 not needed without bounds

            self._measured_of = model, MeasuredSlots.of(model)
        measured, (boxes, spheres) = self._measured_of[1], self._measured
        rows = np.flatnonzero(chosen & (parts.slot >= 0) & (parts.slot < len(model.slots)))
        slot = parts.slot[rows]
        at, node = slot[measured.has_other_box[slot]], parts.node[rows[measured.has_other_box[slot]]]
        low, high = measured.low[at], measured.high[at]
        # Halves are added, as the sum of two large numbers could exceed a float32.
        boxes.set_instances(node, low / 2 + high / 2, high / 2 - low / 2)
        at, node = slot[measured.has_other_sphere[slot]], parts.node[rows[measured.has_other_sphere[slot]]]
        spheres.set_instances(node, measured.center[at], measured.radius[at, None])


class SubtreeBoundsPass(OverlayPass):
    """The box of the selected node and all below it: that of the stored boxes, and that of the vertices."""

    overlay = Overlay.SLOT_BOUNDS

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._boxes = {tint: LineBatch(ctx, programs, box()) for tint in (base.SUBTREE_BOX, base.MEASURED)}
        self._below: tuple[Model, int, Mask] | None = None

    def _draw(self, scene: FrameScene) -> None:
        subject, node = scene.subject, scene.view.selection.node
        # The selection may name a node that an edit has removed.
        if node is None or node >= subject.model.node_count:
            return
        # What is below a node follows from the hierarchy alone, so it is kept while the model moves.
        if self._below is None or self._below[:2] != (subject.model, node):
            self._below = subject.model, node, Skeleton(subject.model).below(node)
        from viewer.model.compare.bounds import joined_bounds  # noqa: PLC0415 not needed without bounds

        chosen = scene.shown.draws & self._below[2][subject.draws.node]
        found = joined_bounds(subject.model, subject.draws, subject.world, chosen)
        if found is None:
            return
        self._set_line_state(scene, is_hidden_by_model=True)
        for bounds, (tint, batch) in zip((found.stored, found.measured), self._boxes.items(), strict=True):
            batch.set_instances(WORLD, bounds.center, bounds.size / 2)
            batch.render(scene, AXES_WIDTH, tint=tint)


class HeaderBoundsPass(OverlayPass):
    """Hull, sphere, cylinder of the model's header, in the model's space; the measured ones that differ."""

    overlay = Overlay.HEADER_BOUNDS

    def __init__(self, ctx: moderngl.Context, programs: Programs, subject: ModelBuffers) -> None:
        super().__init__(ctx, programs)
        self._subject = subject

    @cached_property
    def _lines(self) -> LineBatch | None:
        from viewer.model.compare.bounds import measured_header  # noqa: PLC0415 not needed without bounds

        header, reading = self._subject.model.header, self._subject.reading
        if header is None:
            return None
        measured = None if reading is None else measured_header(self._subject.model, reading)
        # Drawn as one shape with a color per point: the header has no node, and nothing of it moves.
        shapes = [*_header_shapes(header).values()]
        if measured is not None:
            others = _header_shapes(measured)
            tinted = (LineShape.of(others[name].points, base.MEASURED) for name in _other(header, measured))
            shapes.extend(tinted)
        if not shapes:
            return None
        lines = LineBatch(self._ctx, self._programs, shapes[0].joined(*shapes[1:]))
        lines.set_instances(WORLD)
        return lines

    def _draw(self, scene: FrameScene) -> None:
        if self._lines is not None:
            self._set_line_state(scene, is_hidden_by_model=True)
            self._lines.render(scene, BOUNDS_WIDTH)


_SHAPE_FIELDS: Final = {
    "hull": ("hull",),
    "sphere": ("sphere_center", "sphere_radius"),
    "capsule": ("capsule_a", "capsule_b", "capsule_radius"),
}
"""The fields of the header that each of its shapes is made of."""


def _other(header: np.void, measured: np.void) -> list[str]:
    """The shapes that are not as measured."""
    return [
        name
        for name, fields in _SHAPE_FIELDS.items()
        if any(not np.array_equal(header[field], measured[field]) for field in fields)
    ]


def _header_shapes(header: np.void) -> dict[str, LineShape]:
    """The shapes with finite numbers, by their names: damaged headers hold anything."""
    with np.errstate(over="ignore", invalid="ignore"):
        ball = sphere().points * header["sphere_radius"] + header["sphere_center"]
        capsule = cylinder(header["capsule_a"], header["capsule_b"], float(header["capsule_radius"]))
    shapes = {
        "hull": LineShape.of(hull(header["hull"]).points, base.HEADER_HULL),
        "sphere": LineShape.of(ball, base.HEADER_SPHERE),
        "capsule": LineShape.of(capsule.points, base.HEADER_CAPSULE),
    }
    return {name: shape for name, shape in shapes.items() if np.isfinite(shape.points).all()}


class NormalsPass(OverlayPass):
    """The stored normal of every visible vertex as a short line; a vertex without one has none."""

    stages = ("normals", "lines", "normals")
    overlay = Overlay.NORMALS

    def _draw(self, scene: FrameScene) -> None:
        self._set_line_state(scene, is_hidden_by_model=True)
        self._program["root_tint"] = base.NORMAL_ROOT
        self._program["tip_tint"] = base.NORMAL_TIP
        self._program["line_width"] = scene.pixel_scale
        self._program["normal_length"] = NORMAL_SHARE * scene.view.camera.half_height
        scene.subject.shown.render_vertices(self._program, scene.portions)


class StreamVectorsPass(OverlayPass):
    """Streams A and B of Res16 as vectors at every visible vertex, if they are looked at as such."""

    stages = NormalsPass.stages
    overlay = Overlay.NORMALS

    def __init__(self, ctx: moderngl.Context, programs: Programs, subject: ModelBuffers) -> None:
        super().__init__(ctx, programs)
        self._subject = subject

    @cached_property
    def _streams(self) -> tuple[OtherTables, ...]:
        """The tables in place of the normals for each stream; none if the model has no Res16."""
        stored = self._subject.model.vectors_raw
        if stored is None or not self._subject.mesh.tables:
            return ()
        buffer = self._ctx.buffer(np.ascontiguousarray(stored[self._subject.merged.vertex]))
        # A record of Res16 is 8 bytes, two sub-streams of stride 8 (spec/msh.md 9): A is the first four, B
        # skips four. The shader divides by 127 as for normals, which is one of the readings.
        return tuple({"in_normal": (buffer, layout)} for layout in ("4i1 4x1", "4x1 4i1"))

    def _draw(self, scene: FrameScene) -> None:
        guess = guess_of(STREAM16.name, scene.view.guesses)
        if guess is None or guess.name != VECTORS:
            return
        self._set_line_state(scene, is_hidden_by_model=True)
        self._program["line_width"] = AXES_WIDTH * scene.pixel_scale
        self._program["normal_length"] = NORMAL_SHARE * scene.view.camera.half_height
        for stream, tint in zip(self._streams, (base.STREAM_A, base.STREAM_B), strict=False):
            self._program["root_tint"] = self._program["tip_tint"] = tint
            scene.subject.shown.render_vertices(self._program, scene.portions, stream)


class SurroundingsPass(Pass):
    """Control points, path graph, light probes and ground plan, drawn over the model."""

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        super().__init__(ctx, programs)
        self._made_for: object = None
        self._lines: list[LineBatch] = []

    def draw(self, scene: FrameScene) -> None:
        """Draw the marks that the frame has."""
        if self._made_for is not scene.portions:
            # Once for each picture: arrows are as long in it as in any other.
            self._made_for = scene.portions
            shapes = [_mark_shape(scene, marks) for marks in scene.around]
            self._lines = [LineBatch(self._ctx, self._programs, it) for it in shapes if len(it.points)]
            for lines in self._lines:
                lines.set_instances(WORLD)
        if self._lines:
            self._set_line_state(scene, is_hidden_by_model=False)
        for lines in self._lines:
            lines.render(scene, AXES_WIDTH)


_MARK_TINTS: Final = dict(
    zip(AROUND.values(), (base.CONTROL_POINT, base.PATH, base.PROBE, base.GROUND), strict=True)
)


def _mark_shape(scene: FrameScene, marks: Marks) -> LineShape:
    """A diamond at every point, the arrows at them and the lines between them, world space."""
    points, directions = marks.in_world(scene.subject.world)
    size, is_known = scene.view.camera.half_height, np.isfinite(points.sum(axis=1))
    corners = diamond().points
    tints = np.tile(np.array(_MARK_TINTS[marks.table], np.float32), (len(points), 1))
    if marks.colors is not None:
        tints[:, :3] = marks.colors
    # A damaged point that is NaN or infinite is left out with its lines; the others are drawn.
    known = points[is_known]
    ends = [(known[:, None] + corners * MARK_SHARE * size).reshape(-1, 3)]
    colors = [np.repeat(tints[is_known], len(corners), axis=0)]
    is_pointing = is_known & directions.any(axis=1)
    drawn = arrows(points[is_pointing], directions[is_pointing] * ARROW * size)
    ends.append(drawn.reshape(-1, 3))
    colors.append(np.repeat(tints[is_pointing], drawn.shape[1], axis=0))
    # Stored links may end at points that do not exist.
    lines = marks.lines[np.isin(marks.lines, np.flatnonzero(is_known)).all(axis=1)]
    ends.append(points[lines].reshape(-1, 3))
    colors.append(tints[lines[:, 0]].repeat(2, axis=0))
    return LineShape(np.concatenate(ends).astype(np.float32), np.concatenate(colors))


class GridPass(OverlayPass):
    """Lines a power of ten apart on Z = 0 around the target; minor lines fade as they become dense."""

    stages = ("grid", "grid", "lines")
    overlay = Overlay.GRID

    def _draw(self, scene: FrameScene) -> None:
        self._set_line_state(scene, is_hidden_by_model=True)
        made_for = scene.view.camera, scene.view.tone, scene.pixel_scale
        # `extra` is free for us in moderngl. What the uniforms are set for is kept there, on the program,
        # because uniforms belong to it.
        if made_for != self._program.extra:
            self._program.extra = made_for
            self._set_uniforms(scene, self._program)
        set_effect_lights(self._program, scene.lights, OF_EVERYTHING)
        if len(scene.lights.block):
            world_from_clip = np.linalg.inv(scene.projection.clip_from_world).T.astype(np.float32)
            self._program["world_from_clip"].write(world_from_clip.tobytes())  # type: ignore[union-attr]
        # Two ends per line, 2 n + 1 lines in each of two directions, each line in two halves: see grid.vert.
        lines = 4 * (2 * HALF_COUNT + 1)
        if scene.portions.is_due(lines):
            self._no_inputs.render(moderngl.LINES, vertices=2 * lines)

    def _set_uniforms(self, scene: FrameScene, program: moderngl.Program) -> None:
        camera, background = scene.view.camera, scene.view.tone
        step = grid_step(camera)
        program["grid_step"] = step
        # Snapped to every tenth line, so that major lines stay where they are while the target moves.
        program["center"] = tuple(np.rint(np.array(camera.target[:2]) / (10 * step)) * 10 * step)
        program["half_count"] = HALF_COUNT
        # Seen edge-on without perspective all lines fall on each other and would add up to one bright line.
        slope = 8.0 * abs(float(camera.axes[2, 2])) if camera.is_orthographic else 1.0
        strength = min(1.0, slope)
        density = grid_fineness(camera) % 1.0  # 0 after a change of the step, almost 1 before the next one
        program["minor_tint"] = base.faded(base.GRID_MINOR[background], strength * (1.0 - 0.8 * density))
        program["major_tint"] = base.faded(base.GRID_MAJOR[background], strength)
        program["x_tint"] = base.X_AXIS
        program["y_tint"] = base.Y_AXIS
        program["line_width"] = scene.pixel_scale
