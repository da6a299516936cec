"""What survives a restart: one JSON file in the user's configuration folder.

A file that is missing, damaged or from another version never stops the program: what cannot be used is
replaced by its default, field by field. One of which nothing can be read is set aside.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from platformdirs import user_config_path

from viewer.app.settings import former_names, user_files
from viewer.errors import OutputError
from viewer.model.mesh.part_choice import CellRule
from viewer.model.store.address import Address
from viewer.model.store.backups import set_aside
from viewer.session.converting.export_choices import ExportChoices
from viewer.session.interface_scale import LEAST_SCALE, MOST_SCALE
from viewer.session.opened.entry_list import EntryOrder
from viewer.session.play.frame_range import FrameRange, Ranges
from viewer.session.play.playback import Root
from viewer.session.play.timeline import FASTEST, SLOWEST
from viewer.session.view.lighting import Lighting, Look
from viewer.session.view.texture_switches import ByteOrder, TextureSwitches
from viewer.session.view.view_state import (
    SAMPLES,
    Background,
    Loop,
    Overlay,
    Shading,
    ViewState,
    with_shading,
)

RECENT_LIMIT: Final = 12
LARGEST_FILE: Final = 4 << 20
"""Bytes that are read of a settings file; of a larger one nothing is used."""
LARGEST_FIELD: Final = 128 << 10
"""Letters of a field as it is written: all of them together are less than `LARGEST_FILE`.

