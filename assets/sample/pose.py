"""The tracks of a scene's nodes from their transforms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assets.sample.motion import Track, quaternion
from viewer.model.convert import scene


def track_of(track: Track) -> scene.Track:
    """The keys of a node, rounded so that they are equal on every machine."""
    times = np.array([key.time for key in track], np.float64)
    # Adding zero makes -0.0 positive: the sign of a rounded zero differs between machines.
    positions = np.round([key.transform.position for key in track], 5) + 0.0
    return scene.Track(times, positions.astype(np.float32), _rotations(track).astype(np.float32))


def _rotations(track: Track) -> npt.NDArray[np.float64]:
    """Rotations w, x, y, z (n, 4); adjacent signs agree."""
    found = [quaternion(key.transform.rotation) for key in track]
    for index in range(1, len(found)):
        if float(np.sum(found[index] * found[index - 1])) < 0:
            found[index] = -found[index]
    return np.round(found, 7)
