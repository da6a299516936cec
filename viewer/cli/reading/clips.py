"""``clips``: what a model can play: the clips and channels of its controller."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from msgspec import Struct

from viewer.cli import text_table
from viewer.cli.documents import write_answers
from viewer.cli.usage.arguments import add_addresses, add_forms
from viewer.cli.usage.reading_arguments import add_control, add_reading
from viewer.formats.neighbors.component import CLASSES
from viewer.json_types import JsonObject, Natural, Number, Pair, TableRow, described
from viewer.model.clips.clip import FRAME_RATE, Channel, Clip, Movement
from viewer.model.clips.conditions import conditions
from viewer.session.opened.document import Document
from viewer.translation import _, translated


class ClipMembers(JsonObject, frozen=True):
    """A clip of the controller, or the strip of all frames."""

    index: Natural
    name: str
    guess: Annotated[bool, described("whether the name is a guess from the velocities of its state")]
    frames_a: Pair
    frames_b: Annotated[Pair | None, described("the frames that are blended in")]
    weight_b: Number
    seconds: Annotated[
        Number | None, described("its duration; null if the game plays it by stride and speed")
    ]
    chain: Annotated[Sequence[Natural], described("the states that are played one after another")]
    request: int | None
    intact: Sequence[int]
    destroyed: Sequence[int]


class ChannelMembers(JsonObject, frozen=True):
    """A channel, which turns or moves a node."""

    index: Natural
    node: int
    first: Number
    last: Number
    initial: Number
    rate: Number
    span: Number
    flags: Natural
    movement: Movement | None


class ClipsAnswer(Struct, frozen=True):
    """The clips of a model."""

    source: str
    control: Annotated[str | None, described("the address of the controller")]
    others: Annotated[Sequence[str], described("further controllers that name the model")]
    frames: Natural
    clips: Sequence[ClipMembers]
    channels: Sequence[ChannelMembers]


ANSWER: Final = ClipsAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add_control(parser)
    add_forms(parser, "the clips")
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the clips and channels of each model."""
    return write_answers("clips", options, _document, _lines, "clips")


def _document(document: Document) -> ClipsAnswer:
    controller = document.controller
    return ClipsAnswer(
        source=str(document.address),
        control=None if controller.address is None else str(controller.address),
        others=[*map(str, controller.others)],
        frames=document.animation.frame_count,
        clips=[_clip(clip) for clip in controller.clips],
        channels=[*map(ChannelMembers.of, controller.channels)],
    )


def _clip(clip: Clip) -> ClipMembers:
    return ClipMembers.of(clip, guess=clip.is_guess)


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


class ClipLine(TableRow, frozen=True):
    """A clip as text shows it."""

    index: int
    name: str
    frames_a: Pair
    frames_b: Pair | None
    weight_b: Number
    seconds: Number | None
    chain: Sequence[int] | None
    when: str | None


class ChannelLine(TableRow, frozen=True):
    """A channel as text shows it, with the name of its node and what it drives."""

    index: int
    name: str | None
    component: str | None
    node: int
    first: Number
    last: Number
    initial: Number
    rate: Number
    span: Number
    flags: int
    movement: str | None


def _readable_clip(clip: Clip) -> ClipLine:
    chain = clip.chain if len(clip.chain) > 1 else None
    return ClipLine.of(clip, chain=chain, when="; ".join(conditions(clip)) or None)


def _readable_channel(document: Document, channel: Channel) -> ChannelLine:
    is_there = 0 <= channel.node < document.model.node_count
    classes = dict.fromkeys(it.number for it in document.controller.drivers(channel.index))
    titles = [translated(CLASSES.get(it) or _("class {number}", number=it)) for it in classes]
    return ChannelLine.of(
        channel,
        name=document.names[channel.node] if is_there else None,
        component=", ".join(titles) or None,
        movement=channel.movement and translated(channel.movement),
    )
