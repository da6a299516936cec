"""The JSON and the buffers of a file, `.glb` or `.gltf`.

Source: glTF 2.0, chapters 3 to 5.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from typing import Any, Final, NoReturn
from urllib.parse import unquote, unquote_to_bytes

from viewer.errors import FormatError, MshviewError
from viewer.model.convert.beside import Beside, relative
from viewer.model.convert.gltf.item import Budget, FileLosses, JsonItem
from viewer.translation import Sentence

MAGIC: Final = b"glTF"
_HEADER: Final = struct.Struct("<4sII")
_CHUNK: Final = struct.Struct("<I4s")
_JSON: Final = b"JSON"
_BINARY: Final = b"BIN\0"

MOST_VALUES: Final = 1 << 22
"""Values of any file's JSON: each takes up to 100 bytes in memory, however few it takes in the file."""
BYTES_PER_VALUE: Final = 8
"""Bytes of a file that justify one value more: the export of 65,535 nodes has 3.6 million in 22 MB."""
_AT_ONCE: Final = 1 << 20
"""Letters of a data URI that are decoded at once; whole groups of four."""

NO_GLTF: Final = Sentence("is not a glTF file")
JSON: Final = "JSON"
"""Where an error is that is in the text of a file."""
FIRST: Final = Sentence("is glTF 1.0; convert it to 2.0")

LISTS: Final = (
    "accessors", "animations", "buffers", "bufferViews", "cameras", "images", "materials", "meshes", "nodes",
    "samplers", "scenes", "skins", "textures",
)  # fmt: skip


class GltfFile:
    """A file: its objects by list and index, and its bytes.

    Attributes
    ----------
    root
        The object of the whole file.
    losses
        Gathered while it is read.
    budget
        Of the values that may be read from it.
    """

    def __init__(self, data: bytes | memoryview, beside: Beside) -> None:
        view = memoryview(data)
        self.losses = FileLosses()
        self.budget = Budget(len(view))
        self._beside = beside
        self._binary: memoryview | None = None
        self._buffers: dict[int, memoryview] = {}
        is_binary = bytes(view[:4]) == MAGIC
        self.root = JsonItem(_parsed(self._chunks(view), JSON) if is_binary else _parsed(view))
        _check_version(self.root)
        self._counts = {kind: len(self.root.entries(kind)) for kind in LISTS}
        self._items: dict[str, dict[int, JsonItem]] = {kind: {} for kind in LISTS}

    def _chunks(self, data: memoryview) -> memoryview:
        """Keep the binary chunk of a GLB; return its JSON."""
        if len(data) < _HEADER.size:
            raise FormatError(Sentence("{size} bytes are too few", size=len(data)), table="GLB")
        _, version, length = _HEADER.unpack_from(data)
        if version == 1:
            raise FormatError(FIRST, table="GLB")
        if version != 2:
            raise FormatError(Sentence("version {version} is not 2", version=version), table="GLB")
        if length > len(data):
            message = Sentence("{length} bytes, of which {size} are there", length=length, size=len(data))
            raise FormatError(message, table="GLB", field="length")
        chunks: dict[bytes, memoryview] = {}
        start = _HEADER.size
        while start + _CHUNK.size <= length:
            size, kind = _CHUNK.unpack_from(data, start)
            start += _CHUNK.size
            if size > length - start:
                message = Sentence("{size} exceeds the {left} bytes left", size=size, left=length - start)
                raise FormatError(message, table="GLB", field="chunk")
            chunks.setdefault(kind, data[start : start + size])
            start += size
        if _JSON not in chunks:
            raise FormatError("has no JSON", table="GLB")
        self._binary = chunks.get(_BINARY)
        return chunks[_JSON]

    def count(self, kind: str) -> int:
        """Number of the objects of a list."""
        return self._counts[kind]

    def item(self, kind: str, index: int) -> JsonItem:
        """An object of a list, which has it."""
        known = self._items[kind]
        if index not in known:
            known[index] = self.root.nth(kind, index)
        return known[index]

    def items(self, kind: str) -> list[JsonItem]:
        """All objects of a list."""
        return [self.item(kind, index) for index in range(self._counts[kind])]

    def referred(self, item: JsonItem, key: str, kind: str) -> JsonItem | None:
        """The object of a list whose index a value is; None if the value is absent."""
        index = item.index_of(key, self._counts[kind])
        return None if index is None else self.item(kind, index)

    def required(self, item: JsonItem, key: str, kind: str) -> JsonItem:
        """The object of a list whose index a value is."""
        found = self.referred(item, key, kind)
        if found is None:
            raise item.wrong(key, Sentence("is missing"))
        return found

    def view(self, view: JsonItem) -> memoryview:
        """The bytes of a buffer view."""
        start, size = view.whole("byteOffset", 0), view.whole("byteLength")
        data = self._buffer(self.required(view, "buffer", "buffers"))
        if start + size > len(data):
            message = Sentence("{start} + {size} exceeds {end} bytes", start=start, size=size, end=len(data))
            raise view.wrong("byteOffset", message)
        return data[start : start + size]

    def _buffer(self, buffer: JsonItem) -> memoryview:
        """The bytes of a buffer, as many as it says."""
        if buffer.index not in self._buffers:
            data = self._buffer_bytes(buffer)
            size = buffer.whole("byteLength")
            if size > len(data):
                message = Sentence("{size} exceeds the {left} bytes left", size=size, left=len(data))
                raise buffer.wrong("byteLength", message)
            self._buffers[buffer.index] = data[:size]
        return self._buffers[buffer.index]

    def _buffer_bytes(self, buffer: JsonItem) -> memoryview:
        if "uri" in buffer:
            return self.file(buffer)
        if buffer.index != 0 or self._binary is None:
            raise FormatError("has no bytes", table=buffer.path)
        return self._binary

    def file(self, item: JsonItem) -> memoryview:
        """The bytes that a ``uri`` holds or names."""
        uri = item.text("uri")
        if uri[:5].lower() == "data:":
            return memoryview(_embedded(item, uri))
        try:
            data = self._beside(relative(uri))
        except MshviewError as error:
            raise item.wrong("uri", error.text) from error
        self.budget.add(len(data))
        return memoryview(data)


