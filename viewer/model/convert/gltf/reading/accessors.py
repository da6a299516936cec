"""Arrays of a file: every count is checked against bytes before anything is made.

Source: glTF 2.0, 3.6.2; KHR_mesh_quantization.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.item import Item
from viewer.translation import Sentence

Values = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]
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


class Accessors:
    """The arrays of a document; each is read once. Arrays are shared: do not write into them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._floats: dict[int, Floats] = {}

    def floats(self, owner: Item, key: str, *widths: int) -> Floats:
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

    def _converted(self, accessor: Item) -> Floats:
        raw = self._values(accessor)
        values = np.ascontiguousarray(raw, np.float32)
        if raw.dtype.kind != "f" and accessor.flag("normalized"):
            values = values / np.float32(np.iinfo(raw.dtype).max)
            np.maximum(values, np.float32(-1), out=values)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise FormatError(Sentence("value {row} is not finite", row=row), table=accessor.path)
        return values

    def integers(self, owner: Item, key: str, width: int, below: int) -> Indices:
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

    def count(self, owner: Item, key: str) -> int:
        """Number of the values that an accessor claims to have."""
        return self._document.required(owner, key, "accessors").whole("count")

    def _values(self, accessor: Item) -> Values:
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

    def _strided(self, accessor: Item, view: Item, dtype: np.dtype[Any], shape: tuple[int, int]) -> Values:
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

    def _replaced(self, sparse: Item, values: Values) -> Values:
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

    def _packed(self, part: Item, dtype: np.dtype[Any], shape: tuple[int, int]) -> Values:
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
