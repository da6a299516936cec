"""Rule R07 of a packed library: every member is unpacked.

LIB01, without a number in the specification, reports a library of materials or textures of an early build.

R01 and R02 are errors of the reader; R03 to R06 and R08 are reported by the reader.

Source: spec/rsli.md 6; spec/field-notes.md 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats.archive.rsli import ENTRY, LZHUF, MAX_UNPACKED, PackedEntry, PackedLibrary
from viewer.formats.text import fold
from viewer.model.game.registry import LIBRARIES
from viewer.translation import Sentence

ALLOWANCE: Final = 64 << 20
"""Most bytes that the members of one library may unpack to; further members stay packed."""
TREE_COST: Final = 8
"""Weight of a byte that is decoded with an adaptive tree."""

KNOWN_QUIRK: Final = (b"sprites.lib", b"INTERF8.TEX")
"""The only entry of the game known to extend one byte past the end of its file."""

_LIBRARIES: Final = frozenset(map(fold, LIBRARIES))

Member = tuple[int, memoryview | None, tuple[Diagnostic, ...]]


def check(archive: PackedLibrary, name: bytes) -> list[Diagnostic]:
    """Diagnostics of a library with that name; its members are unpacked but not checked."""
    problems = (problem for _, _, found in members(archive) for problem in found)
    return [*dict.fromkeys([*accept_known(archive, name), *problems])]


def members(archive: PackedLibrary) -> Iterator[Member]:
    """Index of every member, the bytes that could be unpacked (or None), and its diagnostics."""
    left = ALLOWANCE
    for entry in archive.entries:
        left -= _cost(entry)
        yield (entry.index, *(_unpack(archive, entry.index) if left >= 0 else _too_much(entry.index)))


def _cost(entry: PackedEntry) -> int:
    """The share of a member in the allowance; 0 if it is refused anyway."""
    if entry.unpacked_size > MAX_UNPACKED:
        return 0
    return entry.unpacked_size * (TREE_COST if entry.method & LZHUF else 1)


def accept_known(archive: PackedLibrary, name: bytes) -> list[Diagnostic]:
    """The diagnostics of the reader, with a lower severity for the one known exception (R05), and LIB01.

    `name` is the name of the library's file.
    """
    return [*_early_build(name), *(_soften(finding, archive, name) for finding in archive.diagnostics)]


def _early_build(name: bytes) -> Iterator[Diagnostic]:
    if fold(name) in _LIBRARIES:
        message = Sentence("a packed library (RsLi), as in an early build; names are not looked up in it")
        yield Diagnostic("LIB01", Severity.WARNING, message)


def _soften(finding: Diagnostic, archive: PackedLibrary, name: bytes) -> Diagnostic:
    if finding.rule != "R05" or finding.index is None:
        return finding
    entry = archive.entries[finding.index]
    is_known = entry.available is not None and (fold(name), entry.name) == KNOWN_QUIRK
    return replace(finding, severity=Severity.INFO) if is_known else finding


def _unpack(archive: PackedLibrary, index: int) -> tuple[memoryview | None, tuple[Diagnostic, ...]]:
    try:
        unpacked = archive.unpack(index)
    except FormatError as error:
        return None, (error.finding,)
    return memoryview(unpacked.data), unpacked.diagnostics


def _too_much(index: int) -> tuple[None, tuple[Diagnostic, ...]]:
    message = Sentence("left packed: the library unpacks to more than {limit} bytes", limit=ALLOWANCE)
    return None, (Diagnostic("R07", Severity.ERROR, message, ENTRY.name, index, "unpacked_size"),)
