"""The window itself: the application run in it, its frame loop, how signals and a lost display end it."""

from __future__ import annotations

import ctypes
import gc
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf
from pathlib import Path
from threading import Thread
from time import perf_counter
from types import FrameType
from typing import Any, Final, Protocol

import glfw
from moderngl_window.context.glfw.window import Window
from moderngl_window.context.headless.window import Window as HeadlessWindow

from viewer.app.application import Application
from viewer.app.platform.gui import PROGRAM
from viewer.app.platform.single_window import Received, nothing
from viewer.app.platform.system_theme import use_theme
from viewer.control.opening import sessions
from viewer.control.opening.loading import StartOptions
from viewer.control.settings import settings_file
from viewer.control.settings.settings_damage import SettingsDamage
from viewer.errors import MshviewError
from viewer.render import offscreen
from viewer.resources import use_language
from viewer.translation import _, call_ctrl, translated

SIGNALS: Final = tuple(
    number
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")
    if (number := getattr(signal, name, None)) is not None
)
"""The signals that end a program, of those that the platform has."""
LOST: Final = _("the connection to the display was lost")
_HANDLER: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


@contextmanager
def leaving_on_signals(leave: Callable[[], None], wake: Callable[[], None]) -> Iterator[list[int]]:
    """Call `leave` on the main thread on the first signal; the second one ends the program.

    Signals that are ignored, as those of the terminal under ``nohup``, stay so. Python handles a signal
    between two of its own steps, so a main thread that sleeps elsewhere has to be woken first.

    Parameters
    ----------
    wake
        Ends the sleep of the main thread; called from another one.

    Yields
    ------
    The numbers of the signals that have arrived.
    """
    received: list[int] = []
    earlier = {number: signal.getsignal(number) for number in SIGNALS}
    heeded = [number for number, handler in earlier.items() if handler not in (signal.SIG_IGN, None)]

    def handle(number: int, _ignored: FrameType | None) -> None:
        # A second one ends a program that hangs, also in what runs no Python code.
        signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else earlier[number])
        received.append(number)
        leave()

    # Python writes the number of each signal to this socket from its C handler, even while the main thread
    # sleeps in GLFW and runs no Python code; the thread that reads it wakes the main thread.
    ear, mouth = socket.socketpair()
    mouth.setblocking(False)
    before = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
    Thread(target=_listen, args=(ear, wake), name="mshview-signals", daemon=True).start()
    for number in heeded:
        signal.signal(number, handle)
    try:
        yield received
    finally:
        for number in heeded:
            signal.signal(number, earlier[number])
        signal.set_wakeup_fd(before)
        mouth.close()


def _listen(ear: socket.socket, wake: Callable[[], None]) -> None:
    """Wake the main loop once per byte until the socket is closed."""
    with ear:
        while ear.recv(1):
            wake()


@contextmanager
def leaving_without_display(leave: Callable[[], None]) -> Iterator[list[Callable[[], None]]]:
    """Call `leave` when the connection to the X server breaks; it has to end the process.

    Xlib would print a text of its own and end the process with status 1, wherever in the program it is.

    Yields
    ------
    What is done before that; empty at first.
    """
    duties: list[Callable[[], None]] = []
    library = _xlib()
    if library is None:
        yield duties
        return

    def handle(_display: int | None) -> int:
        for duty in duties:
            duty()
        leave()
        return 0

    handler = _HANDLER(handle)  # kept in a variable: ctypes frees a callback that nothing refers to
    library.XSetIOErrorHandler(handler)
    try:
        yield duties
    finally:
        library.XSetIOErrorHandler(None)


def _xlib() -> Any:
    """Xlib, which GLFW uses on this system, or None."""
    try:
        return ctypes.CDLL("libX11.so.6") if sys.platform.startswith("linux") else None
    except OSError:
        return None


