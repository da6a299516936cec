"""Arrays of a file, read and written: every count is checked against bytes before anything is made.

Source: glTF 2.0, 3.6.2; KHR_mesh_quantization.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.geometry.transforms import Floats
from viewer.model.convert.gltf.document import GltfFile
from viewer.model.convert.gltf.extras import shortest
from viewer.model.convert.gltf.item import JsonItem
from viewer.translation import Sentence

Values = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]

WIDTHS: Final = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
DTYPES: Final[dict[int, np.dtype[Any]]] = {
    5120: np.dtype("i1"),
    5121: np.dtype("u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
_INDEX_DTYPES: Final[dict[int, np.dtype[Any]]] = {code: DTYPES[code] for code in (5121, 5123, 5125)}
FLOAT, SHORT, INT = 5126, 5123, 5125
VERTICES, INDICES = 34962, 34963
TYPES: Final = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4"}
COMPONENTS: Final = {"f4": FLOAT, "u2": SHORT, "u4": INT}


class Accessors:
    """The arrays of a document; each is read once. Arrays are shared: do not write into them."""

    def __init__(self, document: GltfFile) -> None:
        self._document = document
        self._floats: dict[int, Floats] = {}

    def floats(self, owner: JsonItem, key: str, *widths: int) -> Floats:
        """The finite floats of an accessor that a value refers to, (count, width), normalized or not."""
        accessor = self._document.required(owner, key, "accessors")
        if accessor.index not in self._floats:
            self._floats[accessor.index] = self._converted(accessor)
        values = self._floats[accessor.index]
        if values.shape[1] not in widths:
            wanted = " or ".join(map(str, widths))
            message = Sentence("{count} components instead of {wanted}", count=values.shape[1], wanted=wanted)
            raise accessor.wrong("type", message)
        return values

    def _converted(self, accessor: JsonItem) -> Floats:
        raw = self._values(accessor)
        values = np.ascontiguousarray(raw, np.float32)
        if raw.dtype.kind != "f" and accessor.flag("normalized"):
            values = values / np.float32(np.iinfo(raw.dtype).max)
            np.maximum(values, np.float32(-1), out=values)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise FormatError(Sentence("value {row} is not finite", row=row), table=accessor.path)
        return values

    def integers(self, owner: JsonItem, key: str, width: int, below: int) -> Indices:
        """The whole numbers below a limit of an accessor that a value refers to, (count, width)."""
        accessor = self._document.required(owner, key, "accessors")
        values = self._values(accessor)
        if values.dtype.kind != "u" or values.shape[1] != width:
            raise accessor.wrong("componentType", Sentence("does not suit {key}", key=key))
        if len(values) and int(values.max()) >= below:
            row = int(np.argmax((values >= below).any(axis=1)))
            message = Sentence(
                "value {row} is {value}, which is not below {limit}",
                row=row, value=int(values[row].max()), limit=below,
            )  # fmt: skip
            raise FormatError(message, table=accessor.path)
        return values.astype(np.int64)

    def count(self, owner: JsonItem, key: str) -> int:
        """Number of the values that an accessor claims to have."""
        return self._document.required(owner, key, "accessors").whole("count")

    def _values(self, accessor: JsonItem) -> Values:
        """Rows as they are stored, (count, width)."""
        dtype, width = accessor.choice("componentType", DTYPES), accessor.choice("type", WIDTHS)
        count = accessor.whole("count")
        self._document.budget.spend(count * width, accessor.path)
        view = self._document.referred(accessor, "bufferView", "bufferViews")
        if view is None:
            values = np.zeros((count, width), dtype)
        else:
            values = self._strided(accessor, view, dtype, (count, width))
        if "sparse" in accessor:
            values = self._replaced(accessor.item("sparse"), values)
        return values

    def _strided(
        self, accessor: JsonItem, view: JsonItem, dtype: np.dtype[Any], shape: tuple[int, int]
    ) -> Values:
        """Rows that lie in a view, packed or not."""
        data = self._document.view(view)
        start, size = accessor.whole("byteOffset", 0), dtype.itemsize * shape[1]
        stride = view.whole("byteStride", 0) or size
        if stride < size:
            message = Sentence("{stride} bytes are less than a value of {size}", stride=stride, size=size)
            raise view.wrong("byteStride", message)
        if shape[0] == 0:
            return np.empty(shape, dtype)
        end = start + (shape[0] - 1) * stride + size
        if end > len(data):
            message = Sentence(
                "{count} values end at {end}, their view at {size}", count=shape[0], end=end, size=len(data)
            )
            raise accessor.wrong("count", message)
        return np.ndarray(shape, dtype, data, start, (stride, dtype.itemsize))

    def _replaced(self, sparse: JsonItem, values: Values) -> Values:
        """Rows with those of a sparse accessor in their place."""
        count = sparse.whole("count")
        at, new = sparse.item("indices"), sparse.item("values")
        self._document.budget.spend(count * (values.shape[1] + 1), sparse.path)
        rows = self._packed(at, at.choice("componentType", _INDEX_DTYPES), (count, 1))[:, 0].astype(np.int64)
        if count and int(rows.max()) >= len(values):
            message = Sentence("{row} is not below {count}", row=int(rows.max()), count=len(values))
            raise FormatError(message, table=at.path)
        values = values.copy()
        values[rows] = self._packed(new, values.dtype, (count, values.shape[1]))
        return values

    def _packed(self, part: JsonItem, dtype: np.dtype[Any], shape: tuple[int, int]) -> Values:
        """Rows that follow each other in a view."""
        data = self._document.view(self._document.required(part, "bufferView", "bufferViews"))
        start = part.whole("byteOffset", 0)
        end = start + shape[0] * shape[1] * dtype.itemsize
        if end > len(data):
            message = Sentence(
                "{count} values end at {end}, their view at {size}", count=shape[0], end=end, size=len(data)
            )
            raise FormatError(message, table=part.path)
        return np.frombuffer(data[start:end], dtype).reshape(shape)


class Stream(NamedTuple):
    """A use of arrays, which has a view of its own: its elements, and what a renderer does with them."""

    name: str
    dtype: str
    shape: tuple[int, ...] = ()
    target: int | None = None

    @property
    def stride(self) -> int:
        """Bytes from an element to the next one."""
        return int(np.dtype((self.dtype, self.shape)).itemsize)


POSITION: Final = Stream("position", "<f4", (3,), VERTICES)
NORMAL: Final = Stream("normal", "<f4", (3,), VERTICES)
UV: Final = Stream("uv", "<f4", (2,), VERTICES)
LIGHTMAP_UV: Final = Stream("lightmap uv", "<f4", (2,), VERTICES)
ROW: Final = Stream("row", "<f4", (), VERTICES)
SHORT_INDEX: Final = Stream("short index", "<u2", (), INDICES)
INDEX: Final = Stream("index", "<u4", (), INDICES)
TIME: Final = Stream("time", "<f4")
TRANSLATION: Final = Stream("translation", "<f4", (3,))
ROTATION: Final = Stream("rotation", "<f4", (4,))


class Binary:
    """Collects arrays and pictures.

    Attributes
    ----------
    accessors
        As in the file.
    """

    def __init__(self) -> None:
        self.accessors: list[dict[str, Any]] = []
        self._parts: dict[Stream, list[npt.NDArray[Any]]] = {}
        self._size: dict[Stream, int] = {}
        self._known: dict[tuple[Stream, bytes], int] = {}
        self._blobs: list[bytes] = []

    def add(self, stream: Stream, values: npt.NDArray[Any], *, has_bounds: bool = False) -> int:
        """The index of an accessor of an array (n, ...), which has elements."""
        array = np.ascontiguousarray(values, stream.dtype)
        parts = self._parts.setdefault(stream, [])
        offset = self._size.get(stream, 0)
        accessor: dict[str, Any] = {
            "bufferView": [*self._parts].index(stream),
            "byteOffset": offset,
            "componentType": COMPONENTS[stream.dtype[1:]],
            "count": len(array),
            "type": TYPES[array.shape[1:]],
        }
        if has_bounds:
            accessor |= {"min": shortest(array.min(axis=0)), "max": shortest(array.max(axis=0))}
        parts.append(array)
        self._size[stream] = offset + array.nbytes
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def add_once(self, stream: Stream, values: npt.NDArray[Any], *, has_bounds: bool = False) -> int:
        """The index of an accessor of an array, the same one for the same values."""
        key = stream, values.tobytes()
        if key not in self._known:
            self._known[key] = self.add(stream, values, has_bounds=has_bounds)
        return self._known[key]

    def add_blob(self, data: bytes) -> int:
        """The number of bytes that have a view of their own after those of the arrays; see `views`."""
        self._blobs.append(data)
        return len(self._blobs) - 1

    def view_of(self, blob: int) -> int:
        """The view of a blob, when all arrays are there."""
        return len(self._parts) + blob

    def finish(self) -> tuple[list[dict[str, Any]], bytes]:
        """The views, and all bytes."""
        views: list[dict[str, Any]] = []
        pieces: list[bytes] = []
        at = 0
        for stream, parts in self._parts.items():
            data = b"".join(part.tobytes() for part in parts)
            view = {"buffer": 0, "byteOffset": at, "byteLength": len(data)}
            if stream.target == VERTICES:
                view["byteStride"] = stream.stride
            if stream.target is not None:
                view["target"] = stream.target
            views.append(view)
            at += _append(pieces, data)
        for blob in self._blobs:
            views.append({"buffer": 0, "byteOffset": at, "byteLength": len(blob)})
            at += _append(pieces, blob)
        return views, b"".join(pieces)


def _append(pieces: list[bytes], data: bytes) -> int:
    """Append bytes, padded to a multiple of four; their number."""
    padding = bytes(-len(data) % 4)
    pieces += (data, padding)
    return len(data) + len(padding)
