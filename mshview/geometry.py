"""Arrays of geometry as changes, refused like any other edit if they do not fit."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mshview.records import Batch
from viewer.errors import EditError, shown
from viewer.formats.msh import tables
from viewer.formats.msh.vertices import (
    NORMAL_SCALE,
    UV_SCALE,
    decode_normals,
    decode_uvs,
    encode_normals,
    encode_uvs,
)
from viewer.model.edit.rows.row_changes import ReplaceRows
from viewer.model.edit.values import ALL, RowChoice
from viewer.model.mesh.model import Model
from viewer.operations.arguments import Numbers, checked
from viewer.translation import _

LARGEST: Final = float(np.finfo(np.float32).max)
ROUNDED: Final = 0.5 / NORMAL_SCALE
"""Largest length above 1 of a normal: it is rounded to 1."""


def _array(table: str, values: npt.ArrayLike, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Finite numbers in rows; raises `EditError` for another shape."""
    try:
        found = np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        found = np.array(None)
    if found.dtype.kind not in "fiu":
        raise EditError(_("{value} is not an array of numbers", value=shown(values)), table=table)
    if found.shape != shape:
        words = "{given} numbers are given, the model has {expected}"
        given, expected = (" x ".join(map(str, it)) for it in (found.shape, shape))
        raise EditError(_(words, given=given, expected=expected), table=table)
    numbers = found.astype(np.float64)
    wrong = ~(np.abs(numbers) <= LARGEST).all(axis=1)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        value, words = numbers[row].tolist(), "{value} is not finite"
        if np.isfinite(numbers[row]).all():
            words = "{value} exceeds {low}..{high}"
        raise EditError(_(words, value=value, low=-LARGEST, high=LARGEST), table=table, index=row)
    return numbers


def _refuse_beyond(table: str, numbers: npt.NDArray[np.float64], low: float, high: float) -> None:
    """Raise `EditError` for the first row with a number that the table cannot hold."""
    for row in np.flatnonzero(((numbers < low) | (numbers > high)).any(axis=1))[:1].tolist():
        words = "{value} exceeds {low}..{high}"
        raise EditError(_(words, value=numbers[row].tolist(), low=low, high=high), table=table, index=row)


def _replaced(table: int, field: str, data: npt.NDArray[Any]) -> list[ReplaceRows]:
    return [ReplaceRows(tables.TABLES[table].name, RowChoice(ALL), field, data.tobytes())]


def positions(model: Model, values: npt.ArrayLike) -> list[ReplaceRows]:
    """The change that gives all vertices these positions, (v, 3)."""
    name = tables.TABLES[tables.POSITIONS].name
    found = _array(name, values, (model.vertex_count, 3)).astype("<f4")
    return _replaced(tables.POSITIONS, "position", found)


def normals(model: Model, values: npt.ArrayLike) -> list[ReplaceRows]:
    """The change that gives all vertices these normals, (v, 3); bytes that mean them already stay."""
    name = tables.TABLES[tables.NORMALS].name
    raw = _stored(model.normals_raw, name)
    found = _array(name, values, (len(raw), 3))
    _refuse_beyond(name, found, -1 - ROUNDED, 1 + ROUNDED)
    made = encode_normals(np.clip(found, -1, 1), raw[:, 3])
    made[:, :3] = np.where(decode_normals(raw) == found.astype(np.float32), raw[:, :3], made[:, :3])
    return _replaced(tables.NORMALS, "normal", made)


def uvs(model: Model, values: npt.ArrayLike) -> list[ReplaceRows]:
    """The change that gives all vertices these texture coordinates, (v, 2)."""
    name = tables.TABLES[tables.UVS].name
    raw = _stored(model.uvs_raw, name)
    found = _array(name, values, (len(raw), 2))
    _refuse_beyond(name, found, -32.0, 32767 / UV_SCALE)
    made = np.where(decode_uvs(raw) == found.astype(np.float32), raw, encode_uvs(found))
    return _replaced(tables.UVS, "uv", made.astype("<i2"))


def _stored(raw: npt.NDArray[Any] | None, table: str) -> npt.NDArray[Any]:
    if raw is None:
        raise EditError(_("the model does not have this table"), table=table)
    return raw


def batch_row(model: Model, batch: Batch | int) -> int:
    """The row of a batch; raises `UsageError` for anything else."""
    return int(checked("batch", batch, Numbers(0, len(model.batches) - 1, is_whole=True)))


def indices(model: Model, batch: int) -> npt.NDArray[np.int64]:
    """The vertices of the triangles of a batch that are in the index table, (t, 3)."""
    row = model.batches[batch]
    start, count = int(row["index_start"]), int(row["index_count"])
    found = model.indices[start : start + count].astype(np.int64) + int(row["base_vertex"])
    return found[: len(found) // 3 * 3].reshape(-1, 3)


def set_indices(model: Model, batch: int, values: npt.ArrayLike) -> list[ReplaceRows]:
    """The change that gives the triangles of a batch these vertices, (t, 3)."""
    name = tables.TABLES[tables.INDICES].name
    row, count = model.batches[batch], len(indices(model, batch))
    found = _array(name, values, (count, 3))
    start, base = int(row["index_start"]), int(row["base_vertex"])
    last = min(model.vertex_count - 1, base + 0xFFFF)
    wrong = (found < base) | (found > last) | (found != np.trunc(found))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        words = "{value} is not one of the vertices {first} to {last} that batch {batch} can use"
        value = f"{found.reshape(-1)[at]:g}"
        raise EditError(
            _(words, value=value, first=base, last=last, batch=batch), table=name, index=start + at
        )
    rows = RowChoice(f"{start}:{start + 3 * count}")
    data = (found - base).astype("<u2").tobytes()
    return [ReplaceRows(name, rows, "index", data)] if count else []
