"""The window itself, and running the application in it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from imgui_bundle import imgui  # noqa: F401 before glfw: it says which GLFW library both are to use

import glfw  # isort: skip
from moderngl_window.context.glfw.window import Window

from viewer.app import loop, settings
from viewer.app.application import Application
from viewer.errors import MshviewError

GL_VERSION: Final = (3, 3)
TITLE: Final = "mshview"


class DisplayError(MshviewError):
    """There is no display to open a window on, or it has no OpenGL."""


def run(address: str | None = None, *, settings_path: Path | None = None) -> int:
    """Open the window on an address, by default the bundled sample, and return when it is closed.

    Parameters
    ----------
    settings_path
        Where settings are kept; the user's own where that is left out.

    Returns
    -------
    The exit status.

    Raises
    ------
    DisplayError
        No window can be opened here.
    """
    path = settings_path or settings.default_path()
    remembered = settings.load(path)
    window = open_window(remembered.window_size)
    app = Application(window, remembered, path, wake=glfw.post_empty_event)
    try:
        if address is None:
            app.opener.open_sample()
        else:
            app.opener.open(address)
        loop.run(app)
    finally:
        app.close()
        window.destroy()
    return 0


def open_window(size: tuple[int, int]) -> Window:
    """Open a window with a context of OpenGL 3.3; raises `DisplayError`."""
    glfw.ERROR_REPORTING = "ignore"
    if not glfw.init():
        raise DisplayError("there is no display")
    try:
        window = Window(
            title=TITLE,
            gl_version=GL_VERSION,
            size=size,
            aspect_ratio=None,
            vsync=True,
            samples=0,
            cursor=True,
        )
    except (ValueError, RuntimeError) as error:
        raise DisplayError(f"the display has no OpenGL {GL_VERSION[0]}.{GL_VERSION[1]}: {error}") from error
    window.exit_key = None
    return window
