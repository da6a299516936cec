"""A new model compared with the file that it was made of, as after an import into a model."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from viewer.geometry.transforms import Matrix, inverse
from viewer.model.convert.building.tables import NewModel
from viewer.model.convert.importing.check.deviation import Deviation
from viewer.model.convert.importing.check.deviations import Check
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.nodes.worlds import matrix_of, point_at
from viewer.model.convert.motion.curve import Curve
from viewer.model.convert.motion.tracks import track_of
from viewer.model.convert.scene import ONE, WHOLE, Mesh, Node, Scene
from viewer.model.convert.shapes import mapped, transformed
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import Reason, ResolvedReading
from viewer.model.mesh.reading_choices import ReadingChoice

ROUNDING = Curve.TURN
"""Difference of equal places, as a part of the largest coordinate: rotations on the way are rounded."""


def new_model_deviations(scene: Scene, made: NewModel) -> tuple[Deviation, ...]:
    """The deviations of a new model from its file; scenes with clips have these among their frames."""
    reading = made.reading
    choice = ResolvedReading(
        reading, ReadingChoice.AUTO, None, {}, reading, Reason.USER, len(made.wear.names)
    )
    source = ModelSource(scene.name, Model.read(made.data), choice)
    given = _rigid(scene, made, source)
    # Coordinates are stored as they are: no material shows a part of its image then.
    given = replace(given, materials=tuple(replace(it, applied=WHOLE) for it in given.materials))
    comparison = Comparison(
        source=source,
        expected=Scene(scene.name, options=scene.options),
        given=given,
        findings=Findings(),
        nodes=(None,) * len(given.nodes),
        meshes=(None,) * len(given.meshes),
        like={},
    )
    return tuple(Check(comparison, made.numbers, made.wear.rows, source))


def _rigid(scene: Scene, made: NewModel, source: ModelSource) -> Scene:
    """A scene whose scales are applied to its meshes; nodes with one are where the model has them.

    What they show is compared where it is at rest. Their scale is a loss of its own.
    """
    if all(it.scale == ONE for it in scene.nodes):
        return scene
    rest = scene.options.rest
    world = source.animation.pose(rest).world.astype(np.float64)
    nodes, meshes = list[Node](), [*scene.meshes]
    for index, (node, number) in enumerate(zip(scene.nodes, made.numbers, strict=True)):
        there, is_scaled = _place(scene, index)
        if not is_scaled:
            nodes.append(node)
            continue
        # From where the file has the mesh, scales included, into the space of the rigid node that the model
        # has.
        change = inverse(world[number]) @ there
        cells = {}
        for cell, mesh in node.cells.items():
            cells[cell] = len(meshes)
            meshes.append(_moved(scene.meshes[mesh], change, float(np.abs(there).max())))
        track = track_of(source.animation, number)
        still = source.animation.pose(rest)
        local = still.local[number].astype(np.float64)
        own = Node(node.name, node.parent, cells, tuple(local[:3, 3].tolist()), node.rotation, track=track)
        nodes.append(own)
    return replace(scene, nodes=tuple(nodes), meshes=tuple(meshes))


def _moved(mesh: Mesh, change: Matrix, reach: float) -> Mesh:
    found = mapped(mesh, lambda it: transformed(it, change[:3, :3], change[:3, 3]))
    size = max((float(np.abs(it.positions).max(initial=0)) for it in found.primitives), default=0.0)
    return replace(found, rounding=mesh.rounding + ROUNDING * max(size, reach))


def _place(scene: Scene, index: int) -> tuple[Matrix, bool]:
    """From the space of a node into that of the file at rest (4, 4), and whether there is a scale in it."""
    found, is_scaled, above = np.eye(4), False, {*range(len(scene.nodes))}
    at: int | None = index
    while at is not None and at in above:
        above.discard(at)  # a cycle of parents ends somewhere
        node = scene.nodes[at]
        found = matrix_of(point_at(node, scene.options.rest)) @ np.diag([*node.scale, 1.0]) @ found
        is_scaled |= node.scale != ONE
        at = node.parent
    return found, is_scaled
