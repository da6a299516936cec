"""What survives a restart: one JSON file in the user's configuration folder.

No content of the file stops the program. A file that holds something unusable is set aside as it was found,
and the sound rest is written in its place: that is reported once, and nothing is lost. Fields of a newer
version are kept.
"""

from __future__ import annotations

import errno
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from platformdirs import user_config_path

from viewer.control.settings import stored_fields, user_files
from viewer.control.settings.settings_damage import SettingsDamage
from viewer.control.settings.stored_fields import StoredFields
from viewer.dataclass import dataclass, field, replace
from viewer.errors import FormatError, OutputError
from viewer.model.material.selectors import GroundReading
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.backups import set_aside
from viewer.session.exporting import ExportChoices
from viewer.session.keymap import KeyMap
from viewer.session.opened.entry_list import EntryOrder
from viewer.session.opened.payload_bytes import Bookmarks
from viewer.session.opened.tabs import Tabs
from viewer.session.options import Option
from viewer.session.play.playback import FASTEST, SLOWEST, FrameRange, Ranges, in_order
from viewer.session.program import (
    CLOSED_AT_FIRST,
    FONT_SIZE,
    LEAST_FONT,
    LEAST_SCALE,
    MOST_FONT,
    MOST_SCALE,
    Theme,
)
from viewer.session.view.state_link import SavedViews, StateLink
from viewer.session.view.view_state import ViewState, lasting, remembering
from viewer.translation import LANGUAGES, _
from viewer.typed_json import Allowed, Limits

LARGEST_FILE: Final = 8 << 20
"""Bytes that are read of a settings file: more than its fields can have. Of a larger one nothing is used."""
RECENT_LIMIT: Final = 12
LONGEST_SESSION: Final = 100
"""Tabs that are opened again."""
SMALLEST_WINDOW: Final = 320
LARGEST_WINDOW: Final = 16384
WindowSide = Annotated[int, Limits(LARGEST_WINDOW, SMALLEST_WINDOW)]
LEAST_MEMORY: Final = 16
MOST_MEMORY: Final = 4096
"""Bounds of the texture memory, MB."""


DISPLAY: Final = "settings.display"
"""The section of the settings window with the switches of what is on screen."""


class InOrder(NamedTuple):
    """What a marked range is: its first frame is not behind its last."""

    def check(self, value: FrameRange) -> None:
        """Raise `FormatError` for another range."""
        if value.first > value.last:
            words = _("frame {first} is behind frame {last}", first=value.first, last=value.last)
            raise FormatError(words)


def is_window_size(size: tuple[int, int]) -> bool:
    """Whether a window can have a size: one whose display is gone reports anything."""
    return all(SMALLEST_WINDOW <= side <= LARGEST_WINDOW for side in size)


def requested_reading(readings: Mapping[str, str], address: Address) -> ReadingChoice:
    """The reading chosen for a model, else for the nearest archive that it is in, else the automatic one."""
    for count in range(len(address.entries), -1, -1):
        key = _reading_key(Address(address.path, address.entries[:count]))
        if key in readings:
            return ReadingChoice(readings[key])
    return ReadingChoice.AUTO


