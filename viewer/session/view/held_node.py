"""A node that is being moved with the mouse: how it is shown until the mouse is released."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from viewer.model.mesh.animation import Pose
from viewer.model.mesh.skeleton import Skeleton

Matrix = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HeldNode:
    """Where a node is held, instead of where its keys put it.

    Parameters
    ----------
    local
        ``parent_from_node`` row by row, 16 numbers.
    """

    node: int
    local: Matrix

    def shown_in(self, pose: Pose, skeleton: Skeleton) -> Pose:
        """The pose with the node, and all that is under it, where it is held."""
        if not 0 <= self.node < len(pose.local):
            return pose
        local = pose.local.copy()
        local[self.node] = np.array(self.local, np.float32).reshape(4, 4)
        return replace(pose, local=local, world=skeleton.world_from_node(local))
