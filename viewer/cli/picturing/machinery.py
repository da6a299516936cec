"""The machinery of an image: how the object moves that it turns with."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Final

from msgspec.structs import replace

from viewer.cli.usage.arguments import with_given, within
from viewer.session.play.machinery import MOST_SPEED, MOST_TURN
from viewer.session.play.playback import Machinery
from viewer.translation import _

NAMES: Final = ("speed", "turn")
"""Options that say nothing about an effect."""


def declare(parser: ArgumentParser, _unless: str | None) -> None:
    """Add how the object moves."""
    add = parser.add_argument
    add(
        "--speed",
        type=partial(within, least=-MOST_SPEED, most=MOST_SPEED),
        metavar="F",
        help=_(
            "speed forward that drives wheels, belts and wings: a share of the top speed, -1 to 1; default 0"
        ),
    )
    add(
        "--turn",
        type=partial(within, least=-MOST_TURN, most=MOST_TURN),
        metavar="R",
        help="turn to the left that drives them, rad/s; default 0",
    )


def applied(options: Namespace, machinery: Machinery) -> Machinery:
    """The machinery of an object that moves as the options say; what they leave out stays."""
    motion = with_given(machinery.motion, speed=options.speed, turn=options.turn)
    return replace(machinery, motion=motion)
