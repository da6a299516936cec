"""The overlays of what is around a model, which `inspect` reads without any view."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from msgspec.structs import replace

from viewer.model.mesh.model import Model
from viewer.model.store.file_store import FileStore
from viewer.model.tables.neighbors import ModelNeighbors, neighbors_of
from viewer.session.opened.document import Document
from viewer.session.opened.surroundings import Marks, marks_of
from viewer.session.view.options.overlays import Overlay

AROUND: Final[Mapping[Overlay, str]] = {it: it.doc.table for it in Overlay if it.doc.table}
"""The overlays, and the tables that their points are rows of."""


def with_surroundings(store: FileStore, document: Document, overlays: Collection[Overlay]) -> Document:
    """A document with what is around it, if overlays show some of that."""
    if not any(overlay in AROUND for overlay in overlays):
        return document
    return replace(document, neighbors=neighbors_of(store, store.open(document.source.address)))


def shown_marks(model: Model, neighbors: ModelNeighbors, overlays: Collection[Overlay]) -> tuple[Marks, ...]:
    """The marks of the overlays that are shown."""
    if not any(overlay in overlays for overlay in AROUND):
        return ()
    known = marks_of(model, neighbors)
    return tuple(known[it] for overlay, it in AROUND.items() if overlay in overlays and it in known)
