"""A model with the reading and all that its columns are computed from.

An opened model has all of it. `LazyModel` computes each part when a column first reads it: searches and
statistics read thousands of models and few columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Protocol

from viewer.model.game.game_folder import NO_GAME, GameSource
from viewer.model.material import selectors
from viewer.model.material.materials import Materials
from viewer.model.material.resolver import resolve
from viewer.model.material.selectors import WearTable
from viewer.model.mesh import cell_names, draw_builder, reading
from viewer.model.mesh.cell_names import CellNames
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.mesh.reading_choices import ReadingChoice


class ReadModel(Protocol):
    """The model and its reading, from which columns are computed."""

    @property
    def model(self) -> Model:
        """The tables of the model."""

    @property
    def choice(self) -> ResolvedReading:
        """The reading of the disputed fields."""

    @property
    def animation(self) -> Animation:
        """The animation of the model's nodes."""

    @property
    def draws(self) -> Draws:
        """The parts and draws of the model."""

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each node, empty if absent."""

    @property
    def socket_tags(self) -> tuple[str, ...]:
        """The socket tag of each node, empty if absent."""

    @property
    def materials(self) -> Materials:
        """The materials of the model's batches."""

    @property
    def game(self) -> GameSource:
        """The game folder that names are looked up in."""

    @property
    def cell_names(self) -> CellNames:
        """The names of LODs and groups."""


class LazyModel:
    """A model of which each part is worked out when a column first asks for it.

    Parameters
    ----------
    model
        Its tables.
    find_wears
        Finds its wear table, or the two of a terrain.
    choice
        Its reading, if that is known.
    """

    game = NO_GAME

    def __init__(
        self,
        model: Model,
        find_wears: Callable[[], Sequence[WearTable]] = lambda: (selectors.NOWHERE,),
        choice: ResolvedReading | None = None,
    ) -> None:
        self.model = model
        self._find_wears = find_wears
        self._choice = choice

    @cached_property
    def _wears(self) -> Sequence[WearTable]:
        return self._find_wears()

    @cached_property
    def choice(self) -> ResolvedReading:
        """The reading that suits the model unless one was given."""
        if self._choice is not None:
            return self._choice
        # A reading whose rows the wear table does not have is not the one (spec/msh.md 8.1).
        rows = self._wears[0].row_count
        return reading.choose(self.model, self._skeleton, self.draws, wear_rows=rows)

    @cached_property
    def _skeleton(self) -> Skeleton:
        return Skeleton(self.model)

    @cached_property
    def draws(self) -> Draws:
        """The parts and draws of the model."""
        return draw_builder.build(self.model)

    @cached_property
    def animation(self) -> Animation:
        """The animation of the model's nodes."""
        return Animation(self.model, self._skeleton, self.choice.reading.quaternion_order)

    @property
    def _has_name_records(self) -> bool:
        """Whether names are in Res9; the reading says it, but is slow to find."""
        if self._choice is not None:
            return self._choice.reading.has_name_records
        return reading.has_name_records(self.model)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each node, empty if absent."""
        return self.model.node_names(from_records=self._has_name_records)

    @cached_property
    def socket_tags(self) -> tuple[str, ...]:
        """The socket tag of each node, empty if absent."""
        return self.model.node_socket_tags(from_records=self._has_name_records)

    @cached_property
    def materials(self) -> Materials:
        """The materials of the model's batches, by the names in its wear table."""
        # Without libraries: columns show the names in the wear table, not what these lead to.
        return resolve(self.model, self.draws, self.choice, self._wears, None)

    @property
    def cell_names(self) -> CellNames:
        """The names of LODs and groups."""
        requested = ReadingChoice.AUTO if self._choice is None else self._choice.requested
        return cell_names.of_model(self.model, requested)
