"""The directions of a file whose nodes are those of the model, all turned by 90 degrees.

Programs can write Z up although glTF has Y up, as Blender does without "+Y Up", and do not say so. Read with
Y up every vector of such a file is (x, -z, y) of the true one: swapped back it has the same bits.

Source: glTF 2.0, 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import replace
from viewer.geometry.transforms import Floats
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.rotations import Axes
from viewer.model.convert.scene import Node, Primitive, Scene, Track
from viewer.model.convert.shapes import mapped

NEAR: Final = 1e-3
"""Distance of equal vectors, as a part of the largest coordinate: files may be quantized."""
Turn = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
"""Vectors (n, 3) in other directions."""


def with_known_directions(
    expected: Scene, given: Scene, nodes: Sequence[int | None], findings: Findings
) -> Scene:
    """A scene in the directions of the model: turned back, and that is noted, if its nodes are turned.

    Parameters
    ----------
    nodes
        The expected node of each given one; None for a new one.
    """
    is_y_up = not given.options.is_y_up
    axes = Axes(is_y_up=True)
    # What was read with the wrong axes is undone: read with Y up it goes back to the axes of the file.
    turn = axes.inward if is_y_up else axes.outward
    if not _is_turned(expected, given, nodes, turn):
        return given
    up, other = ("Y", "--z-up") if is_y_up else ("Z", "--y-up")
    words = (
        "{up} is up in the file: its nodes are the model's turned by 90 degrees; {other} reads it otherwise"
    )
    findings.note(words, up=up, other=other)
    return _turned(given, turn)


def _is_turned(expected: Scene, given: Scene, nodes: Sequence[int | None], turn: Turn) -> bool:
    """Whether more than half of the nodes of a model are those of a file if they are turned, not as read."""
    pairs = [
        (node, expected.nodes[at]) for node, at in zip(given.nodes, nodes, strict=True) if at is not None
    ]
    parents = [(None if it.parent is None else nodes[it.parent], known.parent) for it, known in pairs]
    # Below another parent, such as one that is not in the file, a place says nothing.
    is_there = [own == known for own, known in parents]
    found = [
        _boxes(own, given, other)[not here :] for (own, other), here in zip(pairs, is_there, strict=True)
    ]
    known = [
        _boxes(other, expected, own)[not here :] for (own, other), here in zip(pairs, is_there, strict=True)
    ]
    near = NEAR * max((float(np.abs(it).max(initial=0)) for it in known), default=0.0)

    def turned_box(box: Floats) -> Floats:
        # The smallest corner turned is another corner: -z of the largest z is the smallest.
        return np.sort(turn(box.reshape(-1, 3)).reshape(-1, 2, 3), axis=1)

    def is_near(one: Floats, other: Floats) -> bool:
        return bool(np.abs(one - other).max(initial=0) <= near)

    # What looks alike turned and not says nothing either: a node at 0, 0, 0 without geometry.
    telling = [pair for pair in zip(found, known, strict=True) if not is_near(turned_box(pair[1]), pair[1])]
    turned_back = sum(is_near(turned_box(one), other) for one, other in telling)
    as_read = sum(is_near(*pair) for pair in telling)
    return turned_back > as_read and 2 * turned_back > len(telling)


def _boxes(node: Node, scene: Scene, other: Node) -> Floats:
    """The place of a node, and the ends of its geometry in the cells that another one has too, (n, 2, 3)."""
    found = [np.array([node.position, node.position])]
    for cell in sorted(node.cells.keys() & other.cells.keys()):
        points = [it.positions for it in scene.meshes[node.cells[cell]].primitives if len(it.positions)]
        ends = [np.array([it.min(axis=0), it.max(axis=0)]) for it in points] or [np.zeros((2, 3))]
        found.append(np.array([np.min(ends, axis=0)[0], np.max(ends, axis=0)[1]]))
    return np.array(found, np.float32)


def _turned(given: Scene, turn: Turn) -> Scene:
    """A scene with all its vectors in other directions, bit for bit."""

    def of_one(vector: Sequence[float]) -> Any:
        return tuple(turn(np.array([vector]))[0].tolist())

    def of_rotations(rotations: Floats) -> Floats:
        return np.concatenate([rotations[:, :1], turn(rotations[:, 1:])], axis=1)

    def of_track(track: Track) -> Track:
        return Track(track.times, turn(track.positions), of_rotations(track.rotations))

    def of_primitive(it: Primitive) -> Primitive:
        normals = None if it.normals is None else turn(it.normals)
        return replace(it, positions=turn(it.positions), normals=normals)

    nodes = (
        replace(
            it,
            position=of_one(it.position),
            rotation=(it.rotation[0], *of_one(it.rotation[1:])),
            track=None if it.track is None else of_track(it.track),
        )
        for it in given.nodes
    )
    clips = (
        replace(it, tracks={node: of_track(track) for node, track in it.tracks.items()}) for it in given.clips
    )
    return replace(
        given,
        nodes=tuple(nodes),
        meshes=tuple(mapped(it, of_primitive) for it in given.meshes),
        clips=tuple(clips),
        options=replace(given.options, is_y_up=not given.options.is_y_up),
    )
