"""Res19, the frame map: for every animated node and frame the key that starts the active segment.

Source: spec/animation.md 1.2, 6, 7.
Status: proven.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from viewer.formats.record import Field, Record

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
    key = np.searchsorted(times, frames, side="right") - 1
    key[(frames < times[0]) | (frames >= times[last])] = last
    return (key + first_key).astype("<u2")
