"""What is sampled for one pose of a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in frames, or a blend of two, and what does not follow it.

    Attributes
    ----------
    time, time_b, weight_b
        In frames; with `time_b` the poses of both times are blended by the weight of the second.
    driven
        Nodes that are sampled at a time of their own: pairs of node and time, in the order of the nodes.
    is_root_still
        The translation of the first node is left out if it has no parent, as in the game.

    Source: spec/animation.md 4.1, spec/ctl.md, spec/field-notes.md 3.
    """

    time: float = 0.0
    time_b: float | None = None
    weight_b: float = 0.0
    driven: tuple[tuple[int, float], ...] = ()
    is_root_still: bool = False
