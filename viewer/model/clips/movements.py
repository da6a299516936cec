"""Guesses of how a channel moves its node, by what the node's frames do.

Source: spec/ctl.md, Playing. Status: guess.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.clips.clip import Channel, Movement
from viewer.model.mesh.animation import Animation, Sample

STEPS: Final = (0.0, 0.1, 1.0)
"""Values at which a node is looked at: a turn that ends where it began is seen on the way."""
LEAST_TURN: Final = 1e-3
"""Smallest vector part of a quaternion that counts as a turn."""
LEAST_SLIDE: Final = 1e-4
_TURNS: Final = (Movement.PITCH, Movement.ROLL, Movement.YAW)
"""By axis: x to the right, y to the front, z up."""


def with_movements(channels: tuple[Channel, ...], animation: Animation) -> tuple[Channel, ...]:
    """The channels with the guess for each; None for one whose node does not move."""
    count = len(animation.skeleton.parents)
    known = [it for it in channels if 0 <= it.node < count and np.isfinite((it.first, it.last)).all()]
    if not known:
        return channels
    nodes = np.array([channel.node for channel in known])
    samples = [
        animation.sample_nodes(nodes, np.array([it.frame(step) for it in known], np.float32))
        for step in STEPS
    ]
    found = dict(zip((it.index for it in known), _movements(samples), strict=True))
    return tuple(replace(it, movement=found.get(it.index)) for it in channels)


def _movements(samples: list[Sample]) -> list[Movement | None]:
    start, *later = samples
    turn = np.abs([_turned(start.quaternion, it.quaternion) for it in later]).max(axis=0)
    slide = np.abs([it.position - start.position for it in later]).max(axis=(0, 2))
    axis, size = turn.argmax(axis=1), turn.max(axis=1)
    return [
        _TURNS[along] if much > LEAST_TURN else Movement.SLIDE if far > LEAST_SLIDE else None
        for along, much, far in zip(axis.tolist(), size.tolist(), slide.tolist(), strict=True)
    ]


def _turned(before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The vector part of the turn from one orientation to another in the parent's space, (n, 3)."""
    w0, v0, w1, v1 = before[:, :1], before[:, 1:], after[:, :1], after[:, 1:]
    turned: npt.NDArray[np.float32] = w0 * v1 - w1 * v0 + np.cross(v0, v1)
    return turned
