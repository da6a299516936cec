"""Key chords: the keys to press, and how menus and the list of keys show them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from imgui_bundle import imgui

_MODIFIERS: Final = {"Ctrl": imgui.Key.mod_ctrl, "Shift": imgui.Key.mod_shift, "Alt": imgui.Key.mod_alt}

_KEYS: Final[dict[str, tuple[imgui.Key, ...]]] = {
    **{letter: (getattr(imgui.Key, letter.lower()),) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{
        str(digit): (getattr(imgui.Key, f"_{digit}"), getattr(imgui.Key, f"keypad{digit}"))
        for digit in range(10)
    },
    **{f"F{number}": (getattr(imgui.Key, f"f{number}"),) for number in range(1, 13)},
    "Space": (imgui.Key.space,),
    "Tab": (imgui.Key.tab,),
    "Esc": (imgui.Key.escape,),
    "Home": (imgui.Key.home,),
    "End": (imgui.Key.end,),
    "Left": (imgui.Key.left_arrow,),
    "Right": (imgui.Key.right_arrow,),
    "Up": (imgui.Key.up_arrow,),
    "Down": (imgui.Key.down_arrow,),
    "Enter": (imgui.Key.enter, imgui.Key.keypad_enter),
    ",": (imgui.Key.comma,),
    ".": (imgui.Key.period,),
    "[": (imgui.Key.left_bracket,),
    "]": (imgui.Key.right_bracket,),
    "/": (imgui.Key.slash, imgui.Key.keypad_divide),
    "-": (imgui.Key.minus, imgui.Key.keypad_subtract),
    "+": (imgui.Key.equal, imgui.Key.keypad_add),
}
_SHIFTED_TOO: Final = ("+",)
"""Keys whose sign is written with Shift on many keyboards."""
_GLOBAL: Final = int(imgui.InputFlags_.route_global)
_REPEATING: Final = _GLOBAL | int(imgui.InputFlags_.repeat)


@dataclass(frozen=True, slots=True)
class Chord:
    """A key with its modifiers, by its position on the keyboard, so that any layout works.

    Parameters
    ----------
    text
        As menus show it: ``Ctrl+O``, ``Shift+[``, ``F``.
    """

    text: str

    def __post_init__(self) -> None:
        if self._key not in _KEYS:
            raise ValueError(f"no such key: {self.text}")

    @property
    def _key(self) -> str:
        return _key(self.text)

    @property
    def codes(self) -> tuple[int, ...]:
        """The equivalent ImGui key chords: some keys are on the keyboard twice."""
        return _codes(self.text)

    def is_pressed(self, *, repeats: bool = False) -> bool:
        """Tell whether it was pressed in this frame and no text field or inner window takes it."""
        flags = _REPEATING if repeats else _GLOBAL
        return any([imgui.shortcut(code, flags) for code in self.codes])  # noqa: C419 every route is registered


def _key(text: str) -> str:
    return text.rpartition("+")[2] or "+"


@cache
def _codes(text: str) -> tuple[int, ...]:
    """The codes of a chord; asked for in every frame."""
    modifiers = 0
    for name, modifier in _MODIFIERS.items():
        if f"{name}+" in text:
            modifiers |= int(modifier)
    plain = tuple(modifiers | int(key) for key in _KEYS[_key(text)])
    shift = int(imgui.Key.mod_shift) if _key(text) in _SHIFTED_TOO else 0
    return plain + tuple(code | shift for code in plain if shift)
