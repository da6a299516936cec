"""``pose``: the pose of every node at one or more times, or blended between two."""

from __future__ import annotations

import io
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.cli import output, text_table
from viewer.cli.documents import open_document, write_answers
from viewer.cli.inputs import single
from viewer.cli.models import store_for
from viewer.cli.picturing import drawing
from viewer.cli.usage.arguments import add_addresses, add_json, check_count, number, series_of
from viewer.cli.usage.reading_arguments import add_reading
from viewer.cli.usage.verbs import DONE
from viewer.errors import UsageError, reason_of
from viewer.json_types import (
    JsonObject,
    Matrix,
    Natural,
    Number,
    Quaternion,
    Rows,
    TableRow,
    Vector,
    described,
)
from viewer.model.kinds.columns import Columns, NullableArray
from viewer.model.mesh.pose.animation import NO_KEY, Moment
from viewer.model.mesh.pose.frame_index import signed_frame_at
from viewer.operations.given_options import parameters
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.playback import Root
from viewer.session.view.view_state import ViewState
from viewer.translation import _

CSV, TSV, NPZ = TABLES = ("csv", "tsv", "npz")
MOST_POSES: Final = 100_000
MOST_ROWS: Final = 1 << 22
"""Nodes at all times of a ``.npz``, some 100 bytes each."""
COLUMNS: Final = (
    *("time", "node", "name", "x", "y", "z", "qw", "qx", "qy", "qz"),
    *(f"world{row}{column}" for row in range(4) for column in range(4)),
)
TIMES_HELP: Final = _(
    "several times, listed or every STEP from A to before B; --json prints one document a line, in their "
    "order"
)
FORMAT_HELP: Final = _(
    "one table of all times, with a row for each node: time, node, name, position, quaternion, world matrix; "
    "npz is binary: time (t), name (n), position (t, n, 3), quaternion (t, n, 4), world (t, n, 4, 4)"
)


class PosedNode(JsonObject, frozen=True):
    """Pose of a node."""

    index: Natural
    key: Annotated[Natural | None, described("the key before the frame")]
    interpolated: bool
    quaternion: Annotated[Quaternion, described("w, x, y, z")]
    position: Vector
    local: Annotated[Matrix, described("row by row, for column vectors")]
    world: Matrix


class PosedLine(TableRow, frozen=True):
    """Pose of a node, as text shows it."""

    index: int
    name: str
    key: int | None
    interpolated: bool
    quaternion: Quaternion
    position: Vector
    world: Vector = field(name="world position")


class PoseAnswer(Struct, frozen=True):
    """The pose of all nodes at a time."""

    time: Number
    frame: int
    nodes: Rows[PosedNode]


