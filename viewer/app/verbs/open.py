"""``open``: the window, or without a display a picture of what it would show."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import Final

from viewer.app import output
from viewer.errors import AddressError

PREVIEW: Final = Path("preview.png")
PREVIEW_SIZE: Final = (1280, 800)


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "address",
        nargs="?",
        metavar="PATH[::ENTRY]",
        help="a model, an archive or a folder; by default the bundled sample",
    )


def run(options: Namespace) -> int:
    """Open the window and return when it is closed; without a display render a picture instead."""
    if not has_display():
        return preview(options.address, "there is no display")
    from viewer.app import window  # noqa: PLC0415 it is no use without a display

    try:
        return window.run(options.address)
    except window.DisplayError as error:
        return preview(options.address, error.message)


def has_display() -> bool:
    """Whether a window may be possible here."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def preview(address: str | None, reason: str) -> int:
    """Render what the window would show first to a file, and say so; raises `MshviewError`."""
    from viewer.app import headless, pictures  # noqa: PLC0415 only where there is no window
    from viewer.app.opening import read, sample_address  # noqa: PLC0415
    from viewer.model.library import Library  # noqa: PLC0415
    from viewer.session.view_state import ViewState  # noqa: PLC0415

    try:
        opened = read(Library(is_mapped=True), address or sample_address(), {})
    except FileNotFoundError as error:
        raise AddressError(str(error)) from error
    document = opened.document
    if document is None:
        raise AddressError("holds no model to show", source=str(opened.address))
    studio = headless.Studio(document)
    view = document.first_view(ViewState())
    width, height = PREVIEW_SIZE
    camera = document.framed(view.camera, (view.lod, view.group), width / height)
    pictures.save(studio.picture(replace(view, camera=camera), PREVIEW_SIZE), PREVIEW)
    output.write_lines([f"{reason}: rendered {document.address} to {PREVIEW}"])
    return 0
