"""Models in canonical form: attributes that follow from sizes, frame maps without gaps.

A table whose meaning is unknown keeps its attributes, and an animation plays
exactly as before.

Source: spec/msh.md 1, 12; spec/animation.md 6, 7.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from viewer.formats.archive import nres
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import DERIVED, FRAME_MAP, NODES, attributes
from viewer.formats.record import Bytes
from viewer.model.mesh.model import Model, Variant


def entries_of(model: Model) -> Iterator[nres.NewEntry]:
    """The tables of a model for a canonical container, in their order.

    Raises `FormatError` if a table is outside the container.
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
    """An entry with all 36 bytes of its name unchanged, and with new attributes if given."""
    attr1, attr2, attr3 = changed or (entry.attr1, entry.attr2, entry.attr3)
    return nres.NewEntry(entry.type_id, payload, b"", attr1, attr2, attr3, entry.name_raw)


def _attributes(model: Model, entry: nres.Entry, size: int) -> tuple[int, int, int] | None:
    """The attributes that follow from the content of a table, or None if they are kept."""
    if entry.type_id not in DERIVED:
        return None
    counts = {"node_count": model.record_count, "frame_count": model.frame_count}
    attr1, attr2, attr3 = attributes(entry.type_id, size, **counts)
    return attr1, entry.attr2 if entry.type_id == NODES else attr2, attr3


def animation(model: Model) -> dict[int, bytes]:
    """Nodes and frame map, by type, with the blocks in node order; the animation is unchanged.

    A word for the fallback key becomes its index. Empty if a block is incomplete.
    """
    frames = model.frame_count
    is_mapped = model.nodes["map_start"] != NONE
    count = int(np.count_nonzero(is_mapped))
    if not count or (count - 1) * frames >= NONE or frames > len(model.frame_map):
        return {}
    rows = model.nodes[is_mapped]
    positions = rows["map_start"].astype(np.int64)[:, None] + np.arange(frames)
    if positions.max() >= len(model.frame_map):
        return {}
    words = np.minimum(model.frame_map[positions], rows["fallback_key"][:, None])
    nodes = model.nodes.copy()
    nodes["map_start"][is_mapped] = np.arange(count) * frames
    tail = model.payload(NODES)[nodes.nbytes :]
    return {NODES: nodes.tobytes() + bytes(tail), FRAME_MAP: words.astype("<u2").tobytes()}
