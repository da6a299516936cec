"""What the payloads of one file refer to, by name and by their own names.

Source: spec/materials.md 1; spec/objects.md 1; spec/land.md 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from viewer import progress
from viewer.errors import FormatError, MshviewError
from viewer.formats.archive import nres
from viewer.formats.text import decode, encode, fold
from viewer.model.game.registry import MODEL_SUFFIX, stem_of
from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, TEXTURE, kind_of, presumed_id
from viewer.model.references.names import ResourceName, names_in
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item, entry_of, spelling
from viewer.model.store.place import Place

NEIGHBORS: Final = (b".wea", b".ctl", b".ndp", b".cpt", b".bas")
"""Suffixes of the payloads that belong to the model with the same stem."""
TERRAIN_MODEL: Final = "Land.msh"
TERRAIN_WEARS: Final = (b"land1.wea", b"land2.wea")
"""The wear tables of a terrain, one per layer."""
UNIT_SUFFIX: Final = "dat"
MOST_IN_UNIT: Final = 1 << 20
"""Files with the suffix of units may be anything; larger ones are not read."""
DEEPEST: Final = 4
"""Depth to which archives in archives are searched."""
_KNOWN: Final = frozenset(kind.id for kind in KINDS) | {UNIT_SUFFIX}
_NAMELESS: Final = (MODEL, TEXTURE)
"""Kinds that name no other resource."""


@dataclass(frozen=True, slots=True)
class StoredReference:
    """A reference in a file.

    Attributes
    ----------
    place
        The place of the name; the whole payload if it refers by its own name.
    kind
        The kind of that payload.
    name
        The name, or None for a neighbor.
    neighbor
        The address of the neighbor, empty for a name.
    """

    place: Place
    kind: str
    name: ResourceName | None = None
    neighbor: str = ""


def can_refer(library: FileStore, path: Path) -> bool:
    """Whether a file may hold references, by its name and its size."""
    kind, revision = presumed_id(path.name), library.revision(path)
    is_small = revision is not None and revision.size <= MOST_IN_UNIT
    return kind in _KNOWN and (kind != UNIT_SUFFIX or is_small)


def references_of(library: FileStore, path: Path) -> tuple[StoredReference, ...]:
    """The references in a file and its entries; none if it cannot be read, and none of packed entries."""
    try:
        item = library.open(Address(path))
        return (*_in_folder(library, item), *_in_item(item))
    except MshviewError:
        return ()


def _in_item(item: Item, depth: int = 0) -> Iterator[StoredReference]:
    kind = kind_of(item)
    if kind is ARCHIVE and isinstance(item.container, nres.Archive) and depth < DEEPEST:
        yield from _in_archive(item, item.container, depth)
    elif kind.is_checked and not kind.is_archive and kind not in _NAMELESS:
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        for stored in names_in(kind.parts(kind.decode(item.data, entry))):
            place = Place(str(item.address), stored.table, stored.row, stored.field)
            yield StoredReference(place, kind.id, stored.name)


def _in_archive(item: Item, archive: nres.Archive, depth: int) -> Iterator[StoredReference]:
    for entry in archive.entries:
        progress.checkpoint()
        if entry.is_damaged:
            continue
        with suppress(FormatError):
            below = entry_of(item, archive, entry.index)
            yield from _in_item(below, depth + 1)

    def neighbor(name: bytes) -> str:
        index = archive.find(name)
        return "" if index is None else str(item.address.child(spelling(archive, index)))

    for entry in archive.entries:
        model = item.address.child(spelling(archive, entry.index))
        yield from _neighbors(entry.name, str(model), neighbor)


def _in_folder(library: FileStore, item: Item) -> Iterator[StoredReference]:
    """The files next to a model that belong to it."""
    path = item.address.path
    if not fold(item.name).endswith(MODEL_SUFFIX):
        return
    names = {fold(encode_name(name)): name for name in reversed(library.names(path.parent))}

    def neighbor(name: bytes) -> str:
        found = names.get(fold(name))
        return "" if found is None else str(path.with_name(found))

    yield from _neighbors(item.name, str(path), neighbor)


def _neighbors(name: bytes, model: str, neighbor: Callable[[bytes], str]) -> Iterator[StoredReference]:
    """The payloads that belong to a model; `neighbor` gives the address of a name, or an empty text."""
    if not fold(name).endswith(MODEL_SUFFIX):
        return
    stem = stem_of(name)
    wears = TERRAIN_WEARS if decode(fold(name)) == TERRAIN_MODEL.lower() else ()
    for requested in (*(stem + suffix for suffix in NEIGHBORS), *wears):
        address = neighbor(requested)
        if address:
            yield StoredReference(Place(model), MODEL.id, neighbor=address)


def encode_name(name: str) -> bytes:
    """The bytes of a file name; of a name that the game cannot have, none that it could look up."""
    try:
        return encode(name)
    except ValueError:
        return name.encode(errors="surrogateescape")
