"""Ground plan of a building (``.bas``): closed rings on the ground, the first tied to triangles.

Source: spec/field-notes.md 5.
Status: inferred.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats.record import Bytes

TABLE = "ground_plan"
MAX_RINGS = 4096
"""Rings that are read; known files have two."""

_HEADER = struct.Struct("<Ii")
_POINT_SIZE = 12
_TIE_SIZE = 8

Words = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Ring:
    """One ring; its last point repeats the first.

    Attributes
    ----------
    mark
        The word before the count, 1 in known files.
    points
        (n + 1, 3) float32.
    triangles, corners
        (n,) int32, a triangle and its corner for each edge; empty on every ring but the first.
    """

    mark: int
    points: npt.NDArray[np.float32]
    triangles: Words
    corners: Words

    def encode(self) -> bytes:
        """The bytes of the ring."""
        header = _HEADER.pack(self.mark, len(self.points) - 1)
        return header + self.points.tobytes() + self.triangles.tobytes() + self.corners.tobytes()


@dataclass(frozen=True, slots=True)
class GroundPlan:
    """The rings that are whole, and what follows them."""

    rings: tuple[Ring, ...]
    tail: bytes
    diagnostics: tuple[Diagnostic, ...]


def decode(data: Bytes) -> GroundPlan:
    """Read rings to the end; raises `FormatError` where not even the first is whole."""
    data = memoryview(data).cast("B")
    rings: list[Ring] = []
    findings: tuple[Diagnostic, ...] = ()
    start = 0
    while start < len(data):
        ring = _read_ring(data, start, is_first=not rings) if len(rings) < MAX_RINGS else None
        if ring is None:
            message = f"no ring is read from the last {len(data) - start} bytes"
            findings = (Diagnostic("BAS01", Severity.ERROR, message, TABLE, len(rings)),)
            break
        rings.append(ring)
        start += len(ring.encode())
    if not rings:
        raise FormatError(f"no whole ring in {len(data)} bytes", table=TABLE, index=0, rule="BAS01")
    return GroundPlan(tuple(rings), bytes(data[start:]), findings)


def encode(plan: GroundPlan) -> bytes:
    """The payload."""
    return b"".join(ring.encode() for ring in plan.rings) + plan.tail


def _read_ring(data: memoryview, start: int, *, is_first: bool) -> Ring | None:
    points_start = start + _HEADER.size
    if points_start > len(data):
        return None
    mark, count = _HEADER.unpack_from(data, start)
    ties_start = points_start + (count + 1) * _POINT_SIZE
    tie_count = count if is_first else 0
    if count < 0 or ties_start + tie_count * _TIE_SIZE > len(data):
        return None
    points = np.frombuffer(data, "<f4", (count + 1) * 3, points_start).reshape(-1, 3)
    ties = np.frombuffer(data[ties_start:], "<i4", 2 * tie_count) if tie_count else np.empty(0, "<i4")
    return Ring(mark, points, ties[:tie_count], ties[tie_count:])
