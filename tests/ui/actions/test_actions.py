"""The table of actions: every key means one thing, every promised key means something."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from tests.languages import Bracketed
from viewer import translation
from viewer.model.query.names import NameFilter
from viewer.session.view.view_state import Overlay, Shading
from viewer.ui.actions.action_table import ACTIONS
from viewer.ui.actions.actions import Chord
from viewer.ui.frame.menus import MENUS, path_text
from viewer.ui.widgets.icons import OVERLAYS
from viewer.ui.widgets.names import name_of
from viewer.ui.windows.help_windows import found

PROMISED = (
    "F Home 1 3 7 Ctrl+1 Ctrl+3 Ctrl+7 5 0 G X B N E M [ ] Shift+[ Shift+] H Alt+H / Space Left Right "
    ", . Up Down J K Shift+Home Shift+End P - + Ctrl+Left Ctrl+Right Ctrl+O F5 F11 F12 Ctrl+F12 Esc "
    "Ctrl+W Ctrl+Tab Ctrl+Shift+Tab"
)


def test_no_chord_is_used_twice() -> None:
    counts = Counter(code for action in ACTIONS for chord in action.chords for code in chord.codes)
    assert [code for code, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("keys", PROMISED.split())
def test_promised_key_does_something(keys: str) -> None:
    assert [action.text() for action in ACTIONS if keys in action.keys.split()]


def test_every_action_is_in_a_menu() -> None:
    assert {action.menu for action in ACTIONS} <= set(MENUS)


def test_an_id_names_one_action_and_holds_no_text() -> None:
    ids = [action.id for action in ACTIONS]
    assert len(set(ids)) == len(ids)
    assert [name for name in ids if not re.fullmatch(r"[a-z]+(\.[a-z0-9_-]+)+", name)] == []


def test_the_title_of_a_menu_follows_the_language() -> None:
    translation.use(Bracketed())
    try:
        assert path_text("view.camera") == "[View] / [Camera]"
        assert {action.text() for action in ACTIONS if action.id == "view.lod1"} == {"[LOD 1]"}
    finally:
        translation.use(None)


def test_key_list_finds_by_key_by_action_and_by_menu() -> None:
    assert [action.text() for action in found(ACTIONS, NameFilter("grid"))] == ["Grid"]
    assert [action.text() for action in found(ACTIONS, NameFilter("f12"))] == [
        "Save screenshot",
        "Save transparent screenshot",
        "Save picture…",
    ]
    assert "Bottom" in [action.text() for action in found(ACTIONS, NameFilter("camera"))]
    assert found(ACTIONS, NameFilter("no such thing")) == []


def test_actions_with_keys_are_listed_first() -> None:
    has_keys = [bool(action.keys) for action in found(ACTIONS, NameFilter())]
    assert has_keys == sorted(has_keys, reverse=True)
    assert len(has_keys) == len(ACTIONS)


def test_ways_of_shading_are_told_apart_and_read_like_titles() -> None:
    titles = [name_of(mode) for mode in Shading]
    assert len(set(titles)) == len(titles)
    assert all(title[0].isupper() and "-" not in title for title in titles)
    assert name_of(Shading.STREAM18) == "Stream 18 (Res18)"
    assert name_of(Shading.LIGHTMAP) == "Lightmap only"


def test_every_overlay_has_an_icon_of_its_own_in_the_menu_and_in_the_toolbar() -> None:
    shown = {action.id: action.icon for action in ACTIONS if action.menu == "view.overlays"}
    assert shown == {f"view.overlay.{overlay.value}": icon for overlay, icon in OVERLAYS.items()}
    others = {fa.ICON_FA_EXPAND, fa.ICON_FA_CROSSHAIRS, fa.ICON_FA_TABLE_CELLS}
    assert len({*OVERLAYS.values(), *others}) == len(Overlay) + len(others)


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
