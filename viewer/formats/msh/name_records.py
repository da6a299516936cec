"""Res9, node names of retail files: 32 bytes per node, NUL padded.

Source: field-notes.md 2.
Status: inferred (the seeds call the table unknown, and some files have other bytes in it).
"""

from __future__ import annotations

from collections.abc import Iterable

from viewer.formats.record import CP1251, Field, Record, Status
from viewer.formats.text import padded

NAME_SIZE = 32

NAME = Record(
    "name_records",
    NAME_SIZE,
    Field(
        "name",
        f"V{NAME_SIZE}",
        "Name of the node in the field reading.",
        encoding=CP1251,
        status=Status.INFERRED,
    ),
    doc="The name of the node of the same row.",
)


def build(names: Iterable[bytes]) -> bytes:
    """The table of `names`; raises `ValueError` for a name that does not fit before a NUL."""
    return b"".join(padded(name, NAME_SIZE) for name in names)
