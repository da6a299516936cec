"""What clips and channels are called on screen, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite, tau
from typing import Final

from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE, Channel, Clip, Frames, Gait
from viewer.model.clips.controller import Controller
from viewer.translation import Message, _
from viewer.ui.widgets.names import name_of

_REASONS: Final[Mapping[Gait, Message]] = {
    Gait.STAND: Message("Guess: the state moves at most 2 m/s along Y and does not turn."),
    Gait.WALK: Message("Guess: the state moves forward."),
    Gait.RUN: Message("Guess: the state moves forward faster than another one."),
    Gait.BACKWARD: Message("Guess: the state moves backward."),
    Gait.TURN: Message("Guess: the state turns about Z."),
}
_TURRETS: Final = ("tur", "башн")
"""Parts of names of nodes that are turrets."""
MOST_NAMED: Final = 6
"""Clips of a chain that are named."""


def clip_name(clip: Clip) -> str:
    """Return the guess with its number, or the row of the state."""
    if clip.gait is None:
        return _("state {index}").format(index=clip.index)
    name = name_of(clip.gait)
    return name if clip.ordinal == 1 else f"{name} {clip.ordinal}"


def clip_hints(controller: Controller, clip: Clip) -> Iterator[str]:
    """Yield what is said of a clip: its state, the reason of its name, its length, what follows it."""
    yield _("State {index} of the controller").format(index=clip.index)
    if clip.gait is not None:
        yield str(_REASONS[clip.gait])
    if None not in pairs(clip):
        yield _("Frames A and B are blended; the weight of B is {weight:g}.").format(weight=clip.weight_b)
    if clip.seconds is None:
        words = _(
            "The game plays it by stride and speed; here it takes {seconds:.2f} s at {rate:g} frames/s."
        )
        yield words.format(seconds=clip.length, rate=FRAME_RATE)
    if len(clip.chain) > 1:
        names = ", ".join(clip_name(controller.clips[index]) for index in clip.chain[:MOST_NAMED])
        more = _(" and {count} more").format(count=len(clip.chain) - MOST_NAMED)
        yield _("Played in a row at no cost: {names}").format(
            names=names + more * (len(clip.chain) > MOST_NAMED)
        )
        yield _("{seconds:.2f} s together").format(seconds=playing.duration(controller, clip))


def pairs(clip: Clip) -> tuple[Frames | None, Frames | None]:
    """Return the frames of both pairs; None for one that the state does not have."""
    is_first = isfinite(sum(clip.frames_a)) and min(clip.frames_a) >= 0
    is_second = clip.frames_b is not None and isfinite(sum(clip.frames_b))
    return clip.frames_a if is_first else None, clip.frames_b if is_second else None


def pair_texts(clip: Clip) -> tuple[str, str]:
    """Return the frames of both pairs; empty for one that the state does not have."""
    first, second = pairs(clip)
    texts = ("" if pair is None else frames_text(*pair) for pair in (first, second))
    words, other = texts
    return words, f"{other}  {clip.weight_b:.0%}" if other else ""


def frames_text(first: float, last: float) -> str:
    """Return the first and the last of some frames."""
    return f"{first:g}" if first == last else f"{first:g} - {last:g}"


def seconds_text(seconds: float) -> str:
    """Return a length of time."""
    return _("{seconds:.2f} s").format(seconds=seconds)


def our_rate() -> str:
    """Return the sentence about seconds of frames."""
    return _("No file says how fast frames play: {rate:g} frames/s is our rate.").format(rate=FRAME_RATE)


def purpose(channel: Channel, node: str) -> str:
    """Return the guess of what a channel does, by its node's frames and name; may be empty."""
    if channel.movement is None:
        return ""
    movement = name_of(channel.movement)
    if channel.is_gun:
        return _("gun {movement}").format(movement=movement)
    is_turret = any(part in node.casefold() for part in _TURRETS)
    return _("turret {movement}").format(movement=movement) if is_turret else movement


def rate_text(channel: Channel) -> str:
    """Return how fast the game changes the value: turns per second of a node that turns round."""
    if not channel.wraps:
        return _("{rate:.3g} per second").format(rate=channel.rate)
    turns = abs(channel.span) / tau or 1.0
    return _("{rate:.3g} turns/s").format(rate=channel.rate * turns)
