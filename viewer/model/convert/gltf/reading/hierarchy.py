"""The node tree of a file: who is whose child, what is in the scene, and the transforms in the model's axes.

Source: glTF 2.0, 3.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.geometry.transforms import nearest_rotation
from viewer.model.convert.gltf.reading.axes import Axes
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.item import Item
from viewer.translation import Sentence

Matrix = npt.NDArray[np.float64]

UNIT: Final = np.eye(3)
"""The stretch of a node without scale, this very object."""
LIGHTS: Final = "KHR_lights_punctual"
_UNIT: Final = 1e-5
"""How far from 1 the length of a rotation may be before it is scaled to 1."""
_SQUARE: Final = 1e-5
"""How far from a right angle the axes of a matrix may be, as a cosine, before it is sheared."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A node of the file in the model's axes: a vertex is stretched, turned, then moved.

    Attributes
    ----------
    parent
        Index of its parent in the file; None for a root.
    rotation
        w, x, y, z, (4,) float32.
    stretch
        (3, 3): scale, which no rigid part has; with shear, if its matrix has that.
    """

    item: Item
    parent: int | None
    position: npt.NDArray[np.float32]
    rotation: npt.NDArray[np.float32]
    stretch: Matrix


def parents_of(document: Document) -> list[int | None]:
    """The parent of every node; raises `FormatError` for nodes with two parents, and for circles."""
    count = document.count("nodes")
    parents: list[int | None] = [None] * count
    children = [item.indices("children", count) for item in document.items("nodes")]
    for node, below in enumerate(children):
        for at, child in enumerate(below):
            if parents[child] is not None or child == node:
                path = f"nodes[{node}].children[{at}]"
                raise FormatError(Sentence("node {node} has a parent already", node=child), table=path)
            parents[child] = node
    reached = len(parents_first(parents))
    if reached < count:
        raise FormatError(Sentence("{count} nodes form a circle", count=count - reached), table="nodes")
    return parents


def nodes_of_scene(document: Document, parents: list[int | None], scene: Item | None) -> list[int]:
    """The nodes of a scene in the order of the file; all of them if there is none."""
    count = document.count("nodes")
    if scene is None:
        return list(range(count))
    roots = scene.indices("nodes", count)
    for at, root in enumerate(roots):
        if parents[root] is not None:
            path = f"{scene.path}.nodes[{at}]"
            raise FormatError(Sentence("node {node} has a parent", node=root), table=path)
    children = [item.indices("children", count) for item in document.items("nodes")]
    return sorted(set(_below(roots, children)))


def parents_first(parents: Sequence[int | None]) -> list[int]:
    """All nodes that are below a root, each after its parent."""
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent is not None:
            children[parent].append(node)
    return _below([node for node, parent in enumerate(parents) if parent is None], children)


def _below(roots: Iterable[int], children: list[list[int]]) -> list[int]:
    """Nodes and everything below them, parents first."""
    found = list(roots)
    for node in found:
        found.extend(children[node])
    return found


def placed(axes: Axes, items: Sequence[Item], parents: Sequence[int | None]) -> list[Placed]:
    """The nodes with their transforms."""
    values = np.array([_values(item) for item in items]).reshape(-1, 10)
    positions, rotations = axes.vectors(values[:, :3]), unit(axes.rotations(values[:, 3:7]))
    stretches = [UNIT] * len(items)
    for node in np.flatnonzero((values[:, 7:] != 1).any(axis=1)).tolist():
        stretches[node] = axes.matrix @ np.diag(values[node, 7:]) @ axes.matrix.T
    made = map(Placed, items, parents, positions, rotations, stretches)
    return [_of_matrix(axes, it.item, it.parent) if "matrix" in it.item else it for it in made]


def _values(item: Item) -> tuple[float, ...]:
    """Translation, rotation and scale of a node; none of one that has a matrix."""
    if "matrix" in item:
        return _NO_VALUES
    return (
        *item.numbers("translation", _NO_VALUES[:3]),
        *item.numbers("rotation", _NO_VALUES[3:7]),
        *item.numbers("scale", _NO_VALUES[7:]),
    )


_NO_VALUES: Final = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
_IDENTITY: Final = tuple(np.eye(4).ravel().tolist())


def _of_matrix(axes: Axes, item: Item, parent: int | None) -> Placed:
    """A node whose transform is a matrix, column by column."""
    matrix = np.array(item.numbers("matrix", _IDENTITY)).reshape(4, 4).T
    linear = axes.matrix @ matrix[:3, :3] @ axes.matrix.T
    if np.abs(matrix).max() > np.finfo(np.float32).max:
        raise item.wrong("matrix", Sentence("is too large"))
    mirror = np.diag([-1.0 if np.linalg.det(linear) < 0 else 1.0, 1, 1])
    turn = nearest_rotation(_orthonormal(linear @ mirror))
    stretch = turn_matrix(turn).T @ linear
    return Placed(item, parent, axes.vectors(matrix[None, :3, 3])[0], turn.astype(np.float32), stretch)


def _orthonormal(linear: Matrix) -> Matrix:
    """The rotation of a matrix without its scale; with shear the nearest one."""
    length = np.linalg.norm(linear, axis=0)
    columns = linear / np.where(length == 0, 1, length)
    if (length > 0).all() and np.abs(columns.T @ columns - np.eye(3)).max() < _SQUARE:
        return columns
    left, _, right = np.linalg.svd(linear)
    return np.asarray(left @ np.diag([1, 1, np.linalg.det(left @ right)]) @ right)


def unit(rotations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Rotations of length 1, (n, 4); those that are so within rounding stay as they are, zeros are none."""
    length = np.linalg.norm(rotations.astype(np.float64), axis=1)
    wrong = np.abs(length - 1) > _UNIT
    if not wrong.any():
        return rotations
    result = rotations.copy()
    result[wrong] = rotations[wrong] / np.where(length[wrong] == 0, 1, length[wrong])[:, None]
    result[length == 0] = 1, 0, 0, 0
    return result


def turn_matrix(rotation: npt.ArrayLike) -> Matrix:
    """The matrix of an active rotation w, x, y, z, (3, 3), or of some, (n, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(rotation, np.float64), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
