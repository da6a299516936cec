"""The groups that a shading mode colors: their numbers, how much each has, what to select for it."""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from viewer.model.mesh.draws import NO_BATCH, NO_SLOT
from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.view import coloring
from viewer.session.view.coloring import Numbers
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState

MOST_NODES: Final = 10_000
"""Nodes that are selected for a group."""


class Group(Struct, frozen=True):
    """Triangles of one color.

    Attributes
    ----------
    number
        The number of the node, batch, slot, material row or cell (row * 5 + column), or the flags;
        the band of an angle; `NO_GROUP` for none.
    triangles
        How many of them are shown.
    selection
        The nodes that show them, and their slot or batch.
    batches
        The batches that hold them.
    """

    number: int
    triangles: int
    selection: Selection
    batches: frozenset[int]


class Legend(Struct, frozen=True):
    """The largest groups, the largest first unless they are in an order, and the number of the others."""

    groups: tuple[Group, ...] = ()
    others: int = 0

    @classmethod
    def of(cls, document: Document, view: ViewState, most: int) -> Legend:
        """The groups of what a view shows of a document, at most `most` of them."""
        draws = document.draws
        rows = document.materials.wear_row_of_draw
        shown = document.shown(view)
        is_shown = np.repeat(shown.draws, draws.triangle_count)
        draw = np.repeat(np.arange(len(draws)), draws.triangle_count)[is_shown]
        number = coloring.numbers(view.shading, document.model, draws, rows, shown)[is_shown]
        found, counts = np.unique(number, return_counts=True)
        # Of groups with as many triangles the one with the smaller number comes first.
        order = np.argsort(-counts, kind="stable")[:most]
        if view.shading is Shading.NORMAL_ERROR:
            order = np.sort(order)  # from the smallest angle to the largest
        groups = (
            _group(document, view, int(found[at]), np.unique(draw[number == found[at]]), int(counts[at]))
            for at in order
        )
        return cls(tuple(groups), len(found) - len(order))


def _group(document: Document, view: ViewState, number: int, draw: Numbers, triangles: int) -> Group:
    draws = document.draws
    nodes = tuple(np.unique(draws.node[draw])[:MOST_NODES].tolist())
    slot, batch = int(draws.slot[draw[0]]), int(draws.batch[draw[0]])
    names_batch = view.shading is Shading.BATCH and batch != NO_BATCH
    names_slot = (view.shading is Shading.SLOT or names_batch) and slot != NO_SLOT
    selection = Selection(nodes, slot if names_slot else None, batch if names_batch else None)
    return Group(number, triangles, selection, frozenset(draws.batch[draw].tolist()) - {NO_BATCH})
