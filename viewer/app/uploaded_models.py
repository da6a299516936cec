"""The models on the graphics card: the one shown, and a few more, so that changing tabs takes no upload."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import moderngl

from viewer.errors import MshviewError
from viewer.model.mesh.reading import wear_rows_of
from viewer.render.buffers.merge import Merged, merge
from viewer.render.renderer import MadeOf, Renderer, UploadedModel
from viewer.session.opened.document import Document
from viewer.translation import _

MANY_TRIANGLES: Final = 200_000
"""Triangles above which a model is prepared in a worker thread."""
MOST_MODELS: Final = 4
MOST_BYTES: Final = 128 << 20
"""Bounds of what is kept; the model that is shown may be larger."""


class UploadedModels:
    """Uploads documents and keeps those shown last; owner: the scene renderer, lifetime: its context."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._kept: dict[int, tuple[Document, UploadedModel]] = {}
        self._prepared: tuple[Document, Merged] | None = None

    @property
    def documents(self) -> tuple[Document, ...]:
        """What is on the graphics card, the one shown last at the end."""
        return tuple(document for document, _uploaded in self._kept.values())

    def prepare(self, document: Document) -> None:
        """Do the part of the upload of a large model that needs no OpenGL; called in worker threads."""
        if len(document.draws.corners) > MANY_TRIANGLES:
            self._prepared = document, merge(*_made_of(document))

    def show(self, document: Document | None) -> None:
        """Show a document, or nothing; raises `MshviewError` if it does not fit on the graphics card."""
        if document is None:
            self._renderer.unload()
            return
        known = self._kept.get(document.identity)
        if known is not None and known[0] is document:
            self._renderer.show(known[1])
        else:
            known = document, self._load(document)
        self._kept.pop(document.identity, None)
        self._kept[document.identity] = known
        self._evict()

    def keep_only(self, documents: Collection[Document]) -> None:
        """Release what is not open any more."""
        opened = {id(document) for document in documents}
        for document in self.documents:
            if id(document) not in opened:
                del self._kept[document.identity]

    def _load(self, document: Document) -> UploadedModel:
        prepared, self._prepared = self._prepared, None
        merged = prepared[1] if prepared is not None and prepared[0] is document else None
        model, draws, material, _row = _made_of(document)
        try:
            return self._renderer.load(model, draws, material, document.materials, merged)
        except moderngl.Error as error:
            message = _("does not fit on the graphics card: {error}").format(error=error)
            raise MshviewError(message, source=document.address) from error

    def _evict(self) -> None:
        """Release those not shown for longest until the rest is within the bounds."""
        while len(self._kept) > 1 and (len(self._kept) > MOST_MODELS or self._size > MOST_BYTES):
            del self._kept[next(iter(self._kept))]

    @property
    def _size(self) -> int:
        return sum(uploaded.buffers.size for _document, uploaded in self._kept.values())


def _made_of(document: Document) -> MadeOf:
    material = wear_rows_of(document.model.batches, document.choice.reading.material_field)
    materials = document.materials
    return document.model, document.draws, material, materials.of_draw if materials.rows else None