GL_VERSION: Final = (3, 3)
SMALLEST: Final = (640, 420)
"""Width and height below which the window cannot be made smaller, unscaled."""
INTERRUPTED: Final = 130
"""The exit status if Ctrl+C in the terminal has closed the window."""
SETTLING_FRAMES: Final = 3
"""Frames after an event until ImGui has laid everything out."""
SETTLING_SECONDS: Final = 1.2
"""Time after an event in which something may still appear by itself, such as a tooltip."""
SETTLING_STEP: Final = 0.2
TICK_SECONDS: Final = 0.4
PROGRESS_SECONDS: Final = 0.1
IDLE_SECONDS: Final = 5.0
SHORTEST_WAIT: Final = 0.001
"""Even a frame that is overdue looks for events first, seconds."""
LONG_SEARCH: Final = 1000
"""Searches of newer objects for garbage before one of all; 10 is usual."""
DUE_SEARCH: Final = 10
"""Searches of newer objects after which all are searched as soon as nothing happens."""
LONGEST_STEP: Final = 0.1
"""The clock of the animation never moves on by more, seconds."""
REFRESH_RATE: Final = 60
"""Frames per second if the display does not report its rate."""


class DisplayError(MshviewError):
    """A missing display, or one without OpenGL."""


def run(
    given: StartOptions,
    settings_path: Path | None = None,
    lost: Callable[[], None] = lambda: None,
    received: Received | None = None,
) -> int:
    """Open the window on the file from the command line and return when it is closed.

    Parameters
    ----------
    settings_path
        The settings file; by default that of the user.
    lost
        Ends the process when the display is gone; the settings have been written before.
    received
        What is opened here besides, and what later starts of the program name; nothing if it is None.

    Returns
    -------
    The exit status.

    Raises
    ------
    DisplayError
        No window can be opened.
    """
    path = settings_path or settings_file.default_path()
    damages: list[SettingsDamage] = []
    remembered = settings_file.load(path, damages.append)
    use_language(remembered.language)
    if sys.platform == "darwin":
        call_ctrl("Cmd")  # ImGui takes either key for the other there
    use_theme(remembered.theme)
    with leaving_without_display(lost) as duties:
        window = open_window(remembered.window_size)
        app = Application(window, remembered, path, wake=glfw.post_empty_event, given=given)
        duties.append(app.save_settings)
        others = received or Received()
        for damage in damages:
            app.state.complain(damage.message)
        try:
            app.control.installs.search()
            sessions.open_first(app.state, app.opener)
            app.editing.recovery.look()
            app.editing.watch.start()
            others.wake = glfw.post_empty_event
            with leaving_on_signals(app.state.leave, glfw.post_empty_event) as signals, short_pauses():
                run_loop(app, partial(_open_others, app, window, others))
        finally:
            others.wake = nothing
            app.close()
            window.destroy()
    return INTERRUPTED if signal.SIGINT in signals else 0


def _open_others(app: Application, window: Window, others: Received) -> None:
    """Open what other starts of the program name, and bring the window to the front.

    One is read after the other, so that the tabs are in the order of the names and the last is in front.
    """
    given = None if app.jobs.title else next(others.taken(), None)
    if given is None:
        return
    sessions.open_given(app.state, app.opener, given)
    app.rebuild_panels()
    glfw.restore_window(window._window)  # noqa: SLF001 moderngl-window has no name for it
    glfw.focus_window(window._window)  # noqa: SLF001
    glfw.request_window_attention(window._window)  # noqa: SLF001
    glfw.post_empty_event()  # for the next one


def _nothing() -> None:
    """The default reaction to an event: none."""


@contextmanager
def short_pauses() -> Iterator[None]:
    """Leave what there is now out of the searches for garbage inside the block, and make the long ones rare.

    The modules, classes and tables of the program are 100,000 objects: every search of all takes 45 ms, three
    frames, wherever an animation is at that moment. The overview of a game is as many, and the long searches
    among them take 80 ms while its thumbnails are read: they are made while nothing happens.
    """
    young, middle, old = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(young, middle, LONG_SEARCH)
    try:
        yield
    finally:
        gc.set_threshold(young, middle, old)
        gc.unfreeze()


def search_for_garbage() -> None:
    """Search everything for garbage if that is due but for `short_pauses`; called while nothing happens."""
    if gc.get_count()[2] > DUE_SEARCH:
        gc.collect()


