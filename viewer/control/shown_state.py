"""The state as panels know it: all that they show, and nothing that changes it.

Panels ask controllers for changes, so what they get has properties only; `State` has all of them, and its
values are frozen. That no panel sets one is what its type says, which is checked.

It is the state itself and no frozen copy of it: nothing changes the state while panels draw but a panel that
fails, whose card is shown at once. A copy of its 39 fields takes 8 µs in each frame that is built, would
need a third list of them, and would work out again what the state keeps between frames, such as its axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from viewer.control.settings.settings import Settings
from viewer.model.game.game_folder import Inventory
from viewer.model.game.installs import Install
from viewer.model.mesh.pose.animation import Pose
from viewer.model.query.byte_search import ByteAnswer
from viewer.model.store.place import Place
from viewer.session.console import ConsoleState
from viewer.session.edits.edited_file import Edits
from viewer.session.edits.questions import Question, RepairList
from viewer.session.games.compared_folders import FoldersState
from viewer.session.games.modded import ModsState
from viewer.session.games.new_mod import NewModState
from viewer.session.games.overviews import Overviews
from viewer.session.games.surveyed import SurveyState
from viewer.session.importing import Converting
from viewer.session.jobs import RunningJob, ScoreState, SearchState, StatisticsState, TableFilter, Validation
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.browser import BrowserArrangement, BrowserTree
from viewer.session.opened.comparison import ComparisonState
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import Tabs
from viewer.session.play.playback import Ranges
from viewer.session.play.stage import Stage
from viewer.session.play.timeline import TimeAxis
from viewer.session.program import FrameStatistics, ProgramInfo, Timing
from viewer.session.selection import SelectionHistory
from viewer.session.tables.table_view import ArrangedRows
from viewer.session.view.view_state import ViewState


class ShownState(Protocol):
    """The state that panels show."""

    @property
    def settings(self) -> Settings:
        """The settings of the user."""

    @property
    def tabs(self) -> Tabs:
        """The open tabs; `document`, `resource`, `unit`, `stage` and `view` are those of the active one."""

    @property
    def document(self) -> Document | None:
        """The model in the active tab."""

    @property
    def resource(self) -> OpenedResource | None:
        """The content of the active tab if it is not a model."""

    @property
    def file(self) -> Document | OpenedResource | None:
        """The content of the active tab unless it is a folder."""

    @property
    def unit(self) -> AssembledUnit | None:
        """The unit in the active tab."""

    @property
    def stage(self) -> Stage | None:
        """The content of the active tab if it is shown in space."""

    @property
    def view(self) -> ViewState:
        """The view of the active tab."""

    @property
    def pose(self) -> Pose | None:
        """The nodes of the document at the time of the view."""

    @property
    def axis(self) -> TimeAxis:
        """The times that the active tab can show."""

    @property
    def ranges(self) -> Ranges:
        """The frame ranges that the user has marked in the document."""

    @property
    def is_animated(self) -> bool:
        """Whether the content of the active tab moves by itself."""

    @property
    def has_own_rate(self) -> bool:
        """Whether the archive of the active tab has a playback speed of its own."""

    @property
    def reveal(self) -> Place | None:
        """The last requested place in the content of the active tab, a new object each time."""

    @property
    def history(self) -> SelectionHistory:
        """The selections in the content of the active tab, in turn."""

    @property
    def edits(self) -> Edits:
        """The changes of the open files."""

    @property
    def question(self) -> Question | None:
        """The question about edited files; None if there is none."""

    @property
    def repairs(self) -> RepairList | None:
        """The possible repairs, as they were found last; None before the first search."""

    @property
    def converting(self) -> Converting:
        """The questions and reports about export, import and the round trip."""

    @property
    def browser(self) -> BrowserTree:
        """The files and entries of the browser."""

    @property
    def arrangement(self) -> BrowserArrangement:
        """Filter and order of the browser."""

    @property
    def search(self) -> SearchState:
        """The search over everything open."""

    @property
    def corpus(self) -> StatisticsState:
        """The statistics of a field."""

    @property
    def scores(self) -> ScoreState:
        """The readings that were judged last."""

    @property
    def survey(self) -> SurveyState:
        """The survey of an install that was made last."""

    @property
    def overviews(self) -> Overviews:
        """The overviews of archives, folders and games, by address."""

    @property
    def folders(self) -> FoldersState:
        """The comparison of two folders."""

    @property
    def new_mod(self) -> NewModState:
        """A mod that is made."""

    @property
    def mods(self) -> ModsState:
        """The mods of a game."""

    @property
    def filtering(self) -> TableFilter | None:
        """The requested filter of a table of the open model, a new object each time."""

    @property
    def arranged(self) -> ArrangedRows | None:
        """The rows of the table that was arranged last."""

    @property
    def found_bytes(self) -> ByteAnswer | None:
        """The answer of the last search in the bytes of a payload."""

    @property
    def console(self) -> ConsoleState:
        """The lines of the console."""

    @property
    def comparison(self) -> ComparisonState:
        """The two sides that are compared."""

    @property
    def validation(self) -> Validation | None:
        """The findings of the last validation; None before the first."""

    @property
    def changes(self) -> Mapping[Path, float]:
        """The times at which files have changed, here or on the disk, seconds since 1970."""

    @property
    def log(self) -> tuple[str, ...]:
        """The lines of the log."""

    @property
    def game(self) -> Inventory | None:
        """The contents of the game folder of the settings; None if none is set or not yet listed."""

    @property
    def installs(self) -> tuple[Install, ...]:
        """The installs of the game found on this computer."""

    @property
    def offered(self) -> Install | None:
        """The install to offer."""

    @property
    def busy(self) -> str:
        """The title of the job that reads the next content; empty without one."""

    @property
    def jobs(self) -> tuple[RunningJob, ...]:
        """The jobs that have been running for longer than a moment."""

    @property
    def is_arriving(self) -> bool:
        """Whether a model was just opened and the viewport still shows the image before."""

    @property
    def statistics(self) -> FrameStatistics:
        """The draws of the last frame."""

    @property
    def timing(self) -> Timing:
        """The cost of the last frame."""

    @property
    def texture_use(self) -> float:
        """The GPU memory of textures, MB."""

    @property
    def samples(self) -> tuple[int, ...]:
        """The choices of samples per pixel; constant."""

    @property
    def about(self) -> ProgramInfo:
        """The parts of the program and the system that it runs on; constant."""
