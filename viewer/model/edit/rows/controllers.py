"""States of controllers, with the costs between them, and channels."""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.errors import EditError
from viewer.formats.neighbors.control import CHANNEL, COUNTS, Control, state_record
from viewer.formats.part import Part
from viewer.formats.splice import Splices
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import Arrangement, NewRow, arranged, counted, joined, replaced
from viewer.translation import Sentence

NO_TRANSITION: Final = 1_000_000
"""Cost between a new state and the others."""
NO_POINT: Final = -1
NO_FRAMES: Final = (-1, -1)


def arrange_states(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of states and of their costs; raises `EditError` if the costs cannot be read."""
    control: Control = draft.value
    if len(control.costs) != arrangement.count or int(control.counts["states"]) != arrangement.count:
        raise EditError(Sentence("not all states and their costs can be read"))
    costs = draft.part("costs")
    return joined(
        counted(draft, COUNTS.name, "states", arrangement.growth),
        arranged(draft, draft.part(path), arrangement, _new_state),
        replaced(draft, costs.start, costs.size, _costs(control, arrangement)),
    )


def _costs(control: Control, arrangement: Arrangement) -> bytes:
    """The costs between the states in their new order; 0 from a new state to itself."""
    sources = arrangement.sources
    new = np.full((len(sources), len(sources)), NO_TRANSITION, "<f4")
    np.fill_diagonal(new, 0)
    known = np.flatnonzero(sources >= 0)
    if len(known):
        old = control.costs["cost"].view("<u4")
        new.view("<u4")[np.ix_(known, known)] = old[np.ix_(sources[known], sources[known])]
    return new.tobytes()


def _new_state(draft: Draft, _: Part, __: NewRow) -> bytes:
    rows = state_record(int(draft.value.counts["contacts"])).new()
    rows["frames_b"] = NO_FRAMES
    return rows.tobytes()


def new_channel(_: Draft, __: Part, ___: NewRow) -> bytes:
    """A channel of node 0 without control points."""
    rows = CHANNEL.new()
    rows["points"] = NO_POINT
    return rows.tobytes()
