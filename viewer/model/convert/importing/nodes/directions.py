"""The directions of a file whose nodes are those of the model, all turned by 90 degrees.

Programs can write Z up although glTF has Y up, as Blender does without "+Y Up", and do not say so. Read with
Y up every vector of such a file is (x, -z, y) of the true one: swapped back it has the same bits.

Source: glTF 2.0, 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from viewer.geometry.transforms import Floats
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.motion.rotations import Axes
from viewer.model.convert.scene import Node, Primitive, Scene, Track
from viewer.model.convert.scene_file import TURNED, UNKNOWN_AXIS
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
    if not _is_turned(expected, given, nodes, _turn_of(given)):
        return given
    note_turned(given, findings)
    return turned(given)


def _turn_of(given: Scene) -> Turn:
    """The turn of a scene that was read with the wrong axes."""
    # What was read with the wrong axes is undone: read with Y up it goes back to the axes of the file.
    axes = Axes(is_y_up=True)
    return axes.outward if given.options.is_y_up else axes.inward


def note_turned(given: Scene, findings: Findings) -> None:
    """Report that a scene is read with the other axes than it says."""
    findings.withdraw(UNKNOWN_AXIS)
    findings.note(TURNED, up="Z" if given.options.is_y_up else "Y")


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
    # Most of the nodes that tell anything, as some may have been edited.
    return turned_back > as_read and 2 * turned_back > len(telling)


def _boxes(node: Node, scene: Scene, other: Node) -> Floats:
    """The place of a node, and the ends of its geometry in the cells that another one has too, (n, 2, 3)."""
    found = [np.array([node.position, node.position])]
    for cell in sorted(node.cells.keys() & other.cells.keys()):
        points = [it.positions for it in scene.meshes[node.cells[cell]].primitives if len(it.positions)]
        joined = np.concatenate(points) if points else np.zeros((1, 3), np.float32)
        found.append(np.array([joined.min(axis=0), joined.max(axis=0)]))
    return np.array(found, np.float32)


def turned(given: Scene, chosen: Container[int] | None = None) -> Scene:
    """A scene read with the other axes: its vectors in other directions, bit for bit.

    Parameters
    ----------
    chosen
        The nodes that are from the file; None for all.
    """
    turn = _turn_of(given)
    is_chosen = [chosen is None or index in chosen for index in range(len(given.nodes))]
    of_file = {
        mesh
        for node, is_it in zip(given.nodes, is_chosen, strict=True)
        if is_it
        for mesh in node.cells.values()
    }

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
        if is_it
        else it
        for it, is_it in zip(given.nodes, is_chosen, strict=True)
    )
    meshes = (
        mapped(it, of_primitive) if chosen is None or index in of_file else it
        for index, it in enumerate(given.meshes)
    )
    clips = (
        replace(it, tracks={node: of_track(track) for node, track in it.tracks.items()}) for it in given.clips
    )
    return replace(
        given,
        nodes=tuple(nodes),
        meshes=tuple(meshes),
        clips=tuple(clips),
        options=replace(given.options, is_y_up=not given.options.is_y_up),
    )
