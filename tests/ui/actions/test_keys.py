"""Chords as written and as ImGui takes them."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from viewer.ui.actions.keys import Chord


def test_modifiers_are_added() -> None:
    assert Chord("Ctrl+Shift+S").codes == (
        int(imgui.Key.mod_ctrl) | int(imgui.Key.mod_shift) | int(imgui.Key.s),
    )


def test_digits_lie_on_the_keypad_too() -> None:
    assert Chord("7").codes == (int(imgui.Key._7), int(imgui.Key.keypad7))


def test_plus_is_itself_a_key() -> None:
    shifted = int(imgui.Key.mod_shift) | int(imgui.Key.equal)
    assert {int(imgui.Key.equal), int(imgui.Key.keypad_add), shifted} <= set(Chord("+").codes)


def test_unknown_key_is_refused() -> None:
    with pytest.raises(ValueError, match="Ctrl\\+Ж"):
        Chord("Ctrl+Ж")
