"""The parts of a model: its container and its tables.

Source: spec/msh.md 1, 11; spec/nres.md 1.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from viewer.formats.archive import nres
from viewer.formats.archive.stretches import Stretches
from viewer.formats.msh import tables
from viewer.formats.msh.nodes import LEGACY_SIZE, NODE
from viewer.formats.msh.tables import NODES, REQUIRED, STRINGS, TABLES
from viewer.formats.part import Part, raw
from viewer.translation import _


def is_legacy(archive: nres.Archive) -> bool:
    """Whether the nodes of a model have the 24 bytes of unknown layout."""
    index = archive.find_type(NODES)
    return index is not None and archive.entry(index).attr3 == LEGACY_SIZE and archive.types >= REQUIRED


def node_count(archive: nres.Archive) -> int:
    """Number of whole records of the nodes, of any size."""
    index = archive.find_type(NODES)
    if index is None or archive.entry(index).is_damaged:
        return 0
    return archive.entry(index).size // (LEGACY_SIZE if is_legacy(archive) else NODE.size)


def parts(archive: nres.Archive) -> Part:
    """The tree of parts of a model, a legacy model or a terrain.

    The first table of each type has records; further ones and unknown types are bytes. So is a table
    whose start belongs to an earlier payload.
    """
    found = nres.stretches(archive)
    data = [part for index in range(len(found)) for part in _stretch(archive, found, index)]
    return nres.around(archive, data)


def _stretch(archive: nres.Archive, found: Stretches, index: int) -> Iterator[Part]:
    """The parts of one range of the data area."""
    owner = found.owner(index)
    start, end = found.span(index)
    if owner is None:
        between = found.part(archive.data, index)
        yield replace(between, name=f"{between.name}_0x{start:x}")
        return
    type_id = archive.entry(owner).type_id
    # The engine takes the first entry of a type and never looks at another (spec/nres.md 2).
    if not (type_id in TABLES and archive.find_type(type_id) == owner):
        yield found.part(archive.data, index)
        return
    entry = archive.entry(owner)
    if start not in {entry.offset, end}:
        doc = _("The rest of entry {owner}, whose start belongs to another payload.", owner=owner)
        yield raw(TABLES[entry.type_id].name, archive.data[start:end], start, doc)
        return
    # As many labels are read as there are nodes; attr1 of their entry is only compared with that (V06).
    attr1 = node_count(archive) if entry.type_id == STRINGS else entry.attr1
    attr3 = entry.attr3 if is_legacy(archive) else 0
    value = tables.decode(archive.data[start:end], entry.type_id, attr1, entry.attr2, attr3)
    yield from tables.parts_from(value, start)
