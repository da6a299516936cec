"""The real window on a virtual display, and no window where there is no display."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

import pytest

from tests.conftest import Start
from viewer.app.platform.window import LOST
from viewer.control.settings import settings, settings_file

ROOT = Path(__file__).parents[3]
PATIENCE = 120
"""Seconds until a window that does not close fails its test."""

USER = """
import sys
from pathlib import Path
from time import perf_counter

from viewer.app.platform import window
from viewer.app.application import Application
from viewer.control.opening.loading import StartOptions
from viewer.model.store.address import Address

class Visitor(Application):
    def draw(self, seconds):
        super().draw(seconds)
        has_seen_all = self.state.document is not None and self.state.statistics.triangles > 0
        if has_seen_all or perf_counter() > self.leaving:
            self.state.is_closing = True

window.Application = Visitor
Visitor.leaving = perf_counter() + 90
sys.exit(window.run(StartOptions(Address.given(sys.argv[1])), Path(sys.argv[2])))
"""


class Server(NamedTuple):
    """An X server and the name of its display."""

    process: subprocess.Popen[bytes]
    display: str


@pytest.fixture
def server(start: Start) -> Server:
    """An X server with a virtual display; skips where Xvfb is not installed."""
    xvfb = shutil.which("Xvfb")
    if xvfb is None:
        pytest.skip("Xvfb is not installed")
    ours, theirs = os.pipe()
    command = [xvfb, "-displayfd", str(theirs), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]
    process = start(command, pass_fds=[theirs], stderr=subprocess.DEVNULL)
    os.close(theirs)
    with os.fdopen(ours) as number:
        return Server(process, f":{number.readline().strip()}")


@pytest.fixture
def display(server: Server) -> str:
    """A virtual display."""
    return server.display


def use(arguments: list[str], display: str | None) -> subprocess.CompletedProcess[str]:
    """Run a program of Python in the checkout, on a display or on none."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    if display is not None:
        environment["DISPLAY"] = display
    return subprocess.run(
        [sys.executable, "-c", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_the_window_opens_shows_a_model_and_closes(display: str, archive: Path, tmp_path: Path) -> None:
    stored = tmp_path / "settings.json"
    done = use([USER, str(archive), str(stored)], display)
    assert (done.returncode, done.stderr) == (0, "")
    remembered = settings_file.load(stored)
    assert [*map(str, remembered.recent)] == [str(archive)]
    assert remembered.window_size == settings.Settings().window_size


PROGRAM = """
import runpy
import sys
from viewer.control.settings import settings_writer

settings_writer.REST = 0.1
sys.argv[0] = "viewer"
runpy.run_module("viewer", run_name="__main__", alter_sys=True)
"""
"""The program, which writes its settings soon after they have changed."""


def settled(start: Start, stored: Path, display: str, *arguments: str) -> subprocess.Popen[str]:
    """A window that has written what it remembers, which is removed again."""
    environment = {**os.environ, "DISPLAY": display, "XDG_CONFIG_HOME": str(stored.parents[1])}
    command = [sys.executable, "-c", PROGRAM, "open", *arguments]
    window = start(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    end = monotonic() + PATIENCE
    while settings_file.load(stored).recent == ():
        assert monotonic() < end, "a window that runs writes what it remembers"
        assert window.poll() is None
        sleep(0.1)
    stored.unlink()
    return window


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_closes_the_window_and_nothing_is_lost(
    start: Start, display: str, archive: Path, tmp_path: Path, number: int, status: int
) -> None:
    """The model does not move, so that the window sleeps when the signal comes."""
    stored = tmp_path / "mshview" / "settings.json"
    window = settled(start, stored, display, f"{archive}::rock.msh", "--reading", "field")
    window.send_signal(number)
    assert window.communicate(timeout=PATIENCE)[1] == ""
    assert window.returncode == status
    assert [*map(str, settings_file.load(stored).recent)] == [f"{archive}::rock.msh"]
    assert settings_file.load(stored).readings == {str(archive): "field"}


def test_losing_the_display_ends_with_one_line_and_nothing_is_lost(
    start: Start, server: Server, archive: Path, tmp_path: Path
) -> None:
    stored = tmp_path / "mshview" / "settings.json"
    window = settled(start, stored, server.display, str(archive))
    server.process.kill()
    errors = window.communicate(timeout=PATIENCE)[1]
    assert window.returncode == 2
    assert len(errors.splitlines()) == 1
    assert str(LOST) in errors
    assert [*map(str, settings_file.load(stored).recent)] == [str(archive)]


def test_without_a_display_there_is_one_error(archive: Path, tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from viewer.app.platform import window
from viewer.control.opening.loading import StartOptions
from viewer.model.store.address import Address
try:
    window.run(StartOptions(Address.given(sys.argv[1])), Path(sys.argv[2]))
except window.DisplayError as error:
    sys.stdout.write(str(error))
"""
    done = use([program, str(archive), str(tmp_path / "settings.json")], None)
    assert (done.returncode, done.stderr) == (0, "")
    assert "display" in done.stdout


def test_the_window_cannot_be_made_smaller_than_its_panels_need(display: str) -> None:
    """A window manager keeps to the limits; the virtual display has none."""
    program = """
import sys
from viewer.app.platform import window
import glfw
glfw.set_window_size_limits = lambda handle, *limits: sys.stdout.write(f"{limits} ")
opened = window.open_window((200, 100))
sys.stdout.write(f"{glfw.get_window_size(opened._window)}")
"""
    done = use([program], display)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "(640, 420, -1, -1) (640, 420)"


KEYS = """
import ctypes
import sys
from pathlib import Path

from imgui_bundle import imgui

import glfw
from viewer.app.application import Application
from viewer.control.opening.loading import StartOptions
from viewer.model.store.address import Address
from viewer.app.platform import window


class KeyEvent(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("root", ctypes.c_ulong),
        ("subwindow", ctypes.c_ulong), ("time", ctypes.c_ulong), ("x", ctypes.c_int), ("y", ctypes.c_int),
        ("x_root", ctypes.c_int), ("y_root", ctypes.c_int), ("state", ctypes.c_uint),
        ("keycode", ctypes.c_uint), ("same_screen", ctypes.c_int), ("padding", ctypes.c_long * 24),
    ]


xlib = ctypes.CDLL("libX11.so.6")
xlib.XOpenDisplay.restype = ctypes.c_void_p
xlib.XKeysymToKeycode.argtypes = (ctypes.c_void_p, ctypes.c_ulong)
xlib.XSendEvent.argtypes = (ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p)
xlib.XFlush.argtypes = (ctypes.c_void_p,)
display = xlib.XOpenDisplay(None)


class Typist(Application):
    frames = 0

    def draw(self, seconds):
        super().draw(seconds)
        self.frames += 1
        if self.frames == 5:
            self.press("g", "x")
        if self.frames == 25:
            self.state.is_closing = True

    def press(self, *letters):
        handle = glfw.get_x11_window(self.gui._handle)
        for letter in letters:
            for kind in (2, 3):
                code = xlib.XKeysymToKeycode(display, ord(letter))
                event = KeyEvent(kind, 0, 1, display, handle, 0, 0, self.frames, 0, 0, 0, 0, 0, code, 1)
                xlib.XSendEvent(display, handle, 1, 1, ctypes.byref(event))
        xlib.XFlush(display)

    @property
    def is_moving(self):
        return True


window.Application = Typist
sys.exit(window.run(StartOptions(Address.given(sys.argv[1])), Path(sys.argv[2])))
"""


def test_keys_reach_the_window(display: str, archive: Path, tmp_path: Path) -> None:
    """G and X switch the grid and the axes off, as the settings remember."""
    stored = tmp_path / "settings.json"
    done = use([KEYS, str(archive), str(stored)], display)
    assert (done.returncode, done.stderr) == (0, "")
    assert settings_file.load(stored).view.overlays == frozenset()
