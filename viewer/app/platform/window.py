"""The window itself, and running the application in it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Final

from imgui_bundle import imgui  # noqa: F401 before glfw: it says which GLFW library both are to use

from viewer.translation import _, translated

import glfw  # isort: skip
from moderngl_window.context.glfw.window import Window

from viewer.app.application import Application
from viewer.app.loading import StartOptions
from viewer.app.platform import loop
from viewer.app.platform.gui import PROGRAM
from viewer.app.platform.leaving import leaving_on_signals, leaving_without_display
from viewer.app.settings import settings
from viewer.errors import MshviewError
from viewer.render import context

GL_VERSION: Final = (3, 3)
SMALLEST: Final = (640, 420)
"""Width and height below which the window cannot be made smaller, unscaled."""
INTERRUPTED: Final = 130
"""The exit status if Ctrl+C in the terminal has closed the window."""


class DisplayError(MshviewError):
    """There is no display to open a window on, or it has no OpenGL."""


def run(
    given: StartOptions, settings_path: Path | None = None, lost: Callable[[], None] = lambda: None
) -> int:
    """Open the window on the file from the command line and return when it is closed.

    Parameters
    ----------
    settings_path
        The settings file; by default that of the user.
    lost
        Ends the process when the display is gone; the settings have been written before.

    Returns
    -------
    The exit status.

    Raises
    ------
    DisplayError
        No window can be opened.
    """
    path = settings_path or settings.default_path()
    set_aside: list[Path] = []
    remembered = settings.load(path, set_aside.append)
    with leaving_without_display(lost) as duties:
        window = open_window(remembered.window_size)
        app = Application(window, remembered, path, wake=glfw.post_empty_event, given=given)
        duties.append(app.save_settings)
        for kept in set_aside:
            app.state.complain(_("The settings cannot be read and are set aside as {path}").format(path=kept))
        try:
            app.installs.search()
            app.opener.open_first()
            app.editing.recovery.look()
            with leaving_on_signals(app.leave, glfw.post_empty_event) as received:
                loop.run(app)
        finally:
            app.close()
            window.destroy()
    return INTERRUPTED if signal.SIGINT in received else 0


def open_window(size: tuple[int, int]) -> Window:
    """Open a window of `size`, at most that of the display; raises `DisplayError`."""
    context.prepare()
    glfw.ERROR_REPORTING = "ignore"  # glfw would raise its own errors, or warn on stderr
    if not glfw.init():
        raise DisplayError(_("there is no display"))
    try:
        window = Window(
            title=PROGRAM,
            gl_version=GL_VERSION,
            size=_fitting((max(size[0], SMALLEST[0]), max(size[1], SMALLEST[1]))),
            aspect_ratio=None,
            vsync=True,
            cursor=True,
        )
    except (ValueError, RuntimeError) as error:
        version = ".".join(map(str, GL_VERSION))
        words = _("the display has no OpenGL {version}: {error}; {advice}").format(
            version=version, error=error, advice=translated(context.advice())
        )
        raise DisplayError(words) from error
    window.exit_key = window.fullscreen_key = None  # moderngl-window would close the window on Escape
    _limit_size(window)
    return window


def _limit_size(window: Window) -> None:
    """Set the smallest size, in the units of the window system."""
    handle = window._window  # noqa: SLF001 moderngl-window has no name for it
    pixels, width = glfw.get_framebuffer_size(handle)[0], glfw.get_window_size(handle)[0]
    scale = glfw.get_window_content_scale(handle)[0] * width / max(pixels, 1)
    width, height = (round(side * scale) for side in SMALLEST)
    glfw.set_window_size_limits(handle, width, height, glfw.DONT_CARE, glfw.DONT_CARE)


def _fitting(size: tuple[int, int]) -> tuple[int, int]:
    """A size, unscaled, that the main display has room for."""
    monitor = glfw.get_primary_monitor()
    if not monitor:
        return size
    _, _, *room = glfw.get_monitor_workarea(monitor)
    scale = glfw.get_monitor_content_scale(monitor)
    width, height = (
        min(side, int(space / factor)) if space else side
        for side, space, factor in zip(size, room, scale, strict=True)
    )
    return width, height
