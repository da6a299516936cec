"""Every payload in the bundled game, small files and the corpora, by its kind; archives in archives too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from tests import small_files
from tests.corpora import GAME, SAMPLES
from viewer.errors import FormatError
from viewer.formats.archive import nres, rsli
from viewer.model.kinds.registry import recognise

FOLDERS = (SAMPLES, GAME)


@dataclass(frozen=True, slots=True)
class Payload:
    """One payload, where it is, and its directory entry in an NRes archive if it has one."""

    address: str
    kind: str
    data: memoryview
    entry: nres.Entry | None = None


def payloads(kind: str) -> tuple[Payload, ...]:
    """Return all payloads of a kind, damaged ones included; there are some without the corpora too."""
    return _by_kind().get(kind, ())


@cache
def _by_kind() -> dict[str, tuple[Payload, ...]]:
    kind = attrgetter("kind")
    stored = (payload for folder in FOLDERS for payload in _in_folder(folder))
    made = (
        payload for name, data in small_files.files().items() for payload in _in_file(f"small/{name}", data)
    )
    found = sorted((*stored, *made), key=kind)
    return {name: tuple(group) for name, group in groupby(found, kind)}


def _in_folder(folder: Path) -> Iterator[Payload]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".json":
            yield from _in_file(path.relative_to(folder.parent).as_posix(), path.read_bytes())


def _in_file(address: str, stored: bytes) -> Iterator[Payload]:
    data = memoryview(stored)
    kind = recognise(0, data, address.rpartition("/")[2].encode()).id
    yield from _with_entries(Payload(address, kind, data))


def _with_entries(payload: Payload) -> Iterator[Payload]:
    yield payload
    if payload.kind in {"nres", "msh"}:
        yield from _in_archive(payload)
    elif payload.kind == "rsli":
        yield from _in_library(payload)


def _in_archive(payload: Payload) -> Iterator[Payload]:
    try:
        archive = nres.Archive.read(payload.data)
    except FormatError:
        return
    for entry in archive.entries:
        if not entry.is_damaged:
            data = archive.payload(entry.index)
            kind = recognise(entry.type_id, data, entry.name).id
            yield from _with_entries(Payload(f"{payload.address}::{entry.text}", kind, data, entry))


def _in_library(payload: Payload) -> Iterator[Payload]:
    try:
        library = rsli.PackedLibrary.read(payload.data)
    except FormatError:
        return
    for entry in library.entries:
        try:
            data = memoryview(library.unpack(entry.index).data)
        except FormatError:
            continue
        kind = recognise(0, data, entry.name).id
        yield from _with_entries(Payload(f"{payload.address}::{entry.text}", kind, data))
