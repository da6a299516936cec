"""Icons of the kinds of payloads, and of the overlays."""

from __future__ import annotations

from functools import cache
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.kinds.registry import by_id
from viewer.session.view.view_state import Overlay

_ICONS: Final = {
    "archive": fa.ICON_FA_BOX_ARCHIVE,
    "control": fa.ICON_FA_PERSON_WALKING,
    "cube": fa.ICON_FA_CUBE,
    "damage": fa.ICON_FA_HEART_CRACK,
    "effect": fa.ICON_FA_WAND_MAGIC_SPARKLES,
    "explosion": fa.ICON_FA_BURST,
    "file": fa.ICON_FA_FILE,
    "font": fa.ICON_FA_FONT,
    "image": fa.ICON_FA_IMAGE,
    "list": fa.ICON_FA_LIST,
    "palette": fa.ICON_FA_PALETTE,
    "point": fa.ICON_FA_LOCATION_DOT,
    "polygon": fa.ICON_FA_DRAW_POLYGON,
    "robot": fa.ICON_FA_ROBOT,
    "shirt": fa.ICON_FA_SHIRT,
    "sun": fa.ICON_FA_CLOUD_SUN,
    "swatches": fa.ICON_FA_SWATCHBOOK,
    "tag": fa.ICON_FA_ID_CARD,
    "table": fa.ICON_FA_TABLE,
}
"""By the icon that a kind names."""

_OTHERS: Final = {
    "folder": fa.ICON_FA_FOLDER,
    "wav": fa.ICON_FA_MUSIC,
    "damaged": fa.ICON_FA_CIRCLE_XMARK,
}
"""Rows that are no payload of a known kind."""

OVERLAYS: Final = {
    Overlay.GRID: fa.ICON_FA_BORDER_ALL,
    Overlay.AXES: fa.ICON_FA_ARROWS_UP_DOWN_LEFT_RIGHT,
    Overlay.NODE_AXES: fa.ICON_FA_CODE_FORK,
    Overlay.BONES: fa.ICON_FA_BONE,
    Overlay.SLOT_BOUNDS: fa.ICON_FA_VECTOR_SQUARE,
    Overlay.HEADER_BOUNDS: fa.ICON_FA_SHAPES,
    Overlay.EDGES: fa.ICON_FA_DRAW_POLYGON,
    Overlay.NORMALS: fa.ICON_FA_ARROW_UP_FROM_BRACKET,
    Overlay.SOCKETS: fa.ICON_FA_PLUG,
    Overlay.NAMES: fa.ICON_FA_TAG,
    Overlay.PORTALS: fa.ICON_FA_DOOR_OPEN,
    Overlay.TRAILS: fa.ICON_FA_ROUTE,
    Overlay.GHOSTS: fa.ICON_FA_GHOST,
    Overlay.CONTROL_POINTS: fa.ICON_FA_LOCATION_ARROW,
    Overlay.PATH_GRAPH: fa.ICON_FA_DIAGRAM_PROJECT,
    Overlay.LIGHT_PROBES: fa.ICON_FA_LIGHTBULB,
    Overlay.GROUND_PLAN: fa.ICON_FA_RULER_COMBINED,
    Overlay.TESTED_POINTS: fa.ICON_FA_DIAMOND,
}
"""Icons of the overlays, in the order of the toolbar; none looks like another one there."""


@cache
def icon_of(kind: str) -> str:
    """Return the icon of a kind as ``mshview ls`` names it; anything else is a plain file."""
    return _OTHERS.get(kind) or _ICONS[by_id(kind).icon]
