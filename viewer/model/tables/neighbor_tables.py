"""The tables of the files next to a model, with the columns that are computed for their rows."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.slots import SLOT
from viewer.formats.neighbors import control_points, damage, ground_plan
from viewer.formats.record import Rows
from viewer.model.mesh.damage_stages import stages
from viewer.model.tables.declaration import (
    Computed,
    Declaration,
    row_of,
    text,
)
from viewer.model.tables.neighbors import CONTROL_POINTS, DAMAGE, GROUND_POINTS
from viewer.model.tables.source import TableSource
from viewer.translation import _


def _stages(source: TableSource) -> list[str]:
    """The damage stages of each node in words."""
    points = _damage(source)["hit_points"].tolist()
    flags = source.model.nodes["flags"].tolist()
    found = ["; ".join(stages(*it)) for it in zip(source.lod_counts.tolist(), points, flags, strict=False)]
    # A .ndp may have more rows than the model has nodes, and these no stages.
    return found + [""] * (len(points) - len(found))


def _damage(source: TableSource) -> Rows:
    found = source.neighbor(DAMAGE)
    return damage.NODE_DAMAGE.new(0) if found is None else found.rows


def _masses(source: TableSource) -> npt.NDArray[np.float64]:
    """The mass of each node, (n,); NaN for one without a slot."""
    density = _damage(source)["density"]
    slot = np.full(len(density), NONE, np.int64)
    # Mass is density times the volume in the slot's word at +0x34, of the node's first cell
    # (spec/field-notes.md 2).
    first = source.model.nodes["slots"][: len(density), 0, 0]
    slot[: len(first)] = first
    volume = SLOT.field("opaque").bits[1].of_rows(source.model.slots["opaque"])
    mass: npt.NDArray[np.float64] = (
        # NONE, 0xFFFF, and any number past the slots are cut to the place after the last slot, where NaN was
        # appended.
        density * np.append(volume.astype(np.float64), np.nan)[np.minimum(slot, len(volume))]
    )
    return mass


def _labels(source: TableSource) -> list[str]:
    found = source.neighbor(CONTROL_POINTS)
    return [] if found is None else [*found.labels]


NEIGHBOR_TABLES: Final = (
    Declaration(CONTROL_POINTS, control_points.POINT, (text("name", _("Name of the point."), _labels),)),
    Declaration(
        DAMAGE,
        damage.NODE_DAMAGE,
        (
            row_of(NODE.name, "node", _("The node of the same row."), lambda it: np.arange(len(_damage(it)))),
            Computed(
                "mass",
                _("Density times the volume of the slot in LOD 0, group 0."),
                _masses,
                "<f8",
                has_gaps=True,
            ),
            text("stages", _("Hit points at which the node shows its next slots."), _stages),
        ),
    ),
    Declaration(GROUND_POINTS, ground_plan.POINT),
)
