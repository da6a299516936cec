"""Extras that this program wrote into a file, also after other programs have rewritten them.

What does not look as it was written counts as absent: other programs keep extras, but not always their kinds.
Names may have got a number at their end.

Source: viewer.model.convert.gltf.extras.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.formats.msh.slots import HEADER
from viewer.formats.record import Record
from viewer.model.convert.gltf import extras
from viewer.model.convert.gltf.conventions import Axes
from viewer.model.convert.gltf.item import JsonItem
from viewer.model.convert.labels import UniqueNames
from viewer.model.convert.scene import NO_FIELDS, Cell, Clips, Fields, Options, Origin, SceneClip
from viewer.model.mesh.reading import MaterialField

Key = TypeVar("Key")
Number = TypeVar("Number", int, float)

_COPY: Final = re.compile(r"\.\d{3,}$")
"""What other programs append to the name of a copy."""
_TAKEN: Final = re.compile(r"~\d+$")
"""What this program appends to a name that is taken."""
_MOST: Final = 1 << 31


class ExtrasReader:
    """The content of the extras of one object, each value checked."""

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        self.values: Mapping[str, Any] = values if isinstance(values, dict) else {}

    @classmethod
    def of(cls, item: JsonItem) -> ExtrasReader:
        """What is in the extras of an object of the file."""
        found = item.values.get("extras")
        said = found.get(extras.NAME) if isinstance(found, dict) else None
        if isinstance(said, str):
            with suppress(ValueError, RecursionError):
                return cls(json.loads(said))
        return cls(said)

    def __bool__(self) -> bool:
        return bool(self.values)

    def part(self, key: str) -> ExtrasReader:
        """An object inside."""
        return ExtrasReader(self.values.get(key))

    def whole(self, key: str) -> int | None:
        """A whole number of 0 or more."""
        value = self.values.get(key)
        if isinstance(value, str) and value.isdecimal() and len(value) < 12:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
        return value if is_whole else None

    def number(self, key: str) -> float | None:
        """A finite number."""
        value = self.values.get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30
        return float(value) if is_number and value is not None else None

    def text(self, key: str) -> str | None:
        """A text."""
        value = self.values.get(key)
        return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None

    def flag(self, key: str, default: bool = False) -> bool:
        """A truth value, which some programs make a number."""
        value = self.values.get(key, default)
        return bool(value) if isinstance(value, bool | int | float) else default

    def wholes(self, key: str) -> list[int]:
        """A list of whole numbers; empty if it is not one."""
        return self._all(key, ExtrasReader.whole)

    def numbers(self, key: str) -> list[float]:
        """A list of finite numbers; empty if it is not one."""
        return self._all(key, ExtrasReader.number)

    def _all(self, key: str, read: Callable[[ExtrasReader, str], Number | None]) -> list[Number]:
        """What reads each value of a list; empty if it is not a list, or one value is not what it reads."""
        values = self.values.get(key)
        found = [read(ExtrasReader({"": it}), "") for it in (values if isinstance(values, list) else [])]
        kept = [it for it in found if it is not None]
        return kept if len(kept) == len(found) else []

    def cells(self, key: str) -> list[Cell]:
        """Rows and columns in turn as cells of the slot matrix."""
        numbers = self.wholes(key)
        pairs = zip(numbers[::2], numbers[1::2], strict=False)
        return [(row, column) for row, column in pairs if row < LODS and column < GROUPS]

    def cell(self, key: str) -> Cell | None:
        """One cell."""
        return next(iter(self.cells(key)), None)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a file says about itself as a whole.

    Attributes
    ----------
    own
        What this program wrote into its scene; empty in other files.
    """

    own: ExtrasReader
    origin: Origin | None
    options: Options

    @classmethod
    def of(cls, scene: JsonItem | None, default: Options) -> Provenance:
        """What is in the extras of a scene."""
        own = ExtrasReader({}) if scene is None else ExtrasReader.of(scene)
        return cls(own, origin_of(own), options_of(own, default))

    @property
    def axes(self) -> Axes:
        """The directions of the file."""
        return Axes(self.options.is_y_up)


def origin_of(own: ExtrasReader) -> Origin | None:
    """The model that a file was made from."""
    said = own.part("origin")
    name, size, digest = said.text("name"), said.whole("size"), said.text("sha256")
    order, field = said.text("quaternion_order"), said.text("material_field")
    if name is None or size is None or digest is None:
        return None
    if order not in {*QuaternionOrder} or field not in {*MaterialField}:
        return None
    return Origin(name, size, digest, str(order), str(field), said.flag("has_name_records"))


