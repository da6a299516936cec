"""How a picture is drawn: the options that ``render`` and ``open`` share, applied to a view."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from viewer.cli import motion
from viewer.cli.arguments import number
from viewer.session.view.lighting import SCENE, Lighting, Look

if TYPE_CHECKING:
    from viewer.session.view.texture_switches import TextureSwitches
    from viewer.session.view.view_state import ViewState

ON, OFF = "on", "off"
GROUND_DIVISORS: Final = (1024, 256)
LAST: Final = "by default as in the window last"
"""The default of every option of ``open``."""


def declare(parser: ArgumentParser, unless: str | None = None) -> None:
    """Add the options; `unless` replaces the defaults in their help."""
    _declare_light(parser, unless)
    motion.add_root(parser, unless or "default still")
    parser.add_argument(
        "--ground-uv",
        type=int,
        choices=GROUND_DIVISORS,
        help=f"divisor of terrain coordinates, unknown in the game; {unless or 'default 1024'}",
    )


def applied(options: Namespace, view: ViewState) -> ViewState:
    """`view` with what the options say; what they leave out stays."""
    playback = replace(view.playback, root=motion.root(options, view.playback.root))
    lighting, textures = _lighting(options, view.lighting), _textures(options, view.textures)
    return replace(view, lighting=lighting, textures=textures, playback=playback)


def _textures(options: Namespace, textures: TextureSwitches) -> TextureSwitches:
    if options.ground_uv is None:
        return textures
    return replace(textures, divides_ground_by_256=options.ground_uv == GROUND_DIVISORS[1])


def _declare_light(parser: ArgumentParser, unless: str | None) -> None:
    add = parser.add_argument
    add(
        "--look",
        choices=[*map(str, Look)],
        help=f"light and blending as in the game, or the plain display model; {unless or 'default game'}",
    )
    add(
        "--scene",
        type=fraction,
        metavar="F",
        help=f"grey light on every surface in the game's look, 0 to 1; {unless or f'default {SCENE}'}",
    )
    for name, what in (
        ("--lights", f"all lights of the game's look; {unless or 'default on'}"),
        ("--head-light", f"a light from the camera, if there are lights; {unless or 'default off'}"),
    ):
        add(name, choices=(ON, OFF), help=what)


def _lighting(options: Namespace, lighting: Lighting) -> Lighting:
    given: dict[str, Any] = {
        "look": options.look and Look(options.look),
        "scene": options.scene,
        "has_lights": options.lights and options.lights == ON,
        "has_head_light": options.head_light and options.head_light == ON,
    }
    return replace(lighting, **{name: value for name, value in given.items() if value is not None})


def fraction(text: str) -> float:
    """The value of an option from 0 to 1."""
    value = number(text)
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text!r} is not within 0 to 1")
    return value
