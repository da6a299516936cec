"""Faults of animations: frame maps, times, quaternions.

Source: spec/animation.md 8.
"""

from __future__ import annotations

import numpy as np

from viewer.formats.msh.keys import SCALE
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NODES
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.table_rows import put, rows_of


def mend_maps(draft: Draft) -> None:
    """Make nodes static, as they are shown, whose block of the frame map is not in the table (A03)."""
    rows, model = rows_of(draft, NODES), draft.model
    start = rows["map_start"].astype(np.int64)
    rows["map_start"][(start != NONE) & (start + model.frame_count > len(model.frame_map))] = NONE
    put(draft, NODES, rows)


def mend_map_words(draft: Draft) -> None:
    """Set words beyond the fallback key of their node, which have its effect, to that key (A10)."""
    words, model = rows_of(draft, FRAME_MAP), draft.model
    frames = model.frame_count
    for node in model.nodes:
        start, fallback = int(node["map_start"]), int(node["fallback_key"])
        if start != NONE and start + frames <= len(words) and fallback < len(model.keys):
            block = words["key"][start : start + frames]
            block[block > fallback] = fallback
    put(draft, FRAME_MAP, words)


def mend_values(draft: Draft) -> None:
    """Set times and positions that are not finite to 0, as they are used (A12)."""
    rows = rows_of(draft, KEYS)
    for name in ("position", "time"):
        rows[name] = np.where(np.isfinite(rows[name]), rows[name], 0)
    put(draft, KEYS, rows)


def mend_quaternions(draft: Draft) -> None:
    """Set quaternions without a length to the identity, as they are shown (A13)."""
    rows = rows_of(draft, KEYS)
    order = draft.reading.reading.quaternion_order
    is_zero = (rows["quaternion"] == 0).all(axis=1)
    rows["quaternion"][is_zero, order.columns[0]] = SCALE
    put(draft, KEYS, rows)
