"""The places of the nodes of a scene, at rest."""

from __future__ import annotations

import numpy as np

from viewer.geometry.transforms import Matrix
from viewer.model.convert.gltf.nodes import from_the_roots
from viewer.model.convert.importing.motion.fitting import with_helpers
from viewer.model.convert.motion.curve import Curve, at_rest
from viewer.model.convert.motion.rotations import turn_matrix
from viewer.model.convert.scene import Node, Scene, Track


def point_at(node: Node, time: float, *, is_mixed: bool = False) -> Track:
    """A node at a time, as a track of one point; between keys of a file mixed, as Blender does."""
    if node.track is None:
        return at_rest(node)
    track = with_helpers(node.track) if is_mixed else node.track
    return Curve(track).at(np.array([time]), is_mixed=is_mixed)


def matrix_of(point: Track) -> Matrix:
    """From the space of a node into that of its parent, (4, 4)."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turn_matrix(point.rotations[0]), point.positions[0]
    return found


def place_of(node: Node, time: float, *, is_mixed: bool = False) -> Matrix:
    """From the space of a node into that of its parent at a time, with its scale, (4, 4)."""
    found: Matrix = matrix_of(point_at(node, time, is_mixed=is_mixed)) @ np.diag([*node.scale, 1.0])
    return found


def worlds(scene: Scene) -> list[Matrix]:
    """From the space of each node into the world, at rest, (4, 4) each."""
    found: list[Matrix] = [np.eye(4)] * len(scene.nodes)
    for index in from_the_roots([it.parent for it in scene.nodes]):
        node = scene.nodes[index]
        own = place_of(node, scene.options.rest)
        found[index] = own if node.parent is None else found[node.parent] @ own
    return found
