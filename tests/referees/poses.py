"""Where nodes are: in Blender at every key, in three.js between the keys, compared with the engine's pose."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.model.convert.source import ModelSource

FPS: Final = 15
BETWEEN: Final = 50
"""Times between keys."""
JUMP: Final = 1 / 32
"""Frames around a whole one in which a curve may jump: files have no two keys at one time."""
TOLERANCE: Final = 1e-4
"""Largest deviation of an element of a world matrix, as a part of 1 + the largest element."""
Y_UP: Final = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], np.float64)
"""glTF space from the model's."""

Matrices = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Exported:
    """A model that was written to a file.

    Attributes
    ----------
    names
        The name in the file of each node that was written, by its number.
    """

    source: ModelSource
    file: Path
    names: dict[int, str]

    @property
    def last_frame(self) -> int:
        """The end of its animation."""
        return max(self.source.model.frame_count - 1, 0)

    def key_frames(self) -> list[float]:
        """The times of all keys of the animation that is played, frames."""
        times = np.unique(self.source.model.keys["time"].astype(np.float64))
        return [float(it) for it in times[(times >= 0) & (times <= self.last_frame)]] or [0.0]

    def frames_between(self) -> list[float]:
        """Times that are no keys, the same in every run."""
        chance = random.Random(self.file.stem)
        count = BETWEEN if self.last_frame else 1
        whole = (chance.randrange(max(self.last_frame, 1)) for _ in range(count))
        return sorted(frame + chance.uniform(JUMP, 1 - JUMP) for frame in whole)

    def worlds(self, frames: Sequence[float]) -> Matrices:
        """The engine's world matrices of the nodes that were written, (f, n, 4, 4)."""
        numbers = sorted(self.names)
        poses = [self.source.animation.pose(frame).world[numbers] for frame in frames]
        return np.array(poses, np.float64)


def blender_jobs(exported: Sequence[Exported]) -> list[dict[str, Any]]:
    """What Blender is asked."""
    return [
        {"file": str(it.file), "out": f"{it.file}.blender", "fps": FPS, "frames": it.key_frames()}
        for it in exported
    ]


def three_jobs(exported: Sequence[Exported]) -> list[dict[str, Any]]:
    """What three.js is asked; its times are seconds."""
    return [
        {
            "file": str(it.file),
            "out": f"{it.file}.three",
            "times": [frame / FPS for frame in it.frames_between()],
        }
        for it in exported
    ]


def compare_blender(exported: Exported) -> str:
    """What is wrong with the poses in Blender; empty if nothing is."""
    return _compare(exported, "blender", exported.key_frames(), np.eye(4))


def compare_three(exported: Exported) -> str:
    """What is wrong with the poses in three.js; empty if nothing is."""
    return _compare(exported, "three", exported.frames_between(), Y_UP)


def _compare(exported: Exported, referee: str, frames: Sequence[float], space: Matrices) -> str:
    """The largest deviation, or the nodes that are missing, as words."""
    base = f"{exported.file}.{referee}"
    names: list[str] = json.loads(Path(base + ".json").read_text(encoding="utf-8"))
    seen = np.fromfile(base + ".f32", "<f4").reshape(len(frames), len(names), 4, 4).astype(np.float64)
    wanted = [exported.names[number] for number in sorted(exported.names)]
    missing = [name for name in wanted if name not in names]
    if missing:
        return f"{len(missing)} of {len(wanted)} nodes are missing: {missing[:3]}"
    expected = space @ exported.worlds(frames) @ np.linalg.inv(space)
    found = seen[:, [names.index(name) for name in wanted]]
    error = np.abs(found - expected) / (1 + np.abs(expected).max(initial=0.0))
    if not error.size or error.max() <= TOLERANCE:
        return ""
    frame, node, *_ = np.unravel_index(error.argmax(), error.shape)
    return f"{wanted[int(node)]!r} at frame {frames[int(frame)]:g} deviates by {error.max():.2g}"
