"""Icons of the kinds of payloads, and of what names one of Font Awesome."""

from __future__ import annotations

from functools import cache
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.kinds.registry import by_id

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


def icon_named(name: str) -> str:
    """Return the icon of a name of Font Awesome, ``border-all``; empty for an empty one."""
    return str(getattr(fa, f"ICON_FA_{name.upper().replace('-', '_')}")) if name else ""


@cache
def icon_of(kind: str) -> str:
    """Return the icon of a kind as ``mshview ls`` names it; anything else is a plain file."""
    return _OTHERS.get(kind) or _ICONS[by_id(kind).icon]