def open_window(size: tuple[int, int]) -> Window:
    """Open a window of `size`, at most that of the display; raises `DisplayError`."""
    offscreen.prepare_driver()
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
        words = _(
            "the display has no OpenGL {version}: {error}; {advice}",
            version=version,
            error=error,
            advice=translated(offscreen.driver_advice()),
        )
        raise DisplayError(words) from error
    window.exit_key = window.fullscreen_key = None  # moderngl-window would close the window on Escape
    _limit_size(window)
    return window


def open_headless(size: tuple[int, int]) -> HeadlessWindow:
    """Open a window that nobody sees, which OpenGL draws into without a display."""
    drawn = offscreen.BACKEND
    return HeadlessWindow(size=size, gl_version=GL_VERSION, aspect_ratio=None, vsync=False, **drawn)


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
    _ignored, _ignored, *room = glfw.get_monitor_workarea(monitor)
    scale = glfw.get_monitor_content_scale(monitor)
    width, height = (
        min(side, int(space / factor)) if space else side
        for side, space, factor in zip(size, room, scale, strict=True)
    )
    return width, height


class Animated(Protocol):
    """The application as the frame loop knows it."""

    @property
    def is_closing(self) -> bool:
        """Whether the last frame has been drawn."""

    @property
    def is_moving(self) -> bool:
        """Whether the next frame differs from this one even if nothing happens."""

    @property
    def is_working(self) -> bool:
        """Whether the progress of work in other threads is shown."""

    @property
    def is_ticking(self) -> bool:
        """Whether something changes now and then: a text cursor blinks, a notice expires."""

    def draw(self, seconds: float) -> None:
        """Draw a frame and show it; animations advance by `seconds`."""


def run_loop(app: Animated, answer: Callable[[], None] = _nothing) -> None:
    """Draw frames until the application closes; the thread sleeps while nothing happens.

    Parameters
    ----------
    answer
        Called after each sleep.
    """
    pace = FramePace(shortest_frame())
    while not app.is_closing:
        now = perf_counter()
        # Waits at least a moment: a frame that is always overdue would starve the events of the window.
        due = pace.due(app, now) - now
        if wait_for_event(due):
            pace.wake(perf_counter())
        elif due > IDLE_SECONDS:
            search_for_garbage()
        answer()
        now = perf_counter()
        if now >= pace.due(app, now):
            app.draw(pace.step(now))


def wait_for_event(seconds: float) -> bool:
    """Sleep until an event of the window and tell whether there was one before the time was over."""
    limit = min(max(seconds, SHORTEST_WAIT), IDLE_SECONDS)
    started = perf_counter()
    glfw.wait_events_timeout(limit)
    return perf_counter() - started < limit


def shortest_frame() -> float:
    """Seconds between frames, a little less than the display takes: it holds them back itself if it can."""
    monitor = glfw.get_primary_monitor()
    mode = glfw.get_video_mode(monitor) if monitor else None
    rate = mode.refresh_rate if mode else REFRESH_RATE
    # A little less, as swapping buffers waits for the display: with more each other refresh is missed.
    return 0.9 / (rate or REFRESH_RATE)


class FramePace:
    """The pace of frames: at once and a few times after an event, steadily while something moves, else none.

    Parameters
    ----------
    shortest
        Least time between two frames, seconds.
    """

    def __init__(self, shortest: float) -> None:
        self._shortest = shortest
        self._drawn = -inf
        self._woken = -inf
        self._pending = SETTLING_FRAMES

    def due(self, app: Animated, now: float) -> float:
        """Time of the next frame without an event; infinite for never."""
        if self._pending or app.is_moving:
            return self._drawn + self._shortest
        if app.is_working:
            return self._drawn + PROGRESS_SECONDS
        if now < self._woken + SETTLING_SECONDS:
            return self._drawn + SETTLING_STEP
        return self._drawn + TICK_SECONDS if app.is_ticking else inf

    def wake(self, now: float) -> None:
        """An event has come in."""
        self._woken = now
        self._pending = SETTLING_FRAMES

    def step(self, now: float) -> float:
        """Draw now: return by how much the animation moves on, seconds."""
        passed = now - self._drawn
        self._drawn = now
        self._pending = max(0, self._pending - 1)
        return min(passed, LONGEST_STEP)
