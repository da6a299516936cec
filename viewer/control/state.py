"""The state of the program between two frames."""

from __future__ import annotations

from collections.abc import Mapping, MutableSet
from itertools import chain, islice
from operator import is_not
from pathlib import Path
from time import perf_counter, time
from typing import Annotated, Any, Final, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.control.jobs import JOB, is_fault, problem_of
from viewer.control.settings.settings import Settings
from viewer.model.game.game_folder import Inventory
from viewer.model.game.installs import Install
from viewer.model.mesh.pose.animation import Pose
from viewer.model.query.byte_search import ByteAnswer
from viewer.model.store.disk import real_path
from viewer.model.store.place import Place
from viewer.options import options_of
from viewer.progress import Cancelled
from viewer.session import places
from viewer.session.console import ConsoleState
from viewer.session.edits.edited_file import Edits
from viewer.session.edits.questions import Question, RepairList
from viewer.session.ended_part import EndedPart
from viewer.session.games.compared_folders import FoldersState
from viewer.session.games.modded import ModsState
from viewer.session.games.new_mod import NewModState
from viewer.session.games.overviews import NO_OVERVIEWS, Overviews
from viewer.session.games.surveyed import SurveyState
from viewer.session.importing import Converting
from viewer.session.jobs import RunningJob, ScoreState, SearchState, StatisticsState, TableFilter, Validation
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.browser import BrowserArrangement, BrowserTree
from viewer.session.opened.comparison import ComparisonState
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import Tab, Tabs
from viewer.session.parts import parts_of
from viewer.session.play import posing, unit_posing
from viewer.session.play.playback import Ranges
from viewer.session.play.playing import axis_of
from viewer.session.play.stage import Stage, stage_of
from viewer.session.play.timeline import TimeAxis
from viewer.session.program import FrameStatistics, ProgramInfo, Timing
from viewer.session.selection import SelectionHistory
from viewer.session.tables.table_view import ArrangedRows
from viewer.session.view.view_state import HeldNode, ViewState, following
from viewer.translation import Text, _
from viewer.typed_json import types_of

LOG_LIMIT: Final = 500
MOST_NAMED: Final = 500
"""Files that results name and that are looked at for changes."""

NOTICE_SECONDS: Final = 5.0
WARNING_SECONDS: Final = 10.0
_NOT_POSED: Final = (None, None, None)


class OfFrame:
    """The mark of fields that are noted while a frame is made, which alone are no reason to build panels."""


