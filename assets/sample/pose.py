"""The animation tables of a model: keys, frame map, and the transforms of the nodes at time 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assets.sample.motion import Track, Transform, quaternion
from assets.sample.spec import Node
from viewer.formats.msh import keys as key_table
from viewer.formats.msh import tracks as track_table
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.tracks import Pool
from viewer.formats.record import Rows


def canonical(nodes: Sequence[Node], order: QuaternionOrder) -> Pool:
    """Tracks as in retail files, with quaternions stored in `order`."""
    return track_table.build(
        [track_table.Track(_rows(node.track, order), len(node.track) > 1) for node in nodes]
    )


def _rows(track: Track, order: QuaternionOrder) -> Rows:
    rows = key_table.KEY.new(len(track))
    rows["time"] = [key.time for key in track]
    # Adding zero makes -0.0 positive: the sign of a rounded zero differs between machines.
    rows["position"] = np.round([key.transform.position for key in track], 5) + 0.0
    rows["quaternion"] = key_table.encode_quaternion(_conjugates(track), order)
    return rows


def _conjugates(track: Track) -> npt.NDArray[np.float64]:
    """Quaternions (n, 4), w first; the engine rotates by their conjugates. Adjacent signs agree."""
    found = [quaternion(key.transform.rotation.T) for key in track]
    for index in range(1, len(found)):
        if float(np.sum(found[index] * found[index - 1])) < 0:
            found[index] = -found[index]
    return np.round(found, 7)


def rest_transforms(nodes: Sequence[Node], tracks: Pool, order: QuaternionOrder) -> list[Transform]:
    """``world_from_node`` of every node at time 0, from the stored keys."""
    logical = key_table.decode_quaternion(tracks.keys["quaternion"], order)
    transforms: dict[str, Transform] = {}
    first = 0
    for node, last in zip(nodes, tracks.fallbacks.tolist(), strict=True):
        local = Transform(tracks.keys["position"][first].astype(np.float64), engine_rotation(logical[first]))
        transforms[node.name] = local if node.parent is None else transforms[node.parent] @ local
        first = last + 1
    return list(transforms.values())


def engine_rotation(q: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """The 3 x 3 part of the engine's matrix for (w, x, y, z): spec/animation.md 5."""
    w, x, y, z = (float(value) for value in q)
    return np.array([
        (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
        (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
        (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
    ])  # fmt: skip
