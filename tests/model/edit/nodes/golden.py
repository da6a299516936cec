"""The model of spec/animation.md 9, and what its nodes do in time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.builders import Key, ModelBuilder, Node, box
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton

HALF = 23170 / 32767
GOLDEN = ModelBuilder.of(
    [
        Node(
            "moving",
            shapes={(0, 0): [box()]},
            keys=[
                Key(0),
                Key(4, (2, 4, -6), (HALF, 0, 0, HALF)),
                Key(8, (10, 0, 0), (0, 0, 0, 1)),
            ],
        ),
        Node("still", parent=0, keys=[Key(0, (1, 2, 3), (HALF, HALF, 0, 0))]),
    ]
).build()


def animation(model: Model, order: QuaternionOrder = QuaternionOrder.XYZW) -> Animation:
    """The animation of a model."""
    return Animation(model, Skeleton(model), order)


def samples(
    model: Model, times: Iterable[float], order: QuaternionOrder = QuaternionOrder.XYZW
) -> npt.NDArray[np.float32]:
    """Position and rotation of every node at times, (t, n, 7)."""
    found = animation(model, order)
    taken = [found.sample(time) for time in times]
    return np.array([np.hstack([it.position, it.quaternion]) for it in taken])


def times_of(model: Model) -> list[list[float]]:
    """Times of the keys of each node."""
    found = animation(model)
    return [found.key_times(node).tolist() for node in range(model.node_count)]


def poses(model: Model, times: Iterable[float], order: QuaternionOrder) -> npt.NDArray[Any]:
    """World matrices of every node at times, (t, n, 4, 4)."""
    found = animation(model, order)
    return np.array([found.pose(time).world for time in times])
