"""The content of thumbnails, read and decoded off the main thread."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import moderngl
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions
from viewer.errors import MshviewError, Severity
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.text import decode
from viewer.formats.texture.pixels import Image, halve, magnify
from viewer.formats.texture.texm import Texture
from viewer.model.kinds.registry import MATERIAL
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import Material, TextureRef
from viewer.model.material.phases import state_at
from viewer.model.mesh.model import Model, Variant
from viewer.model.store.address import Address
from viewer.model.store.disk import Revision
from viewer.model.store.file_store import FileStore
from viewer.render import offscreen
from viewer.render.passes.textured import MODES
from viewer.render.portions import Drawing, Frame
from viewer.render.renderer import Renderer
from viewer.render.textures import texels
from viewer.render.textures.texels import Texels
from viewer.session.field_text import counted
from viewer.session.jobs import TEXTURES
from viewer.session.opened import opened_resource
from viewer.session.opened.document import Document
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.play import posing
from viewer.session.play.machinery import drawn_states
from viewer.session.play.posing import framed
from viewer.session.view.around import shown_marks
from viewer.session.view.camera import Camera, Size
from viewer.session.view.options import textures
from viewer.session.view.options.lighting import Look
from viewer.session.view.options.textures import TextureView, usual_channels
from viewer.session.view.view_state import ViewState
from viewer.translation import _

MOST_BYTES: Final = 16 << 20
"""Models and mip levels that are larger have no thumbnail."""
MOST_TRIANGLES: Final = 100_000
TEXEL_LIMIT: Final = 128
"""Longest side of the textures of a model, pixels."""
Key = bytes
"""A digest of everything that determines an image; equal keys are equal pixels."""
Files = Mapping[Path, Revision | None]
"""Files, and the revisions that they had when they were read; None for one that was absent."""
STEP_SECONDS: Final = 0.02
"""Time in which a frame draws a part of a thumbnail that takes longer."""
MOST_SECONDS: Final = 5.0
"""Time after which it is given up."""
TEXTURE_CAPACITY: Final = 16 * 1024 * 1024
"""Bytes of the textures that the thumbnails of models share."""


class ModelPreview(Struct, frozen=True, eq=False):
    """A model ready to be drawn, and the textures that it shows."""

    document: Document
    view: ViewState
    texels: tuple[Texels, ...]

    @classmethod
    def of(cls, document: Document, view: ViewState, limit: int = TEXEL_LIMIT) -> ModelPreview:
        """With the textures that show at first, and lightmaps, of which no side is longer than a limit."""
        rows = document.materials.rows
        shown = [it for row in rows for it in (row.textures[state_at(row, 0.0).phase], row.lightmap)]
        pictures = dict.fromkeys(picture for picture in shown if picture is not None)
        return cls(document, view, tuple(texels.decode(it, view.textures, limit) for it in pictures))


class ThumbnailContent(Struct, frozen=True, eq=False):
    """The content found at an address.

    Attributes
    ----------
    key
        None if there is no image.
    facts, problem
        As in `Thumbnail`.
    image, preview
        The image, (h, w, 4), or the model to be drawn; both None if the key was known already.
    files
        What it was read from.
    """

    key: Key | None = None
    facts: tuple[str, ...] = ()
    problem: str = ""
    image: Image | None = None
    preview: ModelPreview | None = None
    files: Files = field(default_factory=dict)


class Reader(Struct, frozen=True):
    """Reads what thumbnails show. Nothing here needs OpenGL; for worker threads.

    Parameters
    ----------
    side
        Longest side of an image, pixels.
    is_known
        Whether the image of a key exists already.
    """

    library: FileStore
    side: int
    is_known: Callable[[Key], bool]

    def read(self, entry: BrowserEntry, lookup: OpenOptions, look: Look = Look.GAME) -> ThumbnailContent:
        """The content of an entry; damaged or too large ones have no key."""
        address = entry.address
        snapshot = self.library.snapshot()
        content = replace(self, library=snapshot).content(address, entry.kind, lookup, look)
        if not address.entries:
            # A loose file was read whole for its thumbnail; a folder of them would fill the memory.
            self.library.forget(address.path)
        return replace(content, files=snapshot.revisions)

    def content(self, address: Address, kind: str, lookup: OpenOptions, look: Look) -> ThumbnailContent:
        """The content for an address, without its source files."""
        try:
            if kind in TEXTURES:
                return self._texture(address, lookup)
            if kind == MATERIAL.id:
                return self._material(address, lookup)
            return self._model(address, lookup, look)
        except MshviewError as error:
            return ThumbnailContent(problem=error.text)

    def _texture(self, address: Address, lookup: OpenOptions) -> ThumbnailContent:
        game = loading.game_of(self.library, address, lookup)
        picture = opened_resource.texture_at(self.library, address, game)
        errors = (it.message for it in picture.texture.diagnostics if it.severity is Severity.ERROR)
        content = ThumbnailContent(facts=texture_facts(picture.texture), problem=next(errors, ""))
        return self._pictured(picture, content)

    def _pictured(self, picture: TextureRef, content: ThumbnailContent) -> ThumbnailContent:
        """The content with a texture as its image, unless none of its levels is small enough."""
        level = self._level(picture.texture)
        if level is None:
            return content
        if self.is_known(picture.key):
            return replace(content, key=picture.key)
        part = TextureView(picture, level, usual_channels(picture.texture))
        image = magnify(textures.decode(part, self.side), self.side)
        return replace(content, key=picture.key, image=image)

    def _level(self, texture: Texture) -> int | None:
        """The largest mip level that fits a thumbnail, or the smallest; None if there is none."""
        fitting = (place for place, it in enumerate(texture.levels) if max(it.width, it.height) <= self.side)
        chosen = next(fitting, len(texture.levels) - 1)
        return chosen if texture.levels and texture.levels[chosen].size <= MOST_BYTES else None

    def _material(self, address: Address, lookup: OpenOptions) -> ThumbnailContent:
        """A material as the texture of its first phase, or as a field of its color where it has none."""
        item = self.library.open(address)
        version = item.entry.attr2 if isinstance(item.entry, nres.Entry) else mat0.VERSION
        stored = mat0.decode(item.data, version)
        if not len(stored.phases):
            return ThumbnailContent(facts=(_("no phases"),))
        name = stored.texture(0)
        content = ThumbnailContent(facts=material_facts(name, len(stored.phases)))
        folder = loading.game_of(self.library, address, lookup)
        found = MaterialLookup.of(self.library, folder).texture(name).texture if folder and name else None
        if found is not None:
            return self._pictured(found, content)
        # No texture has this key: theirs are digests, which are longer.
        color = bytes(stored.phases[0]["diffuse"])
        image = np.full((self.side, self.side, 4), (*color, textures.OPAQUE), np.uint8)
        return replace(content, key=b"color" + color, image=image)

    def _model(self, address: Address, lookup: OpenOptions, look: Look) -> ThumbnailContent:
        model = self.library.open(address).read_model()
        if len(model.archive.data) > MOST_BYTES or triangles_in(model) > MOST_TRIANGLES:
            triangles = counted(triangles_in(model), "{count} triangle", "{count} triangles")
            return ThumbnailContent(facts=(triangles, _("too large for a thumbnail")))
        document = Document.open(self.library, loading.source_of(self.library, address, lookup))
        view = offscreen.plain_view(document, look)
        view = replace(view, camera=framed(document, Camera(), view, 1.0))
        count = document.shown(view).triangle_count
        facts = (
            counted(count, "{count} triangle", "{count} triangles"),
            counted(model.node_count, "{count} node", "{count} nodes"),
        )
        if not count:
            return ThumbnailContent(facts=facts)
        key = key_of(document, self.library.open(address).digest, look)
        content = ThumbnailContent(key, facts)
        if self.is_known(key):
            return content
        return replace(content, preview=ModelPreview.of(document, view))


def texture_facts(texture: Texture) -> tuple[str, ...]:
    """Text of the size of a texture and the storage of its pixels."""
    width, height = int(texture.header["width"]), int(texture.header["height"])
    return f"{width} x {height}", _("format {format}", format=texture.format.label)


def material_facts(texture: bytes, phase_count: int) -> tuple[str, ...]:
    """The facts of a material: its first phase, and the number of phases."""
    return decode(texture) or _("no texture"), counted(phase_count, "{count} phase", "{count} phases")


def triangles_in(model: Model) -> int:
    """Triangles that are stored in a model."""
    return len(model.faces) if model.variant is Variant.TERRAIN else len(model.indices) // 3


def key_of(document: Document, model: bytes, look: Look) -> Key:
    """A digest of the content of a thumbnail: the bytes of a model, its reading, its materials, its look.

    Parameters
    ----------
    model
        The SHA-256 of the model.
    """
    digest = hashlib.sha256(model)
    digest.update(repr((document.choice.reading, look, *map(_look, document.materials.rows))).encode())
    return digest.digest()


def _look(material: Material) -> tuple[object, ...]:
    """The visible part of a material, without where it was found."""
    pictures = [(it.key, it.page) if it else None for it in (*material.textures, material.lightmap)]
    flags = material.attr1, material.has_see_through_flag, material.is_missing
    return flags, material.phases, material.blocks, material.alphas, pictures


def reduced(image: Image, side: int) -> Image:
    """An image halved as often as possible without getting smaller than `side` pixels."""
    while max(image.shape[:2]) >= 2 * side:
        image = halve(image)
    return image


class ModelThumbnails:
    """Draws models one by one; lifetime: the window's context. Main thread only.

    It has a renderer of its own, so that the scene on screen is left as it is.

    Parameters
    ----------
    capacity
        Bytes of the textures that are kept.
    """

    def __init__(self, ctx: moderngl.Context, capacity: int = TEXTURE_CAPACITY) -> None:
        self._ctx, self._capacity = ctx, capacity
        self._renderer: Renderer | None = None
        self._begun: tuple[ModelPreview, Drawing] | None = None

    def draw(self, preview: ModelPreview, side: int) -> Image | None:
        """Draw more of a model as `image` does, and cut off its empty margins.

        Parameters
        ----------
        side
            Side of the image before its margins are cut off, pixels.
        """
        image = self.image(preview, (side, side))
        return None if image is None else cropped(image)

    def image(self, preview: ModelPreview, size: Size, *, is_transparent: bool = True) -> Image | None:
        """Draw more of a model: its image, (h, w, 4), top row first, or None while that is not whole.

        Raises `MshviewError` if the graphics card cannot draw it, or not within `MOST_SECONDS`.
        """
        if self._renderer is None:
            self._renderer = Renderer(self._ctx, self._capacity)
        try:
            if self._begun is None or self._begun[0] is not preview:
                begun = self._begin(self._renderer, preview, size, is_transparent=is_transparent)
                self._begun = preview, begun
            drawing = self._begun[1]
            image = self._renderer.advance_image(drawing, STEP_SECONDS)
        except moderngl.Error as error:
            raise MshviewError(_("cannot be drawn on this graphics card")) from error
        if drawing.portions.seconds > MOST_SECONDS:
            drawing.portions.check(MOST_SECONDS)
        return image

    def _begin(
        self, renderer: Renderer, preview: ModelPreview, size: Size, *, is_transparent: bool
    ) -> Drawing:
        document, view = preview.document, preview.view
        renderer.load_document(document)
        for texture in preview.texels:
            renderer.provide(texture)
        renderer.requested_textures(view.textures)
        if view.shading in MODES:
            renderer.take_phases(drawn_states(document, view))
        around = shown_marks(document.model, document.neighbors, view.overlays)
        frame = Frame(view, posing.pose(document, view), size, around=around)
        return renderer.begin_image(frame, is_transparent=is_transparent)

    def release(self) -> None:
        """Give the buffers of the last model back."""
        self._begun = None
        if self._renderer is not None:
            self._renderer.unload()


def cropped(image: Image) -> Image:
    """An image without its empty margins; unchanged if it is empty."""
    rows, columns = (np.flatnonzero(image[..., 3].any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return image
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
