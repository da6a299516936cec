"""The overviews of archives, folders and games as the window shows them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import UsageError
from viewer.model.query.condition import is_condition
from viewer.model.store.address import Address
from viewer.model.tables.table import ModelTable
from viewer.operations.overview.columns import COLUMNS, Value
from viewer.operations.overview.overview import Overview, OverviewQuery
from viewer.session.games.overview_choices import USUAL_COLUMNS
from viewer.session.jobs import ReadFiles
from viewer.session.tables.table_view import Order, RowQuery, SortedBy, arrange
from viewer.translation import _, translated

LISTED_COLUMNS: Final = "kind", "size"
"""Columns that take no longer than to list the entries: these are shown until the others are known."""
MOST_OVERVIEWS: Final = 4
"""Overviews that are kept; the one that was asked for longest ago goes first."""
OVERVIEW: Final = "overview"
"""The name of the page of an overview, which a place may have in place of a table."""
OVERVIEW_LANE: Final = "overview"
"""Beginning of the lanes of the jobs; the address follows."""


class ShownGroup(Struct, frozen=True, eq=False):
    """Rows with the same value in a column, None for those without one, and the sums of the columns shown."""

    value: Value
    rows: Order
    totals: Mapping[str, int]


class ArrangedOverview(Struct, frozen=True, eq=False):
    """The rows to show, as `ArrangedRows` has them, and their groups.

    Attributes
    ----------
    group_by
        The column by which they are grouped; the rows stand in the order of the groups then.
    """

    query: RowQuery
    rows: Order
    problem: str = ""
    group_by: str = ""
    groups: tuple[ShownGroup, ...] = ()


def needed_columns(query: RowQuery, group_by: str) -> tuple[str, ...]:
    """The columns that have to be read for some rows; raises `UsageError` for a wrong condition."""
    where = query.filter if is_condition(query.filter) else ""
    return OverviewQuery(where, group_by=group_by).needed


def arranged_rows(found: Overview, query: RowQuery, group_by: str) -> ArrangedOverview:
    """Filter, sort and group the rows of an overview; a condition may name columns that are not shown."""
    if not is_condition(query.filter):
        rows, problem = arrange(query).rows, ""
    else:
        rows, problem = arrange(replace(query, filter="")).rows, ""
        try:
            needed_columns(query, "")  # knows all columns, so that it suggests one
            rows = rows[np.isin(rows, found.arranged(OverviewQuery(query.filter)))]
        except UsageError as error:
            problem = error.message
    if not group_by:
        return ArrangedOverview(query, rows, problem)
    columns = [COLUMNS[it.name] for it in query.view.columns if it.name in COLUMNS]
    made = (
        ShownGroup(it.value, it.rows, found.totals(it.rows.tolist(), columns))
        for it in found.groups(rows, group_by)
    )
    groups = tuple(_in_order([*made], query.sorted_by, group_by))
    ordered = np.concatenate([it.rows for it in groups]) if groups else rows
    return ArrangedOverview(query, ordered, problem, group_by, groups)


def _in_order(groups: list[ShownGroup], by: SortedBy | None, group_by: str) -> list[ShownGroup]:
    """Groups in the order of their values, or of their sums of the column that the rows are sorted by."""
    if by is None:
        return groups
    if by.column == group_by:
        known = [it for it in groups if it.value is not None]
        return [*(known[::-1] if by.is_descending else known), *(it for it in groups if it.value is None)]
    if by.column not in COLUMNS or COLUMNS[by.column].is_text:
        return groups
    return sorted(groups, key=lambda it: it.totals.get(by.column, 0), reverse=by.is_descending)


class OverviewState(Struct, frozen=True, eq=False):
    """An overview of an archive, a folder or a game.

    Attributes
    ----------
    columns
        The columns that are shown.
    lod, group
        The cell of the slot matrix whose triangles are counted.
    more
        Columns that are read without being shown: a condition or the grouping needs them.
    found, table
        The last overview, and its rows with these columns; None before the first one.
    arranged
        The rows that the last filter, order and grouping gave; None if there was none yet.
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
    more: tuple[str, ...] = ()
    found: Overview | None = None
    table: ModelTable | None = None
    arranged: ArrangedOverview | None = None
    is_running: bool = False
    problem: str = ""
    read: ReadFiles | None = None

    @property
    def lane(self) -> str:
        """The lane of the job that makes it."""
        return f"{OVERVIEW_LANE} {self.address}"


Overviews = Mapping[Address, OverviewState]
NO_OVERVIEWS: Final[Overviews] = MappingProxyType({})


MOST_UNITS: Final = 12
"""Units that are named; the column has their number."""


def row_hints(found: Overview, row: int) -> list[str]:
    """The reason why an entry cannot be read, and the known units that use it."""
    words = [translated(found.errors[row])] if row in found.errors else []
    names = [it.name for it in found.units[row]]
    if names:
        named = ", ".join(names[:MOST_UNITS]) + (", …" if len(names) > MOST_UNITS else "")
        words.append(_("Used by {units}", units=named))
    return words
