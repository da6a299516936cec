"""The keys of a window on their way to Dear ImGui, which takes one change of a key per frame."""

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
LEAVING: Final = (glfw.KEY_ENTER, glfw.KEY_KP_ENTER, glfw.KEY_TAB, glfw.KEY_ESCAPE)
"""Keys that end typing, after which another field may open."""
COMMANDS: Final = glfw.MOD_CONTROL | glfw.MOD_ALT | glfw.MOD_SUPER
"""With one of these a key does not type its letter."""
IDLE_KEY: Final = imgui.Key.f24
"""A key that nothing listens to."""
STEPS_TO_OPEN: Final = 4
"""Steps until a text field that a key or a click opens takes what is typed."""
Forward = Callable[[int, int, int, int], None]
"""Takes key, scan code, action and modifiers, as GLFW gives them."""


class Keyboard:
    """Passes the keys of a window on to ImGui; owner: the GUI of the window.

    ImGui takes one change of a key per frame and leaves the rest of its queue to the next one. So the letters
    typed during a slow frame would arrive one per frame, as each key goes down and up; and a quick Ctrl+P
    would be lost, as P going down and Ctrl going up are one change each, and ImGui would see P alone.

    A letter that follows a click or a key like F2 within a few frames waits for the text field that they may
    have opened: it would run an action in place of being typed.

    Parameters
    ----------
    forward
        Passes a key on.
    """

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._is_chord = False
        self._typing: set[int] = set()
        self._acted = self._waits_until = -STEPS_TO_OPEN

    def receive(self, _window: Any, key: int, scancode: int, action: int, mods: int) -> None:
        """Pass a key on, unless it types a letter, which comes as a character as well."""
        if action != glfw.RELEASE and key not in MODIFIERS:
            if not _types(key, mods):
                if key in LEAVING or not imgui.get_io().want_text_input:
                    self.note_action()
            elif imgui.get_frame_count() < self._acted + STEPS_TO_OPEN:
                self._let_open()
        if self._is_typing(key, action, mods):
            return
        if key in MODIFIERS and action == glfw.RELEASE:
            self._end_chord()
        elif key not in MODIFIERS and action == glfw.PRESS:
            self._is_chord = self._is_chord or bool(mods)
        self._forward(key, scancode, action, mods)

    def note_action(self) -> None:
        """Note that a text field may open."""
        self._acted = imgui.get_frame_count()

    @property
    def is_ahead(self) -> bool:
        """Whether letters wait for a text field."""
        return bool(imgui.get_frame_count() < self._waits_until)

    def _let_open(self) -> None:
        """Let ImGui take what follows some frames later: it takes one change of a key in each."""
        if not self.is_ahead:
            self._waits_until = imgui.get_frame_count() + STEPS_TO_OPEN
            for step in range(STEPS_TO_OPEN):
                imgui.get_io().add_key_event(IDLE_KEY, step % 2 == 0)

    def _is_typing(self, key: int, action: int, mods: int) -> bool:
        """Whether a key goes down only to type, or is let go after that."""
        was_typing = key in self._typing
        self._typing.discard(key)
        if action == glfw.RELEASE:
            is_known = self._is_chord or imgui.get_io().key_shift
            return was_typing and not (key in SHIFTS and is_known)
        if imgui.get_io().want_text_input and _types(key, mods) and not self.is_ahead:
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
