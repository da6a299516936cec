"""An opened payload other than a model: a texture, a material, a wear table and so on."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from viewer.errors import AddressError, MshviewError
from viewer.formats.archive import nres
from viewer.formats.part import Part
from viewer.formats.text import fold
from viewer.formats.texture import font, texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.model.kinds.registry import FONT, TEXTURE, kind_of
from viewer.model.material.lookup import MaterialLookup, no_palette
from viewer.model.material.materials import TextureRef
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item
from viewer.translation import Sentence

MOST_FINDINGS: Final = 3
"""Rules whose diagnostics are shown next to the texture."""
SUFFIX: Final = b".texm"
"""Suffixes of a texture file's name after the letters that select a palette."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenedResource:
    """A payload and its description. It needs no OpenGL, so a worker thread can make it.

    Attributes
    ----------
    kind
        Kind, as in ``mshview ls``.
    data
        Its bytes.
    parts
        What its bytes are made of; None if nothing is known of its kind, or it cannot be read.
    texture
        The texture, or None if it is something else or has no complete level.
    problem
        Why it cannot be read, empty if it can.
    notes
        Notes on the texture: missing resources and the folders searched.
    """

    address: str
    kind: str
    data: memoryview
    parts: Part | None = None
    texture: TextureRef | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()


def read(library: FileStore, address: Address, game: Path | None = None) -> OpenedResource:
    """The payload at an address; raises `MshviewError` if there is none.

    Parameters
    ----------
    game
        The game folder in which a palette is looked up, or None.
    """
    item = library.open(address)
    kind = kind_of(item)
    entry = item.entry if isinstance(item.entry, nres.Entry) else None
    try:
        parts = kind.parts(kind.decode(item.data, entry)) if kind.is_known else None
        ref, notes = _texture_of(library, item, kind.id, game)
    except MshviewError as error:
        return OpenedResource(str(address), kind.id, item.data, problem=error.text)
    return OpenedResource(str(address), kind.id, item.data, parts, ref, notes=notes)


def texture_at(library: FileStore, address: Address, game: Path | None) -> TextureRef:
    """The texture at an address, or that of a font; raises `MshviewError` if there is none to show."""
    item = library.open(address)
    ref, _ = _texture_of(library, item, kind_of(item).id, game)
    if ref is None:
        raise AddressError("has no complete level", source=str(address))
    return ref


def _texture_of(
    library: FileStore, item: Item, kind: str, game: Path | None
) -> tuple[TextureRef | None, tuple[str, ...]]:
    """The texture of a payload, also of a font, and the notes on it."""
    texture: Texture | None = None
    notes: list[str] = []
    if kind == TEXTURE.id:
        decoded = item.once(texm.decode, lambda: texm.decode(item.data))
        texture, notes = _with_palette(library, item, decoded, game)
    elif kind == FONT.id:
        texture = font.decode(item.data).texture
        start = font.TEXTURE_START
        notes = [Sentence("offsets count from {start:#x}, the start of its texture", start=start)]
    if texture is None:
        return None, ()
    if not texture.levels:
        return None, (Sentence("no level is complete, so there is no image"),)
    notes += (finding.text for finding in texture.diagnostics[:MOST_FINDINGS])
    digest = item.digest if kind == TEXTURE.id else None
    ref = TextureRef.of(str(item.address), item.address.name, texture, digest=digest)
    return ref, tuple(notes)


def _with_palette(
    library: FileStore, item: Item, texture: Texture, game: Path | None
) -> tuple[Texture, list[str]]:
    """A texture with the palette that its name selects, and the trace of the lookup."""
    address = str(item.address)
    if game is None:
        is_missing = texture.format is PixelFormat.EXTERNAL
        greys = [Sentence("no game folder is set, so no palette"), no_palette(address).text]
        return texture, greys if is_missing else []
    name = item.entry.name if item.entry else os.fsencode(item.address.path.name)
    if fold(name).endswith(SUFFIX):
        name = name[: -len(SUFFIX)]
    texture, steps = MaterialLookup.of(library, game).with_palette(texture, name, address)
    return texture, [step.text for step in steps]
