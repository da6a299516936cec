"""``open``: the window, or without a display a picture of what it would show."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from viewer.app import output
from viewer.app.arguments import add_reading_choice
from viewer.errors import AddressError

PREVIEW: Final = Path("preview.png")


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "address",
        nargs="?",
        metavar="PATH[::ENTRY]",
        help="a model, an archive or a folder; by default the bundled sample",
    )
    add_reading_choice(parser, None)


def run(options: Namespace) -> int:
    """Open the window and return when it is closed; without a display leave a picture instead."""
    try:
        return _open(options) if has_display() else _preview(options, "there is no display")
    except FileNotFoundError as error:
        raise AddressError(str(error)) from error


def has_display() -> bool:
    """Whether a window may be possible here."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(options: Namespace) -> int:
    from viewer.app import window  # noqa: PLC0415 of no use without a display

    try:
        return window.run(options.address, reading=options.reading)
    except window.DisplayError as error:
        return _preview(options, error.message)


def _preview(options: Namespace, reason: str) -> int:
    from viewer.app import preview  # noqa: PLC0415 of no use with a display

    address = preview.save(options.address, options.reading, PREVIEW)
    output.write_lines([f"{reason}: rendered {address} to {PREVIEW}"])
    return 0
