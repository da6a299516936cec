"""Keys of actions: those of this program, of another one, or the user's own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from string import ascii_uppercase, digits
from typing import Annotated, Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import FormatError, shown
from viewer.translation import _
from viewer.typed_json import Allowed

MODIFIERS: Final = ("Ctrl", "Shift", "Alt")
NAMED_KEYS: Final = ("Space", "Tab", "Esc", "Home", "End", "Left", "Right", "Up", "Down", "Enter")
SIGNS: Final = (",", ".", "[", "]", "/", "-", "+")
KEY_NAMES: Final = (*ascii_uppercase, *digits, *(f"F{it}" for it in range(1, 13)), *NAMED_KEYS, *SIGNS)
"""Keys by their place on an American keyboard, so that any layout works."""


class KeyPreset(StrEnum):
    """Whose keys are used where the user has set none."""

    MSHVIEW = "mshview"
    BLENDER = "blender"
    NIFSKOPE = "nifskope"


PRESETS: Final[Mapping[str, Mapping[str, str]]] = {
    KeyPreset.MSHVIEW: {},
    KeyPreset.BLENDER: {
        "edit.move": "G",
        "help.keys": "F3 F1",
        "playback.back_10_frames": "Alt+Down",
        "playback.first_frame": "Shift+Left",
        "playback.forward_10_frames": "Alt+Up",
        "playback.last_frame": "Shift+Right",
        "playback.next_clip": "Shift+Down",
        "playback.next_frame": "Right",
        "playback.next_key": "Up",
        "playback.play_backwards": "Ctrl+Shift+Space",
        "playback.previous_clip": "Shift+Up",
        "playback.previous_frame": "Left",
        "playback.previous_key": "Down",
        "select.none": "Esc Alt+A",
        "view.frame_selection": ".",
        "view.next_shading": "Z",
        "view.overlay.grid": "M",
        "view.previous_shading": "Shift+Z",
        "view.viewport_only": "Ctrl+Space",
    },
    KeyPreset.NIFSKOPE: {
        "file.reload": "Ctrl+R",
        "view.full_screen": "Alt+Enter",
        "view.look_from.back": "Ctrl+F6",
        "view.look_from.bottom": "Ctrl+F5",
        "view.look_from.front": "F6",
        "view.look_from.left": "F7",
        "view.look_from.right": "Ctrl+F7",
        "view.look_from.top": "F5",
        "view.orthographic": "F10",
        "view.restore_camera": "F8",
    },
}
"""Keys that differ from those of this program, by the id of the action."""


class Chords(NamedTuple):
    """The keys of an action: chords separated by spaces."""

    def check(self, value: str) -> None:
        """Raise `FormatError` for another text."""
        for text in value.split():
            if not is_chord(text):
                raise FormatError(_("{text} is not a key with its modifiers", text=shown(text)))


class KeyMap(Struct, frozen=True):
    """Whose keys are used, and what the user has set instead.

    Attributes
    ----------
    preset
        A value of `KeyPreset`.
    own
        Chords separated by spaces by the id of the action; empty for none.
    """

    preset: Annotated[str, Allowed((*map(str, KeyPreset),))] = KeyPreset.MSHVIEW.value
    own: Mapping[str, Annotated[str, Chords()]] = field(default_factory=dict)

    def keys_of(self, action: str, usual: str) -> str:
        """Return the keys of an action, which has `usual` ones in this program."""
        return self.own.get(action, self.usual(action, usual))

    def usual(self, action: str, usual: str) -> str:
        """Return the keys of an action without the user's own."""
        return PRESETS[self.preset].get(action, usual)

    def with_keys(self, action: str, keys: str) -> KeyMap:
        """Give an action keys of the user's own."""
        return replace(self, own={**self.own, action: keys})

    def without(self, action: str) -> KeyMap:
        """The key map with the usual keys of an action again."""
        return replace(self, own={name: keys for name, keys in self.own.items() if name != action})


def is_chord(text: str) -> bool:
    """Whether a text is a key with its modifiers, as menus show it: ``Ctrl+O``, ``Shift+[``."""
    # "Ctrl++" is Ctrl with the key +: what is before its last letter is modifiers.
    head, key = (text[:-1], "+") if text.endswith("+") else text.rpartition("+")[::2]
    names = [it for it in head.split("+") if it]
    return key in KEY_NAMES and len(set(names)) == len(names) and {*names} <= {*MODIFIERS}


def conflicts(keys: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the chords that several actions have, with the ids of these; of pairs of id and keys."""
    found = defaultdict[str, list[str]](list)
    for action, chords in keys:
        for chord in chords.split():
            found[chord].append(action)
    return {chord: tuple(actions) for chord, actions in found.items() if len(actions) > 1}