class State(Struct):
    """The state that controllers work on; owner: the application, main thread only.

    Panels know it as a `ShownState`, which says what its fields mean and lets nothing be changed. Fields are
    replaced, never changed within, and compared by identity. Here are those that panels do not show.

    Attributes
    ----------
    held
        The node of the pose that is being moved with the mouse.
    message
        The error message to show, or empty.
    failure
        The first fault of the program that the user has not read yet.
    notice, notice_end
        The notice, and the `perf_counter` time when it expires.
    is_warned
        The notice is a warning.
    is_closing
        The window closes after this frame.
    """

    settings: Settings
    tabs: Tabs = field(default_factory=Tabs)
    edits: Edits = field(default_factory=Edits)
    question: Question | None = None
    repairs: RepairList | None = None
    converting: Converting = field(default_factory=Converting)
    pose: Annotated[Pose | None, OfFrame] = None
    held: HeldNode | None = None
    reveal: Place | None = None
    arranged: ArrangedRows | None = None
    found_bytes: ByteAnswer | None = None
    browser: BrowserTree = field(default_factory=BrowserTree)
    arrangement: BrowserArrangement = field(default_factory=BrowserArrangement)
    search: SearchState = field(default_factory=SearchState)
    corpus: StatisticsState = field(default_factory=StatisticsState)
    scores: ScoreState = field(default_factory=ScoreState)
    survey: SurveyState = field(default_factory=SurveyState)
    overviews: Overviews = NO_OVERVIEWS
    folders: FoldersState = field(default_factory=FoldersState)
    mods: ModsState = field(default_factory=ModsState)
    new_mod: NewModState = field(default_factory=NewModState)
    filtering: TableFilter | None = None
    console: ConsoleState = field(default_factory=ConsoleState)
    comparison: ComparisonState = field(default_factory=ComparisonState)
    statistics: Annotated[FrameStatistics, OfFrame] = field(default_factory=FrameStatistics)
    timing: Annotated[Timing, OfFrame] = field(default_factory=Timing)
    log: tuple[str, ...] = ()
    message: str = ""
    failure: EndedPart | None = None
    changes: Mapping[Path, float] = field(default_factory=dict)
    notice: str = ""
    notice_end: float = 0.0
    is_warned: bool = False
    validation: Validation | None = None
    game: Inventory | None = None
    installs: tuple[Install, ...] = ()
    is_closing: bool = False
    history: Annotated[SelectionHistory, OfFrame] = field(default_factory=SelectionHistory)
    busy: Annotated[str, OfFrame] = ""
    jobs: Annotated[tuple[RunningJob, ...], OfFrame] = ()
    is_arriving: Annotated[bool, OfFrame] = False
    texture_use: Annotated[float, OfFrame] = 0.0
    samples: tuple[int, ...] = ()
    about: ProgramInfo = field(default_factory=ProgramInfo)
    _known_failures: MutableSet[EndedPart] = field(default_factory=set)
    _seen: tuple[Document | None, ViewState] = (None, ViewState())
    _posed: tuple[object, ...] = _NOT_POSED
    _remembered: tuple[tuple[object, ...], Settings] | None = None
    _axis_of: tuple[object, ...] = (None,) * 5
    _axis: TimeAxis = field(default_factory=lambda: TimeAxis.whole(0.0))

    @property
    def shown(self) -> tuple[object, ...]:
        """The values that panels show, but for the clock of an animation and the camera."""
        tabs = self.tabs
        of_tabs = (parts_of(it, "view") for it in tabs.tabs)
        return (
            *parts_of(self, "tabs", *_OF_FRAME, *_PRIVATE),
            *parts_of(self.view, "camera"),
            tabs.position,
            *chain.from_iterable(of_tabs),
        )

    @property
    def document(self) -> Document | None:
        """The model in the active tab."""
        return self.tabs.active.document

    @property
    def resource(self) -> OpenedResource | None:
        """The content of the active tab if it is not a model."""
        return self.tabs.active.resource

    @property
    def file(self) -> Document | OpenedResource | None:
        """The content of the active tab unless it is a folder."""
        return self.document or (None if self.resource is None or self.resource.is_folder else self.resource)

    @property
    def unit(self) -> AssembledUnit | None:
        """The unit in the active tab."""
        return None if self.resource is None else self.resource.unit

    @property
    def stage(self) -> Stage | None:
        """The content of the active tab if it is shown in space."""
        return stage_of(self.document or self.resource)

    @property
    def view(self) -> ViewState:
        """View of the active tab."""
        return self.tabs.active.view

    @view.setter
    def view(self, view: ViewState) -> None:
        # Tabs are compared by identity to find changes: an equal view must not make new ones.
        if view is not self.view:
            self.tabs = self.tabs.changed(view=view)

    def show(self, tabs: Tabs) -> None:
        """Change what is open; what was about the content of the active tab ends with it."""
        before, self.tabs = self.tabs.active, tabs
        if tabs.active.document is not before.document:
            self.pose = None
        revealed, document = self.reveal, self.document
        is_gone = revealed is not None and document is not None and not places.exists(document, revealed)
        if tabs.active.key != before.key or is_gone:
            self.reveal = None
        if _archive(tabs.active) != _archive(before):
            self.settings = self._with_rate(_archive(before), before.view.speed)
            usual = self.settings.view.speed
            self.view = replace(self.view, speed=self.settings.rates.get(_archive(tabs.active), usual))
        if tabs.active.address != self.browser.current:
            self.browser = replace(self.browser, current=tabs.active.address)

    @property
    def has_own_rate(self) -> bool:
        """Whether the archive of the active tab has a playback speed of its own."""
        return _archive(self.tabs.active) in self.settings.rates

    def keep_rate(self, *, is_own: bool) -> None:
        """Give the archive of the active tab a playback speed of its own, or that of all others."""
        rate = self.view.speed if is_own else None
        self.settings = self.settings.with_rate(_archive(self.tabs.active), rate)

    def _with_rate(self, archive: str, speed: float) -> Settings:
        """The settings with the speed at which an archive was played, which may be that of all others."""
        if archive in self.settings.rates:
            return self.settings.with_rate(archive, speed)
        return replace(self.settings, view=replace(self.settings.view, speed=speed))

    @property
    def remembered(self) -> Settings:
        """The settings with the lasting part of the view."""
        view = self.view
        stored = (it.of(view) for it in _STORED)
        made_of = (self.settings, self.tabs.active.document, self.tabs.active.resource, view.usual, *stored)
        # In most frames that are built only the clock and the camera have changed.
        if self._remembered is None or any(map(is_not, made_of, self._remembered[0])):
            settings = self._with_rate(_archive(self.tabs.active), view.speed)
            self._remembered = made_of, settings.with_view(replace(view, speed=settings.view.speed))
        return self._remembered[1]

    def set(self, **fields: Any) -> None:
        """Replace fields of the settings."""
        self.settings = replace(self.settings, **fields)

    def note_change(self, path: Path) -> None:
        """Note that a file has changed now, here or on the disk."""
        self.changes = {**self.changes, real_path(path): time()}

    @property
    def named_files(self) -> frozenset[Path]:
        """The files that results of searches and checks name, at most `MOST_NAMED`."""
        problems = () if self.validation is None else self.validation.problems
        outliers = (it.place.address.path for found in self.corpus.found for it in found.outliers)
        named = (
            *(Path(it.path) for it in self.search.found.files),
            *(it.place.address.path for it in problems),
        )
        return frozenset(islice(dict.fromkeys((*named, *outliers)), MOST_NAMED))

    def note(self, line: str) -> None:
        """Add a line to the log."""
        self.log = (*self.log, line)[-LOG_LIMIT:]

    def announce(self, line: str, *, is_warning: bool = False) -> None:
        """Show a line for a moment, and log it."""
        self.note(line)
        self.notice, self.is_warned = line, is_warning
        self.notice_end = perf_counter() + (WARNING_SECONDS if is_warning else NOTICE_SECONDS)

    @property
    def has_notice(self) -> bool:
        """Whether there is a line to be shown for the moment."""
        return perf_counter() < self.notice_end

    @property
    def ranges(self) -> Ranges:
        """The frame ranges that the user has marked in the document."""
        return self.settings.ranges_of(self.tabs.active.address)

    @property
    def is_animated(self) -> bool:
        """Whether what the active tab shows moves by itself."""
        is_turning = self.document is not None and bool(self.view.playback.turning)
        if self.unit is not None:
            is_turning = unit_posing.is_turning(self.view)
        return is_turning or (self.view.is_playing and self.axis.moves)

    @property
    def axis(self) -> TimeAxis:
        """The times that the active tab can show."""
        view = self.view
        playback = view.playback
        shown = self.document or self.resource
        made_of = (
            *(shown, playback.clip, playback.part, view.frames),
            *(playback.effects, playback.machinery, view.unit, playback.stage.mode),
        )
        if any(map(is_not, made_of, self._axis_of)):  # asked for several times in a frame
            self._axis_of, self._axis = made_of, axis_of(shown, view)
        return self._axis

    @property
    def offered(self) -> Install | None:
        """The install to offer: no game folder is set, and it was neither declined nor opened."""
        opened = {str(root.address.path) for root in self.browser.roots}
        if self.document is not None:
            opened.add(str(self.document.game.folder))
        waiting = (
            install
            for install in self.installs
            if install.folder not in self.settings.declined_installs and install.folder not in opened
        )
        return None if self.settings.game else next(waiting, None)

    def leave(self) -> None:
        """Close the window after this frame."""
        self.is_closing = True

    def complain(self, message: str) -> None:
        """Show an error message, and log the text."""
        self.message = message
        self.note(message)

    def report(self, error: BaseException, part: Text = JOB) -> None:
        """Show why something was not done, or that a part of the program has failed; what is open stays."""
        if isinstance(error, Cancelled):
            self.announce(_("Cancelled: {work}", work=error))
        elif is_fault(error):
            self.fail(part, error)
        else:
            self.complain(problem_of(error))

    def fail(self, part: Text, error: BaseException) -> None:
        """Show a card about a fault of the program, and log it; one that is known already is a warning."""
        found = EndedPart.of(part, error)
        if found in self._known_failures:
            self.notice, self.is_warned = _("{part} has failed again", part=part), True
            self.notice_end = perf_counter() + WARNING_SECONDS
            return
        self._known_failures.add(found)
        self.note(_("{part} has failed", part=part))
        self.failure = self.failure or found

    def dismiss_failure(self) -> None:
        """The user has read the card."""
        self.failure = None

    def choose_detail(self) -> None:
        """Follow the camera with the group, if the view leaves that to it."""
        if self.document is not None:
            self.view = self.document.with_detail(self.view)

    def follow_cell(self) -> None:
        """Keep the slot that is selected with a node that of the LOD and group in which the node is shown."""
        before, self._seen = self._seen, (self.document, self.view)
        if self.document is not None and before[0] is self.document and before[1] is not self.view:
            self.view = self.document.with_slot_shown(before[1], self.view)

    def update_pose(self) -> bool:
        """Pose the document for the time of the view; tell whether the pose was outdated."""
        document, view = self.document, self.view
        if document is None:
            self._posed = _NOT_POSED
            return False
        asked = document, view, self.pose
        if not any(map(is_not, asked, self._posed)):  # asked for before and after the panels are built
            return False
        moment, held = posing.moment(document, view), view.held
        if self.pose is not None and self.pose.moment == moment and self.held == held:
            self._posed = asked
            return False
        # The node that is dragged is moved in the pose only; the file changes once the mouse is released.
        pose, self.held, before = document.animation.pose_at(moment), held, self.pose
        self.pose = pose if held is None else held.shown_in(pose, document.skeleton)
        self._posed = document, view, self.pose
        # A node that is dragged stays under the pointer: the camera waits.
        if before is not None and held is None and view.followed is not None:
            self.view = following(view, before, self.pose)
        return True


def _archive(tab: Tab) -> str:
    """The file that a tab shows something of; empty if it shows nothing."""
    return "" if tab.address is None else str(tab.address.path)


_OF_FRAME: Final = tuple(name for name, kind in types_of(State).items() if OfFrame in get_args(kind))
_PRIVATE: Final = tuple(name for name in types_of(State) if name.startswith("_"))
_STORED: Final = tuple(it for it in options_of(ViewState) if it.option.stored)
"""Fields that `Settings.with_view` may remember, besides the shading that other files have."""
