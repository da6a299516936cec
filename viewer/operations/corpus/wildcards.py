"""Addresses with wildcards: the files and entries that ``game/*.rlb::*.msh`` stands for.

``*``, ``?`` and ``[...]`` are wildcards in the path of a file, where ``**`` also stands for folders in
folders, and in the name of an entry at any depth, without regard to case there. A name that begins with a dot
is one like others, as in a folder that is searched. A file or an entry whose name is spelled just like that
goes first; ``#N`` reaches any entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path
from typing import Final

from viewer.errors import MshviewError
from viewer.formats.text import decode, names_of
from viewer.model.store.address import STANDARD_INPUT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, index_of, spelling
from viewer.progress import checkpoint

_SIGNS: Final = frozenset("*?[")
Outer = tuple[Address, bool]
"""A file or an entry, and whether a wildcard has chosen it."""


def has_wildcards(text: str) -> bool:
    """Whether a name has the sign of a wildcard in it."""
    return not _SIGNS.isdisjoint(text)


def expanded(store: FileStore, address: Address, *, is_last_kept: bool = False) -> list[Address]:
    """The addresses that one stands for, in the order of the file names and of the directories.

    An address without wildcards, or one that matches nothing, is returned as it is: opening it says why.

    Parameters
    ----------
    is_last_kept
        The last entry stays a pattern, in every archive that has matching entries.
    """
    if not any(map(has_wildcards, (str(address.path), *address.entries))):
        return [address]
    found: list[Outer] = [*_files(store, address.path)]
    for depth, entry in enumerate(address.entries, 1):
        is_kept = is_last_kept and depth == len(address.entries)
        found = [inner for outer in found for inner in _entries(store, outer, entry, is_kept=is_kept)]
    return [inner for inner, _ in found] or [address]


def matching(container: Container, pattern: str) -> list[int]:
    """The directory indices of the entries that an entry of an address stands for; none if there are none."""
    index = index_of(container, pattern)
    if index is not None or not has_wildcards(pattern):
        return [] if index is None else [index]
    fits = re.compile(translate(pattern.casefold())).match
    names = (decode(bytes(name).rstrip(b"\0")) for name in names_of(container.rows["name"]))
    return [index for index, name in enumerate(names) if fits(name.casefold())]


def _files(store: FileStore, path: Path) -> Iterator[Outer]:
    is_there = path == STANDARD_INPUT or store.revision(path) is not None or store.is_folder(path)
    if is_there or not has_wildcards(str(path)):
        yield Address(path), False
        return
    import glob  # noqa: PLC0415 only needed for names with wildcards

    for name in sorted(glob.glob(str(path), recursive=True, include_hidden=True)):  # noqa: PTH207 has no ** for files
        checkpoint()
        yield Address(Path(name)), True


def _entries(store: FileStore, outer: Outer, entry: str, *, is_kept: bool) -> Iterator[Outer]:
    """The entries of an archive that match; what a wildcard has chosen need not have any."""
    archive, is_chosen = outer
    try:
        container = store.open(archive).container
    except MshviewError:
        yield archive.child(entry), is_chosen
        return
    indices = [] if container is None else matching(container, entry)
    if not has_wildcards(entry):
        if indices or not is_chosen:
            yield archive.child(entry), is_chosen
    elif is_kept and indices:
        yield archive.child(entry), True
    elif container is not None:
        is_exact = index_of(container, entry) is not None
        for index in indices:
            checkpoint()
            yield archive.child(entry if is_exact else spelling(container, index)), not is_exact or is_chosen
