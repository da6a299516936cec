"""What a model has that its scene cannot have, whatever is exported, as sentences.

Source: spec/msh.md 6, 8; viewer.model.mesh.draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from viewer.model.convert.source import ModelSource
from viewer.model.mesh.draws import NO_SLOT
from viewer.model.mesh.model import Variant
from viewer.translation import Sentence

MOST_NAMED: Final = 8
"""Rows that a sentence lists."""


def losses_of(source: ModelSource, stilled: Sequence[int]) -> Iterator[str]:
    """Yield a sentence for each kind of thing that is left out.

    Parameters
    ----------
    stilled
        Nodes that stand still, as the keys of all nodes would be too many.
    """
    if stilled:
        yield Sentence(
            "nodes that stand still, as the frame map asks for too many keys: {count} ({rows})",
            count=len(stilled),
            rows=_named(stilled),
        )
    if source.model.variant is not Variant.MODEL:
        return
    slots, batches = _unshown(source)
    if slots:
        yield Sentence(
            "slots that no node shows in any cell: {count} ({rows})", count=len(slots), rows=_named(slots)
        )
    if batches:
        yield Sentence(
            "batches that no node shows in any cell: {count} ({rows})",
            count=len(batches),
            rows=_named(batches),
        )


def _unshown(source: ModelSource) -> tuple[list[int], list[int]]:
    """The slots with batches, and the batches with triangles, that are in no cell."""
    model, draws = source.model, source.draws
    if (draws.parts.slot == NO_SLOT).any():
        return [], []
    has_batches = model.slots["batch_count"] > 0
    has_batches[draws.parts.slot] = False
    has_triangles = model.batches["index_count"] >= 3
    has_triangles[draws.batch] = False
    return np.flatnonzero(has_batches).tolist(), np.flatnonzero(has_triangles).tolist()


def _named(rows: Iterable[int]) -> str:
    """The first of some rows."""
    listed = [*rows]
    more = ["..."] if len(listed) > MOST_NAMED else []
    return ", ".join([*map(str, listed[:MOST_NAMED]), *more])
