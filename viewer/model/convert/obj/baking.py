"""Vertices of nodes in the space of the model and back, in double precision."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import inverse
from viewer.model.convert.scene import Node, Scene

Matrix = npt.NDArray[np.float64]


def local(node: Node) -> Matrix:
    """The matrix (4, 4) of a node's rest pose in its parent's space."""
    w, x, y, z = np.asarray(node.rotation, np.float64)
    matrix = np.eye(4)
    matrix[:3, :3] = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    matrix[:3, :3] *= node.scale
    matrix[:3, 3] = node.position
    return matrix


def worlds(scene: Scene) -> Matrix:
    """The matrix (n, 4, 4) of each node in the model's space; parents that form a ring count as roots."""
    made: dict[int, Matrix] = {}
    for index in range(len(scene.nodes)):
        chain: dict[int, None] = {}
        number: int | None = index
        while number is not None and number not in chain and number not in made:
            chain[number] = None
            number = scene.nodes[number].parent
        for number in reversed(chain):
            node = scene.nodes[number]
            above = made.get(node.parent) if node.parent is not None else None
            made[number] = local(node) if above is None else above @ local(node)
    return np.array([made[index] for index in range(len(scene.nodes))]).reshape(-1, 4, 4)


def turned(normals: npt.ArrayLike, matrix: Matrix) -> Matrix:
    """Normals (n, 3) through the inverse transpose of a matrix, of unit length again; zeros stay."""
    back = inverse(matrix)[:3, :3]
    moved = np.asarray(normals, np.float64) @ back
    length = np.linalg.norm(moved, axis=1, keepdims=True)
    unit: Matrix = np.divide(moved, length, out=np.zeros_like(moved), where=length > 0)
    return unit


def y_up(points: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Points with Y up of points with Z up."""
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def z_up(points: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Points with Z up of points with Y up."""
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)
