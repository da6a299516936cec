"""The table of actions: every key means one thing, every promised key means something.

What the sheet before saving says: ranges, marks in the strip, consequences, values.

What panels remember for each tab.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from tests.ui.commands import calls
from tests.ui.languages import Bracketed
from viewer import translation
from viewer.formats.splice import Splice, Splices
from viewer.model.compare.differences import ChangeKind
from viewer.model.compare.edit_report import ChangedValue
from viewer.model.compare.file_plan import FilePlan
from viewer.model.edit.change import Topic
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.resources import use_language
from viewer.session.edits.edited_file import Step
from viewer.session.edits.questions import SaveSheet
from viewer.session.keymap import KEY_NAMES, PRESETS, KeyMap, KeyPreset, conflicts, is_chord
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import Tab, Tabs
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.ui.actions.action_table import ACTIONS
from viewer.ui.actions.actions import _KEYS, Chord, option_actions
from viewer.ui.actions.synonyms import SYNONYMS
from viewer.ui.context import PerTab
from viewer.ui.display.option_controls import all_options
from viewer.ui.edits.save_window import (
    StepLine,
    decide_again,
    decided,
    growth_text,
    lines_of,
    runs,
    summary,
    values_text,
)
from viewer.ui.edits.value_list import RangeLines, change_text, entry_of, length_text, narrowed, place_of
from viewer.ui.frame.menus import MENUS, path_text
from viewer.ui.frame.shell import Shell
from viewer.ui.viewport.viewport import Viewport
from viewer.ui.widgets.guard import Guard
from viewer.ui.widgets.icons import icon_named
from viewer.ui.widgets.names import name_of
from viewer.ui.windows.help_windows import MOUSE, as_text, card, found, keys_text

PROMISED = (
    "F Home 1 3 7 Ctrl+1 Ctrl+3 Ctrl+7 5 0 G X B N E M [ ] Shift+[ Shift+] H Alt+H / Space Left Right "
    ", . Up Down J K Shift+Home Shift+End P - + Ctrl+Left Ctrl+Right Ctrl+O F5 F11 F12 Ctrl+F12 Esc "
    "Ctrl+W Ctrl+Tab Ctrl+Shift+Tab"
)


NOTHING: Any = None
ALL = Shell(Viewport(NOTHING, NOTHING), Guard()).actions
"""Those of the shell too."""


def test_keys_have_the_same_names_in_settings_and_bindings() -> None:
    assert {*KEY_NAMES} == {*_KEYS}
    assert [name for name in KEY_NAMES if not is_chord(f"Ctrl+Alt+{name}")] == []
    texts = ("", "Ctrl", "Ctrl+Ж", "Ctrl+Ctrl+A", "Meta+A", "A+Ctrl", "a")
    assert [text for text in texts if is_chord(text)] == []


@pytest.mark.parametrize("preset", KeyPreset)
def test_a_preset_names_actions_and_gives_no_keys_twice(preset: KeyPreset) -> None:
    assert {*PRESETS[preset]} <= {it.id for it in ALL}
    assert all(is_chord(chord) for keys in PRESETS[preset].values() for chord in keys.split())
    keymap = KeyMap(preset.value)
    assert conflicts((it.id, keymap.keys_of(it.id, it.keys)) for it in ALL) == {}


def test_own_keys_come_before_those_of_the_preset() -> None:
    keymap = KeyMap("blender").with_keys("edit.move", "Ctrl+M")
    assert [keymap.keys_of("edit.move", "W"), keymap.keys_of("edit.turn", "R")] == ["Ctrl+M", "R"]
    assert keymap.without("edit.move").keys_of("edit.move", "W") == "G"
    assert keymap.with_keys("edit.move", "").keys_of("edit.move", "W") == ""


def test_the_list_for_the_printer_has_every_action_with_keys() -> None:
    lines = as_text(ALL).splitlines()
    rows = [f"{keys_text(it):40} {it.text()}" for it in ALL if it.keys]
    assert [row for row in rows if row not in lines] == []
    titles = {path_text(it.menu) for it in ALL if it.keys}
    assert len([line for line in lines if line]) == len(rows) + len(titles) + len(MOUSE) + 1
    page = unescape(card(ALL))
    assert all(f"<tr><th>{keys_text(it)}<td>{it.text()}" in page for it in ALL if it.keys)


def test_no_chord_is_used_twice() -> None:
    counts = Counter(code for action in ALL for chord in action.chords for code in chord.codes)
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


def test_keys_are_called_as_on_the_keyboard_in_every_language() -> None:
    keys = {it.id: it.first_keys for it in ACTIONS if it.keys}
    use_language("ru")
    try:
        assert {it.id: it.first_keys for it in ACTIONS if it.keys} == keys
    finally:
        translation.use(None)


def test_actions_with_other_names_have_other_names_in_every_language() -> None:
    for language in translation.LANGUAGES:
        use_language(language)
        names = {it.title.template: str(it.title) for it in ACTIONS}
        translation.use(None)
        assert [name for name, count in Counter(names.values()).items() if count > 1] == [], language


def test_key_list_finds_by_key_by_action_and_by_menu() -> None:
    assert [action.text() for action in found(ACTIONS, NameFilter("grid"))] == ["Grid"]
    assert [action.text() for action in found(ACTIONS, NameFilter("f12"))] == [
        "Save screenshot",
        "Save transparent screenshot",
        "Save picture…",
        "Save animation…",
    ]
    assert "Bottom" in [action.text() for action in found(ACTIONS, NameFilter("camera"))]
    assert found(ACTIONS, NameFilter("no such thing")) == []


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("compare", "file.compare"),
        ("diff", "file.compare"),
        ("film", "file.save_animation"),
        ("webp", "file.save_animation"),
        ("unit", "view.explode"),
        ("explode", "view.explode"),
        ("hex", "panel.bytes"),
        ("rotate", "edit.turn"),
        ("movie", "file.save_animation"),
    ],
)
def test_the_palette_finds_by_other_words(words: str, action: str) -> None:
    assert action in [it.id for it in found(ALL, NameFilter(words))]


def test_the_first_found_has_the_words_in_its_name() -> None:
    assert found(ALL, NameFilter("compare"))[0].id == "file.compare"
    assert found(ALL, NameFilter("normals"))[0].text().casefold().count("normal")


def test_synonyms_are_of_actions() -> None:
    assert {*SYNONYMS} <= {it.id for it in ALL}


def test_actions_with_keys_are_listed_first() -> None:
    has_keys = [bool(action.keys) for action in found(ACTIONS, NameFilter())]
    assert has_keys == sorted(has_keys, reverse=True)
    assert len(has_keys) == len(ACTIONS)


def test_ways_of_shading_are_told_apart_and_read_like_titles() -> None:
    titles = [name_of(mode) for mode in Shading]
    assert len(set(titles)) == len(titles)
    assert all(title[0].isupper() and "-" not in title for title in titles)
    assert name_of(Shading.STREAM18) == "Res18 as a color"
    assert name_of(Shading.LIGHTMAP) == "Lightmap only"


def test_every_overlay_has_an_icon_of_its_own_in_the_menu_and_in_the_toolbar() -> None:
    shown = {action.id: action.icon for action in ACTIONS if action.menu == "view.overlays"}
    icons = {f"view.overlay.{overlay.value}": icon_named(overlay.doc.icon) for overlay in Overlay}
    assert [*shown] == [*icons], "the menu has the order of the toolbar"
    assert shown == icons
    others = {fa.ICON_FA_EXPAND, fa.ICON_FA_CROSSHAIRS, fa.ICON_FA_TABLE_CELLS}
    assert len({*icons.values(), *others}) == len(Overlay) + len(others)


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


PATH = Path("a.rlb")
LONG = Splice(100, bytes(20), bytes(3))
RANGES: Splices = (Splice(4, b"ab", b"cd"), LONG, Splice(300, b"", b"xyz"))
STEP = Step(
    Address(PATH),
    "move",
    RANGES,
    topics=(Topic.BOUNDS, Topic.HEADER),
    declined=frozenset({Topic.NORMALS}),
    wanted=frozenset({Topic.HEADER}),
    offered=(Topic.NORMALS, Topic.LINKS),
)


def sheet(ranges: Splices = RANGES, target: Path = PATH) -> SaveSheet:
    return SaveSheet(FilePlan(PATH, bytes(400), ranges), target, (STEP,), 3)


def test_lines_are_a_head_and_the_bytes_of_each_range() -> None:
    lines = RangeLines(RANGES, 8)
    assert [lines.line(number) for number in range(len(lines))] == [
        (0, None),
        (0, 0),
        (1, None),
        (1, 0),
        (1, 8),
        (1, 16),
        (2, None),
        (2, 0),
    ]
    assert [lines.nearest(offset) for offset in (0, 4, 99, 100, 399)] == [0, 0, 0, 2, 6]


def test_ranges_say_how_their_length_changes() -> None:
    assert [length_text(it) for it in (*RANGES, Splice(0, b"x", b""))] == [
        "2 bytes",
        "20 bytes become 3",
        "3 bytes inserted",
        "1 byte removed",
    ]


def test_the_summary_counts_what_changes() -> None:
    assert summary(sheet()) == "3 ranges, 25 bytes; everything else identical"
    assert growth_text(sheet()) == "14 bytes shorter"
    assert growth_text(sheet(RANGES[:1])) == ""


def test_the_strip_marks_every_range() -> None:
    assert runs(sheet(), 40) == [(0, 1), (10, 12), (30, 31)]


def test_every_consequence_is_listed_once() -> None:
    topics = (Topic.BOUNDS, Topic.HEADER, Topic.NORMALS, Topic.LINKS)
    assert lines_of((STEP,)) == [StepLine(0), *(StepLine(0, topic) for topic in topics)]


@pytest.mark.parametrize(
    ("topic", "declined", "wanted"),
    [
        (Topic.BOUNDS, {Topic.NORMALS, Topic.BOUNDS}, {Topic.HEADER}),
        (Topic.HEADER, {Topic.NORMALS}, set()),
        (Topic.NORMALS, set(), {Topic.HEADER}),
        (Topic.LINKS, {Topic.NORMALS}, {Topic.HEADER, Topic.LINKS}),
    ],
)
def test_a_click_turns_one_consequence_over(topic: Topic, declined: set[Topic], wanted: set[Topic]) -> None:
    assert [set(it) for it in decided(STEP, topic)] == [declined, wanted]


def test_the_sheet_is_shown_again_after_a_decision() -> None:
    declined, wanted = STEP.declined, STEP.wanted | {Topic.LINKS}
    for target, shown in (
        (PATH, lambda it: it.later(it.control.saving.save, PATH)),
        (Path("copy.rlb"), lambda it: it.later(it.control.saving.save_as, Path("copy.rlb"))),
    ):
        decide = partial(decide_again, sheet(target=target), 0, Topic.LINKS)
        assert calls(decide) == calls(
            lambda it: it.later(it.control.edits.decide, PATH, 3, declined, wanted), shown
        )


def test_values_are_written_as_inspect_prints_them() -> None:
    value = ChangedValue(ChangeKind.CHANGED, Address.parse("a.rlb"), "slots", 3, "center", [1.5, 2.0], None)
    assert (place_of(value), change_text(value)) == ("slots[3].center", "[1.5, 2.0] -> none")
    assert (
        change_text(ChangedValue(ChangeKind.ADDED, Address.parse("a.rlb"), "slots", 4, "", None, None))
        == "added"
    )
    single = float(np.float32(0.1))
    assert (
        change_text(
            ChangedValue(ChangeKind.CHANGED, Address.parse("a.rlb"), "slots", 4, "radius", single, [single])
        )
        == "0.1 -> [0.1]"
    )
    assert (
        place_of(ChangedValue(ChangeKind.CHANGED, Address.parse("a.rlb"), "header", None, "hull", 1, 2))
        == "header.hull"
    )


def test_bits_are_written_in_hexadecimal() -> None:
    value = ChangedValue(
        ChangeKind.CHANGED, Address.parse("a.rlb"), "batches", 3, "flags", 0, 0x100, digits=4
    )
    assert change_text(value) == "0x0000 -> 0x0100"


def test_the_first_value_of_an_entry_names_it() -> None:
    addresses = ("a.rlb", "a.rlb::b", "a.rlb::b", "a.rlb::c")
    values = [
        ChangedValue(ChangeKind.CHANGED, Address.parse(address), "slots", 4, "flags", 1, 2)
        for address in addresses
    ]
    assert [entry_of(values, number) for number in range(4)] == ["", "b", "", "c"]


def test_a_list_that_differs_in_one_component_shows_that_component() -> None:
    value = ChangedValue(
        ChangeKind.CHANGED, Address.parse("a.rlb"), "slots", 3, "aabb_max", [1.5, 2.0, 3.0], [1.5, 2.0, 0.5]
    )
    assert (place_of(narrowed(value)), change_text(narrowed(value))) == ("slots[3].aabb_max[2]", "3.0 -> 0.5")
    several = ChangedValue(
        ChangeKind.CHANGED, Address.parse("a.rlb"), "slots", 3, "aabb_max", [1.5, 2.0], [1.0, 1.0]
    )
    longer = ChangedValue(ChangeKind.CHANGED, Address.parse("a.rlb"), "slots", 3, "rest", [1, 2], [1, 2, 3])
    assert [narrowed(it) for it in (several, longer)] == [several, longer]


def test_values_that_are_not_listed_are_counted() -> None:
    assert values_text(3, 3) == "3 values"
    assert values_text(2, 5) == "5 values, the first 2 of them listed"


def tab(address: str) -> Tab:
    return Tab(resource=OpenedResource(Address.parse(address), "wear", memoryview(b"")))


def test_every_tab_has_a_value_of_its_own() -> None:
    tabs = Tabs((tab("a"), tab("b")))
    notes: PerTab[list[str]] = PerTab(list)
    notes.of(tabs).append("first")
    other = tabs.activated(tabs.tabs[1].identity)
    assert notes.of(other) == []
    assert notes.of(tabs) == ["first"]


def test_a_value_ends_with_its_tab_and_with_what_that_shows() -> None:
    tabs = Tabs((tab("a"), tab("b")))
    notes: PerTab[list[str]] = PerTab(list)
    notes.of(tabs).append("first")
    replaced = tabs.with_tab(
        tabs.active.showing(OpenedResource(Address.parse("c"), "wear", memoryview(b"")), tabs.active.view)
    )
    assert notes.of(replaced) == []
    assert notes.of(tabs) == []
    assert len(notes._values) == 1


def test_every_option_with_an_action_is_among_the_actions() -> None:
    known = {it.id for it in ACTIONS}
    for option in (it for it in all_options() if it.option.action):
        assert {it.id for it in option_actions(option)} <= known, f"{option.name} is in no menu"
