"""The clips of a controller as movements of their own.

A clip plays one range of frames in its own time, or two at once whose poses are blended by a weight. One
range is cut out of the tracks and keeps their keys; a blend of two is sampled. As in the viewer, nodes
that channels drive keep their first position meanwhile.

Source: spec/ctl.md; spec/animation.md 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewer.model.clips.clip import Clip as GameClip
from viewer.model.convert.scene import Clip, Fields, Options
from viewer.model.convert.source import ModelSource


def clips_of(source: ModelSource, options: Options, nodes: Sequence[int]) -> tuple[Clip, ...]:
    """The clips of a model's controller, with their movements if the options divide the animation."""
    return tuple(
        Clip(clip.name, *clip.frames_a, clip.seconds, fields=_fields(clip))
        for clip in source.controller.clips
    )


def _fields(clip: GameClip) -> Fields:
    return {"index": clip.index}
