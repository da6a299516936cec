"""The textures of a library as a folder of pictures, with an index that says which texture each one is.

The index, a JSON document of which every value is checked, has the SHA-256 of each picture: one that is as it
was written is not decoded, and its texture keeps every byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Final

from msgspec import Struct

from viewer import typed_json
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, MshviewError, Severity
from viewer.formats.archive import nres
from viewer.formats.findings import Rule
from viewer.formats.record import Bytes
from viewer.formats.texture import texm
from viewer.formats.texture.texm import MAX_MIPS, MAX_SIDE, Texture
from viewer.model.convert.pictures import images
from viewer.model.kinds.registry import TEXTURE, promised_kind
from viewer.model.store.item import Container, Item, entry_of
from viewer.model.write.saving import FileNames
from viewer.model.write.unpacked_folder import INDEX, PLAIN_NAME, UnpackedRoom, refusal_of
from viewer.progress import Progress
from viewer.translation import _
from viewer.typed_json import COUNT, SHA256, Limits

SCHEMA: Final = "mshview-textures-1"
TEXTURES: Final = "textures"
"""The list of textures in the index, and in errors."""
SUFFIX: Final = ".png"

Count = Annotated[int, COUNT]
Side = Annotated[int, Limits(MAX_SIDE, 1)]
Channel = Annotated[int, Limits(255)]
Coordinate = Annotated[int, Limits(0x7FFF, -0x8000)]


class AtlasRectangle(Struct, frozen=True):
    """A rectangle of the atlas of a texture, pixels of the largest level."""

    x: Coordinate
    y: Coordinate
    w: Coordinate
    h: Coordinate


class IndexedTexture(Struct, frozen=True):
    """A texture of the library when its picture was written.

    Parameters
    ----------
    name
        Of its entry.
    index
        Of its entry in the directory.
    picture
        The name of the file.
    format
        The number of the format of its pixels.
    width, height
        Of the largest level, pixels.
    mips
        Number of levels.
    palette
        The colors of its own palette, red, green and blue from 0 to 255; None if it has none.
    rectangles
        Those of its atlas, without the implied first one.
    sha256
        Of the file of the picture, hexadecimal.
    """

    name: str
    index: Count
    picture: Annotated[str, PLAIN_NAME]
    format: Count
    width: Side
    height: Side
    mips: Annotated[int, Limits(MAX_MIPS, 1)]
    palette: tuple[tuple[Channel, Channel, Channel], ...] | None
    rectangles: tuple[AtlasRectangle, ...]
    sha256: Annotated[str, SHA256]

    @classmethod
    def of(cls, item: Item, index: int, texture: Texture, picture: str, data: bytes) -> IndexedTexture:
        """A texture of an entry, its directory index, and the name and the bytes of its picture."""
        header, colors = texture.header, texture.palette if len(texture.colors) else None
        return cls(
            item.entry.text if item.entry else "",
            index,
            picture,
            int(texture.format),
            int(header["width"]),
            int(header["height"]),
            int(header["mip_count"]),
            None if colors is None else tuple((r, g, b) for r, g, b, _alpha in colors.tolist()),
            tuple(AtlasRectangle(*(int(it[name]) for name in "xywh")) for it in texture.pages),
            sha256(data).hexdigest(),
        )


class PictureIndex(Struct, frozen=True):
    """The content of an index: the textures in the order of the directory."""

    textures: tuple[IndexedTexture, ...]

    @classmethod
    def parse(cls, text: bytes) -> PictureIndex:
        """Read an index; raises `FormatError` with the location of the first wrong value."""
        form = typed_json.document(text)
        if form.get("schema") != SCHEMA:
            raise FormatError(_("is not an index of {schema}", schema=SCHEMA), field="schema")
        index = typed_json.made(cls, form)
        for field in ("index", "picture"):
            seen: dict[object, int] = {}
            for row, it in enumerate(index.textures):
                value = getattr(it, field)
                if value in seen:
                    words = "{value} is in row {row} too"
                    raise Rule("", TEXTURES, field).failure(words, row, value=value, row=seen[value])
                seen[value] = row
        return index

    @property
    def text(self) -> bytes:
        """The JSON document, a line for each texture."""
        rows = (
            json.dumps(typed_json.plain(it, IndexedTexture), ensure_ascii=False, separators=(", ", ": "))
            for it in self.textures
        )
        listed = ",".join(f"\n  {row}" for row in rows)
        return f'{{\n "schema": "{SCHEMA}",\n "{TEXTURES}": [{listed}\n ]\n}}\n'.encode()


class Pictures:
    """The files of a folder with a picture of each texture of a library, each made when it is its turn.

    Iterating yields names and bytes, the index last.

    Parameters
    ----------
    progress
        Counts the entries of the library.

    Attributes
    ----------
    count
        Number of pictures so far.
    refused
        Diagnostics of textures so far that have no picture: they are damaged, or their names lead elsewhere.
    """

    def __init__(self, library: Item, container: Container, progress: Progress | None = None) -> None:
        self.count = 0
        self.refused: list[Diagnostic] = []
        self._library = library
        self._container = container
        self._progress = progress or Progress()

    def __iter__(self) -> Iterator[tuple[str, Bytes]]:
        names = FileNames([INDEX])
        textures: list[IndexedTexture] = []
        room = UnpackedRoom(self._container)
        for index, item, texture in self._textures():
            room.take(index, len(item.data))
            picture = names.add(f"{self._container.entries[index].text}{SUFFIX}", index)
            data = images.write_png(texture.level(0))
            textures.append(IndexedTexture.of(item, index, texture, picture, data))
            self.count += 1
            yield picture, data
        yield INDEX, PictureIndex(tuple(textures)).text

    def _textures(self) -> Iterator[tuple[int, Item, Texture]]:
        """The textures that can be pictures, with their directory indices."""
        entries = self._container.entries
        for index in self._progress.over(range(len(entries)), lambda row: entries[row].text):
            name = entries[index].text
            try:
                item = entry_of(self._library, self._container, index)
                if promised_kind(item) is not TEXTURE:
                    continue
                refusal = refusal_of(index, name)
                texture = whole_texture(item.data)
            except MshviewError as error:
                words = _("{name!r} is left out: {reason}", name=name, reason=error.text)
                refusal = Diagnostic("", Severity.WARNING, words, nres.ENTRY.name, index)
            if refusal is None:
                yield index, item, texture
            else:
                self.refused.append(refusal)


def whole_texture(data: memoryview) -> Texture:
    """The texture of a payload; raises `FormatError` if a level is missing."""
    texture = texm.decode(data)
    if len(texture.levels) < int(texture.header["mip_count"]):
        raise FormatError(_("a level is truncated"), table=texm.LEVELS, index=len(texture.levels))
    return texture
