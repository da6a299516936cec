"""What a model has that its scene cannot have, and where its scene is not exact, as sentences.

Source: spec/msh.md 6, 8; spec/animation.md 5; viewer.model.mesh.draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import Floats
from viewer.model.convert import rotations
from viewer.model.convert.scene import Clips, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.animation import rotations as turning
from viewer.model.mesh.draws import NO_SLOT
from viewer.model.mesh.model import Variant
from viewer.translation import Sentence

MOST_NAMED: Final = 8
"""Rows that a sentence lists."""
POSES: Final = 8
"""Poses that are compared with those of the game, besides the one at rest."""
EXACT: Final = 1e-4
"""Units that vertices may be away from where the game shows them without a word."""


def losses_of(source: ModelSource, stilled: Sequence[int]) -> Iterator[str]:
    """Yield a sentence for each kind of thing that is left out.

    Parameters
    ----------
    stilled
        Nodes that stand still, as the keys of all nodes would be too many.
    """
    if stilled:
        yield Sentence(
            "nodes that stand still, as the frame map asks for too many keys: {count} ({rows})",
            count=len(stilled),
            rows=_named(stilled),
        )
    if source.model.variant is not Variant.MODEL:
        return
    slots, batches = _unshown(source)
    if slots:
        yield Sentence(
            "slots that no node shows in any cell: {count} ({rows})", count=len(slots), rows=_named(slots)
        )
    if batches:
        yield Sentence(
            "batches that no node shows in any cell: {count} ({rows})",
            count=len(batches),
            rows=_named(batches),
        )


def notes_of(source: ModelSource, scene: Scene) -> Iterator[str]:
    """Yield a sentence if vertices of a scene are not where the game shows them.

    Stored rotations are rounded, and not of unit length then: the matrix that the game makes of ``s q`` is
    ``(1 - s s) I + s s R(q)``, which is not a rotation. A scene has the rotation that is nearest to it for
    each node, and differences multiply along a chain of nodes.
    """
    corners = _corners(source, scene)
    animation, worst = source.animation, (0.0, 0.0)
    frames = range(POSES if scene.options.clips is not Clips.NONE else 0)
    last = animation.frame_count - 1
    for time in dict.fromkeys([scene.options.rest, *(round(at * last / (POSES - 1)) for at in frames)]):
        pose = animation.pose(time)
        stored, nearest = pose.quaternion, rotations.active(pose.quaternion) * (1, -1, -1, -1)
        worlds = [
            animation.skeleton.world_from_node(_matrices(it, pose.position)) for it in (stored, nearest)
        ]
        away = np.linalg.norm((worlds[1] - worlds[0]) @ corners, axis=1)
        worst = max(worst, (float(np.nan_to_num(away, posinf=0).max(initial=0)), time))
    if worst[0] > EXACT:
        yield Sentence(
            "at frame {frame} vertices are up to {distance} away from where the game shows them: its stored "
            "rotations are not of unit length, those of the file are",
            frame=f"{worst[1]:g}",
            distance=f"{worst[0]:.2g}",
        )


def _matrices(quaternion: npt.NDArray[np.floating], position: Floats) -> npt.NDArray[np.float64]:
    """``parent_from_node`` (n, 4, 4) of quaternions and positions in double precision."""
    result = np.tile(np.eye(4), (len(quaternion), 1, 1))
    result[:, :3, :3] = turning(quaternion.astype(np.float64))
    result[:, :3, 3] = position
    return result


def _corners(source: ModelSource, scene: Scene) -> npt.NDArray[np.float64]:
    """The origin and the corners of the box of what each node shows, (n, 4, 9); 0 for what shows nothing."""
    boxes = np.zeros((len(source.skeleton.parents), 2, 3))
    for node in scene.nodes:
        shown = [it.positions for mesh in node.cells.values() for it in scene.meshes[mesh].primitives]
        for positions in (it for it in shown if len(it)):
            own = boxes[node.number or 0]
            own[:] = np.minimum(own[0], positions.min(axis=0)), np.maximum(own[1], positions.max(axis=0))
    choices = np.array([*product((0, 1), repeat=3)])
    points = np.zeros((len(boxes), 4, 9))
    points[:, 3] = 1
    points[:, :3, 1:] = np.moveaxis(boxes[:, choices, np.arange(3)], 1, 2)
    return points


def _unshown(source: ModelSource) -> tuple[list[int], list[int]]:
    """The slots with batches, and the batches with triangles, that are in no cell."""
    model, draws = source.model, source.draws
    if (draws.parts.slot == NO_SLOT).any():
        return [], []
    has_batches = model.slots["batch_count"] > 0
    has_batches[draws.parts.slot] = False
    has_triangles = model.batches["index_count"] >= 3
    has_triangles[draws.batch] = False
    return np.flatnonzero(has_batches).tolist(), np.flatnonzero(has_triangles).tolist()


def _named(rows: Iterable[int]) -> str:
    """The first of some rows."""
    listed = [*rows]
    more = ["..."] if len(listed) > MOST_NAMED else []
    return ", ".join([*map(str, listed[:MOST_NAMED]), *more])
