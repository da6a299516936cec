"""Requests of panels, which the application handles after all panels have drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from viewer.model.search.query import Query
from viewer.model.store.place import Place
from viewer.session.opened.entry_list import EntryOrder
from viewer.session.play.frame_range import Ranges
from viewer.session.tables.arrangement import RowQuery
from viewer.session.tables.copying import CopyFormat
from viewer.session.tables.row_selection import Order
from viewer.session.tables.table_view import TableView
from viewer.session.view.camera import Side
from viewer.session.view.texture_view import TextureView
from viewer.translation import Message
from viewer.ui.convert_requests import ConvertRequest
from viewer.ui.edit_requests import EditRequest


@dataclass(frozen=True, slots=True)
class Open:
    """Open an address in the active tab or a new one; until it has been read the tab stays as it is.

    If it is open already, its tab is activated.
    """

    address: str
    in_new_tab: bool = False


@dataclass(frozen=True, slots=True)
class GoTo:
    """Show a place: select it, or show its row; open first what it lies in if that is not shown."""

    place: Place
    in_new_tab: bool = False


@dataclass(frozen=True, slots=True)
class ActivateTab:
    """Bring a tab to the front."""

    identity: int


@dataclass(frozen=True, slots=True)
class StepTab:
    """Bring the tab some steps after the active one to the front, cyclically."""

    step: int


@dataclass(frozen=True, slots=True)
class CloseTab:
    """Close a tab; None closes the active one."""

    identity: int | None = None


@dataclass(frozen=True, slots=True)
class OrderTabs:
    """Put the tabs in another order."""

    identities: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StepSelection:
    """Go back (step -1) or forward (1) in the active tab, among selections and then among what it showed."""

    step: int


@dataclass(frozen=True, slots=True)
class ArrangeRows:
    """Filter and sort the rows of a table."""

    query: RowQuery


@dataclass(frozen=True, slots=True, eq=False)
class CopyRows:
    """Put rows of a table on the clipboard."""

    view: TableView
    rows: Order
    form: CopyFormat


@dataclass(frozen=True, slots=True)
class UseWear:
    """Use the wear table at an address for the document."""

    address: str


@dataclass(frozen=True, slots=True)
class KeepRanges:
    """Remember these as the marked frame ranges of the model at an address."""

    address: str
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class UseGame:
    """Use a game folder for files outside any game folder."""

    folder: str


@dataclass(frozen=True, slots=True)
class UseInstall:
    """Use an install that was found as the game folder, and open it."""

    folder: str


@dataclass(frozen=True, slots=True)
class DeclineInstalls:
    """Offer the installs that were found no more."""


Answer = type[Open | UseWear | UseGame]


@dataclass(frozen=True, slots=True)
class OpenDialog:
    """Let the user choose a file, a folder, or a file that may be an entry of an archive.

    The answer becomes the request that `requested` makes of it; `title` is None if that says enough, and
    `suffixes` are those of the files that are listed first, by default those of the game.
    """

    is_folder: bool = False
    is_entry: bool = False
    requested: Answer | Callable[[str], Request] = Open
    title: Message | None = None
    suffixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SaveDialog:
    """Let the user choose the path of a new file; an existing one only after a confirmation.

    Parameters
    ----------
    title
        What the dialog asks for.
    name
        The proposed file name, with its suffix, which is also added to a name that has none.
    requested
        The request that the path becomes.
    """

    title: Message
    name: str
    requested: Callable[[Path], Request]


@dataclass(frozen=True, slots=True)
class OpenSample:
    """Show the bundled sample."""


@dataclass(frozen=True, slots=True)
class OpenNeighbour:
    """Show the entry `step` places further among those of the same kind, with the camera kept."""

    step: int


@dataclass(frozen=True, slots=True)
class ListEntries:
    """Read the entries below a row of the browser."""

    address: str


@dataclass(frozen=True, slots=True)
class FindUsers:
    """Search again for what refers to the payload at an address."""

    address: str


@dataclass(frozen=True, slots=True)
class Search:
    """Search everything open; an empty text ends the search and clears its results."""

    query: Query


@dataclass(frozen=True, slots=True)
class FilterEntries:
    """Show the entries in the browser that pass a filter, also those in folded archives; empty: all."""

    text: str


@dataclass(frozen=True, slots=True)
class SortEntries:
    """Show the entries in the browser in another order from now on."""

    order: EntryOrder


@dataclass(frozen=True, slots=True)
class Reload:
    """Read the document's file again."""


@dataclass(frozen=True, slots=True)
class UseReading:
    """Read the document in another way: ``auto``, ``seed`` or ``field``."""

    requested: str


