"""Ids for the names that settings files held before panels and enumerations had ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

VALUES: Final[Mapping[str, str]] = {
    "node axes": "node_axes",
    "slot bounds": "slot_bounds",
    "header bounds": "header_bounds",
    "vertex normals": "vertex_normals",
    "palette as R G B": "palette_rgb",
    "888 as R G B": "rgb888",
    "8888 as A R G B": "argb8888",
    "88 as L A": "la88",
}
"""Overlays and byte orders."""
WINDOWS: Final = (
    "Browser",
    "Inspector",
    "Keys",
    "Log",
    "Materials",
    "Outline",
    "Problems",
    "Readings",
    "Resource",
    "Settings",
    "Tables",
    "Timeline",
    "Viewport",
)
"""Titles that named panels and windows; each id is the title in lower case."""

GONE: Final = ("resource",)
"""Ids of panels that there are no more: what the resource panel showed takes the middle of the window."""


def id_of_window(title: str) -> str:
    """Return the id of a window that was saved by its title; an id is returned as it is."""
    return title.lower() if title in WINDOWS else title
