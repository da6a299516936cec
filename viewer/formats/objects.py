"""Entries of ``objects.rlb``: lists of references from an object key to resources in archives.

Source: spec/objects.md.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from viewer.errors import Diagnostic, Severity, row_findings
from viewer.formats.part import Part, group, raw, table
from viewer.formats.record import ARCHIVE, CP1251, ENTRY, Bytes, Field, Record, Rows
from viewer.formats.text import padded, until_nul
from viewer.translation import Sentence

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


@dataclass(frozen=True, slots=True)
class References:
    """The references of one object, in order, as views of its bytes."""

    rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def pairs(self) -> tuple[tuple[bytes, bytes], ...]:
        """Archive and resource of each reference, up to their NUL."""
        return tuple((until_nul(archive), until_nul(resource)) for archive, resource in self.rows.tolist())


def decode(data: Bytes) -> References:
    """Read a list of references; bytes after the last whole one stay as `References.tail`."""
    rows = REFERENCE.view(data)
    tail = bytes(memoryview(data)[rows.nbytes :])
    return References(rows, tail, tuple(_findings(rows, tail)))


def encode(references: References) -> bytes:
    """The payload, including tails of names."""
    return references.rows.tobytes() + references.tail


def parts(references: References) -> Part:
    """Return the tree of parts."""
    rows = table(REFERENCE, references.rows)
    return group((rows, raw("tail", references.tail, rows.end, "Bytes after the last reference.")))


def build(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Write references to ``(archive, resource)``; raises `ValueError` for a name over 31 bytes."""
    return b"".join(padded(archive, NAME_SIZE) + padded(resource, NAME_SIZE) for archive, resource in pairs)


def _findings(rows: Rows, tail: bytes) -> Iterable[Diagnostic]:
    if tail:
        message = Sentence(
            "{size} bytes after the last whole record of {record_size}",
            size=len(tail),
            record_size=REFERENCE.size,
        )
        yield Diagnostic("O01", Severity.ERROR, message, "tail")
    for text in REFERENCE.fields:
        endless = [index for index, name in enumerate(rows[text.name].tolist()) if b"\0" not in name]
        yield from row_findings(
            "O02", Severity.WARNING, REFERENCE.name, endless, lambda _: "no NUL in the name", text.name
        )
