"""Copying payloads through their decoders: byte-identical, or in canonical form.

A model in canonical form has the attributes that follow from sizes, and a frame map without gaps. A table
whose meaning is unknown keeps its attributes, and an animation plays exactly as before.

Source: spec/nres.md 5; spec/msh.md 1, 12; spec/animation.md 6, 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import numpy as np

from viewer.errors import FormatError
from viewer.formats.archive import nres, nres_edit
from viewer.formats.findings import Rule
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import FRAME_MAP, NODES
from viewer.formats.record import Bytes
from viewer.formats.splice import same_bytes
from viewer.model.checks.containers import overlapping
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, MODEL, recognise
from viewer.model.mesh.model import Model, Variant
from viewer.model.store.disk import SIZE_LIMIT


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
            nodes = len(model.payload(NODES))
            yield kept(entry, payload, model.attributes(entry.index, len(payload), nodes))
        else:
            yield kept(entry, payload)


def kept(entry: nres.Entry, payload: Bytes, changed: tuple[int, int, int] | None = None) -> nres.NewEntry:
    """An entry with all 36 bytes of its name unchanged, and with new attributes if given."""
    attr1, attr2, attr3 = changed or (entry.attr1, entry.attr2, entry.attr3)
    return nres.NewEntry(entry.type_id, payload, b"", attr1, attr2, attr3, entry.name_raw)


def animation(model: Model) -> dict[int, bytes]:
    """Nodes and frame map, by type, with the blocks in node order; the animation is unchanged.

    A word for the fallback key becomes its index. Empty if a block is incomplete.
    """
    frames = model.frame_count
    is_mapped = model.nodes["map_start"] != NONE
    count = int(np.count_nonzero(is_mapped))
    # The last block must begin below 0xFFFF, which means no block.
    if not count or (count - 1) * frames >= NONE or frames > len(model.frame_map):
        return {}
    rows = model.nodes[is_mapped]
    # 16-bit starts would wrap behind word 65,535.
    positions = rows["map_start"].astype(np.int64)[:, None] + np.arange(frames)
    if positions.max() >= len(model.frame_map):
        return {}
    # A word beyond the fallback key acts as that key, so writing the key changes
    # nothing.
    words = np.minimum(model.frame_map[positions], rows["fallback_key"][:, None])
    nodes = model.nodes.copy()
    nodes["map_start"][is_mapped] = np.arange(count) * frames
    tail = model.payload(NODES)[nodes.nbytes :]
    return {NODES: nodes.tobytes() + bytes(tail), FRAME_MAP: words.astype("<u2").tobytes()}


MAX_DEPTH: Final = 8
"""Depth of nested archives that are decoded; deeper ones are copied unchanged."""


def copied(kind: Kind, data: memoryview, entry: nres.Entry | None = None, depth: int = 0) -> bytes:
    """A payload decoded and encoded again, which gives equal bytes.

    `entry` is its directory entry. Unknown formats are copied as bytes. Raises `FormatError` if the payload
    cannot be read.
    """
    if not kind.is_known:
        return bytes(data)
    if kind is ARCHIVE:
        return _copied_archive(data, depth)
    return kind.encode(kind.decode(data, entry))


def repacked(kind: Kind, data: memoryview, depth: int = 0) -> bytes:
    """A payload in canonical form: containers are rewritten, everything else is unchanged.

    Raises `FormatError` if an entry cannot be read, so that nothing is omitted silently.
    """
    if depth >= MAX_DEPTH or kind not in {MODEL, ARCHIVE}:
        return bytes(data)
    archive = nres.Archive.read(data)
    if kind is MODEL:
        return nres.build(entries_of(Model.of(archive)))
    # Entries may share bytes so often that their separate copies would be too large
    size = sum(entry.size for entry in archive.entries if not entry.is_damaged)
    if size > SIZE_LIMIT:
        words = "payloads of {size} bytes, at most {limit} are written"
        raise Rule("", nres.ENTRY.name).failure(words, size=size, limit=SIZE_LIMIT)
    return nres.build(_repacked_entries(archive, depth))


def _repacked_entries(archive: nres.Archive, depth: int) -> Iterator[nres.NewEntry]:
    for entry in archive.entries:
        payload = archive.payload(entry.index)
        kind = recognise(entry.type_id, payload, entry.name)
        try:
            written: bytes | memoryview = repacked(kind, payload, depth + 1)
        except FormatError:
            # What cannot be written anew is copied as it is: a repacked archive loses nothing.
            written = payload
        yield kept(entry, written)


def _copied_archive(data: memoryview, depth: int) -> bytes:
    """An archive with every entry decoded and encoded; entries that cannot be decoded are unchanged."""
    archive = nres.Archive.read(data)
    shared = overlapping(archive)
    changed: dict[int, bytes] = {}
    for entry in archive.entries:
        if entry.is_damaged or entry.index in shared or depth >= MAX_DEPTH:
            continue
        payload = archive.payload(entry.index)
        with suppress(FormatError):
            again = copied(recognise(entry.type_id, payload, entry.name), payload, entry, depth + 1)
            if not same_bytes(again, payload):
                changed[entry.index] = again
    return nres_edit.rewrite(archive, changed)
