"""The triangles whose texture coordinates are shown over a texture: of a batch, or of all its materials."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.material.materials import Material, TextureKey, TextureRef
from viewer.model.material.uv_map import UvMap, uv_map
from viewer.session.opened.document import Document
from viewer.session.opened.tabs import Tabs
from viewer.session.play.machinery import material_states
from viewer.session.view.view_state import ViewState
from viewer.translation import _


class UvSubject(Struct, frozen=True, eq=False):
    """A batch or a model that shows a texture.

    Attributes
    ----------
    texture
        The texture as the materials show it, with its page.
    rows
        The materials that show it, among `Document.materials.rows`.
    batch
        The batch whose triangles are meant; None for all of the materials that the view shows.
    is_lightmap
        The materials show it as their lightmap.
    """

    document: Document
    view: ViewState
    texture: TextureRef
    rows: tuple[int, ...]
    batch: int | None = None
    is_lightmap: bool = False

    @property
    def made_of(self) -> tuple[object, ...]:
        """The values on which the map depends, to be compared with ``==``."""
        parts = self.view.parts if self.batch is None else None
        revision = self.document.identity, self.document.revision
        return (*revision, self.batch, self.rows, self.is_lightmap, self.texture, parts)

    @property
    def key(self) -> tuple[object, ...]:
        """The identity among the subjects of a texture."""
        return self.document.identity, self.batch, self.rows, self.is_lightmap

    @property
    def title(self) -> str:
        """The model and the batch, or the names of the materials."""
        model = self.document.address.name
        if self.batch is not None:
            return _("{model}: batch {row}", model=model, row=self.batch)
        names = (self.document.materials.rows[row].name or "" for row in self.rows)
        return f"{model}: " + (", ".join(filter(None, dict.fromkeys(names))) or _("no name"))

    def map(self) -> UvMap:
        """The map of the triangles, each once, however many nodes draw it."""
        document, draws = self.document, self.document.draws
        if self.batch is not None:
            chosen = draws.batch == self.batch
        else:
            chosen = document.shown(self.view).draws & np.isin(document.materials.of_draw, self.rows)
        drawn = np.flatnonzero(np.repeat(chosen, draws.triangle_count))
        _ignored, first = np.unique(draws.triangle[drawn], return_index=True)
        corners = draws.corners[drawn[first]]
        return uv_map(document.model, corners, self.texture, is_lightmap=self.is_lightmap)


def subjects_of_batch(document: Document, view: ViewState, batch: int | None) -> tuple[UvSubject, ...]:
    """The triangles of a batch, and those of its material, over the texture that it shows now.

    There are none without a texture.
    """
    of_batch = document.materials.of_batch
    if batch is None or not 0 <= batch < len(of_batch):
        return ()
    row = int(of_batch[batch])
    texture = document.materials.rows[row].textures[material_states(document, view)[row].phase]
    if texture is None:
        return ()
    of_material = UvSubject(document, view, texture, (row,))
    return replace(of_material, batch=batch), of_material


def subjects_of(tabs: Tabs, texture: TextureRef) -> tuple[UvSubject, ...]:
    """Subjects that show a texture in the open models; a selected batch comes before its materials."""
    shown = [(tab.document, tab.view) for tab in tabs.tabs if tab.document is not None]
    return tuple(it for document, view in shown for it in _subjects(document, view, texture.key))


def _subjects(document: Document, view: ViewState, key: TextureKey) -> Iterator[UvSubject]:
    found: dict[tuple[object, bool], list[int]] = {}
    shown: dict[tuple[object, bool], TextureRef] = {}
    for row, material in enumerate(document.materials.rows):
        for texture, is_lightmap in _textures(material):
            if texture.key == key:
                found.setdefault((texture.page, is_lightmap), []).append(row)
                shown.setdefault((texture.page, is_lightmap), texture)
    batch = view.selection.batch
    for use, rows in found.items():
        subject = UvSubject(document, view, shown[use], tuple(dict.fromkeys(rows)), None, use[1])
        of_batch = document.materials.of_batch
        if batch is not None and batch < len(of_batch) and of_batch[batch] in subject.rows:
            yield replace(subject, batch=batch)
        yield subject


def _textures(material: Material) -> Iterator[tuple[TextureRef, bool]]:
    """The textures of a material, and whether each is its lightmap."""
    yield from ((it, False) for it in material.textures if it is not None)
    if material.lightmap is not None:
        yield material.lightmap, True
