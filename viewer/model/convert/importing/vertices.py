"""The vertices of a file compared with those of the model, stream by stream.

Programs keep positions and texture coordinates exactly, or to the last bits; of normals Blender keeps 16 bits
of two angles from the faces around a vertex. A normal is that of the file unless it differs by no more.

Source: spec/msh.md 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.msh import vertices
from viewer.formats.msh.batches import FLAG_PORTAL
from viewer.formats.msh.tables import NORMALS, POSITIONS, STREAM18, UVS
from viewer.geometry.transforms import Floats, Indices, Mask
from viewer.model.convert.scene import NEW, Primitive
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.mesh.model import Model, Variant

CLOSE: Final = 1e-6
"""Distance of equal positions, as a fraction of the largest coordinate of the mesh."""
HALF_STEP: Final = 0.5 / vertices.UV_SCALE
NORMAL_LOSS: Final = 0.0125
"""Largest difference of a component of a normal that was not edited."""
WORDS: Final = 0x10000
"""Values of a word."""
TURNS: Final = WORDS / vertices.UV_SCALE
"""Turns after which texture coordinates of terrain start over."""
_REPEATED: Final = ("uvs", "lightmap_uvs")
STREAMS: Final = (POSITIONS, NORMALS, UVS, STREAM18)
"""The tables whose values other programs know."""


class Vertices(Struct, frozen=True, eq=False):
    """The vertices of some primitives, one after the other.

    Attributes
    ----------
    mesh
        The mesh of each vertex, (n,).
    rows
        The row that each one says it has, (n,); `NEW` for none.
    positions, normals, uvs, lightmap_uvs
        (n, 3) and (n, 2) float32; NaN where the file has none.
    has_normals
        Whether the file has a normal of each, (n,); else `normals` are computed from faces.
    triangles
        (t, 3), numbers of vertices.
    primitive
        The primitive of each triangle, (t,).
    """

    mesh: Indices
    rows: Indices
    positions: Floats
    normals: Floats
    uvs: Floats
    lightmap_uvs: Floats
    has_normals: Mask
    triangles: Indices
    primitive: Indices

    @classmethod
    def of(cls, primitives: Sequence[tuple[int, Primitive]]) -> Vertices:
        """The vertices of primitives, each with the number of its mesh."""
        found = [it for _, it in primitives]
        counts = np.array([len(it.positions) for it in found], np.int64)
        # The first vertex of each primitive in one list: counts 4 3 5 begin at 0 4 7.
        first = np.cumsum(counts) - counts
        return cls(
            np.repeat(np.array([mesh for mesh, _ in primitives], np.int64), counts),
            _joined([_rows(it) for it in found], (0,), np.int64),
            _joined([it.positions for it in found], (0, 3)),
            _joined([_or_nan(it.normals, it, 3) for it in found], (0, 3)),
            _joined([_or_nan(it.uvs, it, 2) for it in found], (0, 2)),
            _joined([_or_nan(it.lightmap_uvs, it, 2) for it in found], (0, 2)),
            np.repeat(np.array([it.has_own_normals for it in found], np.bool_), counts),
            _joined([it.triangles + start for it, start in zip(found, first, strict=True)], (0, 3), np.int64),
            np.repeat(np.arange(len(found)), np.array([len(it.triangles) for it in found], np.int64)),
        )

    def __len__(self) -> int:
        return len(self.mesh)


def _rows(primitive: Primitive) -> Indices:
    if primitive.vertices is None:
        return np.full(len(primitive.positions), NEW, np.int64)
    return primitive.vertices


def _or_nan(values: Floats | None, primitive: Primitive, columns: int) -> Floats:
    if values is None:
        return np.full((len(primitive.positions), columns), np.nan, np.float32)
    return values


def _joined(
    pieces: Sequence[npt.NDArray[np.generic]], empty: tuple[int, ...], kind: type = np.float32
) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(empty, kind), *pieces]).astype(kind, copy=False)


class Compared:
    """The vertices of a file compared with the rows of a model that they stand for.

    Attributes
    ----------
    given
        The vertices of the file.
    rows
        The row of each, (n,); `NEW` where it stands for none of its mesh.

    Parameters
    ----------
    reach
        The largest coordinate of a node that shows each mesh of the file, (m,).
    rounding
        How far the file may have rounded the coordinates of each mesh, (m,).
    """

    def __init__(
        self,
        model: Model,
        expected: Vertices,
        given: Vertices,
        rows: Indices,
        reach: npt.NDArray[np.float64],
        rounding: npt.NDArray[np.float64],
    ) -> None:
        self._model = model
        self._rounding = rounding
        self._reach = reach
        self._expected = expected
        self.given = given
        self.rows = rows
        self.is_known: Mask = rows != NEW
        self._vertex = np.zeros(model.vertex_count, np.int64)
        self._vertex[expected.rows] = np.arange(len(expected))

    def _known(self, values: Floats) -> Floats:
        """The expected value of each vertex."""
        if not len(values):
            return np.zeros((len(self.rows), *values.shape[1:]), np.float32)
        return values[self._vertex[np.where(self.is_known, self.rows, 0)]]

    @cached_property
    def _scale(self) -> npt.NDArray[np.float64]:
        """The largest coordinate of the mesh of each vertex, (n,).

        That of its node too, if the file has other last bits for most vertices: it holds them in the space
        of the whole model.
        """
        known, mesh, count = self._known(self._expected.positions), self.given.mesh, len(self._reach)
        largest = np.zeros(count)
        size = np.abs(known).max(axis=1, initial=0)
        np.maximum.at(largest, mesh, np.where(self.is_known, size, 0))
        is_exact = (known == self.given.positions).all(axis=1)
        # Less than half of the vertices have the same bits.
        share = np.bincount(mesh, is_exact, count) * 2 < np.bincount(mesh, self.is_known, count)
        return np.where(share, np.maximum(largest, self._reach), largest)[mesh]

    @cached_property
    def is_placed(self) -> Mask:
        """Vertices at the position of their row, (n,)."""
        away = np.abs(self.given.positions.astype(np.float64) - self._known(self._expected.positions))
        found: Mask = self.is_known & (
            away.max(axis=1, initial=0) <= CLOSE * self._scale + self._rounding[self.given.mesh]
        )
        return found

    def _is_same(self, name: str, limit: float) -> Mask:
        given, known = getattr(self.given, name), self._known(getattr(self._expected, name))
        with np.errstate(invalid="ignore"):
            away = given.astype(np.float64) - known
            if self._model.variant is Variant.TERRAIN and name in _REPEATED:
                away -= TURNS * np.rint(away / TURNS)  # tiles that share a vertex may be whole turns apart
            is_near = (np.abs(away) <= limit).all(axis=1)
        # NaN stands for values that the file or the model does not have: then nothing can differ.
        found: Mask = self.is_known & (is_near | np.isnan(given).any(axis=1) | np.isnan(known).any(axis=1))
        return found

    @cached_property
    def has_uvs(self) -> Mask:
        """Vertices with the texture coordinates of their row, (n,)."""
        return self._is_same("uvs", HALF_STEP)

    @cached_property
    def has_lightmap_uvs(self) -> Mask:
        """Vertices with the lightmap coordinates of their row, (n,)."""
        return self._is_same("lightmap_uvs", HALF_STEP)

    @cached_property
    def has_normal(self) -> Mask:
        """Vertices with the normal of their row, within what other programs lose of it, (n,)."""
        known = self._known(self._expected.normals)
        return self._is_same("normals", NORMAL_LOSS) | (self.is_known & ~known.any(axis=1))

    @cached_property
    def _even_normals(self) -> Floats:
        """The normals of the file; those of a row that differ by what Blender loses of each are averaged."""
        made = self.given.normals.copy()
        chosen = np.flatnonzero(self.is_known & ~self.has_normal)
        rows, number, counts = np.unique(self.rows[chosen], return_inverse=True, return_counts=True)
        total = np.zeros((len(rows), 3))
        np.add.at(total, number.reshape(-1), made[chosen])
        mean = (total / counts[:, None])[number.reshape(-1)]
        is_near = (np.abs(made[chosen] - mean) <= NORMAL_LOSS).all(axis=1)
        length = np.linalg.norm(mean, axis=1)
        is_near &= length > 0
        made[chosen[is_near]] = mean[is_near] / length[is_near, None]
        return made

    @property
    def is_same(self) -> Mask:
        """Vertices that differ in nothing from their row, (n,)."""
        return self.is_placed & self.has_uvs & self.has_lightmap_uvs & self.has_normal

    @cached_property
    def _first_alike(self) -> Indices:
        """The first row of the model that looks like each row, (v,), in the streams that the file has."""
        given, count = self.given, self._model.vertex_count
        is_said = (
            True,
            given.has_normals.any(),
            not np.isnan(given.uvs).all(),
            not np.isnan(given.lightmap_uvs).all(),
        )
        tables = [
            it for it, is_there in zip(STREAMS, is_said, strict=True) if is_there and self._model.has(it)
        ]
        raw = [
            _bytes_of(_as_exported(table, rows[:count]))
            for table in tables
            if len(rows := self._model.rows(table)) >= count
        ]
        joined = np.ascontiguousarray(np.hstack(raw))
        values = joined.view(f"V{joined.shape[1]}").reshape(-1)
        _ignored, first, number = np.unique(values, return_index=True, return_inverse=True)
        found: Indices = first[number.reshape(-1)]
        return found

    def alike(self, rows: Indices, changed: Indices) -> Indices:
        """Rows and numbers of new vertices (t, 3), with one number for rows that have the same values.

        A row that is changed is like no other: where a program made one vertex of several, these stay.
        """
        count = self._model.vertex_count
        number = np.append(self._first_alike, count)
        # Alike rows are below `count`, changed ones below 2 * count, and new vertices, numbered from `count`
        # on, get numbers from 2 * count on: no two of these kinds have one number.
        number[changed] = count + changed
        return np.where(rows < count, number[np.minimum(rows, count)], count + rows)

    @cached_property
    def stored(self) -> dict[int, tuple[npt.NDArray[Any], Mask]]:
        """The stored values of vertices, (n, k), and which are those of their row, by known table.

        Vertices that are no row of the model have zeros where the file has no values.
        """
        kept = dict(
            zip(STREAMS, (self.is_placed, self.has_normal, self.has_uvs, self.has_lightmap_uvs), strict=True)
        )
        found = {}
        for table in filter(self._model.has, STREAMS):
            rows = self._model.rows(table)
            values = rows[rows.dtype.names[0]] if rows.dtype.names else rows
            at = np.where(self.is_known & (self.rows < len(values)), self.rows, 0)
            old = values[at] if len(values) else np.zeros((len(at), *values.shape[1:]), values.dtype)
            new = self._encoded(table, old)
            found[table] = np.where(kept[table][:, None], old, new), kept[table]
        return found

    def _encoded(self, table: int, old: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        """The values of the file as they are stored, (n, k)."""
        given, is_ground = self.given, self._model.variant is Variant.TERRAIN
        match table:
            case _ if table == POSITIONS:
                return given.positions
            case _ if table == NORMALS:
                # The fourth byte of a normal is unknown and kept.
                last = np.where(self.is_known, old[:, 3], 0)
                return vertices.encode_normals(np.nan_to_num(self._even_normals), last)
            case _ if table == UVS and not is_ground:
                return vertices.encode_uvs(np.nan_to_num(given.uvs))
        uvs = np.nan_to_num(given.uvs if table == UVS else given.lightmap_uvs).astype(np.float64)
        # Half a step is added before rounding down: -0.3 of a step is step 0, -0.6 is step -1.
        scaled = np.floor(uvs * vertices.UV_SCALE + 0.5)
        # Coordinates of terrain start over after 64 turns, those of lightmaps end there.
        words = np.mod(scaled, WORDS) if is_ground else np.clip(scaled, 0, WORDS - 1)
        return words.astype(np.uint16).astype(old.dtype)


def _as_exported(table: int, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows of a table as what other programs see of them, by which they join vertices, (n, ...)."""
    values = rows[rows.dtype.names[0]] if rows.dtype.names else rows
    # Bytes -128 and -127 are one normal, the fourth says nothing, and -0.0 equals 0.0.
    seen: npt.NDArray[Any] = (
        vertices.decode_normals(values) if table == NORMALS else values
    ) + values.dtype.type(0)
    return seen