ANSWER: Final = PoseAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add = parser.add_argument
    when = parser.add_mutually_exclusive_group(required=True)
    when.add_argument("--time", type=number, metavar="T", help="time in frames; with --clip in seconds")
    when.add_argument("--times", metavar="T,T,...|A:B:STEP", help=TIMES_HELP)
    add("--format", choices=TABLES, help=FORMAT_HELP)
    drawing.add_clip(parser)
    drawing.add_blend(parser)
    root_option = parameters(ViewState)["root"]
    drawing.add_view_option(parser, root_option, _("default {value}", value=Root.TRAVEL))
    add_json(parser)
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the pose of all nodes of each model."""
    drawing.check_blend("pose", options, has_clip=options.clip is not None)
    if options.times is None and options.format is None:
        return write_answers(
            "pose",
            options,
            lambda document: pose_document(document, options.time, _moment(options, document, options.time)),
            lambda document: _lines(document, options.time, _moment(options, document, options.time)),
        )
    if len(options.addresses) > 1 or options.results:
        raise UsageError("--times and --format are for one model", source="pose")
    if options.json and options.format is not None:
        raise UsageError("--json and --format are two forms of the result", source="pose")
    times = _times(options)
    store = store_for(options, options.addresses[0])
    document = open_document(options, single(store, options.addresses[0]), store)
    moments = [_moment(options, document, time) for time in times]
    if options.format is not None:
        _write_table(document, times, moments, options.format)
        return DONE
    for time, moment in zip(times, moments, strict=True):
        if options.json:
            output.write_json("pose", pose_document(document, time, moment))
        else:
            output.write_lines(_lines(document, time, moment))
    return DONE


def _times(options: Namespace) -> list[float]:
    """The times of ``--times``, or the one of ``--time``."""
    text = options.times
    if text is None:
        return [options.time]
    if ":" in text:
        return series_of("pose", "--times", text, "poses", MOST_POSES)
    try:
        times = [number(part) for part in text.split(",")]
    except ArgumentTypeError as error:
        raise UsageError(_("--times: {error}", error=reason_of(error)), source="pose") from None
    check_count("pose", "--times", len(times), "poses", MOST_POSES)
    return times


def _moment(options: Namespace, document: Document, time: float) -> Moment:
    """The moment that the options sample at a time."""
    playback = drawing.playback(options, document, Root.TRAVEL)
    if playback.clip is not None:
        playback = replace(playback, seconds=time)
    return posing.sampled(document, playback, Moment(time, *(playback.blend or ())))


def _write_table(document: Document, times: Sequence[float], moments: Sequence[Moment], form: str) -> None:
    """Print all poses as one table with a row for each node at each time, or as the arrays of a ``.npz``."""
    if form == NPZ:
        if len(times) * document.model.node_count > MOST_ROWS:
            words = _(
                "{count} poses of {node_count} nodes are too much for {npz}; use csv",
                count=len(times),
                node_count=document.model.node_count,
                npz=NPZ,
            )
            raise UsageError(words, source="pose")
        poses = [document.animation.pose_at(moment) for moment in moments]
        buffer = io.BytesIO()
        np.savez(
            buffer,
            allow_pickle=False,
            time=np.array(times, np.float64),
            name=np.array(document.names, np.str_),
            quaternion=np.stack([pose.quaternion for pose in poses]),
            position=np.stack([pose.position for pose in poses]),
            world=np.stack([pose.world for pose in poses]),
        )
        output.write_bytes([buffer.getvalue()])
        return
    delimiter = "," if form == CSV else "\t"
    output.write_rows([COLUMNS], delimiter)
    for time, moment in zip(times, moments, strict=True):
        pose = document.animation.pose_at(moment)
        numbers = np.hstack([pose.position, pose.quaternion, pose.world.reshape(-1, 16)])
        # The shortest text that gives the same single-precision number.
        texts = numbers.astype(np.float32).astype(np.str_).tolist()
        named = enumerate(zip(document.names, texts, strict=True))
        output.write_rows(((str(time), str(node), name, *cells) for node, (name, cells) in named), delimiter)


def _lines(document: Document, time: float, moment: Moment) -> Iterator[str]:
    yield _("time {time:g}, frame {frame}", time=time, frame=signed_frame_at(moment.time))
    nodes = _nodes(document, moment)
    # What fits on a screen: of the world matrix only the translation.
    world = nodes.columns["world"]
    shown = {name: nodes.columns[name] for name in ("index", "key", "interpolated", "quaternion", "position")}
    positions = world[:, [3, 7, 11]] if isinstance(world, np.ndarray) else None
    yield from text_table.lines(
        Columns.of(PosedLine, len(nodes), name=document.names, world=positions, **shown)
    )


def pose_document(document: Document, time: float, moment: Moment) -> PoseAnswer:
    """The pose as a JSON document; frame and keys are those of the first time. Raises `UsageError`."""
    return PoseAnswer(time, signed_frame_at(moment.time), _nodes(document, moment))


def _nodes(document: Document, moment: Moment) -> Columns:
    """The pose of each node; keys are those of the first time."""
    pose = document.animation.pose_at(moment)
    first = document.animation.pose_at(replace(moment, time_b=None, other=None)).sample
    count = len(pose.local)
    return Columns.of(
        PosedNode,
        count,
        index=np.arange(count),
        key=NullableArray.of(first.key, NO_KEY),
        interpolated=first.is_interpolated,
        quaternion=pose.quaternion,
        position=pose.position,
        local=pose.local.reshape(-1, 16),
        world=pose.world.reshape(-1, 16),
    )
