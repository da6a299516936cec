"""Res3, the vertex positions.

Source: spec/msh.md 4.
Status: proven.
"""

from __future__ import annotations

from viewer.formats.record import Field, Record

POSITION = Record(
    "positions",
    12,
    Field("position", "<f4", "Position of a vertex.", shape=(3,), unit="node space"),
    doc="The position of a vertex.",
)
