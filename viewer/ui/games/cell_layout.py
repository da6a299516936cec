"""The places of the cells in a grid of pictures, and of the headings of their groups."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.session.tables.table_view import Order

NARROWEST: Final = 4.5
"""Least width of a cell, font heights: so much of a name is readable below a small picture."""
HEADING: Final = 1.8
"""Height of the line with the heading of a group, font heights."""


class CellLayout(Struct, frozen=True, eq=False):
    """The lines of a grid of pictures: of cells, as many as fit, or of the heading of a group.

    A place is an index of the order of rows, of which those below zero are headings.

    Attributes
    ----------
    order
        The rows at all places.
    columns
        Most cells of a line.
    side
        Of a picture, pixels.
    width, height
        Of a cell with the room around it, pixels.
    bounds
        The first place of each line, and the number of places: int64, (lines + 1,).
    tops
        The upper edge of each line, and the lower edge of the last one, pixels: float64, (lines + 1,).
    cells, cell_lines
        The places, and the lines, that are no headings: int64.
    """

    order: Order
    columns: int
    side: float
    width: float
    height: float
    bounds: npt.NDArray[np.int64]
    tops: npt.NDArray[np.float64]
    cells: npt.NDArray[np.int64]
    cell_lines: npt.NDArray[np.int64]

    @classmethod
    def of(cls, order: Order, room: float, side: float, line: float) -> CellLayout:
        """The layout of rows in a room that is so wide, with a line of text so high below each picture."""
        least = max(side, NARROWEST * line) + line
        columns = max(1, int(room // least))
        places, is_heading = np.arange(len(order)), order < 0
        heading_before = np.maximum.accumulate(np.where(is_heading, places, -1))
        is_first = is_heading | ((places - heading_before - 1) % columns == 0)
        firsts = np.flatnonzero(is_first)
        height = side + 1.9 * line
        heights = np.where(is_heading[firsts], HEADING * line, height)
        return cls(
            order,
            columns,
            side,
            max(room / columns, least),
            height,
            np.append(firsts, len(order)),
            np.append(0.0, np.cumsum(heights)),
            np.flatnonzero(~is_heading),
            np.flatnonzero(~is_heading[firsts]),
        )

    @property
    def line_count(self) -> int:
        """Number of lines."""
        return len(self.bounds) - 1

    @property
    def bottom(self) -> float:
        """The height of all lines, pixels."""
        return float(self.tops[-1])

    def lines_in(self, top: float, bottom: float) -> range:
        """The lines of which a part is between two heights, pixels."""
        first, stop = (
            np.searchsorted(self.tops, top, "right") - 1,
            np.searchsorted(self.tops, bottom, "right"),
        )
        return range(int(first), min(int(stop), self.line_count))

    def places_in(self, lines: range) -> range:
        """The places in some lines, those that there are."""
        first, stop = max(0, lines.start), min(lines.stop, self.line_count)
        return range(int(self.bounds[first]), int(self.bounds[stop])) if first < stop else range(0)

    def place_of(self, row: int | None) -> int | None:
        """The place of a row, None if it is not shown."""
        places = np.flatnonzero(self.order == row) if row is not None else self.cells[:0]
        return int(places[0]) if len(places) else None

    def line_of(self, place: int) -> int:
        """The line of a place, the last one for places behind all."""
        line = int(np.searchsorted(self.bounds, place, "right")) - 1
        return max(0, min(line, self.line_count - 1))

    def corner_of(self, place: int) -> tuple[float, float]:
        """The upper left corner of a place, pixels."""
        line = self.line_of(place)
        return (place - int(self.bounds[line])) * self.width, float(self.tops[line])

    def moved(self, place: int, across: int, down: int) -> int:
        """The place of the cell that is so many cells across and lines of cells down, within all cells."""
        if not down:
            at = int(np.searchsorted(self.cells, place)) + across
            return int(self.cells[min(max(at, 0), len(self.cells) - 1)])
        line = self.line_of(place)
        at = int(np.searchsorted(self.cell_lines, line)) + down
        target = int(self.cell_lines[min(max(at, 0), len(self.cell_lines) - 1)])
        column = place - int(self.bounds[line])
        return min(int(self.bounds[target]) + column, int(self.bounds[target + 1]) - 1)
