"""The selected rows of a model, what a click hits, and the selections before and after."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from viewer.model.store.place import Place


class Selection(Struct, frozen=True):
    """Nodes in the order of their selection; the other fields belong to the last.

    Parameters
    ----------
    nodes
        Without repetition; the last is the active one.
    slot, batch
        Rows of their tables, or None if only the node is selected.
    triangle
        Row among the model's triangles in the order of Res6.
    descriptor
        Row of the triangle descriptors, or None.
    vertex, key
        Row of the vertices and of the keys, or None.
    control_point, path_node, path_link, light_probe, ground_point
        Row of the tables around the model that `surroundings.SELECTED` names, or None.
    """

    nodes: tuple[int, ...] = ()
    slot: int | None = None
    batch: int | None = None
    triangle: int | None = None
    descriptor: int | None = None
    vertex: int | None = None
    key: int | None = None
    control_point: int | None = None
    path_node: int | None = None
    path_link: int | None = None
    light_probe: int | None = None
    ground_point: int | None = None

    @property
    def node(self) -> int | None:
        """The active node."""
        return self.nodes[-1] if self.nodes else None

    def added(self, other: Selection) -> Selection:
        """Add `other`; if its node is already the active one, deselect that node instead."""
        if other.node is None:
            return self
        rest = tuple(node for node in self.nodes if node != other.node)
        return Selection(rest) if other.node == self.node else replace(other, nodes=(*rest, other.node))


NOTHING: Final = Selection()


class PickHit(Struct, frozen=True):
    """The triangle that a pixel shows.

    Attributes
    ----------
    draw
        Row of the model's draws.
    node
        Row of the nodes.
    slot, batch, descriptor
        Rows of their tables, or None.
    triangle
        Row among the model's triangles in the order of Res6.
    vertices
        The triangle's rows of Res3.
    position
        Intersection of the ray through the pixel's center with the triangle's plane, world space.
    distance
        From the start of that ray, on the near plane, model units.
    nearest_vertex
        That of `vertices` which is nearest to `position`.
    """

    draw: int
    node: int
    slot: int | None
    batch: int | None
    triangle: int
    descriptor: int | None
    vertices: tuple[int, int, int]
    position: tuple[float, float, float]
    distance: float
    nearest_vertex: int

    @property
    def selection(self) -> Selection:
        """The selection after a click on it; `places.places_of` names its rows."""
        return Selection((self.node,), self.slot, self.batch, self.triangle, self.descriptor)


MOST_STOPS: Final = 100
"""Older ones are forgotten."""


class Stop(NamedTuple):
    """A selection, and the place that was shown with it, if one was requested."""

    selection: Selection = Selection()
    place: Place | None = None


class SelectionHistory(Struct, frozen=True):
    """The selections in turn, and the place of the current one.

    Parameters
    ----------
    stops
        The oldest first, at least one.
    position
        Index of the current one.
    """

    stops: tuple[Stop, ...] = (Stop(),)
    position: int = 0

    @property
    def current(self) -> Stop:
        """The selection of now."""
        return self.stops[self.position]

    def visited(self, stop: Stop) -> SelectionHistory:
        """The history after something else was selected; what lay ahead is forgotten."""
        if stop == self.current:
            return self
        stops = (*self.stops[: self.position + 1], stop)[-MOST_STOPS:]
        return SelectionHistory(stops, len(stops) - 1)

    def can_step(self, step: int) -> bool:
        """Whether there is a stop `step` further."""
        return 0 <= self.position + step < len(self.stops)

    def stepped(self, step: int) -> SelectionHistory:
        """The history with the stop `step` further as the current one, if there is one."""
        return replace(self, position=self.position + step) if self.can_step(step) else self
