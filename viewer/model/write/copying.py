"""Payloads through their decoders and back: to the byte, or in canonical form.

Source: spec/nres.md 5, spec/msh.md 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from viewer.errors import FormatError
from viewer.formats import (
    control_points,
    damage,
    font,
    fxid,
    ground_plan,
    mat0,
    nres,
    nres_edit,
    objects,
    palette,
    rsli,
    texm,
    units,
    wear,
)
from viewer.formats.msh import path_graph
from viewer.formats.msh.tables import PATH_GRAPH, TABLES, Table
from viewer.model.checks.containers import overlapping
from viewer.model.kinds import entries
from viewer.model.mesh.model import Model
from viewer.model.store.file_store import Item
from viewer.model.store.files import SIZE_LIMIT
from viewer.model.validation import validate
from viewer.model.write import canonical

MAX_DEPTH: Final = 8
"""Archives inside each other that are taken apart; deeper ones are copied as they are."""

Entry = nres.Entry | None


def kind_of(item: Item) -> str:
    """What an item is to be read as: where the bytes of a file do not tell, what its name promises."""
    kind = entries.kind_of(item)
    is_known = item.entry is not None or kind in {entries.MODEL, entries.ARCHIVE, entries.PACKED_ARCHIVE}
    return kind if is_known else validate.kind_of(item)


def copied(kind: str, data: memoryview, entry: Entry = None, depth: int = 0) -> bytes:
    """A payload of a kind that `entries.type_name` tells, decoded and encoded again: the same bytes.

    `entry` is its directory entry. What is not known is bytes and stays so. Raises `FormatError`
    where the payload cannot be read.
    """
    if kind == entries.MODEL:
        return _copied_model(data)
    if kind == entries.ARCHIVE:
        return _copied_archive(data, depth)
    if kind in _BY_ENTRY:
        return _BY_ENTRY[kind](data, entry)
    if kind in _CODECS:
        return _CODECS[kind](data)
    return _copied_table(_TABLES[kind], data) if kind in _TABLES else bytes(data)


def repacked(kind: str, data: memoryview, depth: int = 0) -> bytes:
    """A payload in canonical form: containers written anew, everything else as it is.

    Raises `FormatError` where an entry cannot be read, so that nothing is left out unsaid.
    """
    if depth >= MAX_DEPTH or kind not in {entries.MODEL, entries.ARCHIVE}:
        return bytes(data)
    archive = nres.Archive.read(data)
    if kind == entries.MODEL:
        return nres.build(canonical.entries_of(Model.of(archive)))
    _check_size(archive)
    return nres.build(_repacked_entries(archive, depth))


def _repacked_entries(archive: nres.Archive, depth: int) -> Iterator[nres.NewEntry]:
    for entry in archive.entries:
        payload = archive.payload(entry.index)
        kind = entries.type_name(entry.type_id, payload, entry.name)
        try:
            written: bytes | memoryview = repacked(kind, payload, depth + 1)
        except FormatError:
            written = payload
        yield canonical.kept(entry, written)


def _check_size(archive: nres.Archive) -> None:
    """Refuse entries that share bytes so often that writing each its own would never end."""
    size = sum(entry.size for entry in archive.entries if not entry.is_damaged)
    if size > SIZE_LIMIT:
        message = f"payloads of {size} bytes, at most {SIZE_LIMIT} are written"
        raise FormatError(message, table=nres.ENTRY.name)


def _copied_archive(data: memoryview, depth: int) -> bytes:
    """An archive with every entry decoded and encoded; what does not decode stays as it is."""
    archive = nres.Archive.read(data)
    left_alone = overlapping(archive)
    changed: dict[int, bytes] = {}
    for entry in archive.entries:
        if entry.is_damaged or entry.index in left_alone or depth >= MAX_DEPTH:
            continue
        payload = archive.payload(entry.index)
        again = _copied_member(payload, entry, depth)
        if again != payload:
            changed[entry.index] = again
    return nres_edit.rewrite(archive, changed)


def _copied_member(payload: memoryview, entry: nres.Entry, depth: int) -> bytes:
    try:
        return copied(entries.type_name(entry.type_id, payload, entry.name), payload, entry, depth + 1)
    except FormatError:
        return bytes(payload)


def _copied_model(data: memoryview) -> bytes:
    model = Model.read(data)
    tables = {
        table.type_id: _copied_table(table, model.payload(table.type_id))
        for table in TABLES.values()
        if table.record and model.has(table.type_id)
    }
    index = model.archive.find_type(PATH_GRAPH)
    if index is not None and model.has(PATH_GRAPH):
        tables[PATH_GRAPH] = _path_graph(model.payload(PATH_GRAPH), model.archive.entries[index])
    return model.encode(tables)


def _copied_table(table: Table, data: memoryview) -> bytes:
    """A table of records: its header, the whole records, and what is left behind them."""
    if table.record is None:
        return bytes(data)
    rows = table.record.view(data, offset=table.header_size)
    tail = data[table.header_size + rows.nbytes :]
    return bytes(data[: table.header_size]) + rows.tobytes() + bytes(tail)


def _path_graph(data: memoryview, entry: Entry) -> bytes:
    node_count, link_count = (entry.attr1, entry.attr2) if entry else (0, 0)
    return path_graph.encode(path_graph.decode(data, node_count, link_count))


def _material(data: memoryview, entry: Entry) -> bytes:
    return mat0.encode(mat0.decode(data, mat0.VERSION if entry is None else entry.attr2))


_TABLES: Final = {table.name: table for table in TABLES.values()}
_BY_ENTRY: Final[Mapping[str, Callable[[memoryview, Entry], bytes]]] = {
    "mat0": _material,
    "path_graph": _path_graph,
}
_CODECS: Final[Mapping[str, Callable[[memoryview], bytes]]] = {
    entries.PACKED_ARCHIVE: lambda data: rsli.encode(rsli.PackedLibrary.read(data)),
    "wear": lambda data: wear.encode(wear.decode(data)),
    "texm": lambda data: texm.encode(texm.decode(data)),
    "font": lambda data: font.encode(font.decode(data)),
    "fxid": lambda data: fxid.encode(fxid.decode(data)),
    "objects": lambda data: objects.encode(objects.decode(data)),
    "control_points": lambda data: control_points.encode(control_points.decode(data)),
    "damage": lambda data: damage.encode(damage.decode(data)),
    "ground_plan": lambda data: ground_plan.encode(ground_plan.decode(data)),
    "units": lambda data: units.encode(units.decode(data)),
    "palette": lambda data: palette.encode(palette.decode(data)),
}