def _bytes_of(rows: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The bytes of rows, (n, k)."""
    raw = np.ascontiguousarray(rows).view(np.uint8)
    return raw.reshape(len(rows), raw.size // max(len(rows), 1))


NONE: Final = -1


class Surface(Struct, frozen=True, eq=False):
    """Triangles of a slot.

    Attributes
    ----------
    corners
        Rows of vertices, (t, 3).
    batch, descriptor
        Of each, and -1 at the end, which is that of none, (t + 1,).
    batches
        The batches of the slot, in order.
    centers
        Their centers, (t, 3).
    """

    corners: Indices
    batch: Indices
    descriptor: Indices
    batches: tuple[int, ...]
    centers: Floats

    @classmethod
    def of(cls, model: Model, slot: int | None) -> Surface:
        """The triangles of a slot; none without one."""
        if slot is None:
            none = np.zeros(0, np.int64)
            last = np.array([NONE])
            return cls(none.reshape(0, 3), last, last, (), np.zeros((0, 3), np.float32))
        known = SlotTriangles.of(model)
        chosen = known.slot == slot
        corners = known.corners[chosen]
        row = model.slots[slot]
        first = int(row["batch_start"])
        batches = tuple(range(first, min(first + int(row["batch_count"]), len(model.batches))))
        centers = model.positions[corners].mean(axis=1, dtype=np.float64).astype(np.float32)
        batch, descriptor = (np.append(it[chosen], NONE) for it in (known.batch, known.row))
        return cls(corners, batch, descriptor, batches, centers)


def is_portal(model: Model, batch: int) -> bool:
    """Whether a batch is a portal of any kind, which leads to a node of its own."""
    return bool(model.batches["flags"][batch] & FLAG_PORTAL)
