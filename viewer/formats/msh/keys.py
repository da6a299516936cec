"""Res8, the animation keys, and Res19, the frame map: the key that starts the segment at a node's frame.

The order of the four quaternion components depends on the reading; here they stay as stored.

Source: spec/animation.md 1, 2, 6, 7.
Status: proven (layout, scale, frame map), contested (component order).
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from viewer.formats.packing import quantise
from viewer.formats.record import Field, Record, Status

# Not 32768: 1.0 is stored as 32767, and -32768 alone is no result of encoding (spec/animation.md 2.1).
SCALE = 32767

KEY = Record(
    "keys",
    24,
    Field("position", "<f4", "Translation in the parent's space.", shape=(3,)),
    Field("time", "<f4", "Time of the key.", unit="frames"),
    Field(
        "quaternion",
        "<i2",
        "Rotation, four components in disk order.",
        shape=(4,),
        unit="1/32767",
        scale=SCALE,
        components={"xyzw": ("x", "y", "z", "w"), "wxyz": ("w", "x", "y", "z")},
        status=Status.INFERRED,
    ),
    doc="Position and rotation of a node at a time.",
)


class QuaternionOrder(StrEnum):
    """Order of the four components on disk; sources disagree (spec/animation.md 2.2)."""

    XYZW = "xyzw"
    WXYZ = "wxyz"

    @property
    def columns(self) -> list[int]:
        """Indices of w, x, y and z on disk."""
        # WXYZ: 0 1 2 3. XYZW: 3 0 1 2, as w is the last on disk.
        return [self.value.index(component) for component in "wxyz"]


def decode_quaternion(raw: npt.NDArray[np.int16], order: QuaternionOrder) -> npt.NDArray[np.float32]:
    """w, x, y, z as float32, shape (n, 4), of components in disk order; not normalised."""
    # Not normalised: the engine samples the raw components, and a key is to be written back as it was.
    return raw[:, order.columns].astype(np.float32) * np.float32(1 / SCALE)


def encode_quaternion(quaternions: npt.ArrayLike, order: QuaternionOrder) -> npt.NDArray[np.int16]:
    """Raw components in disk order, ``<i2`` (n, 4), of w, x, y, z (n, 4)."""
    raw = np.empty((len(np.asarray(quaternions)), 4), "<i2")
    raw[:, order.columns] = quantise(quaternions, SCALE, -SCALE, SCALE)
    return raw


WORD = Record(
    "frame_map",
    2,
    Field("key", "<u2", "Left key of the segment at this frame.", refers_to="keys"),
    doc="The key at a frame of an animated node; node after node.",
)


def encode_block(times: npt.NDArray[np.floating], first_key: int, frame_count: int) -> npt.NDArray[np.uint16]:
    """The canonical words of one node, shape (frame_count,), ``<u2``.

    Parameters
    ----------
    times
        Key times of the node's track, strictly increasing, in frames.
    first_key
        Index of the track's first key among all keys.
    frame_count
        Frames of the whole model.
    """
    frames = np.arange(frame_count)
    last = len(times) - 1
    # Keys at frames 0, 2, 5 from index 10: frames 0 to 6 have the words 10 10 11 11 11 12 12.
    key = np.searchsorted(times, frames, side="right") - 1
    # No segment starts at the last key: a word that is not below the fallback key shows that key as it is
    # (spec/animation.md 4).
    key[(frames < times[0]) | (frames >= times[last])] = last
    return (key + first_key).astype("<u2")