def options_of(own: ExtrasReader, default: Options) -> Options:
    """How a file was made."""
    said = own.part("options")
    if not said:
        return default
    clips = said.text("clips")
    fps = said.number("fps") or 0.0
    return Options(
        cell=said.cell("cell") or default.cell,
        has_all_cells=said.flag("has_all_cells"),
        has_textures=said.flag("has_textures", default=True),
        has_frame_keys=said.flag("has_frame_keys", default=True),
        rest=said.number("rest") or 0.0,
        fps=fps if fps > 0 else default.fps,
        is_y_up=said.flag("is_y_up", default=True),
        clips=Clips(str(clips)) if clips in {*Clips} else default.clips,
        nodes=frozenset(said.wholes("nodes")) if "nodes" in said.values else None,
    )


def clips_of(own: ExtrasReader) -> tuple[SceneClip, ...]:
    """The clips of the model's controller."""
    said = own.part("clips")
    found = []
    for key in sorted((key for key in said.values if key.isdecimal()), key=int):
        clip = said.part(key)
        name, first, last = clip.text("name"), clip.number("first"), clip.number("last")
        if name is not None and first is not None and last is not None:
            fields = dict(clip.part("fields").values)
            found.append(SceneClip(name, first, last, clip.number("seconds"), fields=fields))
    return tuple(found)


def tables_of(own: ExtrasReader) -> dict[int, bytes]:
    """The payloads of tables."""
    found = {}
    for key, text in own.part("tables").values.items():
        if key.isdecimal() and isinstance(text, str) and len(key) < 11:
            with suppress(ValueError):  # `binascii.Error` is one
                found[int(key)] = b64decode(text, validate=True)
    return found


def attributes_of(own: ExtrasReader) -> dict[int, tuple[int, int, int]]:
    """attr1 to attr3 of the tables; those that are damaged are left out."""
    found = {}
    for key, values in own.part("attributes").values.items():
        is_whole = isinstance(values, list) and all(type(it) is int and 0 <= it < 1 << 32 for it in values)
        if key.isdecimal() and len(key) < 11 and is_whole and len(values) == 3:
            found[int(key)] = (values[0], values[1], values[2])
    return found


def header_of(own: ExtrasReader) -> Fields:
    """The stored bounds of the model."""
    return fields_of(HEADER, own.part("fields"))


def fields_of(record: Record, said: ExtrasReader) -> Fields:
    """The fields of a record as they are stored; those that are absent or damaged are left out."""
    return columns_of(record, said, 1)[0] if said else NO_FIELDS


def columns_of(record: Record, said: ExtrasReader, count: int) -> list[Fields]:
    """The fields of several rows from lists with an element, or several, for each."""
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for field in record.fields:
        value = said.values.get(field.name)
        stored = None if value is None else _stored(record.dtype[field.name], value, count)
        if stored is not None:
            for row, one in zip(rows, stored, strict=True):
                row[field.name] = one
    return list(rows)


def _stored(dtype: np.dtype[Any], value: Any, count: int) -> list[Any] | None:
    """Values of a field of some rows; None if they do not suit it."""
    base, shape = dtype.subdtype or (dtype, ())
    values = value if isinstance(value, list) else [value]
    try:
        if base.kind in "SV":
            raw = [bytes.fromhex(it) for it in values]
            return raw if len(raw) == count and not shape else None
        array = np.array([_plain(base, it) for it in values], base)
        found: list[Any] = array.reshape(count, *shape).tolist()
    except (ValueError, TypeError, OverflowError):
        return None
    return found


def _plain(base: np.dtype[Any], value: Any) -> Any:
    """A number of JSON, or what stands for one."""
    if base.kind == "f":
        return float(value)
    if isinstance(value, str):
        return int(value, 0)
    if isinstance(value, bool) or int(value) != value:
        message = "not a whole number"
        raise ValueError(message)
    return int(value)


def without_copy(name: str) -> str:
    """A name without what programs append to that of a copy."""
    return _COPY.sub("", name)


def plain_name(name: str) -> str:
    """A name without what tells it from equal ones."""
    return _TAKEN.sub("", without_copy(name))


def is_same_name(name: str, stored: str, otherwise: str) -> bool:
    """Whether a name in a file is the one that was written for a stored name."""
    plain = without_copy(name)
    return UniqueNames().add(stored, otherwise) in {name, plain, plain_name(name)}


def originals(items: Iterable[tuple[Key | None, str, str | None, str]]) -> list[bool]:
    """Which objects are still called as they were written, and are not copies of another one.

    Parameters
    ----------
    items
        For each object the number that it says it has, its name in the file, the stored name, and what is
        written instead of an empty one.
    """
    listed = [*items]
    is_same = [
        number is not None and stored is not None and is_same_name(name, stored, otherwise)
        for number, name, stored, otherwise in listed
    ]
    first: dict[Key | None, int] = {}
    for at, (number, name, _, _) in enumerate(listed):
        if is_same[at] and (number not in first or _is_copy(listed[first[number]][1]) > _is_copy(name)):
            first[number] = at
    return [
        is_same[at] and (first[number] == at or not _is_copy(name))
        for at, (number, name, _, _) in enumerate(listed)
    ]


def _is_copy(name: str) -> bool:
    return without_copy(name) != name
