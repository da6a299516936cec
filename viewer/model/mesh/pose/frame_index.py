"""The frame that a time is in.

Source: spec/animation.md 3.
"""

from __future__ import annotations

import numpy as np

from viewer.errors import UsageError
from viewer.geometry.transforms import Floats, Indices
from viewer.translation import _

NO_FRAME = 0xFFFFFFFF
NOT_FINITE = 2.0**128 - 2.0**103
"""The smallest number that single precision rounds to infinity."""


def frame_at(time: float) -> int:
    """The frame of a time: ``time - 0.5`` in single precision, rounded half to even, as unsigned 32-bit.

    Raises `UsageError` for a time that is not finite in single precision.
    """
    if not abs(time) < NOT_FINITE:
        raise UsageError(_("time {time} is not finite", time=time))
    # Half to even, so times 2 and 3 both are frame 2 (spec/animation.md 3).
    frame = float(np.rint(np.float32(time) - np.float32(0.5)))
    # Beyond 64 bits the processor stores 0x8000000000000000, whose low word is 0.
    return int(frame) & NO_FRAME if abs(frame) < 2.0**63 else 0


def signed_frame_at(time: float) -> int:
    """The frame of a time as it is shown: negative before the first one, where nodes have fallback keys.

    Raises `UsageError` as `frame_at` does.
    """
    frame = frame_at(time)
    # The low word as signed: 0xFFFFFFFF is -1.
    return frame - (1 << 32) if frame >> 31 else frame


def frames_at(times: Floats) -> Indices:
    """The frames of finite times, (n,) int64; `NO_FRAME`, which is beyond any end, outside signed 32-bit.

    There the engine's low word is a frame that the time has nothing to do with.
    """
    frames = np.rint(times - np.float32(0.5)).astype(np.float64)
    wanted: Indices = np.where(np.abs(frames) < 2.0**31, frames, -1.0).astype(np.int64)
    return wanted & NO_FRAME
