"""``open``: the window, or without a display an image of its first view."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from viewer.cli import output
from viewer.cli.arguments import add_reading
from viewer.errors import AddressError

if TYPE_CHECKING:
    from viewer.app.loading import StartOptions

PREVIEW: Final = Path("preview.png")


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "address",
        nargs="?",
        metavar="PATH[::ENTRY]",
        help="a model, an archive or a folder; by default the bundled sample",
    )
    add_reading(parser, None)


def run(options: Namespace) -> int:
    """Open the window and return when it is closed; without a display write an image instead."""
    given = _given(options)
    try:
        return _open(given) if has_display() else _preview(given, "there is no display")
    except FileNotFoundError as error:
        raise AddressError(str(error)) from error


def has_display() -> bool:
    """Whether a display seems to be available."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _given(options: Namespace) -> StartOptions:
    """The request of the options; raises `UsageError` if the game folder is not a folder."""
    from viewer.app.loading import StartOptions  # noqa: PLC0415
    from viewer.cli.inputs import game_option  # noqa: PLC0415 not needed for the help

    return StartOptions(options.address, options.reading, options.wear, game_option(options), options.strict)


def _open(given: StartOptions) -> int:
    from viewer.app.platform import window  # noqa: PLC0415 not needed without a display

    try:
        return window.run(given)
    except window.DisplayError as error:
        return _preview(given, error.message)


def _preview(given: StartOptions, reason: str) -> int:
    from viewer.app.settings import settings  # noqa: PLC0415 not needed with a display
    from viewer.cli import preview  # noqa: PLC0415

    address = preview.save(given, settings.load(settings.default_path()), PREVIEW)
    output.write_lines([f"{reason}: rendered {address} to {PREVIEW}"])
    return 0
