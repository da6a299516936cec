"""The description of a model: nodes with tracks, and pieces for the cells of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assets.sample.motion import Track, still
from assets.sample.shapes import solids
from assets.sample.shapes.finish import Piece
from assets.sample.shapes.solids import Solid

Cell = tuple[int, int]
"""Row and column of the slot matrix: state of damage (0 intact); level of detail (0 finest) or `OWN_VIEW`."""

OWN_VIEW = 4
"""Column that only the machine's own view draws."""


@dataclass(frozen=True)
class Level:
    """Variant of a part: level of detail (0 finest), and whether it is battle-damaged."""

    lod: int = 0
    is_damaged: bool = False

    @property
    def is_fine(self) -> bool:
        """Whether small details are modelled."""
        return self.lod == 0

    @property
    def is_coarse(self) -> bool:
        """Whether only the outline is modelled."""
        return self.lod >= 2

    def sides(self, count: int) -> int:
        """Number of sides of a round shape that has `count` at the finest level."""
        return max((5, 6, 4)[self.lod], count // (1, 2, 3)[self.lod])

    def slab(
        self,
        bottom: tuple[float, float],
        height: float,
        top: tuple[float, float] | None = None,
        *,
        bevel: float = 0.06,
        shift: tuple[float, float] = (0.0, 0.0),
    ) -> Solid:
        """A box on z = 0 with bevelled, only vertically bevelled, or sharp edges; small boxes stay sharp."""
        wide = (bevel, 0.0, 0.0)[self.lod] if bevel >= 0.1 else 0.0
        cut = (bevel, bevel if bevel >= 0.1 else 0.0, 0.0)[self.lod] if bevel >= 0.06 else 0.0
        return solids.slab(bottom, height, top, bevel=wide, chamfer=cut, shift=shift)

    def box(self, width: float, depth: float, height: float, *, bevel: float = 0.05) -> Solid:
        """A box around the origin."""
        return self.slab((width, depth), height, bevel=bevel).moved(z=-height / 2)

    def rod(self, radius: float, length: float, sides: int = 14, *, bevel: float = 0.04) -> Solid:
        """A cylinder around the origin along Z; the edges of a thin one stay sharp."""
        broken = bevel if self.is_fine and radius >= 0.45 else 0.0
        return solids.cylinder(radius, length, self.sides(sides), bevel=broken)

    def axle(self, radius: float, length: float, sides: int = 14, *, bevel: float = 0.04) -> Solid:
        """A cylinder around the origin along X."""
        return self.rod(radius, length, sides, bevel=bevel).turned("y", 90)


Shape = Callable[[Level], Sequence[Piece]]


@dataclass(frozen=True)
class Node:
    """A rigid part.

    Parameters
    ----------
    name, parent
        Names; a root has no parent. Parents come first.
    track
        Keys relative to the parent; more than one key animates the node.
    cells
        Pieces in each cell of its slot matrix.
    flags
        Node flags (hdr0).
    takes
        On a socket: prefix of the keys of the parts that fit.
    """

    name: str
    parent: str | None = None
    track: Track = field(default_factory=still)
    cells: Mapping[Cell, Sequence[Piece]] = field(default_factory=dict)
    flags: int = 0
    takes: str = ""


@dataclass(frozen=True)
class Probe:
    """A light inside a building: node, position, direction, color and strength."""

    node: str
    position: tuple[float, float, float]
    color: tuple[float, float, float]
    intensity: float


@dataclass(frozen=True)
class PathPoint:
    """A point of a path in the space of a node."""

    node: str
    position: tuple[float, float, float]


@dataclass(frozen=True)
class PathGraph:
    """The path graph of a building: points, and links between their indices."""

    points: Sequence[PathPoint] = ()
    links: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True)
class ModelSpec:
    """A whole model.

    Parameters
    ----------
    stem
        Name of its entries, without ending.
    nodes
        Parents before children.
    wear
        Materials by row.
    lightmap
        The one lightmap texture it has.
    lightmapped
        Materials that use it.
    probes, paths
        Only for buildings.
    """

    stem: str
    nodes: Sequence[Node]
    wear: Sequence[str]
    lightmap: str | None = None
    lightmapped: frozenset[str] = frozenset()
    probes: Sequence[Probe] = ()
    paths: PathGraph = field(default_factory=PathGraph)

    def number(self, name: str) -> int:
        """Index of the node of a name; raises `StopIteration` if there is none."""
        return next(index for index, node in enumerate(self.nodes) if node.name == name)
