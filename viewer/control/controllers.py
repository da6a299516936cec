"""The controllers that panels, keys and menus call, by subject.

Panels say ``frame.later(frame.control.opening.open, address)``: the method is called when all of them have
drawn.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from viewer.control.converting.entry_files import EntryFilesController
from viewer.control.converting.exporting import ExportController, RoundTripController
from viewer.control.converting.files import FileController
from viewer.control.converting.importing import SceneImports
from viewer.control.converting.texture_folders import TextureFolders
from viewer.control.editing.console import ConsoleController
from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.editing import Editing, EntryImports, RepairController
from viewer.control.editing.mods import ModController
from viewer.control.editing.new_mods import NewModController
from viewer.control.editing.save_controller import SaveController
from viewer.control.editing.unsaved import CloseController, RecoveryController
from viewer.control.jobs import Jobs
from viewer.control.lookups.browser_lists import BrowserLists, InstallOffers
from viewer.control.lookups.compared_folders import FoldersController
from viewer.control.lookups.corpus import CorpusController
from viewer.control.lookups.overviews import OverviewController
from viewer.control.lookups.searches import (
    ComparisonController,
    SearchController,
    TableJobs,
    UserLookup,
    ValidationController,
)
from viewer.control.lookups.skies import SkyController
from viewer.control.lookups.surveys import SurveyController
from viewer.control.lookups.tried_units import TriedUnitController
from viewer.control.navigation import Framing, SelectionHistories
from viewer.control.opening.open_controller import OpenController
from viewer.control.opening.sessions import SessionController
from viewer.control.settings.settings_controller import SettingsController
from viewer.control.state import State
from viewer.control.window_commands import (
    DialogCommands,
    ModelImages,
    PanelCommands,
    PictureCommands,
    WindowCommands,
)


class Borders(Struct, frozen=True):
    """The dialogs, pictures, panels and window for controllers.

    Attributes
    ----------
    dialogs, pictures, panels, window
        What panels can ask them for as well.
    images
        Draws models for worker threads.
    aspect
        Width by height of the viewport.
    to_clipboard
        Puts a text on the clipboard.
    """

    dialogs: DialogCommands
    pictures: PictureCommands
    panels: PanelCommands
    window: WindowCommands
    images: ModelImages
    aspect: Callable[[], float]
    to_clipboard: Callable[[str], None]


class Controllers(Struct, frozen=True):
    """All controllers; the window, its panels, dialogs and pictures are known by protocols."""

    opening: OpenController
    sessions: SessionController
    settings: SettingsController
    validation: ValidationController
    skies: SkyController
    comparing: ComparisonController
    installs: InstallOffers
    closing: CloseController
    history: SelectionHistories
    tables: TableJobs
    statistics: CorpusController
    survey: SurveyController
    mods: ModController
    new_mods: NewModController
    parts: TriedUnitController
    overviews: OverviewController
    folders: FoldersController
    dialogs: DialogCommands
    browser: BrowserLists
    search: SearchController
    users: UserLookup
    camera: Framing
    pictures: PictureCommands
    files: FileController
    edits: EditController
    entries: EntryImports
    saving: SaveController
    recovery: RecoveryController
    repair: RepairController
    console: ConsoleController
    exporting: ExportController
    entry_files: EntryFilesController
    importing: SceneImports
    textures: TextureFolders
    round_trips: RoundTripController
    panels: PanelCommands
    window: WindowCommands

    @classmethod
    def of(  # noqa: PLR0913 what is needed before the others are made comes made
        cls,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        editing: Editing,
        files: FileController,
        borders: Borders,
        *,
        browser: BrowserLists,
        comparing: ComparisonController,
    ) -> Controllers:
        """The controllers on one state."""
        library = opener.library
        return cls(
            opening=opener,
            sessions=SessionController(state, opener),
            settings=SettingsController(state, borders.window.follow),
            validation=ValidationController(state, jobs, opener),
            skies=SkyController(state, jobs, opener),
            comparing=comparing,
            installs=InstallOffers(state, jobs, opener),
            closing=editing.closing,
            history=SelectionHistories(state, opener.retrace),
            tables=TableJobs(state, jobs, borders.to_clipboard),
            statistics=CorpusController(state, jobs, library),
            survey=SurveyController(state, jobs),
            mods=ModController(state, jobs),
            new_mods=NewModController(state, jobs),
            parts=TriedUnitController(state, jobs, opener),
            overviews=OverviewController(state, jobs, opener, borders.dialogs),
            folders=FoldersController(state, jobs, borders.to_clipboard),
            dialogs=borders.dialogs,
            browser=browser,
            search=SearchController(state, jobs, library),
            users=UserLookup(library, state, jobs, opener.choices),
            camera=Framing(state, borders.aspect),
            pictures=borders.pictures,
            files=files,
            edits=editing.edits,
            entries=editing.entries,
            saving=editing.saving,
            recovery=editing.recovery,
            repair=editing.repair,
            console=editing.console,
            exporting=editing.exporting,
            entry_files=EntryFilesController(state, jobs, opener, borders.images),
            importing=editing.importing,
            textures=editing.textures,
            round_trips=editing.round_trips,
            panels=borders.panels,
            window=borders.window,
        )
