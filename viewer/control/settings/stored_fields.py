"""The fields of a settings file: what is usable of them, what is not, and what a newer version wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from viewer.dataclass import replace
from viewer.errors import UsageError
from viewer.model.convert.scene import Clips
from viewer.model.convert.scene_file import SUFFIXES
from viewer.model.material.selectors import GroundReading
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.mesh.shown import CellRule
from viewer.model.store.address import Address
from viewer.session import exporting
from viewer.session.exporting import ExportChoices
from viewer.session.keymap import KeyMap, KeyPreset, is_chord
from viewer.session.opened.entry_list import EntryOrder
from viewer.session.opened.payload_bytes import Bookmark
from viewer.session.play.playback import LONGEST_STEP, MOST_GHOSTS, FrameRange, Ghosts, Root, in_order
from viewer.session.play.timeline import FASTEST, SLOWEST
from viewer.session.program import LEAST_FONT, LEAST_SCALE, MOST_FONT, MOST_SCALE, Theme
from viewer.session.view.lighting import Lighting, LightKind, Look
from viewer.session.view.state_link import LONGEST, SavedView
from viewer.session.view.textures import ByteOrder, TextureSwitches
from viewer.session.view.view_state import SAMPLES, Background, Loop, Overlay, Shading
from viewer.translation import LANGUAGES

RECENT_LIMIT: Final = 12
LONGEST_SESSION: Final = 100
"""Tabs that are opened again."""
LARGEST_FIELD: Final = 128 << 10
"""Letters of a field as it is written.

Without a limit a file whose texts grow when they are written, as ``ш`` does, could be read once only.
"""
MOST_NEWER: Final = 8
"""How many times `LARGEST_FIELD` all fields of newer versions may have together."""
DEEPEST: Final = 16
"""Lists and objects within each other; Python's JSON writer recurses."""
SMALLEST_WINDOW: Final = 320
LARGEST_WINDOW: Final = 16384
LEAST_MEMORY: Final = 16
MOST_MEMORY: Final = 4096
"""Bounds of the texture memory, MB."""
MOST_FRAMES: Final = 0xFFFF
"""The last frame that a marked range may have."""
LARGEST_OFFSET: Final = 1 << 40
LONGEST_NAME: Final = 200
"""Bounds of the offset of a bookmark, and of its name."""

FORMER_VALUES: Final[Mapping[str, str]] = {
    "node axes": "node_axes",
    "slot bounds": "slot_bounds",
    "header bounds": "header_bounds",
    "vertex normals": "vertex_normals",
    "palette as R G B": "palette_rgb",
    "888 as R G B": "rgb888",
    "8888 as A R G B": "argb8888",
    "88 as L A": "la88",
}
"""Ids of overlays and byte orders by the names that files held before there were ids."""
FORMER_WINDOWS: Final = (
    "Browser",
    "Inspector",
    "Keys",
    "Log",
    "Materials",
    "Outline",
    "Problems",
    "Readings",
    "Resource",
    "Settings",
    "Tables",
    "Timeline",
    "Viewport",
)
"""Titles that named panels and windows before there were ids; each id is the title in lower case."""
EARLIER_SCENE: Final = 0.3
GONE: Final = ("resource",)
"""Ids of panels that no longer exist: what the resource panel showed is in the middle of the window."""


class StoredFields(NamedTuple):
    """What a settings file holds.

    Attributes
    ----------
    usable
        Fields of `Settings`.
    odd
        The names of fields that are unusable, or partly so: their type, range or size is wrong.
    newer
        Unknown fields as they are, and objects of the unknown members of known fields.
    """

    usable: Mapping[str, Any] = {}
    odd: tuple[str, ...] = ()
    newer: Mapping[str, Any] = {}


class _Found(NamedTuple):
    """What is usable of a value; None if nothing is."""

    usable: Any
    is_whole: bool = True


_Check = Callable[[Any], _Found]
_NOTHING: Final = _Found(None, is_whole=False)


def take(stored: Mapping[str, Any]) -> StoredFields:
    """Sort the fields of a file."""
    stored = _with_lighting(stored)
    found = {
        name: _CHECKS[name](it) if _is_small(it) else _NOTHING
        for name, it in stored.items()
        if name in _CHECKS
    }
    usable = {name: it.usable for name, it in found.items() if it.usable is not None}
    odd = [name for name, it in found.items() if not it.is_whole]
    newer: dict[str, Any] = {}
    for name, value in stored.items():
        if name not in _CHECKS:
            newer[name] = value
        elif name in _OBJECTS and name in usable:
            members = {key: it for key, it in value.items() if key not in _OBJECTS[name][1]}
            newer |= {name: members} if members else {}
    unfit = [name for name, value in newer.items() if not _is_small(value)]
    kept = {name: value for name, value in newer.items() if name not in unfit}
    if not _is_small(list(kept.values()), MOST_NEWER * LARGEST_FIELD):
        unfit, kept = [*newer], {}
    return StoredFields(usable, tuple(dict.fromkeys((*odd, *unfit))), kept)


