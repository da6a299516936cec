"""``clips``: what a model can play: the clips and channels of its controller."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np

from viewer.cli import text_table
from viewer.cli.documents import write_answers
from viewer.cli.usage.arguments import add_addresses, add_control, add_forms, add_reading
from viewer.formats.neighbors.component import CLASSES
from viewer.model.clips.clip import FRAME_RATE, Channel, Clip, Frames
from viewer.model.clips.conditions import conditions
from viewer.session.opened.document import Document
from viewer.translation import _, translated


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add_control(parser)
    add_forms(parser, "the clips")
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the clips and channels of each model."""
    return write_answers("clips", options, _document, _lines, "clips")


def _document(document: Document) -> dict[str, Any]:
    controller = document.controller
    return {
        "source": document.address,
        "control": controller.address,
        "others": [*controller.others],
        "frames": document.animation.frame_count,
        "clips": [_clip(clip) for clip in controller.clips],
        "channels": [_channel(channel) for channel in controller.channels],
    }


def _clip(clip: Clip) -> dict[str, Any]:
    return {
        "index": clip.index,
        "name": clip.name,
        "guess": clip.is_guess,
        "frames_a": _frames(clip.frames_a),
        "frames_b": None if clip.frames_b is None else _frames(clip.frames_b),
        "weight_b": np.float32(clip.weight_b),
        "seconds": clip.seconds,
        "chain": [*clip.chain],
        "request": clip.request,
        "intact": [*clip.intact],
        "destroyed": [*clip.destroyed],
    }


def _frames(frames: Frames) -> list[np.float32]:
    return [np.float32(frame) for frame in frames]


def _channel(channel: Channel) -> dict[str, Any]:
    names = ("first", "last", "initial", "rate", "span")
    stored = {name: np.float32(getattr(channel, name)) for name in names}
    numbers = {"index": channel.index, "node": channel.node, **stored, "flags": channel.flags}
    return {**numbers, "movement": channel.movement}


def _lines(document: Document) -> Iterator[str]:
    controller, frames = document.controller, document.animation.frame_count
    yield _("control   {address}", address=controller.address or _("none"))
    for other in controller.others:
        yield _("also      {other}", other=other)
    yield _("frames    {frames}", frames=frames)
    if not controller.clips:
        yield _(
            "no clips: the frames are one strip, and {frame_rate:g} frames a second is our rate",
            frame_rate=FRAME_RATE,
        )
    else:
        yield from _clip_lines(controller.clips)
    if controller.channels:
        yield ""
        yield from text_table.lines([_readable_channel(document, channel) for channel in controller.channels])


def _clip_lines(clips: tuple[Clip, ...]) -> Iterator[str]:
    yield ""
    yield from text_table.lines([_readable_clip(clip) for clip in clips])
    if any(clip.is_guess for clip in clips):
        yield _("names are guesses from the velocities of the states")
    if any(clip.seconds is None for clip in clips):
        yield _(
            "clips without seconds are played by stride and speed in the game, here at "
            "{frame_rate:g} frames a second",
            frame_rate=FRAME_RATE,
        )


def _readable_clip(clip: Clip) -> dict[str, Any]:
    row = _clip(clip)
    for name in ("guess", "request", "intact", "destroyed"):
        del row[name]
    when = "; ".join(conditions(clip)) or None
    return {**row, "chain": row["chain"] if len(clip.chain) > 1 else None, "when": when}


def _readable_channel(document: Document, channel: Channel) -> dict[str, Any]:
    is_there = 0 <= channel.node < document.model.node_count
    name = document.names[channel.node] if is_there else None
    movement = channel.movement and translated(channel.movement)
    classes = dict.fromkeys(it.number for it in document.controller.drivers(channel.index))
    titles = [translated(CLASSES.get(it) or _("class {number}", number=it)) for it in classes]
    found = {"index": channel.index, "name": name, "component": ", ".join(titles) or None}
    return {**found, **_channel(channel), "movement": movement}
