"""Everything that panels, keys and menus can ask for, by subject.

Panels say ``frame.later(frame.control.opening.open, address)``: the method is called when all of them have
drawn.
"""

from __future__ import annotations

from viewer.control.converting.exporting import ExportController, RoundTripController
from viewer.control.converting.files import FileController
from viewer.control.converting.importing import SceneImports
from viewer.control.editing.console import ConsoleController
from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.editing import EntryImports, RepairController
from viewer.control.editing.save_controller import SaveController
from viewer.control.editing.unsaved import CloseController, RecoveryController
from viewer.control.lookups.browser_lists import BrowserLists, InstallOffers
from viewer.control.lookups.corpus import CorpusController
from viewer.control.lookups.searches import ComparisonController, SearchController, TableJobs, UserLookup
from viewer.control.lookups.skies import SkyController
from viewer.control.navigation import Framing, SelectionHistories
from viewer.control.opening.open_controller import OpenController
from viewer.control.window_commands import DialogCommands, PanelCommands, PictureCommands, WindowCommands
from viewer.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Controllers:
    """What can be asked for; the window, its panels, dialogs and pictures are known by protocols."""

    opening: OpenController
    skies: SkyController
    comparing: ComparisonController
    installs: InstallOffers
    closing: CloseController
    history: SelectionHistories
    tables: TableJobs
    statistics: CorpusController
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
    importing: SceneImports
    round_trips: RoundTripController
    panels: PanelCommands
    window: WindowCommands
