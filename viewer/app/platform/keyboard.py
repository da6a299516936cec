"""The keys of the window as ImGui hears of them: no typed text waits, and no quick chord is lost.

ImGui takes one change of a key per frame and leaves the rest of its queue to the next one. So the letters
typed during a slow frame would arrive one per frame, as each key goes down and up; and a quick Ctrl+P would
be lost, as P going down and Ctrl going up are one change each, and ImGui would see P alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from imgui_bundle import imgui  # before glfw: it says which GLFW library both are to use

import glfw  # isort: skip

MODIFIERS: Final = range(glfw.KEY_LEFT_SHIFT, glfw.KEY_RIGHT_SUPER + 1)
SHIFTS: Final = (glfw.KEY_LEFT_SHIFT, glfw.KEY_RIGHT_SHIFT)
PRINTABLE: Final = (
    *range(glfw.KEY_SPACE, glfw.KEY_WORLD_2 + 1),
    *range(glfw.KEY_KP_0, glfw.KEY_KP_ADD + 1),
    glfw.KEY_KP_EQUAL,
)
COMMANDS: Final = glfw.MOD_CONTROL | glfw.MOD_ALT | glfw.MOD_SUPER
"""With one of these a key does not type its letter."""
IDLE_KEY: Final = imgui.Key.f24
"""A key that nothing listens to."""

Forward = Callable[[int, int, int, int], None]
"""Takes key, scan code, action and modifiers, as GLFW gives them."""


class Keyboard:
    """Passes the keys of a window on to ImGui; owner: the GUI of the window.

    Parameters
    ----------
    forward
        Passes a key on.
    """

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._is_chord = False
        self._typing: set[int] = set()

    def receive(self, _window: Any, key: int, scancode: int, action: int, mods: int) -> None:
        """Pass a key on, unless it types a letter, which comes as a character as well."""
        if self._is_typing(key, action, mods):
            return
        if key in MODIFIERS and action == glfw.RELEASE:
            self._end_chord()
        elif key not in MODIFIERS and action == glfw.PRESS:
            self._is_chord = self._is_chord or bool(mods)
        self._forward(key, scancode, action, mods)

    def _is_typing(self, key: int, action: int, mods: int) -> bool:
        """Whether a key goes down only to type, or is let go after that."""
        was_typing = key in self._typing
        self._typing.discard(key)
        if action == glfw.RELEASE:
            is_known = self._is_chord or imgui.get_io().key_shift
            return was_typing and not (key in SHIFTS and is_known)
        if imgui.get_io().want_text_input and _types(key, mods):
            self._typing.add(key)
        return key in self._typing

    def _end_chord(self) -> None:
        """Let ImGui take the release of a modifier in a later frame than the key that was pressed with it.

        What it defers to the next frame, with all that follows, is a key that goes both down and up.
        """
        if self._is_chord:
            for is_down in (True, False):
                imgui.get_io().add_key_event(IDLE_KEY, is_down)
        self._is_chord = False


def _types(key: int, mods: int) -> bool:
    """Whether a key that goes down in a text field does nothing but type, as Shift does by itself."""
    return key in SHIFTS or (key in PRINTABLE and not mods & COMMANDS)