def _with_lighting(stored: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields with the light as it is now: once the head light was a switch, the usual scene color 0.3."""
    before = stored.get("lighting")
    if not isinstance(before, dict) or "has_head_light" not in before:
        return stored
    members = {name: it for name, it in before.items() if name != "has_head_light"}
    members["kind"] = LightKind.HEAD if before["has_head_light"] is True else LightKind.GAME
    if members.get("scene") == EARLIER_SCENE:
        members["scene"] = None
    return {**stored, "lighting": members}


def with_newer(fields: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a file with what `StoredFields.newer` holds."""
    merged = {name: {**it, **fields[name]} if name in fields else it for name, it in newer.items()}
    return {**fields, **merged}


def id_of_window(title: str) -> str:
    """Return the id of a window that was saved by its title; an id is returned as it is."""
    return title.lower() if title in FORMER_WINDOWS else title


def _is_small(value: Any, limit: int = LARGEST_FIELD) -> bool:
    return not _is_deep(value, DEEPEST) and len(json.dumps(value, indent=1)) <= limit


def _is_deep(value: Any, left: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not left or any(_is_deep(it, left - 1) for it in inner)


def _if(test: Callable[[Any], bool], use: Callable[[Any], Any] = lambda value: value) -> _Check:
    """Of values that pass a test, what `use` makes of them."""
    return lambda value: _Found(use(value)) if test(value) else _NOTHING


def _one_of(values: Iterable[Any]) -> _Check:
    allowed = tuple(values)
    return _if(lambda value: not isinstance(value, bool) and value in allowed)


def _number(least: float, most: float) -> _Check:
    return _if(lambda value: _is_number(value) and least <= value <= most, float)


def _integer(least: int, most: int) -> _Check:
    return _if(lambda value: _is_integer(value) and least <= value <= most)


def _list(each: _Check, use: Callable[[list[Any]], Any] = tuple) -> _Check:
    """Lists of usable items."""

    def check(value: Any) -> _Found:
        if not isinstance(value, list):
            return _NOTHING
        found = [each(item) for item in value]
        items = [it.usable for it in found if it.usable is not None]
        return _Found(use(items), all(it.is_whole for it in found))

    return check


def _mapping(each: _Check) -> _Check:
    """Objects with any names and usable values."""

    def check(value: Any) -> _Found:
        if not isinstance(value, dict):
            return _NOTHING
        found = {name: each(it) for name, it in value.items()}
        usable = {name: it.usable for name, it in found.items() if it.usable is not None and it.usable != ()}
        return _Found(usable, all(it.is_whole for it in found.values()))

    return check


def _object(name: str) -> _Check:
    """Objects of known members; unusable members have their defaults."""
    usual, checks = _OBJECTS[name]

    def check(value: Any) -> _Found:
        if not isinstance(value, dict):
            return _NOTHING
        found = {key: checks[key](it) for key, it in value.items() if key in checks}
        usable = {key: it.usable for key, it in found.items() if it.usable is not None}
        return _Found(replace(usual, **usable), all(it.is_whole for it in found.values()))

    return check


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_integer(value)


def _enumerated(values: Iterable[str]) -> _Check:
    """Ids of an enumeration; a name from before there were ids is replaced by its id."""
    allowed = tuple(values)
    return _if(
        lambda value: isinstance(value, str) and FORMER_VALUES.get(value, value) in allowed,
        lambda value: FORMER_VALUES.get(value, value),
    )


def _address(value: Any) -> _Found:
    with suppress(UsageError):
        return _Found(Address.parse(value)) if isinstance(value, str) else _NOTHING
    return _NOTHING


def _range(value: Any) -> _Found:
    match value:
        case {"first": first, "last": last, "name": str(name)} if _is_integer(first) and _is_integer(last):
            if 0 <= first <= last <= MOST_FRAMES:
                return _Found(FrameRange(first, last, name))
    return _NOTHING


def _bookmark(value: Any) -> _Found:
    match value:
        case [offset, str(name)] if _is_integer(offset) and 0 <= offset < LARGEST_OFFSET:
            return _Found(Bookmark(offset, name[:LONGEST_NAME]))
    return _NOTHING


def _saved_view(value: Any) -> _Found:
    match value:
        case [str(name), str(link)] if len(link) <= LONGEST:
            return _Found(SavedView(name[:LONGEST_NAME], link))
    return _NOTHING


def _window_size(value: Any) -> _Found:
    match value:
        case [width, height] if (
            _is_integer(width) and _is_integer(height) and is_window_size((width, height))
        ):
            return _Found((width, height))
    return _NOTHING


def is_window_size(size: tuple[int, int]) -> bool:
    """Whether a window can have a size: one whose display is gone reports anything."""
    return all(SMALLEST_WINDOW <= side <= LARGEST_WINDOW for side in size)


_RGB: Final = _if(
    lambda value: (
        isinstance(value, list) and len(value) == 3 and all(_is_number(it) and 0 <= it <= 1 for it in value)
    ),
    lambda value: tuple(map(float, value)),
)
_TEXT: Final = _if(lambda value: isinstance(value, str))
_FLAG: Final = _if(lambda value: isinstance(value, bool))
_OBJECTS: Final[Mapping[str, tuple[Any, Mapping[str, _Check]]]] = {
    "export": (
        ExportChoices(),
        {
            "suffix": _one_of(SUFFIXES),
            "has_all_cells": _FLAG,
            "clips": _one_of(Clips),
            "has_textures": _FLAG,
            "fps": _number(exporting.SLOWEST, exporting.FASTEST),
            "is_gltf_y_up": _FLAG,
            "is_obj_y_up": _FLAG,
        },
    ),
    "textures": (
        TextureSwitches(),
        {
            **dict.fromkeys(asdict(TextureSwitches()), _FLAG),
            "byte_orders": _list(_enumerated(ByteOrder), lambda ids: frozenset(map(ByteOrder, ids))),
        },
    ),
    "lighting": (
        Lighting(),
        {
            "look": _if(tuple(Look).__contains__, Look),
            "scene": lambda value: _Found(None) if value is None else _number(0, 1)(value),
            **dict.fromkeys(("has_lights", "has_fog", "has_dome"), _FLAG),
            "kind": _one_of((LightKind.GAME, LightKind.HEAD)),
            "sky": lambda _kept: _Found(None),  # a file that is open, which is not stored
        },
    ),
    "ghosts": (
        Ghosts(),
        {
            "before": _integer(0, MOST_GHOSTS),
            "after": _integer(0, MOST_GHOSTS),
            "step": _integer(1, LONGEST_STEP),
            "color_before": _RGB,
            "color_after": _RGB,
        },
    ),
    "keymap": (
        KeyMap(),
        {
            "preset": _one_of(KeyPreset),
            "own": _mapping(_if(lambda value: isinstance(value, str) and all(map(is_chord, value.split())))),
        },
    ),
}
"""The defaults and the checks of the fields that are objects."""
_CHECKS: Final[Mapping[str, _Check]] = {
    # Each address once and as many as are remembered, as `Settings.with_recent` leaves them.
    "recent": _list(_address, lambda found: tuple(dict.fromkeys(found))[:RECENT_LIMIT]),
    "readings": _mapping(_one_of(ReadingChoice)),
    "wears": _mapping(_TEXT),
    "ranges": _mapping(_list(_range, in_order)),
    "bookmarks": _mapping(_list(_bookmark, lambda found: tuple(sorted(set(found))))),
    "views": _mapping(_list(_saved_view)),
    "game": _TEXT,
    "ground": _one_of(GroundReading),
    "declined_installs": _list(_TEXT),
    "save_folder": _TEXT,
    "import_folder": _TEXT,
    "export": _object("export"),
    "session": _list(_TEXT, lambda texts: tuple(texts[:LONGEST_SESSION])),
    "session_front": _integer(0, LONGEST_SESSION - 1),
    "restores_session": _FLAG,
    "reuses_tabs": _FLAG,
    "window_size": _window_size,
    "layout": _TEXT,
    "closed_panels": _list(_TEXT, lambda ids: tuple(it for it in map(id_of_window, ids) if it not in GONE)),
    "panel_order": _list(_TEXT),
    "has_seen_hint": _FLAG,
    "has_thumbnails": _FLAG,
    "entry_order": _one_of(EntryOrder),
    "keymap": _object("keymap"),
    "language": _one_of(("", *LANGUAGES)),
    "theme": _if(tuple(Theme).__contains__, Theme),
    "font": _TEXT,
    "font_size": _number(LEAST_FONT, MOST_FONT),
    "interface_scale": _number(LEAST_SCALE, MOST_SCALE),
    "texture_memory": _integer(LEAST_MEMORY, MOST_MEMORY),
    "shading": _one_of(Shading),
    "lighting": _object("lighting"),
    "ghosts": _object("ghosts"),
    "cells": _one_of(CellRule),
    "has_auto_detail": _FLAG,
    "textures": _object("textures"),
    "overlays": _list(_enumerated(Overlay)),
    "background": _one_of(Background),
    "samples": _if(lambda value: _is_integer(value) and value in SAMPLES),
    "speed": _number(SLOWEST, FASTEST),
    "rates": _mapping(_number(SLOWEST, FASTEST)),
    "loop": _one_of(Loop),
    "root": _one_of(Root),
    "has_sound": _FLAG,
    "has_machinery": _FLAG,
    "has_effects": _FLAG,
    "has_view_cube": _FLAG,
    "snaps_to_frames": _FLAG,
    "is_orthographic": _FLAG,
}