Without it a file whose texts grow when they are written, as ``ш`` does, could be read once only.
"""
SMALLEST_WINDOW: Final = 320
LARGEST_WINDOW: Final = 16384
LEAST_MEMORY: Final = 16
MOST_MEMORY: Final = 4096
"""Bounds of the texture memory, MB."""
MOST_FRAMES: Final = 0xFFFF
"""The last frame that a marked range may have."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything remembered.

    Parameters
    ----------
    recent
        Addresses opened, newest first.
    readings
        ``seed`` or ``field`` for archives where the user overrode the automatic choice.
    wears
        Wear tables for models that have none of their own, both as addresses.
    ranges
        Marked frame ranges by the address of their model.
    game
        The game folder for files outside any game folder; empty if none was chosen.
    declined_installs
        Installs of the game that are offered no more.
    save_folder
        The folder of the last file saved with a dialog; empty before the first.
    export
        How models were exported last.
    window_size
        Width and height in screen units.
    layout
        The placement of windows in ImGui's format; empty for the default layout.
    closed_panels
        Ids of the panels that are not shown.
    panel_order
        Ids of the panels in the order of their tabs; only that within a dock counts.
    has_seen_hint
        The first-run hint was dismissed.
    has_thumbnails
        The browser shows thumbnails of textures, materials and models.
    entry_order
        The order of entries in the browser, a value of `EntryOrder`.
    interface_scale
        How much larger than usual texts and controls are.
    texture_memory
        GPU memory for textures, MB.
    cells, has_auto_detail
        As in its `DrawnParts`.
    shading, lighting, textures, overlays, has_view_cube, background, samples, speed, loop, root,
    is_orthographic
        As in `ViewState` and its camera.
    """

    recent: tuple[str, ...] = ()
    readings: Mapping[str, str] = field(default_factory=dict)
    wears: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, Ranges] = field(default_factory=dict)
    game: str = ""
    declined_installs: tuple[str, ...] = ()
    save_folder: str = ""
    export: ExportChoices = field(default_factory=ExportChoices)
    window_size: tuple[int, int] = (1440, 900)
    layout: str = ""
    closed_panels: tuple[str, ...] = ()
    panel_order: tuple[str, ...] = ()
    has_seen_hint: bool = False
    has_thumbnails: bool = True
    entry_order: str = EntryOrder.FILE.value
    interface_scale: float = 1.0
    texture_memory: int = 256
    shading: str = Shading.TEXTURED.value
    lighting: Lighting = field(default_factory=Lighting)
    cells: str = CellRule.GAME.value
    has_auto_detail: bool = False
    textures: TextureSwitches = field(default_factory=TextureSwitches)
    overlays: tuple[str, ...] = (Overlay.AXES.value, Overlay.GRID.value)
    has_view_cube: bool = True
    background: str = Background.DARK.value
    samples: int = 4
    speed: float = 15.0
    loop: str = Loop.LOOP.value
    root: str = Root.STILL.value
    is_orthographic: bool = False

    def opened(self, address: str) -> Settings:
        """Remember an address as the one opened last; of each file only the last entry is remembered."""
        others = tuple(other for other in self.recent if _file(other) != _file(address))
        return replace(self, recent=(address, *others)[:RECENT_LIMIT])

    def with_reading(self, archive: str, requested: str) -> Settings:
        """Remember how an archive is to be read; ``auto`` forgets it."""
        others = {name: reading for name, reading in self.readings.items() if name != archive}
        return replace(self, readings=others if requested == "auto" else {**others, archive: requested})

    def with_wear(self, model: str, wear: str) -> Settings:
        """Remember the wear table of a model."""
        return replace(self, wears={**self.wears, model: wear})

    def with_ranges(self, model: str, ranges: Ranges) -> Settings:
        """Remember the marked frame ranges of a model; no ranges forget it."""
        others = {name: kept for name, kept in self.ranges.items() if name != model}
        return replace(self, ranges={**others, model: ranges} if ranges else others)

    def with_view(self, view: ViewState) -> Settings:
        """Remember the lasting part of a view."""
        return replace(
            self,
            shading=view.usual_shading.value,
            lighting=view.lighting,
            cells=view.drawn.cells.value,
            has_auto_detail=view.drawn.has_auto_detail,
            textures=view.textures,
            overlays=tuple(sorted(view.overlays)),
            has_view_cube=view.has_view_cube,
            background=view.background.value,
            samples=view.samples,
            speed=view.speed,
            loop=view.loop.value,
            root=view.playback.root.value,
            is_orthographic=view.camera.is_orthographic,
        )

    def with_recent(self, others: Iterable[str]) -> Settings:
        """Remember more addresses, behind those that are remembered already."""
        return replace(self, recent=tuple(dict.fromkeys((*self.recent, *others)))[:RECENT_LIMIT])

    def reset(self) -> Settings:
        """The default settings; recent files and marked frame ranges are kept."""
        return Settings(
            recent=self.recent,
            ranges=self.ranges,
            window_size=self.window_size,
            has_seen_hint=self.has_seen_hint,
        )

    def first_view(self) -> ViewState:
        """The view to start with."""
        return self.shown_in(ViewState())

    def shown_in(self, view: ViewState) -> ViewState:
        """A view with its lasting part as it is remembered."""
        return replace(
            with_shading(view, Shading(self.shading)),
            lighting=self.lighting,
            drawn=replace(view.drawn, cells=CellRule(self.cells), has_auto_detail=self.has_auto_detail),
            textures=self.textures,
            overlays=frozenset(map(Overlay, self.overlays)),
            has_view_cube=self.has_view_cube,
            background=Background(self.background),
            samples=self.samples,
            speed=self.speed,
            loop=Loop(self.loop),
            playback=replace(view.playback, root=Root(self.root)),
            camera=replace(view.camera, is_orthographic=self.is_orthographic),
        )


def _file(address: str) -> str:
    return str(Address.parse(address).path)


def default_path() -> Path:
    """The settings file of this user."""
    return user_config_path("mshview", appauthor=False) / "settings.json"


def load(path: Path, warn: Callable[[Path], None] = lambda _: None) -> Settings:
    """Read settings; whatever cannot be used is left at its default.

    Parameters
    ----------
    warn
        Takes the new path of a file that is damaged and was set aside.
    """
    return Settings(**_usable(path, warn))


def _usable(path: Path, warn: Callable[[Path], None] = lambda _: None) -> dict[str, Any]:
    """The usable fields of a file; empty if it does not exist, or is damaged and set aside."""
    stored = None
    try:
        stored = json.loads(user_files.read(path, LARGEST_FILE).decode())
    except OSError as error:
        if error.errno != errno.EFBIG:
            return {}
    except (ValueError, RecursionError):
        pass
    if not isinstance(stored, dict):
        with suppress(OSError, OutputError):
            warn(set_aside(path))
        return {}
    usable = {name: check(stored[name]) for name, check in _CHECKS.items() if _is_small(stored, name)}
    return {name: value for name, value in usable.items() if value is not None}


def _is_small(stored: Mapping[str, Any], name: str) -> bool:
    return name in stored and len(json.dumps(stored[name], indent=1)) <= LARGEST_FIELD


def save(path: Path, settings: Settings, base: Settings | None = None) -> Settings:
    """Write settings so that a crash leaves the old file or the new one; raises `OutputError`.

    Parameters
    ----------
    base
        What the file held when it was last read or written: fields that are still the same are left as
        another window has written them meanwhile, and the addresses that it opened are remembered too.

    Returns
    -------
    What the file holds now.
    """
    if base is not None:
        settings = _merged(settings, base, _usable(path))
    user_files.write(path, json.dumps(asdict(settings), indent=1, default=sorted).encode())
    return settings


def _merged(ours: Settings, base: Settings, theirs: Mapping[str, Any]) -> Settings:
    """The changes of two windows since `base`; ours win."""
    kept = {name: value for name, value in theirs.items() if getattr(ours, name) == getattr(base, name)}
    opened = [address for address in theirs.get("recent", ()) if address not in base.recent]
    return replace(ours, **{**kept, "recent": ours.recent}).with_recent(opened)


def _one_of(
    kind: type[Shading | CellRule | Background | Loop | Root | EntryOrder],
) -> Callable[[Any], str | None]:
    return lambda value: value if value in tuple(kind) else None


def _texts(value: Any) -> tuple[str, ...] | None:
    is_usable = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return tuple(value) if is_usable else None


def _recent(value: Any) -> tuple[str, ...] | None:
    """Addresses, each once and as many as are remembered, as `Settings.with_recent` leaves them."""
    texts = _texts(value)
    return None if texts is None else tuple(dict.fromkeys(texts))[:RECENT_LIMIT]


def _ids(texts: Iterable[str]) -> Iterator[str]:
    """Ids of enumerations; a text from before there were ids is replaced by its id."""
    return (former_names.VALUES.get(text, text) for text in texts)


def _panels(value: Any) -> tuple[str, ...] | None:
    texts = _texts(value)
    ids = map(former_names.id_of_window, texts or ())
    return None if texts is None else tuple(panel for panel in ids if panel not in former_names.GONE)


def _overlays(value: Any) -> tuple[str, ...] | None:
    texts = _texts(value)
    return None if texts is None else tuple(text for text in _ids(texts) if text in tuple(Overlay))


def _readings(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return {name: requested for name, requested in value.items() if requested in ("seed", "field")}


def _addresses(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return {name: address for name, address in value.items() if isinstance(address, str)}


def _ranges(value: Any) -> dict[str, Ranges] | None:
    """Ranges by model; those that are no range are left out."""
    if not isinstance(value, dict):
        return None
    found = {
        name: tuple(sorted(set(_ranges_of(rows)))) for name, rows in value.items() if isinstance(rows, list)
    }
    return {name: ranges for name, ranges in found.items() if ranges}


def _ranges_of(rows: list[Any]) -> Iterator[FrameRange]:
    for row in rows:
        match row:
            case {"first": int(first), "last": int(last), "name": str(name)}:
                if 0 <= first <= last <= MOST_FRAMES:
                    yield FrameRange(first, last, name)


def _window_size(value: Any) -> tuple[int, int] | None:
    match value:
        case [int(width), int(height)]:
            is_usable = all(SMALLEST_WINDOW <= side <= LARGEST_WINDOW for side in (width, height))
            return (width, height) if is_usable else None
    return None


def _samples(value: Any) -> int | None:
    return value if _is_integer(value) and value in SAMPLES else None


def _texture_memory(value: Any) -> int | None:
    return value if _is_integer(value) and LEAST_MEMORY <= value <= MOST_MEMORY else None


def _interface_scale(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and LEAST_SCALE <= value <= MOST_SCALE else None


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _switches(value: Any) -> TextureSwitches | None:
    """Switches by name; invalid values are replaced by their defaults."""
    if not isinstance(value, dict):
        return None
    usual = asdict(TextureSwitches())
    flags = {
        name: on for name, on in value.items() if isinstance(on, bool) and isinstance(usual.get(name), bool)
    }
    orders = [order for order in _ids(_texts(value.get("byte_orders")) or ()) if order in tuple(ByteOrder)]
    return TextureSwitches(**flags, byte_orders=frozenset(map(ByteOrder, orders)))


def _lighting(value: Any) -> Lighting | None:
    """Light by name; invalid values are replaced by their defaults."""
    if not isinstance(value, dict):
        return None
    checks: dict[str, Callable[[Any], Any]] = {
        "look": lambda look: Look(look) if look in tuple(Look) else None,
        "scene": _fraction,
        "has_lights": _flag,
        "has_head_light": _flag,
    }
    usable = {name: check(value.get(name)) for name, check in checks.items()}
    return replace(Lighting(), **{name: found for name, found in usable.items() if found is not None})


def _fraction(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None


def _speed(value: Any) -> float | None:
    is_usable = isinstance(value, int | float) and SLOWEST <= value <= FASTEST
    return float(value) if is_usable else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


_CHECKS: Final[dict[str, Callable[[Any], Any]]] = {
    "recent": _recent,
    "readings": _readings,
    "wears": _addresses,
    "ranges": _ranges,
    "game": _text,
    "declined_installs": _texts,
    "save_folder": _text,
    "export": ExportChoices.of,
    "window_size": _window_size,
    "layout": _text,
    "closed_panels": _panels,
    "panel_order": _texts,
    "has_seen_hint": _flag,
    "has_thumbnails": _flag,
    "entry_order": _one_of(EntryOrder),
    "interface_scale": _interface_scale,
    "texture_memory": _texture_memory,
    "shading": _one_of(Shading),
    "lighting": _lighting,
    "cells": _one_of(CellRule),
    "has_auto_detail": _flag,
    "textures": _switches,
    "overlays": _overlays,
    "background": _one_of(Background),
    "samples": _samples,
    "speed": _speed,
    "loop": _one_of(Loop),
    "root": _one_of(Root),
    "has_view_cube": _flag,
    "is_orthographic": _flag,
}
