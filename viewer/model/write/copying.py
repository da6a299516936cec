"""Copying payloads through their decoders: byte-identical, or in canonical form.

Source: spec/nres.md 5, spec/msh.md 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from viewer.errors import FormatError
from viewer.formats.archive import nres, nres_edit
from viewer.model.checks.containers import overlapping
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, MODEL, recognise
from viewer.model.mesh.model import Model
from viewer.model.store.disk import SIZE_LIMIT
from viewer.model.write import canonical
from viewer.translation import Sentence

MAX_DEPTH: Final = 8
"""Depth of nested archives that are decoded; deeper ones are copied unchanged."""


def copied(kind: Kind, data: memoryview, entry: nres.Entry | None = None, depth: int = 0) -> bytes:
    """Decode and encode a payload; the bytes are the same.

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
        return nres.build(canonical.entries_of(Model.of(archive)))
    _check_size(archive)
    return nres.build(_repacked_entries(archive, depth))


def _repacked_entries(archive: nres.Archive, depth: int) -> Iterator[nres.NewEntry]:
    for entry in archive.entries:
        payload = archive.payload(entry.index)
        kind = recognise(entry.type_id, payload, entry.name)
        try:
            written: bytes | memoryview = repacked(kind, payload, depth + 1)
        except FormatError:
            written = payload
        yield canonical.kept(entry, written)


def _check_size(archive: nres.Archive) -> None:
    """Refuse entries that share bytes so often that their separate copies would be too large."""
    size = sum(entry.size for entry in archive.entries if not entry.is_damaged)
    if size > SIZE_LIMIT:
        message = Sentence(
            "payloads of {size} bytes, at most {limit} are written", size=size, limit=SIZE_LIMIT
        )
        raise FormatError(message, table=nres.ENTRY.name)


def _copied_archive(data: memoryview, depth: int) -> bytes:
    """An archive with every entry decoded and encoded; entries that cannot be decoded are unchanged."""
    archive = nres.Archive.read(data)
    shared = overlapping(archive)
    changed: dict[int, bytes] = {}
    for entry in archive.entries:
        if entry.is_damaged or entry.index in shared or depth >= MAX_DEPTH:
            continue
        payload = archive.payload(entry.index)
        again = _copied_member(payload, entry, depth)
        if again != payload:
            changed[entry.index] = again
    return nres_edit.rewrite(archive, changed)


def _copied_member(payload: memoryview, entry: nres.Entry, depth: int) -> bytes:
    try:
        return copied(recognise(entry.type_id, payload, entry.name), payload, entry, depth + 1)
    except FormatError:
        return bytes(payload)
