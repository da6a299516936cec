"""Edits with what is in files: entries of archives, pictures of textures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from viewer.control.editing.edit_controller import EditController
from viewer.control.jobs import Jobs
from viewer.control.later import Later
from viewer.errors import AddressError, reason_of
from viewer.formats.texture.texm import MAX_SIDE
from viewer.model.convert.pictures import images
from viewer.model.edit.archive.entries import AddEntry, ReplaceEntry
from viewer.model.edit.change import Change
from viewer.model.edit.replace_texture import ReplaceTexture
from viewer.model.store.address import Address
from viewer.translation import _


class FileEdits:
    """Reads files in worker threads, and edits with them; owner: the application, main thread only.

    Parameters
    ----------
    later
        Keeps the edits until the panels have drawn: a job may end at any moment of a frame.
    edits
        Makes them.
    """

    def __init__(self, jobs: Jobs, later: Later, edits: EditController) -> None:
        self._jobs = jobs
        self._later = later
        self._edits = edits

    def add(self, address: Address, path: Path) -> None:
        """Add a file to the archive at an address, as an entry with its name."""
        self._read(f"{address} {path}", address, path, lambda: AddEntry(path.name, _bytes_of(path)))

    def replace(self, address: Address, path: Path) -> None:
        """Replace the bytes of an entry by those of a file."""
        self._read(str(address), address.parent, path, lambda: ReplaceEntry(address.name, _bytes_of(path)))

    def replace_picture(self, address: Address, path: Path) -> None:
        """Put an image into the texture at an address."""
        self._read(str(address), address, path, lambda: with_picture(path))

    def _read(self, lane: str, address: Address, path: Path, change: Callable[[], Change]) -> None:
        """Read a file, and change an address with it; in a lane the last file counts."""

        def done(made: Change) -> None:
            self._later(self._edits.edit, address, (made,))

        title = _("Reading {name}…", name=path.name)
        self._jobs.start(f"import {lane}", title, lambda _ignored: change(), done)


def with_picture(path: Path) -> Change:
    """The change that puts an image into a texture; raises `AddressError` or `FormatError`."""
    return ReplaceTexture.of(images.read_image(_bytes_of(path), MAX_SIDE))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AddressError(reason_of(error), source=path) from error
