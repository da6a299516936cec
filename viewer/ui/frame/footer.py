"""The footer: the five keys that matter most for what the user is doing."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from imgui_bundle import imgui

from viewer.session.thumbnail import TEXTURES
from viewer.translation import Message
from viewer.ui.actions.actions import Action
from viewer.ui.context import UiContext
from viewer.ui.panels.tables import TablesPanel
from viewer.ui.panels.timeline import TimelinePanel
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import text

GAP: Final = 1.6
"""Between two entries, font heights."""


class Occupation(Enum):
    """What the user is doing."""

    NOTHING_OPEN = "nothing_open"
    LOOKING = "looking"
    SELECTION = "selection"
    ANIMATION = "animation"
    TABLE = "table"
    TEXTURE = "texture"
    RESOURCE = "resource"


class FooterKey(NamedTuple):
    """Actions by id, or a gesture, and in one word what they do."""

    actions: tuple[str, ...]
    word: Message
    gesture: Message | None = None


def _key(word: Message, *actions: str) -> FooterKey:
    return FooterKey(actions, word)


def _gesture(keys: Message, word: Message) -> FooterKey:
    return FooterKey((), word, keys)


_ALL_KEYS: Final = _key(Message("all keys"), "help.keys")
_TABS: Final = (
    _key(Message("next tab"), "file.next_tab"),
    _key(Message("close tab"), "file.close_tab"),
    _ALL_KEYS,
)
ENTRIES: Final[dict[Occupation, tuple[FooterKey, ...]]] = {
    Occupation.NOTHING_OPEN: (
        _key(Message("open a file"), "file.open"),
        _key(Message("open a game folder"), "file.open_folder"),
        _key(Message("settings"), "file.settings"),
        _key(Message("full screen"), "view.full_screen"),
        _ALL_KEYS,
    ),
    Occupation.LOOKING: (
        _gesture(Message("Drag"), Message("orbit")),
        _gesture(Message("Click"), Message("select")),
        _key(Message("play"), "playback.play"),
        _key(Message("LOD"), "view.previous_lod", "view.next_lod"),
        _ALL_KEYS,
    ),
    Occupation.SELECTION: (
        _key(Message("frame"), "view.frame_selection"),
        _key(Message("hide"), "select.hide"),
        _key(Message("isolate"), "select.isolate"),
        _gesture(Message("Right click"), Message("menu")),
        _key(Message("deselect"), "select.none"),
    ),
    Occupation.ANIMATION: (
        _key(Message("play, pause"), "playback.play"),
        _key(Message("frame"), "playback.previous_frame", "playback.next_frame"),
        _key(Message("key"), "playback.previous_key", "playback.next_key"),
        _key(Message("speed"), "playback.slower", "playback.faster"),
        _key(Message("ping-pong"), "playback.toggle_ping_pong"),
    ),
    Occupation.TABLE: (
        _gesture(Message("Arrows"), Message("cell")),
        _gesture(Message("F2"), Message("edit")),
        _gesture(Message("Ctrl + click"), Message("add to selection")),
        _gesture(Message("Ctrl+C"), Message("copy")),
        _ALL_KEYS,
    ),
    Occupation.TEXTURE: (
        _gesture(Message("Drag"), Message("pan")),
        _gesture(Message("Wheel"), Message("zoom")),
        *_TABS,
    ),
    Occupation.RESOURCE: (
        _key(Message("open a file"), "file.open"),
        _key(Message("reload"), "file.reload"),
        *_TABS,
    ),
}


def occupation(frame: UiContext, focused: str) -> Occupation:
    """Return what the user is doing; `focused` is the id of the panel with the keyboard focus."""
    if focused == TablesPanel.id:
        return Occupation.TABLE
    if frame.state.resource is not None:
        return Occupation.TEXTURE if frame.state.resource.kind in TEXTURES else Occupation.RESOURCE
    if frame.document is None:
        return Occupation.NOTHING_OPEN
    if focused == TimelinePanel.id:
        return Occupation.ANIMATION
    if frame.view.selection.nodes:
        return Occupation.SELECTION
    is_moving = frame.view.is_playing and frame.state.axis.moves
    return Occupation.ANIMATION if is_moving else Occupation.LOOKING


def focused_panel() -> str:
    """Return the id of the panel with the keyboard focus, empty if it is elsewhere."""
    window = imgui.get_current_context().nav_window
    return window.root_window.name.rpartition("###")[2] if window is not None else ""


def draw_footer(frame: UiContext, actions: Sequence[Action]) -> None:
    """Draw the line inside its window; entries for which there is no room are left out."""
    known = {action.id: action for action in actions}
    for entry in ENTRIES[occupation(frame, focused_panel())]:
        keys, word = keys_of(entry, known), str(entry.word)
        if imgui.calc_text_size(f"{keys} {word}").x > imgui.get_content_region_avail().x:
            return
        text(keys, theme.ACCENT)
        imgui.same_line(0, theme.em(0.4))
        text(word, theme.DIM)
        imgui.same_line(0, theme.em(GAP))


def keys_of(entry: FooterKey, actions: dict[str, Action]) -> str:
    """Return the keys of an entry as they are written."""
    if entry.gesture is not None:
        return str(entry.gesture)
    return " ".join(actions[name].chords[0].text for name in entry.actions)
