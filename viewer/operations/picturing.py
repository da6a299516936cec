"""Pictures of textures: the colors that a texture is shown in, for the window and the shell."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import reading_from
from viewer.formats.texture import palette
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.model.material.lookup import MaterialLookup, no_palette, texture_name
from viewer.model.material.materials import TraceStep
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.translation import _


class PaletteOptions(Struct, frozen=True):
    """Source of the colors of a texture without a palette.

    Attributes
    ----------
    game
        The game folder whose palettes are selected by the names of textures, or None.
    palette
        A palette to use instead.
    """

    game: Path | None = None
    palette: Address | None = None


def with_palette(
    store: FileStore, item: Item, texture: Texture, options: PaletteOptions
) -> tuple[Texture, tuple[TraceStep, ...]]:
    """A texture with its colors, and how they were found; only one whose format requires a palette changes.

    Raises `MshviewError` if the requested palette cannot be read.
    """
    address = item.address
    if options.palette is not None and texture.format is PixelFormat.EXTERNAL:
        with reading_from(options.palette):
            colors = palette.decode(store.open(options.palette).data).colors
        return replace(texture, external=colors), ()
    if options.game is not None:
        lookup = MaterialLookup.of(store, options.game)
        return lookup.with_palette(texture, texture_name(item), address)
    if texture.format is not PixelFormat.EXTERNAL or texture.palette is not None:
        return texture, ()
    step = TraceStep(_("no game folder is set, so no palette"))
    return texture, (step, no_palette(address))
