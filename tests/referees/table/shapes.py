"""What is compared of a file and of a model, read by two readers that share nothing with the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
TO_GAME: Final = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], np.float64)
"""Model space from that of glTF."""


@dataclass(frozen=True, slots=True)
class Part:
    """The triangles of a node in its own space, Z up.

    Attributes
    ----------
    positions, normals
        (t, 3, 3): triangle, corner, axis.
    uvs
        (t, 3, 2).
    materials
        The name of the material of each triangle; empty without one.
    """

    positions: Numbers
    normals: Numbers
    uvs: Numbers
    materials: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A scene.

    Attributes
    ----------
    parents
        The name of the parent of each node, by name; empty for roots.
    locals
        Matrices at whole frames, (f, 4, 4), by name.
    parts
        The triangles of each node that has some, by name.
    materials
        What is known of each material, by name: color, image, alpha.
    """

    parents: dict[str, str]
    locals: dict[str, Numbers]
    parts: dict[str, Part]
    materials: dict[str, dict[str, Any]]

    def worlds(self, name: str, others: dict[str, Numbers] | None = None) -> Numbers:
        """World matrices of a node at whole frames, (f, 4, 4); with other local ones if they are given."""
        chosen = self.locals if others is None else others
        found = chosen[name]
        while name := self.parents[name]:
            found = chosen[name] @ found
        return found


def no_part() -> Part:
    """A part without triangles."""
    return Part(np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 3, 2)), ())


def joined(parts: list[Part]) -> Part:
    """All triangles of several parts."""
    return Part(
        np.concatenate([it.positions for it in parts]),
        np.concatenate([it.normals for it in parts]),
        np.concatenate([it.uvs for it in parts]),
        sum((it.materials for it in parts), ()),
    )
