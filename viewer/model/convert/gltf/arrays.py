"""Arrays of a file, read and written: every count is checked against bytes before anything is made.

Source: glTF 2.0, 3.6.2; KHR_mesh_quantization.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.formats.texture.pixels import Image
from viewer.geometry.transforms import Floats, Indices
from viewer.model.convert.gltf.document import GltfDocument, JsonItem
from viewer.model.convert.scene import Color, Vector
from viewer.model.convert.scene_file import Resolver

PLACES: Final = 6
FULL: Final = 255
MOST_STEP: Final = 16
"""Units between the values of a file with the fewest bits for a coordinate, 12 of 16."""
HALF_UNIT: Final = 0.55
"""Units between a value and the whole number that it was rounded to, at most, and rounding of floats."""
AT_ONCE: Final = 1 << 18
"""Pixels that are converted at once."""


def linear(value: float) -> float:
    """The linear factor that has the effect of a factor of stored colors."""
    return round(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4, PLACES)


def stored(value: float) -> float:
    """The factor of stored colors that has the effect of a linear factor."""
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


class Strength(StrEnum):
    """Place of the strength of an image of light; the values are those of ``extras``."""

    COLOR = "color"
    """The color of the image alone."""
    OPACITY = "opacity"
    """The opacity of the image too."""


def strength_of(light: Image) -> Strength:
    """Place of the strength of an image (h, w, 4)."""
    return Strength.COLOR if (light[..., 3] == FULL).all() else Strength.OPACITY


def layer_of(light: Image) -> Image:
    """The layer of an image of light, both (h, w, 4)."""
    flat = np.ascontiguousarray(light).reshape(-1, 4)
    layer = np.empty_like(flat)
    for start in range(0, len(flat), AT_ONCE):
        part = flat[start : start + AT_ONCE].astype(np.uint32)
        most = part[:, :3].max(axis=1, initial=0)
        # Rounded whole numbers: (10, 20, 40) has the strength 40 and the color (64, 128, 255).
        color = (part[:, :3] * FULL + most[:, None] // 2) // np.maximum(most, 1)[:, None]
        layer[start : start + AT_ONCE, :3] = color
        layer[start : start + AT_ONCE, 3] = (most * part[:, 3] + FULL // 2) // FULL
    is_clear = layer[:, 3] == 0
    if not is_clear.all():
        # What is clear gets the mean color, as programs mix it with what is next to it.
        shown = layer[~is_clear]
        weights = shown[:, 3].astype(np.float64)
        layer[is_clear, :3] = np.rint(weights @ shown[:, :3] / weights.sum()).astype(np.uint8)
    return layer.reshape(light.shape)


def light_of(layer: Image) -> Image:
    """The image of light without opacity whose layer is given: the same bytes if it had none."""
    light = np.full_like(layer, FULL)
    # 255 * 255 fits 16 bits; half the divisor is added so that the division rounds: 254 * 255 gives 254
    # again.
    strength = layer[..., 3:].astype(np.uint16)
    np.floor_divide(layer[..., :3] * strength + FULL // 2, FULL, out=light[..., :3], casting="unsafe")
    return light


def layer_color(color: Color) -> Color:
    """The factor of a layer for the factor of light."""
    strength = max(color[:3])
    if not strength:
        return 1.0, 1.0, 1.0, 0.0
    red, green, blue = (value / strength for value in color[:3])
    return red, green, blue, strength * color[3]


def light_color(color: Color) -> Color:
    """The factor of light for the factor of a layer."""
    light: Vector = (color[0] * color[3], color[1] * color[3], color[2] * color[3])
    return (*light, 1.0)


def shortest(values: np.ndarray) -> list[float]:
    """Floats that are written as the shortest decimals of their single precision."""
    with np.errstate(over="ignore"):
        values = values.astype(np.float32)
    return [float(str(it)) for it in values.reshape(-1)]  # many have three: an array of texts takes longer


def shortest_rows(values: np.ndarray) -> list[list[float]]:
    """Rows (n, k) of floats that are written like that."""
    flat, width = shortest(values), values.shape[1]
    return [flat[at : at + width] for at in range(0, len(flat), width)]


Values = npt.NDArray[Any]

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


class GltfFile(GltfDocument):
    """A file with its arrays; each is read once. Arrays are shared: do not write into them."""

    def __init__(self, data: bytes | memoryview, resolver: Resolver) -> None:
        super().__init__(data, resolver)
        self._floats: dict[int, Floats] = {}
        self._steps: dict[tuple[str, np.dtype[Any]], int] = {}

    def floats(self, owner: JsonItem, key: str, *widths: int) -> Floats:
        """The finite floats of an accessor that a value refers to, (count, width), normalized or not."""
        accessor = self.required(owner, key, "accessors")
        if accessor.index not in self._floats:
            self._floats[accessor.index] = self._converted(accessor)
        values = self._floats[accessor.index]
        if values.shape[1] not in widths:
            wanted = " or ".join(map(str, widths))
            raise accessor.wrong(
                "type", "{count} components instead of {wanted}", count=values.shape[1], wanted=wanted
            )
        return values

    def rounding(self, owner: JsonItem, key: str) -> float:
        """Largest error of a value of an accessor by its quantization; 0 for floats."""
        accessor = self.required(owner, key, "accessors")
        if accessor.choice("componentType", DTYPES).kind == "f" or not accessor.whole("count"):
            return 0.0
        if not accessor.flag("normalized"):
            return HALF_UNIT
        kind = accessor.choice("componentType", DTYPES)
        if kind.itemsize == 1:
            return HALF_UNIT / np.iinfo(kind).max
        step = self._step(key, kind)
        # The low bits of 12 are those of its high bits again, up to one unit more or less.
        # With 12 of 16 bits values are 16 apart, so one is up to 8 units from what it was, and 1 more for the
        # bits that were filled up.
        units = HALF_UNIT if step == 1 else 0.5 * step + 1
        return units / np.iinfo(kind).max

    def _step(self, key: str, kind: np.dtype[Any]) -> int:
        """The smallest distance of two values of normalized attributes of a name.

        Of 16 bits programs use 12 or 14, the same in all meshes: a box of few values says little alone.
        """
        if (key, kind) not in self._steps:
            primitives = (it for mesh in self.root.items("meshes") for it in mesh.items("primitives"))
            attributes = (it.item("attributes") for it in primitives)
            used = {self.required(it, key, "accessors").index for it in attributes if key in it}
            steps = [MOST_STEP]
            for accessor in (self.item("accessors", it) for it in sorted(used)):
                if accessor.flag("normalized") and accessor.choice("componentType", DTYPES) == kind:
                    values = np.unique(self._values(accessor)).astype(np.int64)
                    steps.append(int(np.diff(values).min(initial=MOST_STEP)))
            self._steps[key, kind] = min(steps)
        return self._steps[key, kind]

    def _converted(self, accessor: JsonItem) -> Floats:
        raw = self._values(accessor)
        values = np.ascontiguousarray(raw, np.float32)
        if raw.dtype.kind != "f" and accessor.flag("normalized"):
            values = values / np.float32(np.iinfo(raw.dtype).max)
            # Normalized bytes go from -127 to 127: -128 is -1 too (glTF 2.0, 3.6.2).
            np.maximum(values, np.float32(-1), out=values)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise accessor.wrong("", "value {row} is not finite", row=row)
        return values

    def integers(self, owner: JsonItem, key: str, width: int, below: int) -> Indices:
        """The whole numbers below a limit of an accessor that a value refers to, (count, width)."""
        accessor = self.required(owner, key, "accessors")
        values = self._values(accessor)
        if values.dtype.kind != "u" or values.shape[1] != width:
            raise accessor.wrong("componentType", "does not suit {name}", name=key)
        if len(values) and int(values.max()) >= below:
            row = int(np.argmax((values >= below).any(axis=1)))
            words = "value {row} is {value}, which is not below {limit}"
            raise accessor.wrong("", words, row=row, value=int(values[row].max()), limit=below)
        return values.astype(np.int64)

    def _values(self, accessor: JsonItem) -> Values:
        """Rows as they are stored, (count, width)."""
        dtype, width = accessor.choice("componentType", DTYPES), accessor.choice("type", WIDTHS)
        count = accessor.whole("count")
        self.budget.spend(count * width, accessor.path)
        view = self.referred(accessor, "bufferView", "bufferViews")
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
        data = self.view(view)
        start, size = accessor.whole("byteOffset", 0), dtype.itemsize * shape[1]
        stride = view.whole("byteStride", 0) or size
        if stride < size:
            raise view.wrong(
                "byteStride", "{stride} bytes are less than a value of {size}", stride=stride, size=size
            )
        if shape[0] == 0:
            return np.empty(shape, dtype)
        # The last value needs no padding after it: 2 values of 12 bytes with a stride of 16 are 28 bytes.
        end = start + (shape[0] - 1) * stride + size
        if end > len(data):
            words = "{count} values end at {end}, their view at {size}"
            raise accessor.wrong("count", words, count=shape[0], end=end, size=len(data))
        # A view of the file's bytes, which skips what other attributes have between them; no copy is made.
        return np.ndarray(shape, dtype, data, start, (stride, dtype.itemsize))

    def _replaced(self, sparse: JsonItem, values: Values) -> Values:
        """Rows with those of a sparse accessor in their place."""
        count = sparse.whole("count")
        at, new = sparse.item("indices"), sparse.item("values")
        self.budget.spend(count * (values.shape[1] + 1), sparse.path)
        rows = self._packed(at, at.choice("componentType", _INDEX_DTYPES), (count, 1))[:, 0].astype(np.int64)
        if count and int(rows.max()) >= len(values):
            raise at.wrong("", "{row} is not below {count}", row=int(rows.max()), count=len(values))
        values = values.copy()
        values[rows] = self._packed(new, values.dtype, (count, values.shape[1]))
        return values

    def _packed(self, part: JsonItem, dtype: np.dtype[Any], shape: tuple[int, int]) -> Values:
        """Rows that follow each other in a view."""
        data = self.view(self.required(part, "bufferView", "bufferViews"))
        start = part.whole("byteOffset", 0)
        end = start + shape[0] * shape[1] * dtype.itemsize
        if end > len(data):
            words = "{count} values end at {end}, their view at {size}"
            raise part.wrong("", words, count=shape[0], end=end, size=len(data))
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
# Attributes must not be unsigned 32-bit numbers (glTF 2.0, 3.7.2.1): a float is exact below 2**24 rows.
ROW: Final = Stream("row", "<f4", (), VERTICES)
SHORT_INDEX: Final = Stream("short index", "<u2", (), INDICES)
INDEX: Final = Stream("index", "<u4", (), INDICES)
TIME: Final = Stream("time", "<f4")
TRANSLATION: Final = Stream("translation", "<f4", (3,))
ROTATION: Final = Stream("rotation", "<f4", (4,))


class Binary:
    """Collects arrays and images.

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
            # Required of positions and of key times. Decimals are read back as the same single floats, as
            # validators ask.
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
        """The index of a view of bytes, which is behind those of the arrays: all of these are there then."""
        self._blobs.append(data)
        return len(self._parts) + len(self._blobs) - 1

    def finish(self) -> tuple[list[dict[str, Any]], bytes]:
        """The views, and all bytes."""
        views: list[dict[str, Any]] = []
        pieces: list[bytes] = []
        at = 0
        for stream, parts in self._parts.items():
            data = b"".join(part.tobytes() for part in parts)
            # Streams with a use of their own: a view must not hold vertices and indices together.
            view = {"buffer": 0, "byteOffset": at, "byteLength": len(data)}
            if stream.target == VERTICES:
                # Required of a view that several accessors of vertices share, not allowed elsewhere (glTF
                # 2.0, 3.6.2.4).
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
    """The number of bytes appended to a buffer, padded to a multiple of four."""
    # Accessors start at multiples of their components, of 4 bytes at most.
    padding = bytes(-len(data) % 4)
    pieces += (data, padding)
    return len(data) + len(padding)
