"""Files of the sizes that the requirements name, opened and uploaded when first needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from viewer.cli.bench.models import Plan, make_archive, make_model
from viewer.formats.archive import nres
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import write_file
from viewer.operations.opening import Source
from viewer.render.offscreen import OffscreenRenderer, cameras, direction
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the files, of a table in rows, of a frame in pixels, and the number of repetitions."""

    archive_count: int
    archived: Plan
    medium: Plan
    moving: Plan
    large: Plan
    animated: Plan
    large_count: int
    table_rows: int
    frame: tuple[int, int]
    runs: int


FULL: Final = Sizes(
    archive_count=400,
    archived=Plan(38, 4, 7, frame_count=20),
    medium=Plan(200, 10, 15),
    moving=Plan(200, 10, 15, frame_count=30, key_count=10),
    large=Plan(10_000, 3, 5, frame_count=6),
    animated=Plan(200, 1, 2, frame_count=200, key_count=20),
    large_count=12,
    table_rows=300_000,
    frame=(1280, 720),
    runs=21,
)
"""The sizes that appear in the names of the cases."""


class Subjects:
    """The files in a folder, and the opened documents and renderer; owned by the bench.

    Parameters
    ----------
    folder
        Folder for the files; temporary.
    sizes
        Sizes of the files.
    """

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        self.folder = folder
        self.sizes = sizes

    @cached_property
    def archive(self) -> Address:
        """An archive of many models."""
        return self._write("archive.rlb", make_archive(self.sizes.archive_count, self.sizes.archived))

    @cached_property
    def models(self) -> Address:
        """A folder of the same models, a file each."""
        folder = self.folder / "models"
        folder.mkdir()
        container = nres.Archive.read(FileStore().open(self.archive).data)
        for entry in container.entries:
            write_file(folder / entry.text, container.payload(entry.index))
        return Address(folder)

    @cached_property
    def medium(self) -> Address:
        """A model of many triangles in few nodes, without animation."""
        return self._write("medium.msh", make_model(self.sizes.medium))

    @cached_property
    def moving(self) -> Address:
        """A model of many triangles in few nodes, which move."""
        return self._write("moving.msh", make_model(self.sizes.moving))

    @cached_property
    def large(self) -> Address:
        """A model of many animated nodes with a batch each."""
        return self._write("large.msh", make_model(self.sizes.large))

    @cached_property
    def large_archive(self) -> Address:
        """An archive of a few large models."""
        return self._write("large.rlb", make_archive(self.sizes.large_count, self.sizes.medium))

    @cached_property
    def animated(self) -> Address:
        """A model with long tracks."""
        return self._write("animated.msh", make_model(self.sizes.animated))

    def _write(self, name: str, data: bytes) -> Address:
        path = self.folder / name
        write_file(path, data)
        return Address(path)

    @cached_property
    def large_document(self) -> Document:
        """The large model, open."""
        return Document.open(FileStore(), Source(self.large))

    @cached_property
    def renderer(self) -> OffscreenRenderer:
        """A renderer with the large model."""
        return OffscreenRenderer(self.large_document)

    @cached_property
    def view(self) -> ViewState:
        """A view that shows all of the large model."""
        width, height = self.sizes.frame
        view, directions = ViewState(), [direction(None, None)]
        return replace(view, camera=cameras(self.large_document, view, [0.0], directions, width / height)[0])
