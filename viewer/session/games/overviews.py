"""The overviews of archives, folders and games as the window shows them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from viewer.model.store.address import Address
from viewer.model.tables.table import ModelTable
from viewer.operations.overview.overview import Overview
from viewer.session.jobs import ReadFiles
from viewer.session.tables.table_view import ArrangedRows

USUAL_COLUMNS: Final = "kind", "triangles", "nodes", "materials", "textures", "size"
"""Columns that are shown at first: those that need no other files of the game."""
MOST_OVERVIEWS: Final = 4
"""Overviews that are kept; the one that was asked for longest ago goes first."""
OVERVIEW_LANE: Final = "overview"
"""Beginning of the lanes of the jobs; the address follows."""


class OverviewState(Struct, frozen=True, eq=False):
    """An overview of an archive, a folder or a game.

    Attributes
    ----------
    columns
        The columns that are shown.
    lod, group
        The cell of the slot matrix whose triangles are counted.
    found, table
        The last overview, and its rows with these columns; None before the first one.
    arranged
        The rows that the last filter and order gave; None if there was neither yet.
    is_running
        It is being made, or made again.
    problem
        Why it could not be made; empty if it could.
    read
        What was read, and when.
    """

    address: Address
    columns: tuple[str, ...] = USUAL_COLUMNS
    lod: int = 0
    group: int = 0
    found: Overview | None = None
    table: ModelTable | None = None
    arranged: ArrangedRows | None = None
    is_running: bool = False
    problem: str = ""
    read: ReadFiles | None = None

    @property
    def lane(self) -> str:
        """The lane of the job that makes it."""
        return f"{OVERVIEW_LANE} {self.address}"


Overviews = Mapping[Address, OverviewState]
NO_OVERVIEWS: Final[Overviews] = MappingProxyType({})
