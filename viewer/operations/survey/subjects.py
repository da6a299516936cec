"""Subjects: a file or an entry, opened as the questions of the survey need it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.msh.tables import SLOTS
from viewer.geometry.transforms import Indices
from viewer.model.mesh.draws import expand
from viewer.model.mesh.model import Model
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import ModelFiles, OpenedModel

Numbers = npt.NDArray[np.float64]


class SurveyTriangles(Struct, frozen=True, eq=False):
    """The triangles of a model, each once for the slot that it is in.

    Attributes
    ----------
    corners
        Absolute vertices, (t, 3).
    slot, batch, descriptor
        Where each is, (t,); descriptor -1 without one.
    points
        Positions of the corners, (t, 3, 3).
    """

    corners: Indices
    slot: Indices
    batch: Indices
    descriptor: Indices
    points: Numbers

    @property
    def areas(self) -> Numbers:
        """The area of each, (t,)."""
        a, b, c = self.points.swapaxes(0, 1)
        found: Numbers = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        return found


class ModelSubject(Struct, frozen=True, eq=False, dict=True):
    """A model with its reading, materials and controller."""

    store: FileStore
    files: ModelFiles
    opened: OpenedModel

    @property
    def model(self) -> Model:
        """The decoded tables of the model."""
        return self.opened.model

    @cached_property
    def triangles(self) -> SurveyTriangles:
        """The triangles of the model; a slot that several nodes or cells show counts once."""
        draws = self.opened.draws
        # The first part of each slot has all of the slot's triangles.
        _slots, first = np.unique(draws.parts.slot, return_index=True)
        # A legacy file has no slots: -1.
        chosen = np.flatnonzero(np.isin(draws.part, first) & (draws.slot >= 0))
        counts = draws.triangle_count[chosen]
        rows = expand(draws.triangle_start[:-1][chosen], counts)
        corners = draws.corners[rows].astype(np.int64)
        points = self.model.positions[corners].astype(np.float64)
        slot, batch = np.repeat(draws.slot[chosen], counts), np.repeat(draws.batch[chosen], counts)
        return SurveyTriangles(corners, slot, batch, draws.descriptor[rows].astype(np.int64), points)

    @property
    def slot_count(self) -> int:
        """Rows of Res2."""
        return len(self.model.rows(SLOTS))


def open_model(store: FileStore, files: ModelFiles) -> ModelSubject:
    """A model, opened from what was read of it."""
    opened = OpenedModel.made_of(
        files.item.address, files.model, wears=files.wears, libraries=files.libraries, game=files.game
    )
    return ModelSubject(store, files, opened)
