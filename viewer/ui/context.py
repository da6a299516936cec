"""What a panel gets: what it shows, and the commands that it calls.

A panel draws one `UiContext`, which never changes while it draws. What the user does becomes either a
change, a function from the old view to the new one, or a call of a command; both are made after all
panels have drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from viewer.control.commands import Commands
from viewer.dataclass import dataclass
from viewer.model.game.game_folder import Inventory
from viewer.model.game.installs import Install
from viewer.model.game.sockets import FittingPart
from viewer.model.mesh.animation import Pose
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.query.byte_search import ByteAnswer
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.console import ConsoleState
from viewer.session.edits.edited_file import ChangedRanges, Edits
from viewer.session.edits.questions import Question, RepairList
from viewer.session.importing import Converting
from viewer.session.jobs import (
    FoundSkies,
    FoundUsers,
    RunningJob,
    ScoreState,
    SearchState,
    StatisticsState,
    TableFilter,
    Thumbnail,
    Validation,
)
from viewer.session.keymap import KeyMap
from viewer.session.opened.browser import BrowserArrangement, BrowserTree
from viewer.session.opened.comparison import ComparisonState
from viewer.session.opened.document import Document
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.payload_bytes import Bookmarks, PayloadBytes
from viewer.session.opened.tabs import TabKey, Tabs
from viewer.session.play.filming import FilmOptions, FilmPreview
from viewer.session.play.playback import Ranges
from viewer.session.play.stage import Stage
from viewer.session.play.timeline import TimeAxis
from viewer.session.play.unit_posing import UnitLook
from viewer.session.program import FrameStatistics, ProgramInfo, Theme, Timing
from viewer.session.selection import SelectionHistory
from viewer.session.tables.table_view import ArrangedRows
from viewer.session.view.cell_sheet import CellSheet, SheetLook
from viewer.session.view.coloring import MaterialLook
from viewer.session.view.state_link import SavedViews
from viewer.session.view.textures import TextureView
from viewer.session.view.view_state import ViewState
from viewer.translation import Text

ViewChange = Callable[[ViewState], ViewState]


class UiSettings(Protocol):
    """The settings that panels show."""

    @property
    def recent(self) -> tuple[Address, ...]:
        """Addresses opened before, newest first."""

    def reading_of(self, address: Address) -> ReadingChoice:
        """The reading chosen for a file, or for a model in it."""

    @property
    def ground(self) -> str:
        """How the materials of terrains are read."""

    def bookmarks_of(self, address: Address) -> Bookmarks:
        """The bookmarks in the bytes at an address."""

    @property
    def views(self) -> Mapping[str, SavedViews]:
        """Saved views by the path of their file."""

    @property
    def has_seen_hint(self) -> bool:
        """Whether the first-run hint was dismissed."""

    @property
    def session(self) -> tuple[str, ...]:
        """What was open when the window was closed."""

    @property
    def restores_session(self) -> bool:
        """Whether a start without a file opens it again."""

    @property
    def reuses_tabs(self) -> bool:
        """Whether what is opened takes the place of a tab in front that was only looked at."""

    @property
    def has_thumbnails(self) -> bool:
        """Whether the browser shows thumbnails."""

    @property
    def entry_order(self) -> str:
        """The order of entries in the browser, a value of `EntryOrder`."""

    @property
    def keymap(self) -> KeyMap:
        """The keys of actions."""

    @property
    def language(self) -> str:
        """The code of the language of texts; empty for that of the system."""

    @property
    def theme(self) -> Theme:
        """The colors of the window."""

    @property
    def font(self) -> str:
        """The file of the letters of texts; empty for those of the program."""

    @property
    def font_size(self) -> float:
        """Their size, pixels."""

    @property
    def interface_scale(self) -> float:
        """How much larger than usual texts and controls are."""

    @property
    def texture_memory(self) -> int:
        """GPU memory for textures, MB."""


class UiState(Protocol):
    """The state of the application as panels read it; nothing of it changes while they draw."""

    @property
    def settings(self) -> UiSettings:
        """What is set."""

    @property
    def tabs(self) -> Tabs:
        """Everything that is open."""

    @property
    def resource(self) -> OpenedResource | None:
        """What the active tab shows if it is not a model."""

    @property
    def stage(self) -> Stage | None:
        """What the active tab shows in space; None if it does not."""

    @property
    def edits(self) -> Edits:
        """What was changed in the open files, and their undo steps."""

    @property
    def question(self) -> Question | None:
        """What the user is asked about edited files."""

    @property
    def repairs(self) -> RepairList | None:
        """What can be repaired, as it was found last; None before it was looked for."""

    @property
    def converting(self) -> Converting:
        """Questions and reports of export, import and the round trip."""

    @property
    def axis(self) -> TimeAxis:
        """The times that the active tab can show."""

    @property
    def pose(self) -> Pose | None:
        """Where the nodes of the document are at the time of the view."""

    @property
    def has_own_rate(self) -> bool:
        """Whether the open archive has a playback speed of its own."""

    @property
    def ranges(self) -> Ranges:
        """The frame ranges that the user has marked in the document."""

    @property
    def browser(self) -> BrowserTree:
        """The opened folders and archives with their entries."""

    @property
    def arrangement(self) -> BrowserArrangement:
        """Which of the entries are shown, in which order."""

    @property
    def corpus(self) -> StatisticsState:
        """The statistics of a field."""

    @property
    def console(self) -> ConsoleState:
        """What the console shows."""

    @property
    def scores(self) -> ScoreState:
        """The readings that were judged last."""

    @property
    def comparison(self) -> ComparisonState:
        """What is compared."""

    @property
    def filtering(self) -> TableFilter | None:
        """The filter that a table of the open model is to have, a new object each time it is asked for."""

    @property
    def search(self) -> SearchState:
        """The search over everything open."""

    @property
    def found_bytes(self) -> ByteAnswer | None:
        """What the last search in the bytes of a payload found."""

    @property
    def reveal(self) -> Place | None:
        """The last requested place in what the active tab shows, a new object after each request."""

    @property
    def history(self) -> SelectionHistory:
        """What was selected in turn in what the active tab shows."""

    @property
    def arranged(self) -> ArrangedRows | None:
        """The rows of a table that were arranged last; None before the first."""

    @property
    def validation(self) -> Validation | None:
        """What the last validation found; None before the first."""

    @property
    def changes(self) -> Mapping[Path, float]:
        """When files have changed, here or on the disk: seconds since 1970."""

    @property
    def game(self) -> Inventory | None:
        """The game folder for files outside any game folder."""

    @property
    def installs(self) -> tuple[Install, ...]:
        """The installs of the game found on this computer."""

    @property
    def offered(self) -> Install | None:
        """The install to offer."""

    @property
    def busy(self) -> str:
        """The title of the job that reads what is to be shown next, or empty."""

    @property
    def jobs(self) -> tuple[RunningJob, ...]:
        """The jobs that have been running for longer than a moment."""

    @property
    def is_arriving(self) -> bool:
        """Whether the model was just opened: the viewport keeps its image until the next is whole."""

    @property
    def statistics(self) -> FrameStatistics:
        """What the last frame drew."""

    @property
    def timing(self) -> Timing:
        """What the last frame cost."""

    @property
    def texture_use(self) -> float:
        """GPU memory that textures use, MB."""

    @property
    def samples(self) -> tuple[int, ...]:
        """The choices of samples per pixel."""

    @property
    def log(self) -> tuple[str, ...]:
        """The lines of the log, oldest first."""

    @property
    def about(self) -> ProgramInfo:
        """What the program is made of and runs on."""


@dataclass(frozen=True, slots=True)
class Lookups:
    """What panels look up while they draw; what has not been read yet is read in worker threads.

    Parameters
    ----------
    texture
        Gives the opaque ImGui id of a texture, top row first; None until it has been decoded.
    material_image
        Gives the opaque ImGui id of the image of a material, lowest row first; one image per frame.
    unit_image
        The same of a unit: 1 and 2 are those of a comparison.
    thumbnail
        Gives the thumbnail of a visible entry; None until it has been read.
    users
        Gives the users found so far of the payload at an address, and searches for the others.
    skies
        Gives the skies found so far that models can be lit with.
    film
        Gives the image of a film of the viewport for this moment.
    cells
        Gives the opaque ImGui id of a contact sheet, lowest row first; None until it has been drawn.
    names
        Gives the names of the resources of a kind that the file at an address may use; entries are those of
        an archive.
    fitting
        Gives the parts of the registry that fit a socket of a model or unit at an address, by its tag; None
        without a registry.
    complete
        Gives what a text typed in the console may go on to, in order.
    changed
        Gives the ranges of the payload at an address that differ from the saved file.
    payload
        Gives the bytes at an address and their fields; None if there are none.
    is_unsaved
        Tells whether what is at an address, or anything inside it, was changed and not saved.
    """

    texture: Callable[[TextureView], int | None]
    material_image: Callable[[MaterialLook], int]
    unit_image: Callable[[UnitLook, int], int]
    thumbnail: Callable[[BrowserEntry], Thumbnail | None]
    users: Callable[[Address], FoundUsers]
    skies: Callable[[], FoundSkies]
    film: Callable[[FilmOptions], FilmPreview]
    cells: Callable[[SheetLook], CellSheet | None]
    names: Callable[[str, Address, bytes], Sequence[str]]
    fitting: Callable[[Address, str], Sequence[FittingPart] | None]
    complete: Callable[[str], Sequence[str]]
    changed: Callable[[Address], ChangedRanges]
    payload: Callable[[Address], PayloadBytes | None]
    is_unsaved: Callable[[Address], bool]


@dataclass(frozen=True, slots=True)
class UiContext:
    """What panels get in a frame.

    Parameters
    ----------
    document
        The model in the active tab.
    view
        How the active tab is looked at.
    state, lookups
        Everything else that they show.
    commands
        What they can do.
    change
        Queues a change of the view.
    flash
        Flashes batches in the viewport; to be called in every frame.
    """

    document: Document | None
    view: ViewState
    state: UiState
    lookups: Lookups
    commands: Commands
    change: Callable[[ViewChange], None]
    flash: Callable[[Iterable[int]], None]


class Panel(Protocol):
    """A dockable part of the window."""

    @property
    def id(self) -> str:
        """Its name in every language, also in layouts and settings."""

    @property
    def title(self) -> Text:
        """The text of its tab."""

    def draw(self, frame: UiContext) -> None:
        """Draw the inside of the panel; its window is already begun."""


Value = TypeVar("Value")


class PerTab(Generic[Value]):
    """One value per tab, forgotten as soon as the tab is closed or shows something else.

    Parameters
    ----------
    make
        Makes the value that a tab begins with.
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._values: dict[TabKey, Value] = {}

    def of(self, tabs: Tabs) -> Value:
        """The value of the active tab."""
        keys = {tab.key for tab in tabs.tabs}
        for key in self._values.keys() - keys:
            del self._values[key]
        key = tabs.active.key
        if key not in self._values:
            self._values[key] = self._make()
        return self._values[key]
