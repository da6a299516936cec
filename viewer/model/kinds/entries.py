"""What an entry's payload is, in one word, and the listing of an archive."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

import numpy as np

from viewer.errors import FormatError
from viewer.formats import (
    control_points,
    damage,
    font,
    ground_plan,
    nres,
    objects,
    palette,
    rsli,
    texm,
    units,
)
from viewer.formats.msh.tables import TABLES
from viewer.formats.text import fold, until_nul
from viewer.model.kinds.columns import Columns, MadeColumn
from viewer.model.kinds.record_rows import record_columns
from viewer.model.mesh.model import variant_of
from viewer.model.store.file_store import Container, Item, container_of

MODEL = "msh"
ARCHIVE = "nres"
PACKED_ARCHIVE = "rsli"
TEXTURE = "texm"
FONT = "font"
MATERIAL = "mat0"
WEAR = "wear"

_MESH = int.from_bytes(b"MESH", "little")
_BY_TYPE = {
    int.from_bytes(name.encode(), "little"): name.lower() for name in ("WEAR", "MAT0", "FXID", "Texm")
}
_BY_SUFFIX = {b"wea": WEAR, b"mat0": MATERIAL, b"fxid": "fxid", b"texm": TEXTURE}
"""Kinds that a name is enough for: whoever calls a file so wants to hear what is wrong with it."""

_BY_SUFFIX_AND_CONTENT: dict[bytes, tuple[str, Callable[[memoryview], object]]] = {
    b"cpt": ("control_points", control_points.decode),
    b"ndp": ("damage", damage.decode),
    b"bas": ("ground_plan", ground_plan.decode),
    b"pal": ("palette", palette.decode),
}
"""Kinds that older files also call other payloads by; they have to decode."""

_PRESUMED = {
    b"lib": ARCHIVE,
    b"rlb": ARCHIVE,
    b"tft": FONT,
    **_BY_SUFFIX,
    **{suffix: kind for suffix, (kind, _) in _BY_SUFFIX_AND_CONTENT.items()},
}


def type_name(
    type_id: int,
    payload: memoryview,
    name: bytes = b"",
    open_container: Callable[[], Container | None] | None = None,
) -> str:
    """What a payload is: by its first bytes, its type id, its name; else the letters or number of the id.

    Parameters
    ----------
    open_container
        Gives the archive that the payload is, if something else needs it too; it may raise `FormatError`.
    """
    by_content = _by_content(type_id, payload, open_container or partial(container_of, payload))
    if by_content:
        return by_content
    if type_id in _BY_TYPE:
        return _BY_TYPE[type_id]
    if type_id in TABLES:
        return TABLES[type_id].name
    if _is_references(payload):
        return "objects"
    return _by_name(payload, name) or _letters(type_id)


def kind_of(item: Item) -> str:
    """What an address leads to: the `type_name` of an entry, or of a file by its name."""
    return item.once(type_name, lambda: type_name(item.type_id, item.data, item.name, lambda: item.container))


def presumed_kind(file_name: str) -> str:
    """What a file that has not been read is likely to be, by the end of its name; that end where unknown."""
    suffix = fold(os.fsencode(file_name).rpartition(b".")[2]) if "." in file_name else b""
    return _PRESUMED.get(suffix) or os.fsdecode(suffix)


def listing(container: nres.Archive | rsli.PackedLibrary) -> Columns:
    """The entries of an archive as plain data, in directory order; what each is, is found when looked at."""
    if isinstance(container, rsli.PackedLibrary):
        return _packed_rows(container)
    rows = container.rows
    columns = record_columns(nres.ENTRY, rows)
    return Columns(
        len(rows),
        {
            "index": np.arange(len(rows)),
            "name": columns["name"],
            "type": columns["type_id"],
            "type_name": MadeColumn(range(len(rows)), partial(_entry_type, container)),
            "size": columns["size"],
            "offset": columns["data_offset"],
            "attr1": columns["attr1"],
            "attr2": columns["attr2"],
            "attr3": columns["attr3"],
            "sort_index": columns["sort_index"],
            "packed_size": None,
            "method": None,
        },
    )


def _by_content(
    type_id: int, payload: memoryview, open_container: Callable[[], Container | None]
) -> str | None:
    magic = bytes(payload[:4])
    if magic == nres.MAGIC:
        return MODEL if type_id == _MESH else _container_name(open_container)
    if magic == texm.MAGIC:
        return TEXTURE
    if magic == font.MAGIC:
        return FONT
    if magic == rsli.SIGNATURE:
        return PACKED_ARCHIVE
    return "units" if magic == units.MAGIC.to_bytes(4, "little") else None


def _by_name(payload: memoryview, name: bytes) -> str | None:
    suffix = fold(name.rpartition(b".")[2])
    kind, decode = _BY_SUFFIX_AND_CONTENT.get(suffix, (None, None))
    if decode is None:
        return _BY_SUFFIX.get(suffix)
    try:
        decode(payload)
    except FormatError:
        return None
    return kind


def _container_name(open_container: Callable[[], Container | None]) -> str:
    try:
        container = open_container()
        return MODEL if isinstance(container, nres.Archive) and variant_of(container) else ARCHIVE
    except FormatError:
        return ARCHIVE


def _is_references(payload: memoryview) -> bool:
    """Whether a payload begins like a list of object references: two file names, padded."""
    if len(payload) < objects.REFERENCE.size or len(payload) % objects.REFERENCE.size:
        return False
    fields = bytes(payload[: objects.NAME_SIZE]), bytes(payload[objects.NAME_SIZE : objects.REFERENCE.size])
    return all(b"\0" in field and _is_name(until_nul(field)) for field in fields)


def _is_name(raw: bytes) -> bool:
    return len(raw) > 1 and raw.isascii() and raw.decode().isprintable()


def _letters(type_id: int) -> str:
    """The four characters of a type id, or its number where they are not text."""
    raw = type_id.to_bytes(4, "little").rstrip(b"\0")
    return raw.decode() if _is_name(raw) else str(type_id)


def _entry_type(archive: nres.Archive, index: int) -> str:
    entry = archive.entry(index)
    payload = memoryview(b"") if entry.is_damaged else archive.payload(index)
    return type_name(entry.type_id, payload, entry.name)


def _packed_rows(archive: rsli.PackedLibrary) -> Columns:
    entries = archive.entries
    count = len(entries)
    return Columns(
        count,
        {
            "index": np.arange(count),
            "name": [entry.text for entry in entries],
            "type": np.zeros(count, int),
            "type_name": MadeColumn(entries, partial(_packed_type, archive)),
            "size": np.array([entry.unpacked_size for entry in entries], int),
            "offset": np.array([entry.offset for entry in entries], int),
            "attr1": np.zeros(count, int),
            "attr2": np.zeros(count, int),
            "attr3": np.zeros(count, int),
            "sort_index": np.array([entry.sort_index for entry in entries], int),
            "packed_size": np.array([entry.packed_size for entry in entries], int),
            "method": [entry.method_name for entry in entries],
        },
    )


def _packed_type(archive: rsli.PackedLibrary, entry: rsli.PackedEntry) -> str:
    return type_name(0, memoryview(archive.head(entry.index)), entry.name)
