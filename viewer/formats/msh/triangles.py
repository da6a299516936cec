"""Res7, the triangle descriptors: flags, neighbors and face normal, parallel to a slot's triangles.

Source: spec/msh.md 6, spec/field-notes.md 2.
Status: proven (layout, selectors), inferred (flags).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.formats.packing import dequantise, quantise
from viewer.formats.record import Bits, Field, Record, Status

NONE = 0xFFFF
"""The value for no neighbor."""

SCALE = 32767
# Two bits for each of three neighbors, the first in the lowest: 3 where there is none, so three of them are
# 0b11_11_11. The bits above have no known meaning, and are kept (spec/msh.md 6).
NO_SELECTOR = 3
ALL_NONE = 0x003F
"""Selectors of a descriptor without neighbors."""

FLAG_HINTS = {0x02: "walkable", 0x04: "a shot passes", 0x10: "door leaf", 0x20: "building glass or bridge"}

TRIANGLE = Record(
    "tri_descriptors",
    16,
    Field(
        "flags", "<u2", "What queries and shots take the face for.", flags=FLAG_HINTS, status=Status.INFERRED
    ),
    Field(
        "links", "<u2", "Descriptors of the neighbors.", shape=(3,), refers_to="tri_descriptors", none=NONE
    ),
    Field("normal", "<i2", "Face normal.", shape=(3,), unit="1/32767", scale=SCALE),
    Field(
        "selectors",
        "<u2",
        "Three 2-bit selectors: the shared edge of each neighbor. Other bits are the exporter's.",
        bits=tuple(
            Bits(f"edge {edge}", 2 * edge, 2, f"Shared edge of neighbor {edge}.", none=NO_SELECTOR)
            for edge in range(3)
        ),
    ),
    doc="What collision knows of a triangle.",
)


def decode_normal(raw: npt.NDArray[np.int16]) -> npt.NDArray[np.float32]:
    """Face normals, float32, same shape."""
    return dequantise(raw, SCALE)


def encode_normal(normals: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Raw face normals, ``<i2``, same shape."""
    # Clamped at -32767, so that decoding never leaves -1 to 1.
    return quantise(normals, SCALE, -32767, 32767).astype("<i2")


def decode_selectors(raw: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint8]:
    """The three selectors, shape (..., 3), values 0..3."""
    words = np.asarray(raw)[..., None]
    # 0x0E holds 2, 3, 0: two bits each, from the lowest.
    return ((words >> np.array([0, 2, 4], np.uint16)) & 3).astype(np.uint8)


def encode_selectors(selectors: npt.ArrayLike) -> npt.NDArray[np.uint16]:
    """Packed selectors, ``<u2``, of values 0..3 with shape (..., 3); upper bits are zero."""
    values = np.asarray(selectors, np.uint16)
    # << binds before |: selectors 2, 3, 0 are 0x0E again.
    return (values[..., 0] | values[..., 1] << 2 | values[..., 2] << 4).astype("<u2")