def _parsed(text: memoryview, table: str = "") -> dict[str, Any]:
    """The JSON of a file, or of a chunk of it; its values are counted before they are made."""
    try:
        words = str(text, json.detect_encoding(bytes(text[:4])))
    except ValueError:
        words = ""
    if words.lstrip()[:1] not in ("{", "["):
        raise FormatError(NO_GLTF, table=table)
    try:
        limit = MOST_VALUES + len(words) // BYTES_PER_VALUE
        if sum(map(words.count, ",:[{")) > limit:
            raise FormatError(Sentence("more than {limit} values", limit=limit), table=JSON)
        root = json.loads(words, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FormatError(Sentence("cannot be read: {error}", error=str(error)), table=JSON) from error
    if not isinstance(root, dict):
        raise FormatError(Sentence("is not {expected}", expected="an object"), table=JSON)
    return root


def _refuse(name: str) -> NoReturn:
    raise ValueError(Sentence("{name} is not a number of JSON", name=name))


def _check_version(root: JsonItem) -> None:
    """Refuse other versions before anything else is looked at: the first one has objects for lists."""
    asset = root.item("asset")
    said = asset.values.get("version")
    is_first = said is None and any(isinstance(root.values.get(kind), dict) for kind in LISTS)
    if is_first or str(said).startswith("1"):
        raise FormatError(FIRST, table="asset", field="version")
    version = asset.text("version")
    least = asset.text("minVersion", "2.0")
    if version.split(".")[0] != "2" or least not in {"2", "2.0"}:
        found = least if version.split(".")[0] == "2" else version
        raise asset.wrong("version", Sentence("{version} is not glTF 2.0", version=repr(found[:20])))


def _embedded(item: JsonItem, uri: str) -> bytes | bytearray:
    """The bytes of a data URI."""
    start = uri.find(",") + 1
    if not start:
        raise item.wrong("uri", Sentence("is a data URI without data"))
    if not uri[: start - 1].lower().endswith(";base64"):
        return unquote_to_bytes(uri[start:])
    if "%" in uri:
        uri = uri[:start] + unquote(uri[start:])
    data = bytearray()
    try:
        for at in range(start, len(uri), _AT_ONCE):
            data += base64.b64decode(uri[at : at + _AT_ONCE], validate=True)
    except (binascii.Error, ValueError) as error:
        raise item.wrong("uri", Sentence("cannot be read: {error}", error=str(error))) from error
    if len(data) < (len(uri) - start) // 4 * 3 - 2:
        raise item.wrong("uri", Sentence("has data after its padding"))
    return data
