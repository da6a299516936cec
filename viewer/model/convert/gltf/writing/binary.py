"""The binary part of a file: arrays one after the other in a view for each use, and the accessors of them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.model.convert.gltf.extras import shortest

FLOAT, SHORT, INT = 5126, 5123, 5125
VERTICES, INDICES = 34962, 34963
TYPES: Final = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4"}
COMPONENTS: Final = {"f4": FLOAT, "u2": SHORT, "u4": INT}


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
