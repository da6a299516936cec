"""What survives a restart: one JSON file in the user's configuration folder.

A file that is missing, damaged or from another version never stops the program: what cannot be
used is replaced by its default, field by field.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from platformdirs import user_config_path

from viewer.app import own_files
from viewer.model.library import SEPARATOR
from viewer.session.timeline import FASTEST, SLOWEST
from viewer.session.view_state import Background, Loop, Overlay, Shading, ViewState

RECENT_LIMIT: Final = 12
SMALLEST_WINDOW: Final = 320
LARGEST_WINDOW: Final = 16384


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
    game
        The game folder for files that lie in none; empty where none was chosen.
    window_size
        Width and height in screen units.
    layout
        ImGui's own description of where its windows are; empty for the layout of the first start.
    closed_panels
        Titles of the panels that are not shown.
    has_seen_hint
        The first-run hint was dismissed.
    has_thumbnails
        The browser shows small pictures of textures, materials and models.
    shading, overlays, background, speed, loop, is_orthographic
        As in `ViewState` and its camera.
    """

    recent: tuple[str, ...] = ()
    readings: Mapping[str, str] = field(default_factory=dict)
    wears: Mapping[str, str] = field(default_factory=dict)
    game: str = ""
    window_size: tuple[int, int] = (1440, 900)
    layout: str = ""
    closed_panels: tuple[str, ...] = ()
    has_seen_hint: bool = False
    has_thumbnails: bool = True
    shading: str = Shading.TEXTURED.value
    overlays: tuple[str, ...] = (Overlay.AXES.value, Overlay.GRID.value)
    background: str = Background.DARK.value
    speed: float = 15.0
    loop: str = Loop.LOOP.value
    is_orthographic: bool = False

    def opened(self, address: str) -> Settings:
        """Remember an address as the one opened last; of each file only the last entry is remembered."""
        others = tuple(other for other in self.recent if _file(other) != _file(address))
        return replace(self, recent=(address, *others)[:RECENT_LIMIT])

    def with_reading(self, archive: str, wanted: str) -> Settings:
        """Remember how an archive is to be read; ``auto`` forgets it."""
        others = {name: reading for name, reading in self.readings.items() if name != archive}
        return replace(self, readings=others if wanted == "auto" else {**others, archive: wanted})

    def with_wear(self, model: str, wear: str) -> Settings:
        """Remember the wear table of a model."""
        return replace(self, wears={**self.wears, model: wear})

    def with_view(self, view: ViewState) -> Settings:
        """Remember the lasting part of a view."""
        return replace(
            self,
            shading=view.shading.value,
            overlays=tuple(sorted(view.overlays)),
            background=view.background.value,
            speed=view.speed,
            loop=view.loop.value,
            is_orthographic=view.camera.is_orthographic,
        )

    def first_view(self) -> ViewState:
        """The view to start with."""
        view = ViewState(
            shading=Shading(self.shading),
            overlays=frozenset(map(Overlay, self.overlays)),
            background=Background(self.background),
            speed=self.speed,
            loop=Loop(self.loop),
        )
        return replace(view, camera=replace(view.camera, is_orthographic=self.is_orthographic))


def _file(address: str) -> str:
    return address.partition(SEPARATOR)[0]


def default_path() -> Path:
    """Where the settings of this user are."""
    return user_config_path("mshview", appauthor=False) / "settings.json"


def load(path: Path) -> Settings:
    """Read settings; whatever cannot be used is left at its default."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return Settings()
    if not isinstance(stored, dict):
        return Settings()
    usable = {name: check(stored[name]) for name, check in _CHECKS.items() if name in stored}
    return Settings(**{name: value for name, value in usable.items() if value is not None})


def save(path: Path, settings: Settings) -> None:
    """Write settings so that a crash leaves the old file or the new one; raises `OutputError`."""
    text = json.dumps(asdict(settings), indent=1)
    own_files.write(path, text.encode())


def _one_of(kind: type[Shading | Background | Loop]) -> Callable[[Any], str | None]:
    return lambda value: value if value in tuple(kind) else None


def _texts(value: Any) -> tuple[str, ...] | None:
    is_usable = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return tuple(value) if is_usable else None


def _overlays(value: Any) -> tuple[str, ...] | None:
    texts = _texts(value)
    return None if texts is None else tuple(text for text in texts if text in tuple(Overlay))


def _readings(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return {name: wanted for name, wanted in value.items() if wanted in ("seed", "field")}


def _addresses(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return {name: address for name, address in value.items() if isinstance(address, str)}


def _window_size(value: Any) -> tuple[int, int] | None:
    match value:
        case [int(width), int(height)]:
            is_usable = all(SMALLEST_WINDOW <= side <= LARGEST_WINDOW for side in (width, height))
            return (width, height) if is_usable else None
    return None


def _speed(value: Any) -> float | None:
    is_usable = isinstance(value, int | float) and SLOWEST <= value <= FASTEST
    return float(value) if is_usable else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


_CHECKS: Final[dict[str, Callable[[Any], Any]]] = {
    "recent": _texts,
    "readings": _readings,
    "wears": _addresses,
    "game": _text,
    "window_size": _window_size,
    "layout": _text,
    "closed_panels": _texts,
    "has_seen_hint": _flag,
    "has_thumbnails": _flag,
    "shading": _one_of(Shading),
    "overlays": _overlays,
    "background": _one_of(Background),
    "speed": _speed,
    "loop": _one_of(Loop),
    "is_orthographic": _flag,
}
