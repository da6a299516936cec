"""The states and channels of a controller follow the frames of its model that were moved.

Source: spec/ctl.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from viewer.errors import UsageError
from viewer.formats.neighbors.control import CHANNEL
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.frame_move import FrameMove, Times
from viewer.translation import Sentence

CONTROLLER: Final = "control"
STATES: Final = "states"


@dataclass(frozen=True, slots=True)
class FollowFrames(FrameMove):
    """Let states and channels play the frames that they played before these were moved.

    If the keys of one node were moved, only the channels that drive it follow.
    """

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("follow the moved frames of the model")

    def apply(self, draft: Draft) -> None:
        """Write the frames; raises `UsageError` for anything but a controller."""
        self.check()
        channels = _rows(draft, CHANNEL.name)
        pairs = np.stack([channels["first"], channels["last"]], axis=1)
        moved = np.where(self._is_driven(channels)[:, None], self._followed(pairs), pairs)
        channels["first"], channels["last"] = moved.astype(pairs.dtype).T
        states = _rows(draft, STATES)
        if self.node is None:
            for name in ("frames_a", "frames_b"):
                states[name] = self._followed(states[name])
        for table, rows in ((STATES, states), (CHANNEL.name, channels)):
            draft.write(draft.part(table).start, rows.tobytes())

    def _is_driven(self, channels: Any) -> Any:
        return np.full(len(channels), fill_value=True) if self.node is None else channels["node"] == self.node

    def _followed(self, pairs: Any) -> Any:
        """The new frames; those that stay keep their bytes."""
        old = pairs.astype(np.float64)
        new = self.pairs(old)
        return np.where(new == old, pairs, new.astype(pairs.dtype))


@dataclass(frozen=True, slots=True)
class FollowDurations(FrameMove):
    """Let states whose frames are stretched take longer, so that they play as many frames a second as before.

    To be made before the frames follow.
    """

    @property
    def words(self) -> str:
        """What it does."""
        return Sentence("stretch the durations of states with their frames")

    @np.errstate(invalid="ignore", over="ignore")  # what has no number stays as it is
    def apply(self, draft: Draft) -> None:
        """Write the milliseconds; raises `UsageError` for anything but a controller."""
        self.check()
        rows = _rows(draft, STATES)
        if self.node is None:
            stored = rows["milliseconds"]
            scale = self._scales(rows)
            stretched = (stored * scale).astype(stored.dtype)
            is_stretched = (stored > 0) & (scale != 1) & np.isfinite(stretched)
            rows["milliseconds"] = np.where(is_stretched, stretched, stored)
        draft.write(draft.part(STATES).start, rows.tobytes())

    def _scales(self, states: Any) -> Times:
        """How much longer each state becomes: its pair A, or B of a state that has no A; 1 for none."""
        a, b = (states[name].astype(np.float64) for name in ("frames_a", "frames_b"))
        played = np.where((a < 0).any(axis=1)[:, None], b, a)
        old, new = (np.abs(it[:, 1] - it[:, 0]) for it in (played, self.pairs(played)))
        is_known = np.isfinite(old) & (old > 0) & (new > 0)
        return np.divide(new, old, out=np.ones_like(old), where=is_known)


def _rows(draft: Draft, table: str) -> Any:
    """A copy of the rows of a table of a controller."""
    if draft.kind.id != CONTROLLER:
        raise UsageError(Sentence("is not a controller: {kind}", kind=draft.kind.id))
    return np.array(draft.part(table).rows)
