"""The calls that draw a model row by row of its materials, kept as long as nothing they depend on changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import is_
from typing import Final

import moderngl
import numpy as np
from msgspec import Struct

from viewer.geometry.transforms import Doubles, Indices, Mask
from viewer.model.material.materials import Blend
from viewer.model.mesh.draws import expand
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.buffers.upload import MeshBuffers
from viewer.render.programs import (
    BASE_UNIT,
    LIGHTMAP_UNIT,
    MICRO_UNIT,
    SECOND_MICRO_UNIT,
    SECOND_UNIT,
    Projection,
)
from viewer.render.textures.material_bindings import NO_ROW, GroundRows, MaterialBindings

GROUND_ROWS: Final = ("second_row", "micro_row", "second_micro_row")
"""The uniforms of shaders/textured.frag with the other materials of a row, in the order of `GroundRows`."""
UNITS: Final = (BASE_UNIT, LIGHTMAP_UNIT, SECOND_UNIT, MICRO_UNIT, SECOND_MICRO_UNIT)
"""The units of the textures of a row: its own, its lightmap, and those of the other materials."""
RowRun = tuple[int, float, Sequence[tuple[int, int]]]
"""A row of the materials, how opaque its draws are, and its runs, each a first triangle and a count."""
RowRuns = Callable[[], Iterable[RowRun]]


class MaterialStep(Struct, frozen=True):
    """The calls of one row of the materials, and what differs from the step before.

    Attributes
    ----------
    row
        Its number, as the bytes of a uniform.
    absence
        How far its texture has not faded in yet.
    opacity
        How opaque it is by its distance, 0 to 1.
    ground
        The other materials that a terrain draws with it.
    textures
        Those to bind, each with its unit.
    blend
        How it is blended.
    runs
        First triangle and count of each call.
    """

    row: bytes
    absence: float
    opacity: float
    ground: GroundRows
    textures: tuple[tuple[moderngl.Texture, int], ...]
    blend: Blend | None
    runs: Sequence[tuple[int, int]]


class MaterialSteps:
    """The steps of some rows, made anew when anything they depend on is another object.

    Owner: a pass, lifetime: one model.
    """

    def __init__(self) -> None:
        self._made_of: tuple[object, ...] = ()
        self._steps: list[MaterialStep] = []
        self.triangle_count = 0

    def of(
        self, bindings: MaterialBindings, runs: RowRuns, made_of: tuple[object, ...], *, is_fading: bool
    ) -> list[MaterialStep]:
        """The steps for the runs of rows, which follow from `made_of`."""
        made_of = *made_of, bindings.textures(), bindings.layers, bindings.ground()
        # Compared by identity, which costs nothing: each of these is the same object as long as it is
        # unchanged (see the properties of `MaterialBindings`). While textures fade in, steps hold shares that
        # change with every frame.
        is_same = len(made_of) == len(self._made_of) and all(map(is_, made_of, self._made_of))
        if is_fading or not is_same:
            self._made_of = () if is_fading else made_of
            self._steps = [*_steps(bindings, runs(), is_fading=is_fading)]
            self.triangle_count = sum(count for step in self._steps for _, count in step.runs)
        return self._steps


def _steps(bindings: MaterialBindings, runs: Iterable[RowRun], *, is_fading: bool) -> Iterator[MaterialStep]:
    textures, ground = bindings.textures(), bindings.ground()
    # Other passes have bound the units since the last frame, so the first step binds all of them.
    known: tuple[object, ...] = (None,) * len(UNITS)
    blend_before: Blend | None = None
    for row, opacity, calls in runs:
        bound = *textures[row], *(bindings.none if it == NO_ROW else textures[it][0] for it in ground[row])
        pairs = zip(bound, UNITS, known, strict=True)
        blend = bindings.blend(row)
        # A sign that fades (field-notes.md 3) is opaque by its material.
        if blend is Blend.OPAQUE and opacity < 1:
            blend = Blend.ALPHA
        yield MaterialStep(
            # Bytes that are made once: converting a number for a uniform takes longer than the draw call.
            np.int32(row).tobytes(),
            1.0 - bindings.presence(row) if is_fading else 0.0,
            opacity,
            ground[row],
            tuple((texture, unit) for texture, unit, before in pairs if texture is not before),
            None if blend is blend_before else blend,
            calls,
        )
        known, blend_before = bound, blend


class BlendedDraws:
    """An index buffer of blended draws from back to front, rewritten only if the order changes.

    Owner: a pass, lifetime: one model.

    Attributes
    ----------
    runs
        The calls to make, in order; another list if the order has changed.
    steps
        Their steps.
    """

    def __init__(self, mesh: MeshBuffers) -> None:
        self._mesh = mesh
        self._chosen: tuple[object, object] = (None, None)
        self._draws: Indices = np.zeros(0, np.int64)
        self._order = self._draws
        self._opacity = np.ones(0)
        self._buffer: moderngl.Buffer | None = None
        self._arrays: dict[moderngl.Program, moderngl.VertexArray] = {}
        self.runs: list[RowRun] = []
        self.steps = MaterialSteps()

    def choose(
        self, subject: ModelBuffers, projection: Projection, rows: Mask, opacity: Doubles | None = None
    ) -> bool:
        """Sort the visible draws of some rows of the materials, (r,) bool; tell whether there are any.

        Parameters
        ----------
        opacity
            How opaque each merged draw is, (m,); None for all in full.
        """
        listed = subject.shown.draws
        if self._chosen[0] is not listed or self._chosen[1] is not rows:
            self._chosen = listed, rows
            self._draws = np.flatnonzero(listed.visible & rows[subject.merged.row])
        if not len(self._draws):
            return False
        self.sort(self._draws, subject.depth(projection, self._draws), opacity)
        return True

    def array(self, program: moderngl.Program) -> moderngl.VertexArray:
        """The vertex array that the runs index."""
        if program not in self._arrays:
            self._arrays[program] = self._mesh.vertex_array(program, self._buffer)
        return self._arrays[program]

    def sort(
        self,
        draws: Indices,
        depth: np.ndarray[tuple[int], np.dtype[np.floating]],
        opacity: Doubles | None = None,
    ) -> None:
        """Set the merged draws (k,) and their distances from the eye; the farthest is drawn first."""
        # Stable: draws at the same depth, such as decals on a wall, keep their order, so nothing flickers.
        # By the centers of the boxes: draws that reach through each other may come in the wrong order. The
        # engine's own order within this layer is open (field-notes.md 12).
        order = draws[np.argsort(-depth, kind="stable")]
        faded = np.ones(len(order)) if opacity is None else opacity[order]
        if np.array_equal(order, self._order) and np.array_equal(faded, self._opacity):
            return
        self._order, self._opacity = order, faded
        merged = self._mesh.merged
        count = np.diff(merged.triangle_start)[order]
        corners = merged.corners[expand(merged.triangle_start[order], count)]
        if self._buffer is None or self._buffer.size < corners.nbytes:
            self._arrays.clear()  # released before their index buffer: the other order crashes moderngl
            self._buffer = self._mesh.ctx.buffer(corners, dynamic=True)
        else:
            self._buffer.write(corners)
        self.runs = _runs(merged.row[order], faded, count)


def _runs(row: Indices, opacity: Doubles, count: Indices) -> list[RowRun]:
    """Adjacent draws of the same row and opacity, joined into one call each."""
    runs: list[RowRun] = []
    start = 0
    draws = zip(row.tolist(), opacity.tolist(), count.tolist(), strict=True)
    for (of_row, faded), group in groupby(draws, key=lambda it: it[:2]):
        total = sum(it[2] for it in group)
        runs.append((of_row, faded, [(start, total)]))
        start += total
    return runs
