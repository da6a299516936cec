"""Files put into what is open: entries replaced by or made of a file, textures by a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from viewer.app.jobs import Jobs
from viewer.errors import AddressError
from viewer.formats.texture.texm import MAX_SIDE
from viewer.model.convert import png
from viewer.model.edit.archive.entries import AddEntry, ReplaceEntry
from viewer.model.edit.change import Change
from viewer.model.edit.replace_texture import ReplaceTexture
from viewer.model.store.address import Address
from viewer.translation import _
from viewer.ui.edit_requests import AddFile, Edit, ReplaceByFile, ReplacePicture
from viewer.ui.requests import Request


class ImportController:
    """Reads the files in worker threads, and requests the edits; owner: the application, main thread only.

    Parameters
    ----------
    request
        Queues a request.
    fail
        Reports an error.
    """

    def __init__(
        self,
        jobs: Jobs,
        request: Callable[[Request], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        self._jobs = jobs
        self._request = request
        self._fail = fail

    def answers(self) -> dict[type[Any], Callable[[Any], None]]:
        """The handler of each request."""
        return {
            AddFile: self._add,
            ReplaceByFile: self._replace,
            ReplacePicture: self._replace_picture,
        }

    def _add(self, request: AddFile) -> None:
        lane = f"{request.address} {request.path}"
        path = request.path
        self._read(lane, request.address, path, lambda: AddEntry(path.name, _bytes_of(path)))

    def _replace(self, request: ReplaceByFile) -> None:
        where, path = Address.parse(request.address), request.path
        archive = str(where.parent)
        self._read(request.address, archive, path, lambda: ReplaceEntry(where.name, _bytes_of(path)))

    def _replace_picture(self, request: ReplacePicture) -> None:
        self._read(request.address, request.address, request.path, lambda: with_picture(request.path))

    def _read(self, lane: str, address: str, path: Path, change: Callable[[], Change]) -> None:
        """Read a file and request the change of an address; in a lane the last file counts."""
        title = _("Reading {name}…").format(name=path.name)
        self._jobs.start(
            f"import {lane}",
            title,
            lambda _: change(),
            lambda made: self._request(Edit(address, (made,))),
            self._fail,
        )


def with_picture(path: Path) -> Change:
    """The change that puts a PNG file into a texture; raises `AddressError` or `FormatError`."""
    return ReplaceTexture.of(png.read(_bytes_of(path), MAX_SIDE))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AddressError(error.strerror or str(error), source=str(path)) from error
