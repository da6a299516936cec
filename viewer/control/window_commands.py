"""Protocols of the window for controllers and panels: dialogs, panels, pictures.

Controllers stand below what draws; these are the borders where they, and the panels, call it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from viewer.control.settings.settings import Settings
from viewer.formats.texture.pixels import Image
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.opened.document import Document
from viewer.session.play.filming import FilmOptions
from viewer.session.view.camera import Size
from viewer.session.view.view_state import ViewState
from viewer.translation import Text


class DialogCommands(Protocol):
    """Dialogs for files and folders; at most one is open."""

    def open_file(self) -> None:
        """Ask for a model or an archive, and open it."""

    def open_folder(self) -> None:
        """Ask for a game folder, and open it."""

    def choose_wear(self) -> None:
        """Ask for a wear table, and use it for the document."""

    def choose_game(self) -> None:
        """Ask for the game folder, and use it."""

    def choose_folder(self, title: Text, then: Callable[[Path], None], folder: Path | None = None) -> None:
        """Ask for a folder, and call `then` with it; begin in `folder`, else where one was opened last."""

    def choose_file(self, title: Text, then: Callable[[Path], None], suffixes: Sequence[str] = ()) -> None:
        """Ask for a file, and call `then` with it; those with `suffixes`, else of the game, come first."""

    def choose_entry(self, title: Text, then: Callable[[Address], None]) -> None:
        """Ask for a file or an entry of an archive, and call `then` with its address."""

    def choose_new(
        self,
        title: Text,
        name: str,
        then: Callable[[Path], None],
        folder: Path | None = None,
        suffixes: Sequence[str] = (),
    ) -> None:
        """Ask for the path of a new file, and call `then` with it; an existing one only after a confirmation.

        `name` is the proposed one, with the suffix that is added to a name without one. It begins in
        `folder`, or in that of the last file saved with a dialog. If there are `suffixes`, which name the
        format, the path has one of them.
        """


class PanelCommands(Protocol):
    """The layout, and windows that open over the panels."""

    def reset_layout(self) -> None:
        """Reset the panels to the default layout."""

    def show_picture_window(self, *, is_animated: bool = False) -> None:
        """Open the window for saving a picture or an animation, or close it."""

    def show_settings(self) -> None:
        """Open the window of the settings, or close it."""

    def show_parts(self) -> None:
        """Open the window in which parts are tried on a unit."""

    def show_bytes(self, place: Place, *, is_brought: bool = True) -> None:
        """Mark the bytes of a place in the Bytes panel; with `is_brought` bring it to the front."""

    def bring(self, panel: str) -> None:
        """Open a panel and bring it to the front."""

    def show_repair(self) -> None:
        """Show the window with what can be repaired of what the active tab shows."""


class PictureCommands(Protocol):
    """Pictures of the viewport."""

    def save_screenshot(
        self, path: Path | None = None, *, is_transparent: bool = False, size: tuple[int, int] | None = None
    ) -> None:
        """Write the viewport as a PNG; without a path, into the pictures folder under a new name.

        A transparent one has no background, grid and axes. `size` is width and height in pixels, by default
        those of the viewport.
        """

    def copy_screenshot(self, size: tuple[int, int] | None = None, *, is_transparent: bool = False) -> None:
        """Put the viewport on the clipboard as a picture; the options are those of `save_screenshot`."""

    def save_report(self, path: Path) -> None:
        """Write a report of a fault as a zip, with a picture of the viewport."""

    def save_film(self, path: Path, options: FilmOptions) -> None:
        """Write a film of the viewport, of which an image is drawn in each frame of the window."""


class ModelImages(Protocol):
    """Images of models that are not open, for worker threads."""

    def image(
        self, document: Document, view: ViewState, size: Size, *, is_transparent: bool = False
    ) -> Image:
        """The image of a view, (h, w, 4), top row first; waits until the window has drawn it.

        Raises `MshviewError` if it cannot be drawn, `Cancelled` if the work of the thread is.
        """


class WindowCommands(Protocol):
    """The window itself, its settings and its jobs."""

    def copy_text(self, text: str) -> None:
        """Put text on the clipboard."""

    def open_folder(self, path: Path) -> None:
        """Show a folder in the program of the system for that."""

    def cancel_job(self, lane: str) -> None:
        """Cancel the running job of a lane."""

    def toggle_full_screen(self) -> None:
        """Toggle full screen."""

    def toggle_viewport_only(self) -> None:
        """Hide everything but the viewport, or show it again."""

    def follow(self, before: Settings) -> None:
        """Make the window as the settings say: language, colors, font, scale, memory of textures.

        Parameters
        ----------
        before
            The settings before they were changed; what is equal is not applied again.
        """

    def reset_settings(self) -> None:
        """Reset all settings to their defaults."""
