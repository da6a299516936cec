"""What a panel gets: what it shows, and the commands that it calls.

A panel draws one `UiContext`, which never changes while it draws. What the user does becomes either a
change, a function from the old view to the new one, or a call of a command; both are made after all
panels have drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from viewer.model.game.game_folder import Inventory
from viewer.model.game.installs import Install
from viewer.model.mesh.animation import Pose
from viewer.model.store.place import Place
from viewer.session.converting import converting
from viewer.session.converting.converting import Converting
from viewer.session.edits.changed_ranges import NO_RANGES, ChangedRanges
from viewer.session.edits.edited_file import Edits
from viewer.session.edits.mending import Mending
from viewer.session.edits.questions import Question
from viewer.session.found_users import FoundUsers
from viewer.session.opened.arrangement import Arrangement
from viewer.session.opened.browser_entry import BrowserEntry
from viewer.session.opened.browser_tree import BrowserTree
from viewer.session.opened.document import Document
from viewer.session.opened.entry_list import EntryOrder
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import Tabs
from viewer.session.play.frame_range import Ranges
from viewer.session.play.time_axis import axis_of
from viewer.session.play.timeline import TimeAxis
from viewer.session.program_info import ProgramInfo
from viewer.session.running_job import RunningJob
from viewer.session.search_state import SearchState
from viewer.session.selection_history import SelectionHistory
from viewer.session.statistics import FrameStatistics, Timing
from viewer.session.tables.arrangement import ArrangedRows
from viewer.session.thumbnail import Thumbnail
from viewer.session.validation import Validation
from viewer.session.view.material_look import MaterialLook
from viewer.session.view.texture_view import TextureView
from viewer.session.view.view_state import ViewState
from viewer.translation import Message
from viewer.ui.commands import Commands

ViewChange = Callable[[ViewState], ViewState]
TextureLookup = Callable[[TextureView], int | None]
"""Gives the opaque ImGui id of a texture, top row first; None until it has been decoded."""
ChangeLookup = Callable[[str], ChangedRanges]
"""Gives the ranges of the payload at an address that differ from the saved file."""
NameLookup = Callable[[str, str], Sequence[str]]
"""Gives the names of the resources of a kind that the file at an address may use."""
UserLookup = Callable[[str], FoundUsers]
"""Gives the users found so far of the payload at an address, and searches for the others."""
MaterialImageLookup = Callable[[MaterialLook], int]
"""Gives the opaque ImGui id of the image of a material, lowest row first."""
ThumbnailLookup = Callable[[BrowserEntry], Thumbnail | None]
"""Gives the thumbnail of a visible entry; None until it has been read."""


def _no_names(kind: str, address: str) -> Sequence[str]:
    """Return none: no names are known."""
    del kind, address
    return ()


@dataclass(frozen=True, slots=True)
class Preferences:
    """Settings that are not part of the view.

    Parameters
    ----------
    game
        The game folder for files outside any game folder, or None.
    texture_memory, texture_use
        GPU memory for textures, and the part in use, MB.
    interface_scale
        How much larger than usual texts and controls are.
    samples
        The choices of samples per pixel.
    entry_order
        The order of entries in the browser.
    installs
        The installs of the game found on this computer.
    offered
        The one to offer, or None.
    """

    game: Inventory | None
    texture_memory: int
    texture_use: float
    interface_scale: float
    samples: tuple[int, ...]
    entry_order: EntryOrder = EntryOrder.FILE
    installs: tuple[Install, ...] = ()
    offered: Install | None = None


@dataclass(frozen=True, slots=True)
class UiContext:
    """Everything the panels may see during one frame.

    Parameters
    ----------
    tabs
        Everything that is open.
    edits
        What was changed in the open files, and their undo steps.
    document
        The model in the active tab, or None.
    view
        How the active tab is looked at.
    ranges
        The frame ranges that the user has marked in the model.
    pose
        Where its nodes are at `view.time`.
    browser, arrangement
        Archives opened and their entries; which of them are shown, in which order.
    search
        The search over everything open.
    statistics, timing
        What the last frame drew and cost.
    log
        The lines of the log, oldest first.
    recent
        Addresses opened before, newest first.
    preferences
        What is set.
    about
        What the program is made of and runs on.
    busy
        The title of the job that reads what is to be shown next, or empty.
    jobs
        The jobs that have been running for longer than a moment.
    has_hint
        The first-run hint is to be shown.
    resource
        What the active tab shows if it is not a model, else None.
    reveal
        The last requested place in what the active tab shows, a new object after each request; or None.
    history
        What was selected in turn in what the active tab shows.
    arranged
        The rows of a table that were arranged last; None before the first.
    validation
        What the last validation found; None before the first.
    gallery
        Textures for the panels.
    thumbnails
        Thumbnails of entries, None if they are switched off.
    material_image
        Images of single materials, one per frame.
    users
        Who refers to what the active tab shows.
    is_unsaved
        Tells whether what is at an address, or anything inside it, was changed and not saved.
    flash
        Flash batches in the viewport; to be called in every frame.
    change
        Queues a change of the view.
    commands
        Queues anything else.
    question
        What is asked about edited files; None if nothing is.
    mending
        What can be mended, as it was found last; None before it was looked for.
    converting
        What is asked and told about export, import and the round trip.
    is_arriving
        The model was just opened: the viewport keeps its picture until the first one of it is whole.
    """

    tabs: Tabs
    edits: Edits
    document: Document | None
    view: ViewState
    ranges: Ranges
    pose: Pose | None
    browser: BrowserTree
    arrangement: Arrangement
    search: SearchState
    statistics: FrameStatistics
    timing: Timing
    log: tuple[str, ...]
    recent: tuple[str, ...]
    preferences: Preferences
    about: ProgramInfo
    busy: str
    jobs: tuple[RunningJob, ...]
    has_hint: bool
    resource: OpenedResource | None
    reveal: Place | None
    history: SelectionHistory
    arranged: ArrangedRows | None
    validation: Validation | None
    gallery: TextureLookup
    thumbnails: ThumbnailLookup | None
    material_image: MaterialImageLookup
    users: UserLookup
    is_unsaved: Callable[[str], bool]
    flash: Callable[[Iterable[int]], None]
    change: Callable[[ViewChange], None]
    commands: Commands
    question: Question | None = None
    mending: Mending | None = None
    converting: Converting = converting.NOTHING
    resource_names: NameLookup = _no_names
    changed: ChangeLookup = lambda _: NO_RANGES
    is_arriving: bool = False

    @property
    def axis(self) -> TimeAxis:
        """The times that the active tab can show."""
        return axis_of(self.document or self.resource, self.view)


class Panel(Protocol):
    """A dockable part of the window."""

    @property
    def id(self) -> str:
        """Its name in every language, also in layouts and settings."""

    @property
    def title(self) -> Message:
        """The text of its tab."""

    def draw(self, frame: UiContext) -> None:
        """Draw the inside of the panel; its window is already begun."""
