"""The settings of the user: each field is declared here once, with its bounds and its controls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.operations.reading_options import USUAL, ReadingOptions
from viewer.options import OF_SETTINGS, OF_TEXTURE_SETTINGS, Option, OptionChoice
from viewer.session.exporting import ExportChoices
from viewer.session.games.overview_choices import OverviewChoices
from viewer.session.keymap import KeyMap
from viewer.session.opened.entry_list import EntryOrder
from viewer.session.opened.payload_bytes import Bookmarks
from viewer.session.opened.tabs import Tabs
from viewer.session.options import KEPT_IN_RESET, outlives_reset, taking
from viewer.session.play.playback import FASTEST, SLOWEST, FrameRange, Ranges, in_order
from viewer.session.program import (
    CLOSED_AT_FIRST,
    FONT_SIZE,
    LEAST_FONT,
    LEAST_SCALE,
    MOST_FONT,
    MOST_SCALE,
    SCALES,
    Theme,
)
from viewer.session.view.state_link import SavedViews, StateLink
from viewer.session.view.view_state import ViewState, lasting, remembering
from viewer.translation import LANGUAGES, Text, _
from viewer.typed_json import Allowed, Limits

RECENT_LIMIT: Final = 12
LONGEST_SESSION: Final = 100
"""Tabs that are opened again."""
SMALLEST_WINDOW: Final = 320
LARGEST_WINDOW: Final = 16384
WindowSide = Annotated[int, Limits(LARGEST_WINDOW, SMALLEST_WINDOW)]

TEXTURE_MEMORIES: Final = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""MB."""
# Not in the annotations: a comprehension in one, which is evaluated as a text, sees no names of the module.
_MEMORIES: Final = tuple(OptionChoice(it, _("{count} MB", count=it)) for it in TEXTURE_MEMORIES)
_SCALES: Final = tuple(OptionChoice(it, Text(f"{it:.0%}")) for it in SCALES)
_LANGUAGES: Final = (
    OptionChoice("", _("that of the system")),
    *(OptionChoice(code, Text(name)) for code, name in LANGUAGES.items()),  # each as its speakers call it
)


class InOrder(NamedTuple):
    """The rule of marked ranges: the first frame is not behind the last."""

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
    """The key of the reading chosen for an address: of a file its path alone."""
    return str(address) if address.entries else str(address.path)


class Settings(Struct, frozen=True):
    """The settings that the program remembers.

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
    overlay
        The file with the user's own meanings of fields; empty for none.
    opening
        Options of reading: those that are stored; the others have their defaults.
    declined_installs
        Installs of the game that are offered no more.
    save_folder
        The folder of the last file saved with a dialog; empty before the first.
    import_folder
        The folder of the last file that was imported, or chosen for something else; empty before the first.
    export
        How models were exported last.
    overview
        What overviews of archives, folders and games show.
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

    recent: Annotated[tuple[Address, ...], KEPT_IN_RESET] = ()
    readings: Mapping[str, Annotated[str, Allowed((*map(str, ReadingChoice),))]] = field(default_factory=dict)
    wears: Mapping[str, str] = field(default_factory=dict)
    ranges: Annotated[Mapping[str, tuple[Annotated[FrameRange, InOrder()], ...]], KEPT_IN_RESET] = field(
        default_factory=dict
    )
    rates: Mapping[str, Annotated[float, Limits(FASTEST, SLOWEST)]] = field(default_factory=dict)
    bookmarks: Annotated[Mapping[str, Bookmarks], KEPT_IN_RESET] = field(default_factory=dict)
    views: Annotated[Mapping[str, SavedViews], KEPT_IN_RESET] = field(default_factory=dict)
    game: str = ""
    overlay: str = ""
    opening: ReadingOptions = USUAL
    declined_installs: tuple[str, ...] = ()
    save_folder: str = ""
    import_folder: str = ""
    export: ExportChoices = field(default_factory=ExportChoices)
    overview: OverviewChoices = OverviewChoices()
    session: Annotated[tuple[str, ...], KEPT_IN_RESET] = ()
    session_front: Annotated[int, Limits(LONGEST_SESSION - 1), KEPT_IN_RESET] = 0
    restores_session: Annotated[
        bool,
        Option(
            _("at the start"),
            (_("What a start without a file opens."),),
            section=OF_SETTINGS,
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
            section=OF_SETTINGS,
            label=_("Reuse a tab that was only looked at"),
        ),
    ] = True
    window_size: Annotated[tuple[WindowSide, WindowSide], KEPT_IN_RESET] = (1440, 900)
    layout: str = ""
    closed_panels: tuple[str, ...] = CLOSED_AT_FIRST
    panel_order: tuple[str, ...] = ()
    has_seen_hint: Annotated[bool, KEPT_IN_RESET] = False
    has_thumbnails: Annotated[
        bool,
        Option(_("browser"), (), section=OF_SETTINGS, label=_("Thumbnails")),
    ] = True
    entry_order: Annotated[str, Allowed((*map(str, EntryOrder),))] = EntryOrder.FILE.value
    keymap: KeyMap = field(default_factory=KeyMap)
    language: Annotated[
        str,
        Allowed(("", *LANGUAGES)),
        Option(
            _("language"),
            section=OF_SETTINGS,
            choices=_LANGUAGES,
        ),
    ] = ""
    theme: Annotated[
        Theme,
        Option(
            _("colors"),
            section=OF_SETTINGS,
            choices=(
                OptionChoice(Theme.SYSTEM, _("those of the system")),
                OptionChoice(Theme.DARK, _("dark theme")),
                OptionChoice(Theme.LIGHT, _("light theme")),
                OptionChoice(Theme.CONTRAST, _("high contrast")),
            ),
        ),
    ] = Theme.SYSTEM
    font: Annotated[
        str, Option(_("font"), (_("TrueType or OpenType, of the system or a file."),), section=OF_SETTINGS)
    ] = ""
    font_size: Annotated[float, Limits(MOST_FONT, LEAST_FONT)] = FONT_SIZE
    interface_scale: Annotated[
        float,
        Limits(MOST_SCALE, LEAST_SCALE),
        Option(
            _("interface scale"),
            (_("Keys: {keys}", keys=_("Ctrl++ Ctrl+- Ctrl+0")),),
            section=OF_SETTINGS,
            choices=_SCALES,
        ),
    ] = 1.0
    texture_memory: Annotated[
        int,
        Limits(TEXTURE_MEMORIES[-1], TEXTURE_MEMORIES[0]),
        Option(
            _("memory"),
            (_("GPU memory for textures; the least recently used are evicted first."),),
            section=OF_TEXTURE_SETTINGS,
            choices=_MEMORIES,
        ),
    ] = 256
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
        """The settings with the open tabs remembered."""
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
        return taking(Settings(), self, outlives_reset)

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
