"""Phases and animation blocks of materials."""

from __future__ import annotations

from typing import Final

from viewer.formats import mat0
from viewer.formats.mat0 import BLOCKS, HEADER, KEY, MAX_BLOCKS, PHASE, PhaseRecord
from viewer.formats.part import Part
from viewer.formats.splice import Splices
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import (
    Arrangement,
    NewRow,
    arranged,
    counted,
    joined,
    plain_table,
    renumbered,
)

NEW_TIME: Final = 1000
"""End of the only key of a new block, ms."""


def arrange_phases(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of phases; the keys that show them follow. Raises `EditError` for a phase that is shown."""
    rows = arranged(draft, draft.part(path), arrangement, _new_phase)
    keys = [
        renumbered(draft, f"{BLOCKS}[{index}].{KEY.name}", "phase", arrangement, "phase")
        for index in range(draft.part(BLOCKS).count)
    ]
    return joined(counted(draft, HEADER.name, "phase_count", arrangement.growth), rows, *keys)


def _new_phase(_: Draft, __: Part, ___: NewRow) -> bytes:
    rows = PHASE.new()
    rows[0] = PhaseRecord().record()
    return rows.tobytes()


def _new_block(_: Draft, __: Part, ___: NewRow) -> bytes:
    made = mat0.block(0, 0, [(0, NEW_TIME)])
    return made.header_row.tobytes() + made.keys.tobytes()


arrange_blocks = plain_table(HEADER.name, "block_count", _new_block, MAX_BLOCKS)
"""Rearranges the animation blocks of a material."""
