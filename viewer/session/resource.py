"""Something opened that is no model: a texture, a material, a wear table, or any other payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from viewer.errors import AddressError, MshviewError
from viewer.formats import nres, texm
from viewer.model import entries
from viewer.model.descriptions import describe
from viewer.model.library import Address, Item, Library
from viewer.model.materials import Picture

TEXTURE: Final = "texm"


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """A payload and what can be said of it. Nothing here needs OpenGL, so a worker thread can make it.

    Attributes
    ----------
    kind
        What it is, as ``mshview ls`` says.
    data
        Its bytes.
    fields
        Every field as ``mshview inspect`` prints it; without any where it cannot be read.
    picture
        The texture that it is, None where it is something else or has no whole level.
    problem
        Why it cannot be read, empty where it can.
    """

    address: str
    kind: str
    data: memoryview
    fields: Mapping[str, Any]
    picture: Picture | None = None
    problem: str = ""

    @property
    def has_fields(self) -> bool:
        """Whether more is known of it than its kind and size."""
        return bool(self.fields.keys() - {"format", "size"})


def read(library: Library, address: Address) -> Resource:
    """What lies at an address; raises `MshviewError` where nothing does."""
    item = library.open(address)
    kind = entries.kind_of(item)
    try:
        fields = describe(kind, item.data, item.entry if isinstance(item.entry, nres.Entry) else None)
        picture = _picture(item) if kind == TEXTURE else None
    except MshviewError as error:
        return Resource(str(address), kind, item.data, {}, problem=str(error))
    return Resource(str(address), kind, item.data, fields, picture)


def picture_at(library: Library, address: Address) -> Picture:
    """The texture at an address; raises `MshviewError` where there is none that can be shown."""
    picture = _picture(library.open(address))
    if picture is None:
        raise AddressError("has no level that is whole", source=str(address))
    return picture


def _picture(item: Item) -> Picture | None:
    texture = texm.decode(item.data)
    if not texture.levels:
        return None
    return Picture.of(str(item.address), item.address.name, texture)