@dataclass(frozen=True, slots=True)
class FrameAll:
    """Frame everything that is visible."""


@dataclass(frozen=True, slots=True)
class FrameSelection:
    """Frame the selected nodes, or everything if none is selected."""


@dataclass(frozen=True, slots=True)
class LookFrom:
    """Look from one of the six sides."""

    side: Side


@dataclass(frozen=True, slots=True)
class RestoreCamera:
    """Reset the camera to the initial view."""


@dataclass(frozen=True, slots=True)
class SaveImage:
    """Write the viewport as a PNG; without a path, into the pictures folder under a new name.

    Parameters
    ----------
    is_transparent
        Without background, grid and axes.
    size
        Width and height in pixels; by default those of the viewport.
    """

    path: Path | None = None
    is_transparent: bool = False
    size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ShowPictureWindow:
    """Open the window for saving a picture, or close it."""


@dataclass(frozen=True, slots=True)
class CopyImage:
    """Put the viewport on the clipboard as a picture; the fields are those of `SaveImage`."""

    size: tuple[int, int] | None = None
    is_transparent: bool = False


@dataclass(frozen=True, slots=True)
class SaveTexture:
    """Write a part of a texture as a PNG into the pictures folder under a new name."""

    part: TextureView


@dataclass(frozen=True, slots=True)
class SaveTextureAt:
    """Write the texture at an address as a PNG into the pictures folder under a new name."""

    address: str


@dataclass(frozen=True, slots=True)
class Extract:
    """Write the bytes of an entry as a file."""

    address: str
    path: Path


@dataclass(frozen=True, slots=True)
class ShowThumbnails:
    """Show thumbnails in the browser, or icons only."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class CopyText:
    """Put text on the clipboard."""

    text: str


@dataclass(frozen=True, slots=True)
class ToggleFullScreen:
    """Toggle full screen."""


@dataclass(frozen=True, slots=True)
class ToggleViewportOnly:
    """Hide everything but the viewport, or show it again."""


@dataclass(frozen=True, slots=True)
class ResetLayout:
    """Reset the panels to the default layout."""


@dataclass(frozen=True, slots=True)
class ShowSettings:
    """Open the window of the settings, or close it."""


@dataclass(frozen=True, slots=True)
class ForgetGame:
    """Clear the game folder from the settings."""


@dataclass(frozen=True, slots=True)
class LimitTextures:
    """Set the GPU memory for textures, MB."""

    megabytes: int


@dataclass(frozen=True, slots=True)
class ResetSettings:
    """Reset all settings to their defaults."""


@dataclass(frozen=True, slots=True)
class ClearRecent:
    """Clear the recent files."""


@dataclass(frozen=True, slots=True)
class Validate:
    """Check what is at an address with all that is in it; everything open if it is empty."""

    address: str = ""


@dataclass(frozen=True, slots=True)
class CloseRoot:
    """Remove an opened folder or file from the browser; what is open in tabs stays."""

    address: str


@dataclass(frozen=True, slots=True)
class ScaleInterface:
    """Make texts and controls `scale` times as large as usual."""

    scale: float


@dataclass(frozen=True, slots=True)
class CancelJob:
    """Cancel the running job of a lane."""

    lane: str


@dataclass(frozen=True, slots=True)
class DismissHint:
    """Never show the first-run hint again."""


@dataclass(frozen=True, slots=True)
class Quit:
    """Close the window."""


Request = (
    Open
    | GoTo
    | StepSelection
    | ArrangeRows
    | CopyRows
    | ActivateTab
    | StepTab
    | CloseTab
    | OrderTabs
    | OpenDialog
    | SaveDialog
    | OpenSample
    | OpenNeighbour
    | ListEntries
    | FindUsers
    | Search
    | FilterEntries
    | SortEntries
    | Reload
    | UseReading
    | EditRequest
    | ConvertRequest
    | UseWear
    | KeepRanges
    | UseGame
    | UseInstall
    | DeclineInstalls
    | FrameAll
    | FrameSelection
    | LookFrom
    | RestoreCamera
    | SaveImage
    | CopyImage
    | ShowPictureWindow
    | SaveTexture
    | SaveTextureAt
    | Extract
    | ShowThumbnails
    | CopyText
    | ToggleFullScreen
    | ToggleViewportOnly
    | ResetLayout
    | ShowSettings
    | ForgetGame
    | LimitTextures
    | ResetSettings
    | ClearRecent
    | Validate
    | CloseRoot
    | ScaleInterface
    | CancelJob
    | DismissHint
    | Quit
)
