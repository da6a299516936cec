"""What the window can do: panels call it while they draw, and it is done after all of them have drawn.

Every group is a protocol that a part of the application implements; `CommandQueue` in `viewer.app` keeps
the calls until the panels have drawn, and makes them in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from pathlib import Path
from typing import Protocol

from viewer.control.table_commands import StatisticsCommands, TableCommands
from viewer.control.window_commands import ConsoleCommands, DialogCommands, WindowCommands
from viewer.dataclass import dataclass
from viewer.model.convert.importing.findings import ImportChoices
from viewer.model.edit.change import Change, Topic
from viewer.model.effects.templates import TemplateName
from viewer.model.patch.applying import PatchChoices
from viewer.model.query.byte_search import ByteQuery
from viewer.model.query.search_query import Query
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.edits.questions import (
    CloseChoice,
    ConflictChoice,
    RecoveryChoice,
    RefusalChoice,
    SaveChoice,
    SubstituteChoice,
)
from viewer.session.exporting import ExportQuestion, ExportScope
from viewer.session.jobs import EVERYTHING_OPEN, SearchArea
from viewer.session.opened.comparison import ComparedSide
from viewer.session.opened.entry_list import EntryOrder
from viewer.session.play.filming import FilmOptions
from viewer.session.view.camera import Side
from viewer.session.view.state_link import StateLink
from viewer.session.view.textures import TextureView

Refused = Callable[[str, bool], None]
"""Gets the reason for which an edit was refused, and whether it can be forced."""


class OpenCommands(Protocol):
    """Opening files, and what they are read with."""

    def open(self, address: Address, *, in_new_tab: bool = False) -> None:
        """Open an address in the active tab or a new one; if it is open already, activate its tab."""

    def go_to(self, place: Place, *, in_new_tab: bool = False) -> None:
        """Select a place or show its row; open its file first if that is not open."""

    def open_link(self, link: StateLink) -> None:
        """Look at what a state link names as it says; its file is opened first if it is not open."""

    def open_sample(self) -> None:
        """Open the bundled sample."""

    def open_neighbour(self, step: int) -> None:
        """Open the entry `step` rows further among those of the same kind, with the camera kept."""

    def reload(self) -> None:
        """Read the file of the active tab again."""

    def activate(self, identity: int) -> None:
        """Bring a tab to the front."""

    def step_tab(self, step: int) -> None:
        """Bring the tab some steps after the active one to the front, cyclically."""

    def keep_tab(self, identity: int) -> None:
        """Let nothing that is opened take the place of a tab."""

    def order_tabs(self, identities: tuple[int, ...]) -> None:
        """Put the tabs in another order."""

    def use_reading(self, requested: str, address: Address | None = None) -> None:
        """Read a model, or all in a file, as ``auto``, ``seed`` or ``field``; by default the open file."""

    def use_ground(self, requested: str) -> None:
        """Read the materials of terrains as ``land1``, ``levels`` or ``crossed``."""

    def use_wear(self, address: Address) -> None:
        """Use the wear table at an address for the document."""

    def use_game(self, folder: str) -> None:
        """Use a game folder for files outside any game folder."""

    def forget_game(self) -> None:
        """Clear the game folder from the settings."""


class SkyCommands(Protocol):
    """The sky that lights models."""

    def use(self, address: Address) -> None:
        """Light models with the sky at an address, at the hour of before if it was used already."""


class CompareCommands(Protocol):
    """Comparing two payloads."""

    def choose(self, address: Address | None) -> None:
        """Choose what is compared with the next one; None chooses nothing."""

    def compare(self, first: ComparedSide, second: ComparedSide) -> None:
        """Show what differs."""

    def close(self) -> None:
        """Close the comparison."""


class InstallCommands(Protocol):
    """The installs of the game that were found on this computer."""

    def use(self, folder: str) -> None:
        """Use an install as the game folder, and open it."""

    def decline(self) -> None:
        """Offer the installs that were found no more."""


class CloseCommands(Protocol):
    """Closing tabs and the window; unsaved changes are asked about first."""

    def close_tab(self, identity: int | None = None) -> None:
        """Close a tab, by default the active one."""

    def quit(self) -> None:
        """Close the window."""

    def answer(self, choice: CloseChoice) -> None:
        """Answer the `CloseQuestion` or the `WritingQuestion`."""


class HistoryCommands(Protocol):
    """The history of what was selected and shown."""

    def step(self, step: int) -> None:
        """Go back (-1) or forward (1) in the active tab, among selections and then among what it showed."""


class BrowserCommands(Protocol):
    """The tree of opened folders and archives."""

    def list_entries(self, address: Address) -> None:
        """Read the entries below a row."""

    def filter(self, text: str) -> None:
        """Show the entries that pass a filter, also those in folded archives; all for an empty text."""

    def sort(self, order: EntryOrder) -> None:
        """Show the entries in an order from now on."""

    def close(self, root: Address) -> None:
        """Remove an opened folder or file; what is open in tabs stays."""


class SearchCommands(Protocol):
    """The search over what is open, the game or a folder."""

    def start(self, query: Query, area: SearchArea = EVERYTHING_OPEN) -> None:
        """Search for something else; an empty text ends the search and clears its results."""

    def find_bytes(self, query: ByteQuery) -> None:
        """Search one payload; a newer query replaces an older one."""


class UserCommands(Protocol):
    """The resources that refer to a payload."""

    def search(self, address: Address) -> None:
        """Search again for what refers to the payload at an address."""


class CameraCommands(Protocol):
    """Placing the camera."""

    def frame_all(self, *, is_over_clip: bool = False) -> None:
        """Frame everything that is visible, now or over the whole of what plays; the direction stays."""

    def frame_selection(self) -> None:
        """Frame the selected vertex, else the selected nodes, else everything that is visible."""

    def look_from(self, side: Side) -> None:
        """Look at the same target from one of the six sides."""

    def restore(self) -> None:
        """Reset the camera to the initial view."""


class FileCommands(Protocol):
    """Writing pictures, textures and entries as files."""

    def save_screenshot(
        self, path: Path | None = None, *, is_transparent: bool = False, size: tuple[int, int] | None = None
    ) -> None:
        """Write the viewport as a PNG; without a path, into the pictures folder under a new name.

        A transparent one has no background, grid and axes. `size` is width and height in pixels, by default
        those of the viewport.
        """

    def copy_screenshot(self, size: tuple[int, int] | None = None, *, is_transparent: bool = False) -> None:
        """Put the viewport on the clipboard as a picture; the options are those of `save_screenshot`."""

    def save_film(self, path: Path, options: FilmOptions) -> None:
        """Write a film of the viewport, of which an image is drawn in each frame of the window."""

    def save_texture(self, part: TextureView) -> None:
        """Write a part of a texture as a PNG into the pictures folder under a new name."""

    def save_texture_at(self, address: Address) -> None:
        """Write the texture at an address as a PNG into the pictures folder under a new name."""

    def extract(self, address: Address, path: Path) -> None:
        """Write the bytes of an entry as a file."""

    def save_text(self, path: Path, text: str) -> None:
        """Write a text as a file."""

    def new_effect(self, kind: TemplateName, path: Path) -> None:
        """Write a new effect as a file, and open it."""


class EditCommands(Protocol):
    """Changing payloads, and the undo steps."""

    def edit(
        self,
        address: Address,
        changes: tuple[Change, ...],
        *,
        gesture: Hashable = None,
        refused: Refused | None = None,
        substitute_for: str = "",
        is_forced: bool = False,
    ) -> None:
        """Change the payload at an address, as one undo step.

        Parameters
        ----------
        gesture
            Edits with the same key that follow each other are one undo step: one for each drag.
        refused
            Gets the reason of a refusal; by default a message shows it.
        substitute_for
            The missing material in whose place the payload is shown, about which the user is asked first.
        is_forced
            Whether it is made even if it adds errors to the payload.
        """

    def step(self, step: int) -> None:
        """Undo (-1) or redo (1) what was done last in the active tab or in its file."""

    def go_to(self, path: Path, position: int) -> None:
        """Go to a position among the undo steps of a file."""

    def decide(
        self, path: Path, position: int, declined: Collection[Topic] = (), wanted: Collection[Topic] = ()
    ) -> None:
        """Make the undo step at a position again with other consequences, and the later ones after it.

        `declined` are not to be made, `wanted` are made though they are only offered.
        """

    def answer_removal(self, *, is_wanted: bool) -> None:
        """Answer the `RemovalQuestion`: remove the parts and clear what refers to them, or do nothing."""

    def answer_substitute(self, choice: SubstituteChoice) -> None:
        """Answer the `SubstituteQuestion`."""


class EntryCommands(Protocol):
    """Files put into archives and textures."""

    def add(self, address: Address, path: Path) -> None:
        """Add a file to the archive at an address, as an entry with its name."""

    def replace(self, address: Address, path: Path) -> None:
        """Replace the bytes of the entry at an address by those of a file."""

    def replace_picture(self, address: Address, path: Path) -> None:
        """Put an image into the texture at an address."""


class SaveCommands(Protocol):
    """Writing edited files."""

    def save(self, path: Path | None = None) -> None:
        """Show what saving a file will write; without a path, the file of the active tab."""

    def save_all(self) -> None:
        """Show what saving all changed files will write."""

    def save_as(self, target: Path | None = None, path: Path | None = None) -> None:
        """Show what saving a file as another one will write; without a target its path is asked for.

        Without a path it is the file of the active tab.
        """

    def save_patch(self, target: Path | None = None) -> None:
        """Write the unsaved changes of the file of the active tab as a patch; None asks for its path."""

    def answer(self, choice: SaveChoice, *, is_forced: bool = False) -> None:
        """Answer the `SaveSheet`; errors that the edit adds block writing unless it is forced."""

    def settle(self, choice: ConflictChoice) -> None:
        """Answer the `Conflict`."""

    def answer_refusal(self, choice: RefusalChoice) -> None:
        """Answer the `SaveRefusal`."""


class RecoveryCommands(Protocol):
    """Unsaved changes of an earlier run."""

    def answer(self, choice: RecoveryChoice, paths: tuple[Path, ...] = ()) -> None:
        """Answer the `Recovery` for some of its files; without paths, for all of them."""


class RepairCommands(Protocol):
    """Repairs of faults."""

    def find(self, address: Address) -> None:
        """Find what can be repaired in the payload at an address."""


class PanelCommands(Protocol):
    """The layout, and windows that open over the panels."""

    def reset_layout(self) -> None:
        """Reset the panels to the default layout."""

    def show_picture_window(self, *, is_animated: bool = False) -> None:
        """Open the window for saving a picture or an animation, or close it."""

    def show_settings(self) -> None:
        """Open the window of the settings, or close it."""

    def show_bytes(self, place: Place, *, is_brought: bool = True) -> None:
        """Mark the bytes of a place in the Bytes panel; with `is_brought` bring it to the front."""

    def bring(self, panel: str) -> None:
        """Open a panel and bring it to the front."""

    def show_repair(self) -> None:
        """Show the window with what can be repaired of what the active tab shows."""


class ExportCommands(Protocol):
    """Exporting models, resources and archives."""

    def show(
        self, address: Address | None = None, kind: str = "", scope: ExportScope = ExportScope.MODEL
    ) -> None:
        """Ask how to export what is at an address; without one, what the active tab shows."""

    def ask(self, question: ExportQuestion) -> None:
        """Ask with other choices, which are remembered."""

    def place(self, path: Path) -> None:
        """Export to another file, or for an archive to another folder."""

    def run(self, *, is_wanted: bool) -> None:
        """Write what the window asks about, or close it."""

    def close_report(self) -> None:
        """Close the report of an export."""


class ImportCommands(Protocol):
    """Importing files of other programs."""

    def drop(self, paths: Sequence[str]) -> None:
        """Open files that were dropped on the window."""

    def begin(self, path: Path) -> None:
        """Import a file into what is open; ask if it may be a new model of an archive."""

    def ask(self, path: Path, archive: Address | None = None) -> None:
        """Ask what becomes of a file, in the open archive or a given one."""

    def read(self, path: Path, target: Address | None = None) -> None:
        """Compare a file with a model, by default the open one, and show what it changes."""

    def add(self, path: Path, target: Address) -> None:
        """Show what a file adds as a new model at an address, with its materials."""

    def look(self, path: Path) -> None:
        """Show a file as a model that is not saved anywhere."""

    def choose(self, choices: ImportChoices | PatchChoices) -> None:
        """Compare the file of the import sheet again, with other choices."""

    def leave_out(self, indices: frozenset[int]) -> None:
        """Leave out these changes of the import."""

    def answer(self, *, is_wanted: bool) -> None:
        """Make the chosen changes of the import, or none; answers the question what becomes of a file too."""

    def make_new(self, path: Path, target: Path | None = None) -> None:
        """Make a new model of a file; without a target, ask for its path."""


class RoundTripCommands(Protocol):
    """The check of the round trip."""

    def check(self, address: Address | None = None) -> None:
        """Check whether the models at an address come back from every format; without one, the open model."""

    def close(self) -> None:
        """Close the report, and end the check that it waits for."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Everything that panels can call, by subject."""

    opening: OpenCommands
    skies: SkyCommands
    comparing: CompareCommands
    installs: InstallCommands
    closing: CloseCommands
    history: HistoryCommands
    tables: TableCommands
    statistics: StatisticsCommands
    dialogs: DialogCommands
    browser: BrowserCommands
    search: SearchCommands
    users: UserCommands
    camera: CameraCommands
    files: FileCommands
    edits: EditCommands
    entries: EntryCommands
    saving: SaveCommands
    recovery: RecoveryCommands
    repair: RepairCommands
    console: ConsoleCommands
    exporting: ExportCommands
    importing: ImportCommands
    round_trips: RoundTripCommands
    panels: PanelCommands
    window: WindowCommands
