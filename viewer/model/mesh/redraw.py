"""Draws after an edit: what is as before is shared, so that nothing has to be uploaded again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from viewer.formats.msh.tables import BATCHES, INDICES, NODES, SLOTS
from viewer.formats.record import Rows
from viewer.model.mesh.draw_builder import build, sound_bounds, with_bounds
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant

# All that triangles depend on but positions, which they name by number: moved vertices share them.
_RANGES: Final = (
    (NODES, ("slots",)),
    (SLOTS, ("tri_start", "tri_count", "batch_start", "batch_count")),
    (BATCHES, ("index_count", "index_start", "base_vertex")),
    (INDICES, ("index",)),
)
_BOUNDS: Final = "aabb_min", "aabb_max", "sphere_center", "sphere_radius"


def rebuild(model: Model, before: Model, draws: Draws) -> Draws:
    """The draws of `draw_builder.build`, sharing triangles that are as in an earlier state.

    Parameters
    ----------
    draws
        Those of `before`.
    """
    counts = [(it.variant, it.vertex_count, len(it.tri_descriptors)) for it in (model, before)]
    is_same = counts[0] == counts[1] and model.variant is Variant.MODEL
    if not is_same or not all(_is_same(model.rows(it), before.rows(it), names) for it, names in _RANGES):
        return build(model)
    # Bounds that cannot be used are measured on the vertices, and these may have moved.
    is_measured = not sound_bounds(before.slots).all()
    if _is_same(model.slots, before.slots, _BOUNDS) and not is_measured:
        return draws
    return with_bounds(model, draws)


def _is_same(one: Rows, other: Rows, names: Sequence[str]) -> bool:
    return len(one) == len(other) and all(np.array_equal(one[name], other[name]) for name in names)
