"""The machinery of an image: whether what turns by itself turns, and how the object moves."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Final

from viewer.cli.usage.arguments import number
from viewer.dataclass import replace
from viewer.session.play.machinery import MOST_SPEED, MOST_TURN
from viewer.session.play.playback import Machinery
from viewer.translation import _

ON, OFF = "on", "off"
NAMES: Final = ("machinery", "speed", "turn")
"""Options that say nothing about an effect."""


def declare(parser: ArgumentParser, unless: str | None) -> None:
    """Add the options; `unless` replaces the defaults in their help."""
    add = parser.add_argument
    add(
        "--machinery",
        choices=(ON, OFF),
        help=_(
            "what turns by itself turns, from its initial value at time 0: rotors, dishes; {unless}",
            unless=unless or _("default on"),
        ),
    )
    add(
        "--speed",
        type=_speed,
        metavar="F",
        help=_(
            "speed forward that drives wheels, belts and wings: a share of the top speed, -1 to 1; default 0"
        ),
    )
    add("--turn", type=_turn, metavar="R", help="turn to the left that drives them, rad/s; default 0")


def _speed(text: str) -> float:
    return _within(text, MOST_SPEED)


def _turn(text: str) -> float:
    return _within(text, MOST_TURN)


def _within(text: str, most: float) -> float:
    value = number(text)
    if abs(value) > most:
        words = "{text!r} is not within -{most:g} to {most:g}"
        raise ArgumentTypeError(_(words, text=text, most=most))
    return value


def applied(options: Namespace, machinery: Machinery) -> Machinery:
    """The machinery with what the options say; what they leave out stays."""
    given = {name: getattr(options, name) for name in ("speed", "turn")}
    motion = replace(machinery.motion, **{name: it for name, it in given.items() if it is not None})
    is_on = machinery.is_on if options.machinery is None else options.machinery == ON
    return replace(machinery, is_on=is_on, motion=motion)
