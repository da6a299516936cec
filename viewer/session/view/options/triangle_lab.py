"""Settings of the engine's query of triangles in the image: masks, order numbers, links, normals."""

from __future__ import annotations

from typing import Annotated, Final

import numpy as np
from msgspec import Struct

from viewer.geometry.transforms import Mask
from viewer.model.mesh.draws import NO_DESCRIPTOR, Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.triangle_query import FoundTriangles, Masks, TriangleLinks, query, reached
from viewer.session.options import OF_TAB

PASSING: Final = (0.30, 0.85, 0.95, 0.45)
"""The tint of triangles that pass, red, green, blue and opacity."""


class TriangleLab(Struct, frozen=True):
    """The query of triangles that the image shows.

    Attributes
    ----------
    masks
        What passes.
    start
        Only what links reach from this descriptor or face over what passes; None for all that passes.
    batches
        What flags of batches are drawn at all.
    is_marked
        Whether what passes is tinted.
    has_numbers
        Whether its order is written next to it.
    has_edges
        Whether open edges, and those of more than two triangles, are drawn.
    has_links
        Whether the neighbors and both normals of the selected triangle are drawn.
    """

    masks: Annotated[Masks, OF_TAB] = Masks()
    start: int | None = None
    batches: Masks = Masks()
    is_marked: Annotated[bool, OF_TAB] = False
    has_numbers: Annotated[bool, OF_TAB] = False
    has_edges: Annotated[bool, OF_TAB] = False
    has_links: Annotated[bool, OF_TAB] = False


def found_in(model: Model, draws: Draws, visible: Mask, lab: TriangleLab) -> FoundTriangles:
    """The triangles of visible draws (d,) that the query calls back or a flood fill reaches, in order."""
    passing = query(model, draws, visible, lab.masks)
    links = TriangleLinks.of(model, draws)
    if lab.start is None or not 0 <= lab.start < len(links):
        return passing
    allowed = np.zeros(len(links), np.bool_)
    allowed[passing.record[passing.record != NO_DESCRIPTOR]] = True
    return reached(model, draws, links.walk(lab.start, allowed), passing.tested)
