"""What the window writes for the user: screenshots, textures and entries as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from viewer.app import loading
from viewer.app.images import screenshots
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.scene_renderer import SceneRenderer
from viewer.app.settings import user_files
from viewer.app.state import State
from viewer.formats.texture.pixels import Image
from viewer.formats.texture.texm import MAX_SIDE
from viewer.model.convert import png
from viewer.model.store.address import Address
from viewer.session.opened import opened_resource
from viewer.session.view import textures
from viewer.session.view.textures import TextureView
from viewer.translation import _


class Exports:
    """Writes files in worker threads; owner: the application, main thread only.

    Writes to different paths never cancel each other.
    """

    def __init__(self, state: State, jobs: Jobs, scene: SceneRenderer, opener: OpenController) -> None:
        self._state = state
        self._jobs = jobs
        self._scene = scene
        self._opener = opener
        self._promised: set[Path] = set()

    def save_screenshot(
        self, path: Path | None = None, *, is_transparent: bool = False, size: tuple[int, int] | None = None
    ) -> None:
        """Draw a screenshot now, and write it."""
        document = self._state.document
        if document is None:
            return
        # Drawn now and written later: the picture is what is on screen when the user asks for it.
        path = path or self._new_path(document.address)
        pixels = self._scene.picture(size, is_transparent=is_transparent)
        self._save(_("Picture saved as {path}"), path, lambda: pixels)

    def copy_screenshot(self, size: tuple[int, int] | None = None, *, is_transparent: bool = False) -> None:
        """Draw a screenshot now, and put it on the clipboard; raises `OutputError` if nothing can do that."""
        if self._state.document is None:
            return
        screenshots.installed()
        pixels = self._scene.picture(size, is_transparent=is_transparent)
        height, width = pixels.shape[:2]
        copied = _("Picture of {width} x {height} pixels copied").format(width=width, height=height)
        self._jobs.start(
            "copy_picture",
            _("Copying the picture…"),
            lambda _: screenshots.copy(png.write(pixels)),
            lambda _: self._state.announce(copied),
            self._opener.fail,
        )

    def save_texture(self, part: TextureView) -> None:
        """Write a part of a texture."""
        self._save_texture(part.texture.address, lambda: part)

    def save_texture_at(self, address: str) -> None:
        """Write the texture at an address."""
        library, place = self._opener.library, Address.parse(address)
        _reading, lookup = self._opener.choices(address)

        def part() -> TextureView:
            game = loading.game_of(library, place, lookup)
            return TextureView(opened_resource.texture_at(library, place, game))

        self._save_texture(address, part)

    def _save_texture(self, address: str, part: Callable[[], TextureView]) -> None:
        path = self._new_path(address)
        self._save(_("Texture saved as {path}"), path, lambda: textures.decode(part(), MAX_SIDE))

    def _new_path(self, address: str) -> Path:
        """A new name, also next to files that are still to be written."""
        path = screenshots.new_path(address, promised=self._promised)
        self._promised.add(path)
        return path

    def _save(self, notice: str, path: Path, make: Callable[[], Image]) -> None:
        """Encode and write an image."""
        self._write(
            _("Saving {name}…").format(name=path.name),
            path,
            lambda: screenshots.save(make(), path),
            notice.format(path=path),
        )

    def extract(self, address: str, path: Path) -> None:
        """Write the bytes of an entry, unpacked if they are packed."""
        library, entry = self._opener.library, Address.parse(address)
        self._write(
            _("Extracting {name}…").format(name=entry.name),
            path,
            lambda: user_files.write(path, library.open(entry).data),
            _("{name} extracted to {path}").format(name=entry.name, path=path),
        )

    def _write(self, title: str, path: Path, write: Callable[[], object], notice: str) -> None:
        self._jobs.start(
            f"save {path}",
            title,
            lambda _: write(),
            lambda _: self._state.announce(notice),
            self._opener.fail,
        )
