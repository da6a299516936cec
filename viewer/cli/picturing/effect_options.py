"""Options of playing an effect that ``effect``, ``render`` and ``open`` share."""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from viewer.cli.usage.arguments import number, whole_number
from viewer.errors import UsageError
from viewer.operations import arguments
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.effects.program import EffectInputs, Point
    from viewer.session.view.view_state import ViewState

DEFAULT_EYE: Final[Point] = (0.0, -10.0, 0.0)
DEFAULT_SEED: Final = 1
SPAWNS: Final = ("together", "spread")
"""The values of `Spawn`, the first one by default; models are drawn without what plays effects."""


def declare(parser: ArgumentParser) -> None:
    """Add the options but for time and size."""
    add = parser.add_argument
    parser.set_defaults(effect_size=None)
    add("--seed", type=whole_number, metavar="N", help="seed of all random numbers, default 1")
    add("--mode", type=whole_number, metavar="M", help="time mode 0 to 17 instead of the header's")
    add(
        "--strength",
        type=number,
        metavar="X",
        help="the value from outside of modes 0 and 4 to 17, such as the value of a node or the life that is "
        "left, default 0",
    )
    add("--eye", type=point, metavar="x,y,z", help="the eye, to which sprites turn, default 0,-10,0")
    add("--target", type=point, metavar="x,y,z", help="where bolts start, default the place of the effect")
    add(
        "--spawn",
        choices=SPAWNS,
        help="when the particles of a burst start: together (default), or spread, one after the other; "
        "what the game does is not known",
    )
    add(
        "--steps",
        action="store_true",
        default=None,
        help="round the clock of the effect down to the game's 10 updates a second",
    )


class PictureSize(Action):
    """The size of a picture, or as a number alone that of an effect in the world; both may be given."""

    def __call__(
        self,
        _parser: ArgumentParser,
        options: Namespace,
        values: str | Sequence[Any] | None,
        _: str | None = None,
    ) -> None:
        """Keep the value as one or the other."""
        try:
            options.effect_size = number(str(values))
        except ArgumentTypeError:
            options.size = values


NAMES: Final = ("seed", "mode", "strength", "eye", "target", "spawn", "steps")
"""Attributes of these options."""


def point(text: str) -> Point:
    """The value of an option that is a point."""
    parts = text.split(",")
    if len(parts) != 3:
        raise ArgumentTypeError(_("{text!r} is not x,y,z", text=text))
    x, y, z = map(number, parts)
    return x, y, z


def seed(options: Namespace) -> int:
    """The seed of the random numbers; raises `UsageError` for one that does not exist."""
    return DEFAULT_SEED if options.seed is None else int(arguments.checked("--seed", options.seed))


def check(verb: str, options: Namespace, seconds: float) -> None:
    """Refuse a moment before the effect was made, and a mode that there is not; raises `UsageError`."""
    if seconds < 0:
        raise UsageError(_("--time {seconds:g} is before the effect was made", seconds=seconds), source=verb)
    arguments.check_options(verb, ("mode",), options)


def staged(options: Namespace, view: ViewState) -> ViewState:
    """The view in which the window shows an effect, which it plays unless a moment was given."""
    from viewer.model.clips.clip import FRAME_RATE  # noqa: PLC0415 not needed for models
    from viewer.session.play import timeline  # noqa: PLC0415
    from viewer.session.play.playback import EffectSettings  # noqa: PLC0415

    names = ("mode", "strength", "size", "target")
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    stage = EffectSettings(
        seed(options),
        eye=options.eye,
        has_steps=bool(options.steps),
        is_spread=options.spawn == SPAWNS[1],
        **given,
    )
    view = replace(view, playback=replace(view.playback, stage=stage))
    if options.time is None:
        return view
    return timeline.at(view, options.time * FRAME_RATE, past=0.0, is_playing=False)


def inputs(
    verb: str, options: Namespace, seconds: float, size: float, eye: Point = DEFAULT_EYE
) -> EffectInputs:
    """The inputs of an effect by the options, `seconds` after its start; raises `UsageError`."""
    check(verb, options, seconds)
    from viewer.model.effects.program import EffectInputs, Spawn  # noqa: PLC0415 not needed for models

    return EffectInputs(
        seconds,
        size,
        options.mode,
        options.strength or 0.0,
        options.eye or eye,
        options.target,
        Spawn(options.spawn or SPAWNS[0]),
        bool(options.steps),
    )
