"""The parts of a model as plain values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct


class Row(Struct, frozen=True):
    """A row of a table, which stands for its number wherever one is taken: ``model.nodes[node.parent]``."""

    index: int

    def __index__(self) -> int:
        return self.index


class Node(Row, frozen=True):
    """A node: a part of a model that moves as one. It stands for its number wherever one is taken.

    Attributes
    ----------
    index
        Its row in the table of nodes.
    name
        Its name, empty if it has none.
    parent
        The index of its parent; None for a root.
    flags
        As stored.
    takes
        What a socket takes; empty for other nodes.
    slots
        Its slot for each LOD (row) and group (column), None where it has no geometry.
    """

    index: int
    name: str
    parent: int | None
    flags: int
    takes: str
    slots: tuple[tuple[int | None, ...], ...]


class Batch(Row, frozen=True):
    """A batch: triangles of one material. It stands for its number wherever one is taken.

    Attributes
    ----------
    index, flags, index_start, index_count, base_vertex
        As stored.
    material
        The row of the wear table in the reading of the model.
    """

    index: int
    flags: int
    material: int
    index_start: int
    index_count: int
    base_vertex: int


class Material(Struct, frozen=True):
    """A material as the batches of a model use it.

    Attributes
    ----------
    row
        The row of the wear table.
    name
        Its name there; None without a wear table.
    found
        How it was found: ``name``, ``default``, ``first``, ``missing``.
    texture, lightmap
        Names, None without one.
    blend
        How it blends, in words.
    batches
        The batches that use it.
    trace
        How it was found, step by step.
    """

    row: int
    name: str | None
    found: str
    texture: str | None
    lightmap: str | None
    blend: str
    batches: tuple[int, ...]
    trace: tuple[str, ...]


class Clip(Row, frozen=True):
    """A clip of the controller of a model. It stands for its number wherever one is taken.

    Attributes
    ----------
    index, name
        Its number, and its name, which is a guess: files have none.
    frames
        First and last frame.
    seconds
        How long it lasts with the clips that follow it; those that the game plays by stride at 15 frames a
        second.
    """

    index: int
    name: str
    frames: tuple[float, float]
    seconds: float


class Pose(Struct, frozen=True, eq=False):
    """All n nodes at one moment, single precision.

    Attributes
    ----------
    position
        Translations in the space of the parent, model units, (n, 3).
    quaternion
        w, x, y, z, not normalised, (n, 4).
    world
        ``world_from_node`` for column vectors, (n, 4, 4).
    """

    position: npt.NDArray[np.float32]
    quaternion: npt.NDArray[np.float32]
    world: npt.NDArray[np.float32]


class Problem(Struct, frozen=True):
    """A broken rule of the format.

    Attributes
    ----------
    address
        The file or entry.
    rule
        The number of the rule.
    severity
        ``error``, ``warning`` or ``info``.
    message
        What is wrong, with the values.
    table, index, field
        Where; empty or None if that is not one place.
    """

    address: str
    rule: str
    severity: str
    message: str
    table: str
    index: int | None
    field: str | None
