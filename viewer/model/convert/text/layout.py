"""The data area of an archive in a text: which payload comes where, and what lies between them.

A usual area is not written: payloads in the order of the directory, in an `nres.Archive` each followed by
zeros up to the next multiple of 8. Others are a list: the number of an entry is its payload, `PAD` such
zeros, and any other text bytes as hexadecimal digits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from viewer.formats.archive.stretches import Stretches
from viewer.formats.msh.nodes import LEGACY_SIZE, NODE
from viewer.formats.msh.tables import DERIVED, FRAME_MAP, NODES, REQUIRED, STRINGS, attributes

PAD: Final = "pad"

Token = int | str


def whole(found: Stretches, offsets: Sequence[int], sizes: Sequence[int]) -> frozenset[int]:
    """Return the entries whose payloads share no byte with others and lie in the area.

    `offsets` and `sizes` are those of all entries.
    """
    spans = ((found.owner(index), *found.span(index)) for index in range(len(found)))
    return frozenset(
        owner
        for owner, start, end in spans
        if owner is not None and (start, end) == (offsets[owner], offsets[owner] + sizes[owner])
    )


def tokens(data: memoryview, found: Stretches, entries: Collection[int], alignment: int) -> Iterator[Token]:
    """Yield the area of an archive; `entries` are those whose payloads are whole."""
    for index in range(len(found)):
        owner = found.owner(index)
        start, end = found.span(index)
        if owner in entries and owner is not None:
            yield owner
        elif end - start == -start % alignment and not any(data[start:end]):
            yield PAD
        elif end > start:
            yield data[start:end].hex()


def usual(entries: Collection[int], sizes: Sequence[int] | Mapping[int, int], alignment: int) -> list[Token]:
    """Return the usual area."""
    found: list[Token] = []
    for index in sorted(entries):
        found.append(index)
        if sizes[index] % alignment:
            found.append(PAD)
    return found


def node_count(types: Sequence[int], sizes: Sequence[int | None], strides: Sequence[int]) -> int:
    """Return the number of nodes in the tables of a model.

    Parameters
    ----------
    types, sizes, strides
        Type, size of the payload (None if it cannot be read) and third attribute of each entry.
    """
    index = types.index(NODES) if NODES in types else None
    size = None if index is None else sizes[index]
    if index is None or size is None:
        return 0
    is_legacy = strides[index] == LEGACY_SIZE and {*types} >= REQUIRED
    return size // (LEGACY_SIZE if is_legacy else NODE.size)


def derived(type_id: int, size: int, nodes: int | None) -> dict[str, int]:
    """Return the attributes of a table that follow from its size and, if it is known, the number of nodes."""
    if type_id not in DERIVED:
        return {}
    attr1, attr2, attr3 = attributes(type_id, size, node_count=nodes or 0, frame_count=0)
    found = {"attr1": attr1, "attr2": attr2, "attr3": attr3}
    unknown = {FRAME_MAP: "attr2", STRINGS: "attr1" if nodes is None else ""}.get(type_id, "")
    found.pop(unknown, None)
    return found
