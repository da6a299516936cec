"""The JSON and the buffers of a file, `.glb` or `.gltf`.

Source: glTF 2.0, chapters 3 to 5.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn, Self, TypeVar
from urllib.parse import unquote, unquote_to_bytes

from viewer.errors import FormatError, MshviewError, reason_of
from viewer.model.convert.scene_file import Resolver, relative
from viewer.translation import Text, _, quoted
from viewer.typed_json import once

T = TypeVar("T")

LARGEST: Final = 1 << 53
"""Whole numbers above it are not exact in JSON."""
SHOWN: Final = 40
"""Characters of a wrong value that its error shows."""
MOST: Final = 100
"""Sentences; further ones are counted."""
ALLOWANCE: Final = 1 << 24
"""Values that any file may have."""
# The densest arrays of a file have one value a byte; reading spends more, as a strip has three corners for
# each of its indices.
VALUES_PER_BYTE: Final = 2
PER_OBJECT: Final = 256
"""Values that an object of the file counts as, beside its arrays."""


class JsonItem:
    """An object of the file.

    Attributes
    ----------
    path
        Where it is, for example ``meshes[0].primitives[2]``; empty for the file itself.
    index
        Its index in its list, -1 outside of lists.
    values
        As the file has them. ``null`` counts as absent.
    """

    __slots__ = ("index", "path", "values")

    def __init__(self, values: Mapping[str, Any], path: str = "", index: int = -1) -> None:
        self.values = values
        self.path = path
        self.index = index

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def wrong(self, key: str, template: str, **values: object) -> FormatError:
        """The error about one of its values, or about itself."""
        message = _(template, **values) if values else template
        return FormatError(message, table=self.path, field=key or None)

    def _unexpected(self, key: str, expected: str) -> FormatError:
        value = quoted(self.values.get(key))
        shown = value if len(value) <= SHOWN else f"{value[:SHOWN]}..."
        return self.wrong(key, "{value} is not {expected}", value=shown, expected=expected)

    def _path(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def _of_kind(self, key: str, expected: str, default: T) -> T:
        """A value of the type of its default, which stands for an absent one."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, type(default)):
            raise self._unexpected(key, expected)
        return value

    def item(self, key: str) -> Self:
        """An object; an empty one if it is absent."""
        return type(self)(self._of_kind(key, "an object", {}), self._path(key))

    def entries(self, key: str) -> list[Any]:
        """A list as the file has it; an empty one if it is absent."""
        return self._of_kind(key, "a list", [])

    def items(self, key: str) -> Iterator[Self]:
        """The objects of a list."""
        for index in range(len(self.entries(key))):
            yield self.nth(key, index)

    def nth(self, key: str, index: int) -> Self:
        """An object of a list, which has one at the index."""
        value = self.entries(key)[index]
        path = f"{self._path(key)}[{index}]"
        if not isinstance(value, dict):
            raise FormatError(_("is not {expected}", expected="an object"), table=path)
        return type(self)(value, path, index)

    def indices(self, key: str, count: int) -> list[int]:
        """A list of indices below `count`."""
        values = self.entries(key)
        found = [_whole(value) for value in values]
        for at, value in enumerate(found):
            if type(value) is not int or not 0 <= value < count:
                raise JsonItem({"": value}, f"{self._path(key)}[{at}]").not_index("", count)
        return found

    def index_of(self, key: str, count: int) -> int | None:
        """An index below `count`; None if it is absent."""
        value = _whole(self.values.get(key))
        if value is None:
            return None
        if type(value) is not int or not 0 <= value < count:
            raise self.not_index(key, count)
        return value

    def not_index(self, key: str, count: int) -> FormatError:
        """The error about an index that leads nowhere."""
        value = quoted(self.values.get(key))[:SHOWN]
        return self.wrong(key, "{value} is not an index of {count} items", value=value, count=count)

    def text(self, key: str, default: str = "") -> str:
        """A text, without the halves of characters that JSON can hold."""
        value = self._of_kind(key, "a text", default)
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")

    @property
    def name(self) -> str:
        """The name of the object; empty if that is no text, as no other object refers to names."""
        return self.text("name") if isinstance(self.values.get("name"), str) else ""

    def flag(self, key: str) -> bool:
        """A truth value; False if it is absent."""
        return self._of_kind(key, "true or false", default=False)

    def whole(self, key: str, default: int | None = None) -> int:
        """A whole number of 0 or more."""
        value = _whole(self.values.get(key, default))
        if type(value) is not int or not 0 <= value < LARGEST:
            raise self._unexpected(key, "a whole number of 0 or more")
        return value

    def number(self, key: str, default: float) -> float:
        """A finite number."""
        value = self.values.get(key)
        if value is None:
            return default
        if not _is_number(value):
            raise self._unexpected(key, "a finite number")
        return float(value)

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """The finite numbers of a member, as many as the default has."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, list) or len(value) != len(default) or not all(map(_is_number, value)):
            raise self._unexpected(key, _("{count} finite numbers", count=len(default)))
        return tuple(map(float, value))

    def choice(self, key: str, choices: Mapping[Any, T], default: Any = None) -> T:
        """The choice that the value of a member stands for."""
        value = _whole(self.values.get(key, default))
        if type(value) not in {int, str} or value not in choices:
            raise self._unexpected(key, _("one of {choices}", choices=", ".join(map(str, choices))))
        return choices[value]


def _whole(value: Any) -> Any:
    """A whole number for one that is written like 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_number(value: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    if type(value) is int:
        # JSON writes whole numbers of any length; above 2 ** 1024 the conversion to a float raises.
        return abs(value) < 1 << 1000
    return type(value) is float and math.isfinite(value)


class FileLosses:
    """Losses in the order in which they were found, each with the first place that has it."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, int]] = {}

    def add(self, template: str, where: str = "", **values: object) -> None:
        """Add a loss; the same loss at another place is counted."""
        what = _(template, **values) if values else template
        first, count = self._found.get(what, (where, 0))
        self._found[what] = first, count + 1

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each loss."""
        made = [_sentence(what, where, count) for what, (where, count) in self._found.items()]
        if len(made) <= MOST:
            return tuple(made)
        return *made[:MOST], _("and {count} more", count=len(made) - MOST)


def _sentence(what: str, where: str, count: int) -> str:
    """A loss and where it is."""
    if not where:
        return what
    if count == 1:
        return _("{place}: {message}", place=where, message=Text.of(what))
    return _("{place} and {count} more: {message}", place=where, count=count - 1, message=Text.of(what))


class Budget:
    """Values that may still be read: data that is used many times over is counted each time."""

    def __init__(self, size: int) -> None:
        self._limit = self._left = ALLOWANCE + VALUES_PER_BYTE * size

    def add(self, size: int) -> None:
        """Raise the budget by what the bytes of one more file justify."""
        self._limit += VALUES_PER_BYTE * size
        self._left += VALUES_PER_BYTE * size

    def spend(self, count: int, path: str) -> None:
        """Take values from the budget before they are made; raises `FormatError` if too few are left."""
        if count > self._left:
            message = _("more than the {limit} values that its size allows", limit=self._limit)
            raise FormatError(message, table=path)
        # Spent, not measured: an array that is used by a thousand nodes is copied a thousand times.
        self._left -= count


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

NO_GLTF: Final = _("is not a glTF file")
JSON: Final = "JSON"
"""Location of an error in the text of a file."""
FIRST: Final = _("is glTF 1.0; convert it to 2.0")

LISTS: Final = (
    "accessors", "animations", "buffers", "bufferViews", "cameras", "images", "materials", "meshes", "nodes",
    "samplers", "scenes", "skins", "textures",
)  # fmt: skip


class GltfDocument:
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

    def __init__(self, data: bytes | memoryview, resolver: Resolver) -> None:
        view = memoryview(data)
        self.losses = FileLosses()
        self.budget = Budget(len(view))
        self._resolver = resolver
        self._binary: memoryview | None = None
        self._buffers: dict[int, memoryview] = {}
        is_binary = bytes(view[:4]) == MAGIC
        self.root = JsonItem(_parsed(self._chunks(view), JSON) if is_binary else _parsed(view))
        _check_version(self.root)
        self._counts = {kind: len(self.root.entries(kind)) for kind in LISTS}
        self._items: dict[str, dict[int, JsonItem]] = {kind: {} for kind in LISTS}

    @property
    def program(self) -> str:
        """The program that wrote the file, as it says; empty if it does not."""
        said = self.root.item("asset").values.get("generator")
        return said if isinstance(said, str) else ""

    def _chunks(self, data: memoryview) -> memoryview:
        """The JSON of a GLB, whose binary chunk is kept."""
        if len(data) < _HEADER.size:
            raise FormatError(_("{size} bytes are too few", size=len(data)), table="GLB")
        _ignored, version, length = _HEADER.unpack_from(data)
        if version == 1:
            raise FormatError(FIRST, table="GLB")
        if version != 2:
            raise FormatError(_("version {version} is not 2", version=version), table="GLB")
        if length > len(data):
            message = _("{length} bytes, of which {size} are there", length=length, size=len(data))
            raise FormatError(message, table="GLB", field="length")
        chunks: dict[bytes, memoryview] = {}
        start = _HEADER.size
        while start + _CHUNK.size <= length:
            size, kind = _CHUNK.unpack_from(data, start)
            start += _CHUNK.size
            if size > length - start:
                message = _("{size} exceeds the {left} bytes left", size=size, left=length - start)
                raise FormatError(message, table="GLB", field="chunk")
            # Of several chunks of a kind the first counts, as of unknown ones none does.
            chunks.setdefault(kind, data[start : start + size])
            start += size
        if _JSON not in chunks:
            raise FormatError("has no JSON", table="GLB")
        self._binary = chunks.get(_BINARY)
        return chunks[_JSON]

    def count(self, kind: str) -> int:
        """The number of objects of a list."""
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
            raise item.wrong(key, "is missing")
        return found

    def moved_by(self, animation: JsonItem) -> set[int | None]:
        """The nodes that an animation moves."""
        targets = (channel.item("target") for channel in animation.items("channels"))
        return {it.index_of("node", self._counts["nodes"]) for it in targets} - {None}

    def view(self, view: JsonItem) -> memoryview:
        """The bytes of a buffer view."""
        start, size = view.whole("byteOffset", 0), view.whole("byteLength")
        data = self._buffer(self.required(view, "buffer", "buffers"))
        if start + size > len(data):
            raise view.wrong(
                "byteOffset", "{start} + {size} exceeds {end} bytes", start=start, size=size, end=len(data)
            )
        return data[start : start + size]

    def _buffer(self, buffer: JsonItem) -> memoryview:
        """The bytes of a buffer, as many as it says."""
        if buffer.index not in self._buffers:
            if "uri" not in buffer and (buffer.index != 0 or self._binary is None):
                raise FormatError("has no bytes", table=buffer.path)
            data = self.file(buffer) if "uri" in buffer or self._binary is None else self._binary
            size = buffer.whole("byteLength")
            if size > len(data):
                raise buffer.wrong(
                    "byteLength", "{size} exceeds the {left} bytes left", size=size, left=len(data)
                )
            self._buffers[buffer.index] = data[:size]
        return self._buffers[buffer.index]

    def file(self, item: JsonItem) -> memoryview:
        """The bytes that a ``uri`` holds or names."""
        uri = item.text("uri")
        if uri[:5].lower() == "data:":
            return memoryview(_embedded(item, uri))
        try:
            data = self._resolver(relative(uri))
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
        # Each value of JSON follows one of these letters, so their number bounds that of values; texts may
        # have them too, which a sound file does not reach.
        if sum(map(words.count, ",:[{")) > limit:
            raise FormatError(_("more than {limit} values", limit=limit), table=JSON)
        root = json.loads(words, parse_constant=_refuse, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise FormatError(_("cannot be read: {error}", error=reason_of(error)), table=JSON) from error
    if not isinstance(root, dict):
        raise FormatError(_("is not {expected}", expected="an object"), table=JSON)
    return root


def _refuse(name: str) -> NoReturn:
    raise ValueError(_("{name} is not a number of JSON", name=name))


def _check_version(root: JsonItem) -> None:
    """Refuse other versions before anything else is looked at: version 1 has objects for lists."""
    asset = root.item("asset")
    said = asset.values.get("version")
    is_first = said is None and any(isinstance(root.values.get(kind), dict) for kind in LISTS)
    if is_first or str(said).startswith("1"):
        raise FormatError(FIRST, table="asset", field="version")
    version = asset.text("version")
    least = asset.text("minVersion", "2.0")
    if version.split(".")[0] != "2" or least not in {"2", "2.0"}:
        found = least if version.split(".")[0] == "2" else version
        raise asset.wrong("version", "{version} is not glTF 2.0", version=quoted(found[:20]))


def _embedded(item: JsonItem, uri: str) -> bytes | bytearray:
    """The bytes of a data URI."""
    start = uri.find(",") + 1
    if not start:
        raise item.wrong("uri", "is a data URI without data")
    if not uri[: start - 1].lower().endswith(";base64"):
        return unquote_to_bytes(uri[start:])
    if "%" in uri:
        uri = uri[:start] + unquote(uri[start:])
    data = bytearray()
    try:
        for at in range(start, len(uri), _AT_ONCE):
            data += base64.b64decode(uri[at : at + _AT_ONCE], validate=True)
    except (binascii.Error, ValueError) as error:
        raise item.wrong("uri", "cannot be read: {error}", error=reason_of(error)) from error
    # Python stops at the first "=": "QQ==QUJD" gives one byte of the four letters before it.
    if len(data) < (len(uri) - start) // 4 * 3 - 2:
        raise item.wrong("uri", "has data after its padding")
    return data
