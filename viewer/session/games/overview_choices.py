"""The choices of overviews, as the settings remember them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Struct, field

from viewer.operations.arguments import GROUPS, LODS
from viewer.operations.overview.columns import COLUMNS, ENTRY
from viewer.typed_json import Allowed, Limits

USUAL_COLUMNS: Final = "kind", "triangles", "nodes", "materials", "textures", "size"
"""Columns that are shown at first: those that need no other files of the game."""
NARROWEST, WIDEST = 1.0, 200.0
"""Widths of a column, font heights."""
SMALLEST_THUMBNAIL, LARGEST_THUMBNAIL = 44, 256
"""Sides of thumbnails, units of the screen."""
ColumnName = Annotated[str, Allowed((*COLUMNS,))]


class OverviewChoices(Struct, frozen=True):
    """The choices of overviews, which the settings remember.

    Attributes
    ----------
    columns
        The columns from left to right.
    lod, group
        The cell of the slot matrix whose triangles are counted.
    group_by
        The column whose equal values stand together; empty for none.
    sort, is_descending
        The column that orders the rows; empty for the order of the files.
    widths
        Widths that the user gave columns, font heights.
    is_grid, thumbnail_side
        The entries are a grid of thumbnails, not a table, and the side of these, units of the screen.
    """

    columns: tuple[ColumnName, ...] = USUAL_COLUMNS
    lod: Annotated[int, Limits(LODS - 1)] = 0
    group: Annotated[int, Limits(GROUPS - 1)] = 0
    group_by: Annotated[str, Allowed(("", *COLUMNS))] = ""
    sort: Annotated[str, Allowed(("", ENTRY, *COLUMNS))] = ""
    is_descending: bool = False
    widths: Mapping[str, Annotated[float, Limits(WIDEST, NARROWEST)]] = field(default_factory=dict)
    is_grid: bool = False
    thumbnail_side: Annotated[int, Limits(LARGEST_THUMBNAIL, SMALLEST_THUMBNAIL)] = 128
