"""Res6, the vertex indices, relative to a batch's base vertex.

Source: spec/msh.md 5.
Status: proven.
"""

from __future__ import annotations

from viewer.formats.record import Field, Record

INDEX = Record(
    "indices",
    2,
    Field("index", "<u2", "Vertex, counted from the batch's base vertex."),
    doc="A vertex of a triangle.",
)
