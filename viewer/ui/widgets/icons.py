"""An icon for every kind of resource."""

from __future__ import annotations

from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats.msh.tables import TABLES

_ICONS: Final = {
    "folder": fa.ICON_FA_FOLDER,
    "nres": fa.ICON_FA_BOX_ARCHIVE,
    "rsli": fa.ICON_FA_BOX_ARCHIVE,
    "msh": fa.ICON_FA_CUBE,
    "wear": fa.ICON_FA_SHIRT,
    "mat0": fa.ICON_FA_PALETTE,
    "texm": fa.ICON_FA_IMAGE,
    "fxid": fa.ICON_FA_WAND_MAGIC_SPARKLES,
    "objects": fa.ICON_FA_LIST,
    "control_points": fa.ICON_FA_LOCATION_DOT,
    "damage": fa.ICON_FA_HEART_CRACK,
    "ground_plan": fa.ICON_FA_DRAW_POLYGON,
    "palette": fa.ICON_FA_SWATCHBOOK,
    "units": fa.ICON_FA_ROBOT,
    "font": fa.ICON_FA_FONT,
    "wav": fa.ICON_FA_MUSIC,
    "damaged": fa.ICON_FA_CIRCLE_XMARK,
}

_TABLE_NAMES: Final = frozenset(table.name for table in TABLES.values())


def icon_of(kind: str) -> str:
    """Return the icon of a kind as ``mshview ls`` names it; anything else is a plain file."""
    if kind in _TABLE_NAMES:
        return fa.ICON_FA_TABLE
    return _ICONS.get(kind, fa.ICON_FA_FILE)
