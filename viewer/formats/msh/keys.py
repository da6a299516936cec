"""Res8, the animation keys: position, time and quaternion of one node.

The order of the four quaternion components is a matter of the reading; here they stay as stored.

Source: spec/animation.md 1.1, 2.
Status: proven (layout, scale), contested (component order).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.formats.packing import quantise
from viewer.formats.record import Field, Record, Status

SCALE = 32767

KEY = Record(
    "keys",
    24,
    Field("position", "<f4", "Translation in the parent's space.", shape=(3,)),
    Field("time", "<f4", "When the key holds.", unit="frames"),
    Field(
        "quaternion",
        "<i2",
        "Rotation, four components in disk order.",
        shape=(4,),
        unit="1/32767",
        status=Status.INFERRED,
    ),
)

WXYZ_FROM_XYZW = (3, 0, 1, 2)
XYZW_FROM_WXYZ = (1, 2, 3, 0)


def decode_quaternion(raw: npt.NDArray[np.int16]) -> npt.NDArray[np.float32]:
    """Components as float32 in disk order, same shape; multiplied by 1/32767 in float32."""
    return raw.astype(np.float32) * np.float32(1 / SCALE)


def encode_quaternion(quaternions: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Raw components, ``<i2``, same shape and order."""
    return quantise(quaternions, SCALE, -SCALE, SCALE).astype("<i2")
