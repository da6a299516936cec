"""What is exported and checked, read in a worker thread: the open model, or one that is not open."""

from __future__ import annotations

from dataclasses import dataclass

from viewer.app import loading
from viewer.app.loading import OpenOptions
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item
from viewer.operations.opening import title_of
from viewer.session.opened.document import Document


@dataclass(frozen=True, slots=True)
class Sources:
    """Reads models with their materials and clips.

    Parameters
    ----------
    library
        The files, with unsaved bytes laid over them.
    reading, lookup
        The user's choices for them.
    open_documents
        Models that need not be read.
    """

    library: FileStore
    reading: ReadingChoice
    lookup: OpenOptions
    open_documents: tuple[Document, ...] = ()

    def document(self, address: Address) -> Document:
        """The model at an address with its materials; raises `MshviewError`."""
        known = (it for it in self.open_documents if it.source.address == address and it.is_checked)
        found = next(known, None)
        if found is not None:
            return found
        source = loading.source_of(self.library, address, self.reading, self.lookup)
        return Document.open(self.library, source)

    def source(self, address: Address) -> ModelSource:
        """The model at an address as it is converted; raises `MshviewError`."""
        return source_of(self.document(address), self.library.open(address))


def source_of(document: Document, item: Item) -> ModelSource:
    """An open model as it is converted."""
    return ModelSource(
        title_of(item), document.model, document.choice, document.materials, document.controller
    )


def wear_names(document: Document) -> tuple[str, ...] | None:
    """The materials of the wear table of a model; None if there is none that is its own."""
    return document.materials.wear_names if document.materials.wear_source is not None else None
