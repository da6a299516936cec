"""Models in canonical form: attributes that follow from sizes, frame maps as their tracks make them.

Nothing is invented: a table whose meaning is unknown keeps its attributes, and an animation is laid
out anew only where it then plays exactly as before.

Source: spec/msh.md 1, 12; spec/animation.md 6, 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats import nres
from viewer.formats.msh.frame_map import encode_block
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import (
    BATCHES,
    FRAME_MAP,
    INDICES,
    KEYS,
    NODES,
    NORMALS,
    POSITIONS,
    SLOTS,
    STREAM15,
    STREAM16,
    STREAM18,
    STRINGS,
    TRIANGLES,
    UVS,
    attributes,
)
from viewer.formats.record import Bytes
from viewer.model.model import Model, Variant

RECOMPUTED: Final = frozenset(
    {NODES, SLOTS, POSITIONS, NORMALS, UVS, INDICES, TRIANGLES, KEYS, STRINGS, BATCHES}
    | {STREAM15, STREAM16, STREAM18, FRAME_MAP}
)
"""Tables whose attributes follow from their sizes; the others keep theirs."""

Words = npt.NDArray[np.int64]


def entries_of(model: Model) -> Iterator[nres.NewEntry]:
    """The tables of a model as a canonical container holds them, in the order that they have.

    Raises `FormatError` where a table lies outside the container.
    """
    replaced = animation(model)
    for entry in model.archive.entries:
        payload: Bytes = model.archive.payload(entry.index)
        is_first = model.archive.find_type(entry.type_id) == entry.index
        if is_first and model.variant is Variant.MODEL:
            payload = replaced.get(entry.type_id, payload)
            yield kept(entry, payload, _attributes(model, entry, len(payload)))
        else:
            yield kept(entry, payload)


def kept(entry: nres.Entry, payload: Bytes, changed: tuple[int, int, int] | None = None) -> nres.NewEntry:
    """An entry as it is, all 36 bytes of its name included, with other attributes where they are given."""
    attr1, attr2, attr3 = changed or (entry.attr1, entry.attr2, entry.attr3)
    return nres.NewEntry(entry.type_id, payload, b"", attr1, attr2, attr3, entry.name_raw)


def _attributes(model: Model, entry: nres.Entry, size: int) -> tuple[int, int, int] | None:
    """The attributes that follow from what a table holds, None where they are kept."""
    if entry.type_id not in RECOMPUTED:
        return None
    counts = {"node_count": model.record_count, "frame_count": model.frame_count}
    attr1, attr2, attr3 = attributes(entry.type_id, size, **counts)
    return attr1, entry.attr2 if entry.type_id == NODES else attr2, attr3


def animation(model: Model) -> dict[int, bytes]:
    """Nodes and frame map with one block after the other, by type; nothing where that would change a pose.

    Tracks have to be canonical: key after key in node order, times increasing.
    """
    frames = model.frame_count
    first, last = _tracks(model)
    is_mapped = model.nodes["map_start"] != NONE
    count = int(is_mapped.sum())
    if not model.has(FRAME_MAP) or not count or max(count - 1, 1) * frames >= NONE or not len(first):
        return {}
    places = model.nodes["map_start"][is_mapped].astype(np.int64)[:, None] + np.arange(frames)
    if places.max() >= len(model.frame_map):
        return {}
    words = _blocks(model, first[is_mapped], last[is_mapped])
    stored, ends = model.frame_map[places], last[is_mapped][:, None]
    if not ((stored == words) | ((stored >= ends) & (words >= ends))).all():
        return {}
    nodes = model.nodes.copy()
    nodes["map_start"][is_mapped] = np.arange(count) * frames
    tail = model.payload(NODES)[nodes.nbytes :]
    return {NODES: nodes.tobytes() + bytes(tail), FRAME_MAP: words.tobytes()}


def _tracks(model: Model) -> tuple[Words, Words]:
    """First and last key of each node, (n,) each; both empty where the keys are not laid out so."""
    last = model.nodes["fallback_key"].astype(np.int64)
    first = np.concatenate(([0], last[:-1] + 1))[: len(last)]
    times = model.keys["time"]
    is_start = np.zeros(len(times) + 1, np.bool_)
    is_sound = len(last) > 0 and bool((first <= last).all()) and int(last[-1]) == len(times) - 1
    if is_sound:
        is_start[first] = True
        is_sound = bool(((times[1:] > times[:-1]) | is_start[1 : len(times)]).all())
    return (first, last) if is_sound else (first[:0], last[:0])


def _blocks(model: Model, first: Words, last: Words) -> npt.NDArray[np.uint16]:
    """The words of each mapped node, (n, frames)."""
    times = model.keys["time"]
    return np.array(
        [
            encode_block(times[start : end + 1], start, model.frame_count)
            for start, end in zip(first.tolist(), last.tolist(), strict=True)
        ],
        "<u2",
    )
