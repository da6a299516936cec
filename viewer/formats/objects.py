"""Entries of ``objects.rlb``: lists of references from an object key to resources in archives.

Source: spec/objects.md.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule, endless_names
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.members import Array, tail
from viewer.formats.record import ARCHIVE, CP1251, ENTRY, Field, Record, Rows
from viewer.formats.text import padded, until_nul

NAME_SIZE = 32

REFERENCE = Record(
    "references",
    64,
    Field(
        "archive",
        f"V{NAME_SIZE}",
        "Archive of the resource; bytes after the NUL are kept.",
        encoding=CP1251,
        names=ARCHIVE,
    ),
    Field(
        "resource",
        f"V{NAME_SIZE}",
        "Entry of that archive; bytes after the NUL are kept.",
        encoding=CP1251,
        names=ENTRY,
    ),
    doc="A resource of the object.",
)


class ObjectReferences(Struct, frozen=True, eq=False):
    """The references of one object, in order, as views of its bytes."""

    rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def pairs(self) -> tuple[tuple[bytes, bytes], ...]:
        """Archive and resource of each reference, up to their NUL."""
        return tuple((until_nul(archive), until_nul(resource)) for archive, resource in self.rows.tolist())


def build(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Write references to ``(archive, resource)``; raises `ValueError` for a name over 31 bytes."""
    return b"".join(padded(archive, NAME_SIZE) + padded(resource, NAME_SIZE) for archive, resource in pairs)


def _endless(references: ObjectReferences) -> Iterable[Diagnostic]:
    for text in REFERENCE.fields:
        yield from endless_names(Rule("O02", REFERENCE.name, text.name, Severity.WARNING), references.rows)


LAYOUT = Layout(
    ObjectReferences,
    check=_endless,
    rows=Array(REFERENCE),
    tail=tail("Bytes after the last reference.", "O01"),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
