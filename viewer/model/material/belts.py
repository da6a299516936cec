"""Materials of belts: rows of their own for nodes whose materials channels play.

Source: spec/ctl.md, Playing.
Status: inferred.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Indices
from viewer.model.material.materials import Materials
from viewer.model.mesh.draws import Draws


class DrawnMaterials(Struct, frozen=True, eq=False):
    """The materials of a model as they are drawn: a row for each state that they may be in.

    Attributes
    ----------
    materials
        Those of the model with more rows at the end, which draws of belts have instead of a row that others
        have too.
    origin
        The row of the model's materials that each row is, (rows,) int64.
    """

    materials: Materials
    origin: Indices


def drawn_materials(materials: Materials, draws: Draws, belts: tuple[int, ...]) -> DrawnMaterials:
    """The materials in which no belt shares a row with another node; `belts` are the nodes."""
    if not belts or not materials.rows:
        return DrawnMaterials(materials, np.arange(len(materials.rows)))
    return _with_own_rows(materials, draws, belts)


@lru_cache(8)  # asked for in every frame; few models have belts
def _with_own_rows(materials: Materials, draws: Draws, belts: tuple[int, ...]) -> DrawnMaterials:
    rows, origin, of_draw = [*materials.rows], [*range(len(materials.rows))], materials.of_draw.copy()
    # From the last one on, so that the first of several belts keeps the row.
    for node in reversed(dict.fromkeys(belts)):
        is_own = draws.node == node
        for row in np.unique(of_draw[is_own]).tolist():
            # Only a row that something else shows too is doubled; a belt keeps one that nothing shares with
            # it.
            if (of_draw[~is_own] == row).any():
                of_draw[is_own & (of_draw == row)] = len(rows)
                rows.append(rows[row])
                origin.append(row)
    found = materials
    if len(rows) > len(materials.rows):
        found = replace(materials, rows=tuple(rows), of_draw=of_draw)
    return DrawnMaterials(found, np.array(origin, np.int64))
