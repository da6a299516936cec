"""The context of a panel: the values to show, and the controllers to call.

A panel draws one `UiContext`, which never changes while it draws. What the user does becomes either a
change, a function from the old view to the new one, or a call of a controller; both are made after all
panels have drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from viewer.control.controllers import Controllers
from viewer.control.later import Later
from viewer.control.shown_state import ShownState
from viewer.model.game.sockets import FittingPart
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import ChangedRanges
from viewer.session.jobs import (
    FoundSkies,
    FoundUsers,
    Thumbnail,
)
from viewer.session.opened.document import Document
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.opened.payload_bytes import PayloadBytes
from viewer.session.opened.tabs import TabKey, Tabs
from viewer.session.play.filming import FilmOptions, FilmPreview
from viewer.session.play.unit_posing import UnitLook
from viewer.session.view.cell_sheet import CellSheet, SheetLook
from viewer.session.view.coloring import MaterialLook
from viewer.session.view.options.textures import TextureView
from viewer.session.view.view_state import ViewState
from viewer.translation import Text

ViewChange = Callable[[ViewState], ViewState]


class Lookups(Struct, frozen=True):
    """Lookups of panels while they draw; unread files are read in worker threads.

    Parameters
    ----------
    texture
        Gives the opaque ImGui id of a texture, top row first; None until it has been decoded.
    material_image
        Gives the opaque ImGui id of the image of a material, lowest row first; one image per frame.
    unit_image
        The same of a unit: 1 and 2 are those of a comparison.
    thumbnail
        Gives the thumbnail of a visible entry for a side of its picture, pixels; None until it has been
        read.
    read_ahead
        Reads the thumbnails of entries that are not on screen yet, once all others are there.
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
    thumbnail: Callable[[BrowserEntry, float], Thumbnail | None]
    read_ahead: Callable[[Iterable[BrowserEntry], float], None]
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


class UiContext(Struct, frozen=True):
    """The context of panels in a frame.

    Parameters
    ----------
    document
        The model in the active tab.
    view
        How the active tab is looked at.
    state, lookups
        Everything else that they show.
    later
        Calls a method of a controller when all panels have drawn.
    control
        The controllers.
    change
        Queues a change of the view.
    flash
        Flashes batches in the viewport; to be called in every frame.
    """

    document: Document | None
    view: ViewState
    state: ShownState
    lookups: Lookups
    later: Later
    control: Controllers
    change: Callable[[ViewChange], None]
    flash: Callable[[Iterable[int]], None]


class Panel(Protocol):
    """A dockable part of the window."""

    @property
    def id(self) -> str:
        """The name of the panel in every language, also in layouts and settings."""

    @property
    def title(self) -> Text:
        """The text of the tab."""

    def draw(self, frame: UiContext) -> None:
        """Draw the inside of the panel; its window is already begun."""


Value = TypeVar("Value")


class PerTab(Generic[Value]):
    """Values by tab, each forgotten as soon as the tab is closed or shows something else.

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
