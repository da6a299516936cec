"""The frames at which a file of parts without nodes may show a model: by where its vertices are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Doubles, Matrix
from viewer.model.convert.gltf.nodes import from_the_roots
from viewer.model.convert.importing.parts.matches import ScenePart
from viewer.model.convert.motion.curve import Curve, at_rest
from viewer.model.convert.motion.rotations import turn_matrix
from viewer.model.convert.scene import Scene

RATES: Final = (24.0, 25.0, 30.0, 60.0, 15.0)
"""Frames a second at which Blender shows its own whole frames."""
MOST_FRAMES: Final = 1 << 12
"""Frames of all rates that are looked at."""
LIKELY: Final = 3
"""Frames that are compared triangle by triangle."""
# Evenly chosen ones bound the box of a part closely enough to rank frames; triangles decide afterwards.
_POINTS: Final = 64
"""Vertices of a part that say where it is."""


def likely_frames(
    expected: Scene, opened: Sequence[ScenePart], lost: Sequence[ScenePart], worlds: Sequence[Matrix]
) -> list[float]:
    """The frames at which the model fills the same box around the same middle, the likeliest first.

    Parameters
    ----------
    opened, lost
        The parts of the model that the file does not have, and those of the file without a node.
    worlds
        The world of each node of the file.
    """
    times = _times(expected)
    given = np.concatenate([_placed(it.primitive.positions, worlds[it.node]) for it in lost])
    low, high, middle = given.min(axis=0), given.max(axis=0), given.mean(axis=0)
    places = _worlds(expected, times)
    lows, highs = np.full((len(times), 3), np.inf), np.full((len(times), 3), -np.inf)
    sums, count = np.zeros((len(times), 3)), 0
    for part in opened:
        positions, world = part.primitive.positions.astype(np.float64), places[part.node]
        some = positions[np.linspace(0, len(positions) - 1, min(len(positions), _POINTS)).astype(np.int64)]
        moved = np.einsum("tij,pj->tpi", world[:, :3, :3], some) + world[:, None, :3, 3]
        lows, highs = np.minimum(lows, moved.min(axis=1)), np.maximum(highs, moved.max(axis=1))
        mean = np.einsum("tij,j->ti", world[:, :3, :3], positions.mean(axis=0)) + world[:, :3, 3]
        sums, count = sums + mean * len(positions), count + len(positions)
    # The middle is that of all vertices: each part counts by how many it has.
    off = np.abs(sums / max(count, 1) - middle).sum(axis=1)
    off += np.abs(lows - low).sum(axis=1) + np.abs(highs - high).sum(axis=1)
    found: list[float] = times[np.argsort(off, kind="stable")[:LIKELY]].tolist()
    return found


def _times(expected: Scene) -> Doubles:
    """The frames of the model, and those at which Blender has a frame of its own."""
    # A frame of Blender at 24 a second is 15 / 24 = 0.625 frames of a film of 15 a second.
    steps = (np.arange(0, expected.frame_count, expected.options.fps / rate) for rate in RATES)
    whole = np.arange(expected.frame_count, dtype=np.float64)
    return np.unique(np.concatenate([whole, *steps]).round(9))[:MOST_FRAMES]


def _placed(positions: npt.NDArray[np.floating], world: Matrix) -> Doubles:
    """Positions (n, 3) in the world."""
    found: Doubles = positions @ world[:3, :3].T + world[:3, 3]
    return found


def _worlds(expected: Scene, times: Doubles) -> list[Doubles]:
    """The worlds of each node of the model at some times, (t, 4, 4) each."""
    found: list[Doubles] = [np.eye(4)[None]] * len(expected.nodes)
    for at in from_the_roots([it.parent for it in expected.nodes]):
        node = expected.nodes[at]
        track = at_rest(node) if node.track is None else Curve(node.track).at(times)
        own = np.tile(np.eye(4), (len(track.times), 1, 1))
        own[:, :3, :3] = turn_matrix(track.rotations) * np.array(node.scale)
        own[:, :3, 3] = track.positions
        found[at] = own if node.parent is None else found[node.parent] @ own
    return [np.broadcast_to(it, (len(times), 4, 4)) for it in found]
