"""ImGui's frames and its test engine, called without Python's lock.

Dear ImGui's test engine moves the mouse and presses keys in a thread of its own; it hands control
back and forth with the frames of the application, inside ``NewFrame`` and ``EndFrame``. The bindings
of imgui-bundle hold Python's lock meanwhile, so the two would wait for each other forever; called
through ctypes, which lets go of it, they do not.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from math import inf
from typing import Any, Final

import pytest
from imgui_bundle import imgui
from moderngl_window.context.headless.window import Window

from viewer.app.platform.window import open_headless
from viewer.render import portions, renderer

SIZE: Final = (1024, 640)
_SYMBOLS: Final = {"new_frame": "_ZN5ImGui8NewFrameEv", "end_frame": "_ZN5ImGui8EndFrameEv"}
_CONTEXT: Final = "_ZN5ImGui17GetCurrentContextEv"
_HOOKS: Final = "_ZN5ImGui16CallContextHooksEP12ImGuiContext20ImGuiContextHookType"
_ENDING: Final = int(imgui.internal.ContextHookType.end_frame_pre)
"""The hook in which the test engine lets a script continue."""
COOL_DOWN: Final = 3
"""Frames that the engine lets pass after every script."""


def release_lock_in_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ImGui's frames run without Python's lock; skips where the library hides its functions.

    Each frame shows the scene whole and with all of its samples, however busy the computer is.
    """
    for module in (renderer, portions):
        monkeypatch.setattr(module, "LONGEST", inf)
    monkeypatch.setattr(renderer, "SMOOTH_SECONDS", inf)
    for name, symbol in _SYMBOLS.items():
        function = _exported(symbol)
        function.restype = None
        monkeypatch.setattr(imgui, name, function)


@cache
def _exported(symbol: str) -> Any:
    """A function of ImGui, called without Python's lock; skips where the library hides it."""
    library = ctypes.CDLL(str(import_module("imgui_bundle._imgui_bundle").__file__))
    try:
        return library[symbol]
    except AttributeError:
        pytest.skip(f"this build of imgui-bundle does not export {symbol}")


def end_cool_down() -> None:
    """Let the engine end a script whose last frame was drawn, as if it had drawn some more.

    They are for a script that follows at once and has widgets of its own with equal names.
    """
    find, call = _exported(_CONTEXT), _exported(_HOOKS)
    find.restype, call.restype, call.argtypes = ctypes.c_void_p, None, (ctypes.c_void_p, ctypes.c_int)
    for _ in range(COOL_DOWN):
        call(find(), _ENDING)


def headless_window() -> Window:
    """A window of `SIZE` that nobody sees; skips where the machine has no EGL."""
    try:
        return open_headless(SIZE)
    except Exception as error:  # noqa: BLE001 moderngl raises plain Exception
        pytest.skip(f"no OpenGL without a display: {error}")
