"""Draws that repeat each other exactly: the same triangles with the same material at the same place."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Rows
from viewer.model.mesh.draws import NO_BATCH, Draws
from viewer.model.mesh.ranges import Indices
from viewer.render.buffers.draw_list import Mask
from viewer.render.buffers.merge import Merged

_MIX: Final = np.uint64(0x9E3779B97F4A7C15)


class Repeats:
    """The merged draws of a model with equal triangles and material; owner: its buffers.

    Parameters
    ----------
    batches
        The batches of the model, (b,).
    """

    def __init__(self, draws: Draws, merged: Merged, batches: Rows) -> None:
        batch = draws.batch[merged.draw]
        rows = np.flatnonzero(batch != NO_BATCH)
        fields = [batches[name][batch[rows]] for name in ("index_start", "index_count", "base_vertex")]
        keys = [*fields, merged.row[rows]]
        order = np.lexsort(keys)
        is_new = _changes([key[order] for key in keys])
        group: Indices = np.cumsum(is_new)
        shared: Indices = np.flatnonzero(np.bincount(group, minlength=1)[group] > 1)
        self._draws: Indices = rows[order[shared]]
        self._content: Indices = group[shared]
        self._node: Indices = draws.node[merged.draw[self._draws]]

    def once(self, visible: Mask, world: npt.NDArray[np.float32]) -> Mask:
        """The visible draws (m,) without those that a later one repeats.

        `world` is ``world_from_node``, (n, 4, 4).
        """
        is_visible = visible[self._draws]
        if not is_visible.any():
            return visible
        draws, content = self._draws[is_visible], self._content[is_visible]
        matrix = np.ascontiguousarray(world[self._node[is_visible], :3]).reshape(-1, 12)
        mixed = _mixed(matrix)
        order = np.lexsort([draws, mixed, content])
        keys = [content[order], *matrix[order].T]
        is_last = np.roll(_changes(keys), -1)
        result = visible.copy()
        result[draws[order[~is_last]]] = False
        return result


def _changes(keys: list[npt.NDArray[np.generic]]) -> Mask:
    """Whether each row differs from the one before; the first one does."""
    is_new = np.zeros(len(keys[0]), np.bool_)
    is_new[:1] = True
    for key in keys:
        is_new[1:] |= key[1:] != key[:-1]
    return is_new


def _mixed(matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    """A number per matrix (n, 12) that is equal for equal ones, and hardly ever for others."""
    words = (matrix + 0.0).view(np.uint64)
    mixed = np.zeros(len(words), np.uint64)
    for column in words.T:
        mixed = (mixed ^ column) * _MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed
