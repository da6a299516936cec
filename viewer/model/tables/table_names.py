"""Names of tables and columns that no record has."""

from __future__ import annotations

from typing import Final

WEAR: Final = "wear"
"""The table that fields refer to whose numbers are rows of the wear table."""
VERTICES: Final = "vertices"
"""The table of the vertices with all their streams."""
RAW: Final = "_raw"
"""The end of the name of a column with stored values whose decoded ones have the name of the field."""