def _reading_key(address: Address) -> str:
    """What the choice for an address is stored under: a file by its path alone."""
    return str(address) if address.entries else str(address.path)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything remembered.

    Parameters
    ----------
    recent
        Addresses opened, newest first.
    readings
        ``auto``, ``seed`` or ``field`` for files, and single models in them, for which the user has chosen.
    wears
        Wear tables for models that have none of their own, both as addresses.
    ranges
        Marked frame ranges by the address of their model.
    rates
        Playback speeds of archives that have one of their own.
    bookmarks
        Bookmarks in bytes by the address of their file or entry.
    views
        Saved views by the path of their file.
    game
        The game folder for files outside any game folder; empty if none was chosen.
    ground
        How the materials of terrains are read.
    declined_installs
        Installs of the game that are offered no more.
    save_folder
        The folder of the last file saved with a dialog; empty before the first.
    import_folder
        The folder of the last file that was imported, or chosen for something else; empty before the first.
    export
        How models were exported last.
    session
        What was open when the window was closed, in the order of its tabs: state links of models, addresses
        of all else.
    session_front
        Which of them was in front.
    restores_session
        A start without a file opens them again.
    reuses_tabs
        What is opened takes the place of a tab in front that was only looked at.
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
    keymap
        The keys of actions.
    language
        The code of the language of texts; empty for that of the system.
    theme
        The colors of the window.
    font, font_size
        The file of the letters of texts, empty for those of the program, and their size in pixels.
    interface_scale
        How much larger than usual texts and controls are.
    texture_memory
        GPU memory for textures, MB.
    view
        What is remembered of the view: its fields whose `Option` is stored; the others have their defaults.
    """

    recent: tuple[Address, ...] = ()
    readings: Mapping[str, Annotated[str, Allowed((*map(str, ReadingChoice),))]] = field(default_factory=dict)
    wears: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, tuple[Annotated[FrameRange, InOrder()], ...]] = field(default_factory=dict)
    rates: Mapping[str, Annotated[float, Limits(FASTEST, SLOWEST)]] = field(default_factory=dict)
    bookmarks: Mapping[str, Bookmarks] = field(default_factory=dict)
    views: Mapping[str, SavedViews] = field(default_factory=dict)
    game: str = ""
    ground: Annotated[str, Allowed((*map(str, GroundReading),))] = GroundReading.LAND1.value
    declined_installs: tuple[str, ...] = ()
    save_folder: str = ""
    import_folder: str = ""
    export: ExportChoices = field(default_factory=ExportChoices)
    session: tuple[str, ...] = ()
    session_front: Annotated[int, Limits(LONGEST_SESSION - 1)] = 0
    restores_session: Annotated[
        bool,
        Option(
            _("at the start"),
            (_("What a start without a file opens."),),
            section=DISPLAY,
            label=_("Open what was open last time"),
        ),
    ] = False
    reuses_tabs: Annotated[
        bool,
        Option(
            _("tabs"),
            (
                _(
                    "What is opened takes the place of the tab in front, unless that was opened in a tab of "
                    "its own or something was changed in it: then, and if this is off, it opens in a new tab."
                ),
            ),
            section=DISPLAY,
            label=_("Reuse a tab that was only looked at"),
        ),
    ] = True
    window_size: tuple[WindowSide, WindowSide] = (1440, 900)
    layout: str = ""
    closed_panels: tuple[str, ...] = CLOSED_AT_FIRST
    panel_order: tuple[str, ...] = ()
    has_seen_hint: bool = False
    has_thumbnails: Annotated[
        bool,
        Option(_("browser"), (), section=DISPLAY, label=_("Thumbnails")),
    ] = True
    entry_order: Annotated[str, Allowed((*map(str, EntryOrder),))] = EntryOrder.FILE.value
    keymap: KeyMap = field(default_factory=KeyMap)
    language: Annotated[str, Allowed(("", *LANGUAGES))] = ""
    theme: Theme = Theme.SYSTEM
    font: str = ""
    font_size: Annotated[float, Limits(MOST_FONT, LEAST_FONT)] = FONT_SIZE
    interface_scale: Annotated[float, Limits(MOST_SCALE, LEAST_SCALE)] = 1.0
    texture_memory: Annotated[int, Limits(MOST_MEMORY, LEAST_MEMORY)] = 256
    view: ViewState = ViewState()

    def opened(self, address: Address) -> Settings:
        """Remember an address as the one opened last; of each file only the last entry is remembered."""
        others = tuple(other for other in self.recent if other.path != address.path)
        return replace(self, recent=(address, *others)[:RECENT_LIMIT])

    def reading_of(self, address: Address) -> ReadingChoice:
        """The reading chosen for a file, or for a model in it."""
        return requested_reading(self.readings, address)

    def with_reading(self, address: Address, requested: str) -> Settings:
        """Remember how a file, or one model in it, is to be read; as without the choice is not remembered.

        A choice for a file ends those for single models in it.
        """
        key = _reading_key(address)
        below = str(Address(address.path, (*address.entries, "")))
        others = {
            it: reading for it, reading in self.readings.items() if it != key and not it.startswith(below)
        }
        is_other = requested_reading(others, address) != requested
        return replace(self, readings={**others, key: requested} if is_other else others)

    def with_wear(self, model: Address, wear: Address) -> Settings:
        """Remember the wear table of a model."""
        return replace(self, wears={**self.wears, str(model): str(wear)})

    def ranges_of(self, model: Address | None) -> Ranges:
        """The marked frame ranges of a model."""
        return self.ranges.get(str(model), ())

    def with_ranges(self, model: Address, ranges: Ranges) -> Settings:
        """Remember the marked frame ranges of a model; no ranges forget it."""
        others = {name: kept for name, kept in self.ranges.items() if name != str(model)}
        return replace(self, ranges={**others, str(model): ranges} if ranges else others)

    def with_rate(self, archive: str, rate: float | None) -> Settings:
        """Remember the playback speed of an archive; None forgets it."""
        others = {name: kept for name, kept in self.rates.items() if name != archive}
        return replace(self, rates=others if rate is None else {**others, archive: rate})

    def bookmarks_of(self, address: Address) -> Bookmarks:
        """The bookmarks in the bytes at an address."""
        return self.bookmarks.get(str(address), ())

    def with_bookmarks(self, address: Address, bookmarks: Bookmarks) -> Settings:
        """Remember the bookmarks in the bytes at an address; none forget it."""
        others = {name: kept for name, kept in self.bookmarks.items() if name != str(address)}
        return replace(self, bookmarks={**others, str(address): bookmarks} if bookmarks else others)

    def with_views(self, file: str, views: SavedViews) -> Settings:
        """Remember the saved views of a file; none forget it."""
        others = {name: kept for name, kept in self.views.items() if name != file}
        return replace(self, views={**others, file: views} if views else others)

    def with_session(self, tabs: Tabs) -> Settings:
        """Remember what is open."""
        session = tuple(
            str(it.address) if it.document is None else str(StateLink.of(it.document, it.view))
            for it in tabs.opened
        )[:LONGEST_SESSION]
        front = tabs.opened.index(tabs.active) if tabs.active.address else 0
        return replace(self, session=session, session_front=min(front, LONGEST_SESSION - 1))

    def with_window(
        self, layout: str, closed_panels: tuple[str, ...], panel_order: tuple[str, ...], size: tuple[int, int]
    ) -> Settings:
        """Remember the window and its panels."""
        return replace(
            self, layout=layout, closed_panels=closed_panels, panel_order=panel_order, window_size=size
        )

    def with_view(self, view: ViewState) -> Settings:
        """Remember the lasting part of a view."""
        return replace(self, view=lasting(view))

    def with_recent(self, others: Iterable[Address]) -> Settings:
        """Remember more addresses, behind those that are remembered already."""
        return replace(self, recent=tuple(dict.fromkeys((*self.recent, *others)))[:RECENT_LIMIT])

    def reset(self) -> Settings:
        """The default settings; what was open, and what was marked and saved in files, is kept."""
        return Settings(
            recent=self.recent,
            ranges=self.ranges,
            bookmarks=self.bookmarks,
            views=self.views,
            session=self.session,
            session_front=self.session_front,
            window_size=self.window_size,
            has_seen_hint=self.has_seen_hint,
        )

    @property
    def in_order(self) -> Settings:
        """The settings as they are once they have been read: each thing once, in its order, none too many."""
        marked = {model: in_order(ranges) for model, ranges in self.ranges.items() if ranges}
        named = {name: tuple(sorted({*found})) for name, found in self.bookmarks.items() if found}
        return replace(
            self,
            recent=tuple(dict.fromkeys(self.recent))[:RECENT_LIMIT],
            ranges=marked,
            bookmarks=named,
            views={file: views for file, views in self.views.items() if views},
            session=self.session[:LONGEST_SESSION],
            view=lasting(self.view),
        )

    def first_view(self) -> ViewState:
        """The view to start with."""
        return self.shown_in(ViewState())

    def shown_in(self, view: ViewState) -> ViewState:
        """A view with its lasting part as it is remembered."""
        return remembering(view, self.view)


def default_path() -> Path:
    """The settings file of this user."""
    return user_config_path("mshview", appauthor=False) / "settings.json"


Warn = Callable[[SettingsDamage], object]


def load(path: Path, warn: Warn = lambda _ignored: None) -> Settings:
    """Read settings; what cannot be used is left at its default, and the file is set aside."""
    return _settings(_read(path, warn))


def _read(path: Path, warn: Warn) -> StoredFields:
    """What a file holds; one with something unusable is set aside and replaced by its sound rest."""
    raw: Any = None
    repeated: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counts = Counter(name for name, _value in pairs)
        repeated.extend(name for name, count in counts.items() if count > 1)
        return {name: value for name, value in pairs if counts[name] == 1}  # which one counts is not known

    try:
        raw = json.loads(user_files.read(path, LARGEST_FILE).decode(), object_pairs_hook=once)
    except OSError as error:
        if error.errno != errno.EFBIG:
            return StoredFields()
    except (ValueError, RecursionError):
        pass
    if not isinstance(raw, dict):
        warn(SettingsDamage(_set_aside(path)))
        return StoredFields()
    stored = stored_fields.take(Settings, raw)
    stored = stored._replace(odd=(*stored.odd, *repeated))
    if stored.odd:
        kept = _set_aside(path)
        if kept is not None:
            with suppress(OutputError):  # the next change of a setting writes everything, and reports errors
                _write(path, _settings(stored), stored)
        warn(SettingsDamage(kept, stored.odd))
    return stored


def _set_aside(path: Path) -> Path | None:
    with suppress(OSError, OutputError):
        return set_aside(path)
    return None


def _settings(stored: StoredFields, settings: Settings = Settings()) -> Settings:  # noqa: B008 never changes
    """Settings with what is usable of a file."""
    members = stored_fields.members(Settings)
    for name, value in stored.usable.items():
        settings = members[name].set(settings, value)
    return settings.in_order


def _write(path: Path, settings: Settings, stored: StoredFields) -> None:
    fields = stored_fields.with_newer(stored_fields.form(settings), stored.newer)
    user_files.write(path, json.dumps(fields, indent=1).encode())


def save(
    path: Path, settings: Settings, base: Settings | None = None, warn: Warn = lambda _ignored: None
) -> Settings:
    """Write settings so that a crash leaves the old file or the new one; raises `OutputError`.

    Parameters
    ----------
    base
        What the file held when it was last read or written: fields that are still the same are left as
        another window has written them meanwhile, and the addresses that it opened are remembered too.
    warn
        Takes what another program has left unusable in the file.

    Returns
    -------
    What the file holds now.
    """
    stored = _read(path, warn)
    if base is not None:
        # The changes of two windows since `base`; ours win.
        members = stored_fields.members(Settings)
        theirs = {name: it for name, it in stored.usable.items() if name != "recent"}
        kept = {
            name: it for name, it in theirs.items() if members[name].of(settings) == members[name].of(base)
        }
        opened = [address for address in stored.usable.get("recent", ()) if address not in base.recent]
        settings = _settings(stored._replace(usable=kept), settings).with_recent(opened)
    _write(path, settings, stored)
    return settings
