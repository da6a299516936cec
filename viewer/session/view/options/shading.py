"""Shading modes, and which of them show something of a model."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from viewer.options import OptionChoice
from viewer.translation import Text, _

if TYPE_CHECKING:
    from viewer.session.opened.document import Document
    from viewer.session.view.view_state import ViewState


class Shading(StrEnum):
    """Shading modes; the values are saved."""

    TEXTURED = "textured"
    LIT = "lit"
    UNLIT = "unlit"
    ALBEDO = "albedo"
    LIGHTMAP = "lightmap"
    ALPHA = "alpha"
    UV_CHECKER = "uv-checker"
    STREAM18 = "stream18"
    NORMALS = "normals"
    WIREFRAME = "wireframe"
    NODE = "node"
    BATCH = "batch"
    SLOT = "slot"
    MATERIAL = "material"
    LOD = "lod"
    FLAG = "flag"
    NORMAL_ERROR = "normal-error"


def _without_lightmaps(_view: ViewState, document: Document | None) -> Text | str:
    """The reason not to show lightmaps."""
    has_any = document is None or any(row.lightmap is not None for row in document.materials.rows)
    return "" if has_any else _("no material of this model has a lightmap")


def _without_stream18(_view: ViewState, document: Document | None) -> Text | str:
    """The reason not to show stream 18 as a color."""
    has_any = document is None or document.model.lightmap_uvs_raw is not None
    return "" if has_any else _("this model has no stream 18 (Res18)")


def _without_batches(_view: ViewState, document: Document | None) -> Text | str:
    """The reason not to color by batch."""
    has_any = document is None or len(document.model.batches) > 0
    return "" if has_any else _("this model has no batches")


def _without_slots(_view: ViewState, document: Document | None) -> Text | str:
    """The reason not to color by slot."""
    has_any = document is None or len(document.model.slots) > 0
    return "" if has_any else _("this model has no slots")


def _has_records(document: Document | None) -> bool:
    return document is None or document.is_terrain or len(document.model.tri_descriptors) > 0


def _without_flags(_view: ViewState, document: Document | None) -> Text | str:
    """The reason not to color by the flags of triangles."""
    words = _("this model has no triangle descriptors, which hold the flags")
    return "" if _has_records(document) else words


def _without_normals(_view: ViewState, document: Document | None) -> Text | str:
    """The reason not to compare the stored normals of triangles with those of their vertices."""
    words = _("this model has no triangle descriptors, which hold the normals")
    return "" if _has_records(document) else words


SHADINGS: Final = (
    OptionChoice(Shading.TEXTURED, _("Textured")),
    OptionChoice(Shading.LIT, _("Lit")),
    OptionChoice(Shading.UNLIT, _("Silhouette")),
    OptionChoice(Shading.ALBEDO, _("Unlit textures")),
    OptionChoice(Shading.LIGHTMAP, _("Lightmap only"), obstacle=_without_lightmaps),
    OptionChoice(Shading.ALPHA, _("Alpha")),
    OptionChoice(Shading.UV_CHECKER, _("UV checker")),
    OptionChoice(Shading.STREAM18, _("Res18 as a color"), obstacle=_without_stream18),
    OptionChoice(Shading.NORMALS, _("Normals")),
    OptionChoice(Shading.WIREFRAME, _("Wireframe")),
    OptionChoice(Shading.NODE, _("Color by node")),
    OptionChoice(Shading.BATCH, _("Color by batch"), obstacle=_without_batches),
    OptionChoice(Shading.SLOT, _("Color by slot"), obstacle=_without_slots),
    OptionChoice(Shading.MATERIAL, _("Color by material")),
    OptionChoice(Shading.LOD, _("Color by cell")),
    OptionChoice(Shading.FLAG, _("Color by triangle flags"), obstacle=_without_flags),
    OptionChoice(Shading.NORMAL_ERROR, _("Heat map of normals"), obstacle=_without_normals),
)
"""The shading modes in the order in which they are offered."""
