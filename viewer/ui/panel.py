"""What a panel is given and what it may ask for.

A panel draws one `Frame`, which never changes while it draws. What the user does becomes either a
change, a function from the old view to the new one, or a request, which the application answers
after all panels have drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from viewer.model.animation import Pose
from viewer.model.game_source import Inventory
from viewer.session.browser import Browser, BrowserEntry
from viewer.session.camera import Side
from viewer.session.document import Document
from viewer.session.picture_part import PicturePart
from viewer.session.resource import Resource
from viewer.session.statistics import FrameStatistics, Timing
from viewer.session.thumbnail import Thumbnail
from viewer.session.view_state import ViewState

Change = Callable[[ViewState], ViewState]
Gallery = Callable[[PicturePart], int | None]
"""Gives the opaque id that ImGui knows a picture by, top row first; None until it has been decoded."""
Thumbnails = Callable[[BrowserEntry], Thumbnail | None]
"""Gives what is known of an entry that is on screen; None until it has been looked into."""


@dataclass(frozen=True, slots=True)
class Open:
    """Show what lies at an address; the old document stays until the new one has been read."""

    address: str


@dataclass(frozen=True, slots=True)
class UseWear:
    """Take the wear table at an address for the document."""

    address: str


@dataclass(frozen=True, slots=True)
class UseGame:
    """Look names up in a game folder where a file lies in none."""

    folder: str


Answer = type[Open | UseWear | UseGame]


@dataclass(frozen=True, slots=True)
class OpenDialog:
    """Ask the user for a file, a folder, or a file that may be an entry of an archive.

    The answer becomes a request of the type `wanted`.
    """

    is_folder: bool = False
    is_entry: bool = False
    wanted: Answer = Open


@dataclass(frozen=True, slots=True)
class OpenSample:
    """Show the bundled sample."""


@dataclass(frozen=True, slots=True)
class OpenNeighbour:
    """Show the model `step` places further in the same archive, with the camera kept."""

    step: int


@dataclass(frozen=True, slots=True)
class ListEntries:
    """Read the entries below a row of the browser."""

    address: str


@dataclass(frozen=True, slots=True)
class Reload:
    """Read the document's file again."""


@dataclass(frozen=True, slots=True)
class UseReading:
    """Read the document in another way: ``auto``, ``seed`` or ``field``."""

    wanted: str


@dataclass(frozen=True, slots=True)
class FrameAll:
    """Bring everything shown into view."""


@dataclass(frozen=True, slots=True)
class FrameSelection:
    """Bring the selected nodes into view, everything where none is selected."""


@dataclass(frozen=True, slots=True)
class LookFrom:
    """Look from one of the six sides."""

    side: Side


@dataclass(frozen=True, slots=True)
class RestoreCamera:
    """Look as the document was first shown."""


@dataclass(frozen=True, slots=True)
class SavePicture:
    """Write the viewport as a PNG; without a path, into the pictures folder under a new name."""

    path: Path | None = None
    is_transparent: bool = False


@dataclass(frozen=True, slots=True)
class SaveTexture:
    """Write a part of a texture as a PNG into the pictures folder under a new name."""

    part: PicturePart


@dataclass(frozen=True, slots=True)
class SaveTextureAt:
    """Write the texture at an address as a PNG into the pictures folder under a new name."""

    address: str


@dataclass(frozen=True, slots=True)
class ShowThumbnails:
    """Show small pictures in the browser, or icons alone."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class CopyText:
    """Put text on the clipboard."""

    text: str


@dataclass(frozen=True, slots=True)
class ToggleFullScreen:
    """Cover the whole screen, or stop doing so."""


@dataclass(frozen=True, slots=True)
class ResetLayout:
    """Put every panel back where it was on the first start."""


@dataclass(frozen=True, slots=True)
class ShowSettings:
    """Open the window of the settings, or close it."""


@dataclass(frozen=True, slots=True)
class ForgetGame:
    """Look names up in the game folder around a file alone, in none where there is none."""


@dataclass(frozen=True, slots=True)
class LimitTextures:
    """Let textures take as many MB of the graphics card."""

    megabytes: int


@dataclass(frozen=True, slots=True)
class ResetSettings:
    """Make everything that was chosen as it was on the first start."""


@dataclass(frozen=True, slots=True)
class ClearRecent:
    """Forget the files opened before."""


@dataclass(frozen=True, slots=True)
class DismissHint:
    """Never show the first-run hint again."""


@dataclass(frozen=True, slots=True)
class Quit:
    """Close the window."""


Request = (
    Open
    | OpenDialog
    | OpenSample
    | OpenNeighbour
    | ListEntries
    | Reload
    | UseReading
    | UseWear
    | UseGame
    | FrameAll
    | FrameSelection
    | LookFrom
    | RestoreCamera
    | SavePicture
    | SaveTexture
    | SaveTextureAt
    | ShowThumbnails
    | CopyText
    | ToggleFullScreen
    | ResetLayout
    | ShowSettings
    | ForgetGame
    | LimitTextures
    | ResetSettings
    | ClearRecent
    | DismissHint
    | Quit
)


@dataclass(frozen=True, slots=True)
class Preferences:
    """What is set besides the view.

    Parameters
    ----------
    game
        The game folder for files that lie in none; None where none is set.
    texture_memory, texture_use
        What textures may take on the graphics card, and what they do take, MB.
    samples
        The choices of samples per pixel.
    """

    game: Inventory | None
    texture_memory: int
    texture_use: float
    samples: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything the panels may see during one frame.

    Parameters
    ----------
    document
        What is open, None before the first file.
    view
        How it is looked at.
    pose
        Where its nodes are at `view.time`.
    browser
        Archives opened and their entries.
    statistics, timing
        What the last frame drew and cost.
    log
        What the program did, oldest first.
    recent
        Addresses opened before, newest first.
    preferences
        What is set.
    busy
        What is being read at the moment, empty when nothing is.
    has_hint
        The first-run hint is to be shown.
    resource
        What was opened last that is no model, None where nothing was.
    gallery
        Pictures for the panels.
    thumbnails
        Small pictures of entries, None where they are switched off.
    flash
        Let batches flash in the viewport as long as it is called in every frame.
    change, request
        Queue a change of the view, or a request.
    """

    document: Document | None
    view: ViewState
    pose: Pose | None
    browser: Browser
    statistics: FrameStatistics
    timing: Timing
    log: tuple[str, ...]
    recent: tuple[str, ...]
    preferences: Preferences
    busy: str
    has_hint: bool
    resource: Resource | None
    gallery: Gallery
    thumbnails: Thumbnails | None
    flash: Callable[[Iterable[int]], None]
    change: Callable[[Change], None]
    request: Callable[[Request], None]


class Panel(Protocol):
    """A dockable part of the window."""

    @property
    def title(self) -> str:
        """The name of its tab, which also identifies it."""

    def draw(self, frame: Frame) -> None:
        """Draw the inside of the panel; its window is already begun."""
