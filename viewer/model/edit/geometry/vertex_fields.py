"""Fields of vertices and of triangle descriptors as ``inspect`` prints them: decoded, in one table.

A component that is set to the value that it decodes to keeps its stored bytes.

Source: spec/msh.md 4, 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.errors import EditError
from viewer.formats.msh import triangles, vertices
from viewer.formats.msh.tables import NORMALS, POSITIONS, TABLES, TRIANGLES, UVS
from viewer.formats.packing import quantise
from viewer.formats.record import Field, Rows
from viewer.model.edit import values
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.vertex_tables import put, rows_of
from viewer.model.edit.values import refused_at
from viewer.model.mesh.draws import Indices
from viewer.translation import Sentence

Setter = Callable[[Draft, Sequence[int], Any, tuple[int, ...]], None]
UV_LIMITS: Final = (-32.0, 32767 / vertices.UV_SCALE)

VERTEX_NORMAL: Final = Field("normal", "<f4", "The normal of a vertex.", (3,))
VERTEX_UV: Final = Field("uv", "<f4", "The texture coordinate of a vertex.", (2,))
FACE_NORMAL: Final = Field("normal", "<f4", "The normal of a face.", (3,))
SELECTORS: Final = Field(
    "selectors", "u1", "Shared edges of the neighbors.", (3,), none=triangles.NO_SELECTOR
)


@dataclass(frozen=True, slots=True)
class StoredField:
    """A field that is printed in another table than its own.

    Parameters
    ----------
    table
        Type of its own table.
    name
        Its name there.
    """

    table: int
    name: str

    def __call__(self, draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
        """Set it, or an element of it, in rows; raises `EditError`."""
        stored, chosen = _chosen(draft, self.table, rows)
        record = TABLES[self.table].record
        if not len(chosen) or record is None:
            return
        with refused_at(TABLES[self.table].name, int(chosen[0]), self.name):
            first = values.stored(record.field(self.name), value, stored[self.name][chosen[0]], element)
        index: tuple[Any, ...] = (chosen, *element)
        stored[self.name][index] = first[element]
        put(draft, self.table, stored)


@dataclass(frozen=True, slots=True)
class DecodedField:
    """A packed field that is set by the value that it decodes to.

    Parameters
    ----------
    table
        Type of its table.
    printed
        The field as it is printed.
    decode
        From stored values (n, ...) to printed ones (n, k).
    scale
        What a decoded value is multiplied by.
    low, high
        The limits of decoded values.
    """

    table: int
    printed: Field
    decode: Callable[[Any], npt.NDArray[np.float32]]
    scale: int
    low: float = -1.0
    high: float = 1.0

    def __call__(self, draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
        """Set it, or an element of it, in rows; raises `EditError` beyond the limits."""
        stored, chosen = _chosen(draft, self.table, rows)
        if not len(chosen):
            return
        name = self.printed.name
        raw = stored[name][chosen]
        before = self.decode(raw)
        after = before.copy()
        with refused_at(TABLES[self.table].name, int(chosen[0]), name):
            first = values.stored(self.printed, value, before[0], element)
            if not ((first >= self.low) & (first <= self.high) | (first == before[0])).all():
                shown = first.tolist()
                raise EditError(
                    Sentence("{value} exceeds {low}..{high}", value=shown, low=self.low, high=self.high)
                )
        index: tuple[Any, ...] = (slice(None), *element)
        after[index] = first[element]
        info, count = np.iinfo(raw.dtype), after.shape[1]
        packed = quantise(after, self.scale, int(info.min), int(info.max))
        raw[:, :count] = np.where(after != before, packed, raw[:, :count])
        stored[name][chosen] = raw
        put(draft, self.table, stored)


def set_selectors(draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set the selectors of descriptors, 0 to 2 or None; the other bits of their word stay."""
    stored, chosen = _chosen(draft, TRIANGLES, rows)
    for row in chosen.tolist():
        word = int(stored["selectors"][row])
        before = triangles.decode_selectors(np.array(word, np.uint16))
        with refused_at(TABLES[TRIANGLES].name, row, "selectors"):
            after = values.stored(SELECTORS, value, before, element)
            if (after > triangles.NO_SELECTOR).any():
                raise EditError(
                    Sentence("{value} exceeds {low}..{high}", value=after.tolist(), low=0, high=2)
                )
        stored["selectors"][row] = word & ~triangles.ALL_NONE | int(triangles.encode_selectors(after))
    put(draft, TRIANGLES, stored)


def _chosen(draft: Draft, table: int, rows: Sequence[int]) -> tuple[Rows, Indices]:
    """A copy of a table, and the rows, all of which it has; raises `EditError`."""
    stored = rows_of(draft, table)
    missing = next((row for row in rows if row >= len(stored)), None)
    if missing is not None:
        message = Sentence("there are {count} rows", count=len(stored))
        raise EditError(message, table=TABLES[table].name, index=missing)
    return stored, np.asarray(rows, np.int64)


SETTERS: Final[Mapping[tuple[str, str], Setter]] = {
    ("vertices", "position"): StoredField(POSITIONS, "position"),
    ("vertices", "normal_raw"): StoredField(NORMALS, "normal"),
    ("vertices", "uv_raw"): StoredField(UVS, "uv"),
    ("vertices", "normal"): DecodedField(
        NORMALS, VERTEX_NORMAL, vertices.decode_normals, vertices.NORMAL_SCALE
    ),
    ("vertices", "uv"): DecodedField(UVS, VERTEX_UV, vertices.decode_uvs, vertices.UV_SCALE, *UV_LIMITS),
    ("tri_descriptors", "normal"): DecodedField(
        TRIANGLES, FACE_NORMAL, triangles.decode_normal, triangles.SCALE
    ),
    ("tri_descriptors", "selectors"): set_selectors,
}
"""How fields of a model are set by table and name, as they are printed."""
STORED: Final[Mapping[tuple[str, str], str]] = {
    ("tri_descriptors", "normal_raw"): "normal",
    ("tri_descriptors", "selectors_raw"): "selectors",
}
"""Stored fields that are printed under another name."""
