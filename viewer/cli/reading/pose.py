"""``pose``: the pose of every node at a time, or blended between two."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from viewer.cli import text_table
from viewer.cli.documents import write_answers
from viewer.cli.picturing import drawing
from viewer.cli.usage.arguments import add_addresses, add_json, add_reading, number
from viewer.errors import UsageError
from viewer.model.kinds.columns import Columns, NullableArray
from viewer.model.mesh.animation import NO_KEY, Moment, signed_frame_at
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.playback import Root


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add = parser.add_argument
    add("--time", type=number, required=True, metavar="T", help="time in frames; with --clip in seconds")
    add("--time-b", type=number, metavar="T2", help="second time, to blend with")
    add("--blend", type=number, metavar="B", help="weight of the second time, 0 to 1")
    drawing.add_clip(parser)
    drawing.add_root(parser, "default travel")
    add_json(parser)
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the pose of all nodes of each model."""
    if (options.time_b is None) != (options.blend is None):
        raise UsageError("--time-b and --blend require each other", source="pose")
    if options.clip is not None and options.time_b is not None:
        raise UsageError("--clip blends by itself, so it excludes --time-b", source="pose")
    return write_answers(
        "pose",
        options,
        lambda document: pose_document(document, options.time, _moment(options, document)),
        lambda document: _lines(document, pose_document(document, options.time, _moment(options, document))),
    )


def _moment(options: Namespace, document: Document) -> Moment:
    """What the options sample."""
    playback = drawing.playback(options, document, Root.TRAVEL)
    if playback.clip is not None:
        playback = replace(playback, seconds=options.time)
    return posing.sampled(document, playback, Moment(options.time, options.time_b, options.blend or 0.0))


def _lines(document: Document, posed: Mapping[str, Any]) -> Iterator[str]:
    yield f"time {posed['time']:g}, frame {posed['frame']}"
    yield from text_table.lines(_readable(posed["nodes"], document.names))


def pose_document(document: Document, time: float, moment: Moment) -> dict[str, Any]:
    """The pose as a JSON document; frame and keys are those of the first time. Raises `UsageError`."""
    pose = document.animation.pose_at(moment)
    first = document.animation.pose_at(replace(moment, time_b=None)).sample
    count = len(pose.local)
    nodes = Columns(
        count,
        {
            "index": np.arange(count),
            "key": NullableArray.of(first.key, NO_KEY),
            "interpolated": first.is_interpolated,
            "quaternion": pose.quaternion,
            "position": pose.position,
            "local": pose.local.reshape(-1, 16),
            "world": pose.world.reshape(-1, 16),
        },
    )
    return {"time": time, "frame": signed_frame_at(moment.time), "nodes": nodes}


def _readable(nodes: Columns, names: tuple[str, ...]) -> Columns:
    """The columns that fit on a screen: of the world matrix only the translation."""
    shown = {name: nodes.columns[name] for name in ("key", "interpolated", "quaternion", "position")}
    world = nodes.columns["world"]
    positions = world[:, [3, 7, 11]] if isinstance(world, np.ndarray) else None
    return Columns(
        len(nodes), {"index": nodes.columns["index"], "name": names, **shown, "world position": positions}
    )
