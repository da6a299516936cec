"""Why a switch of the view would change nothing of what is shown; what is about something else is grey."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from viewer.session.opened.document import Document
from viewer.session.play.stage import documents_of
from viewer.session.view.around import AROUND
from viewer.session.view.overlays import Overlay
from viewer.session.view.view_state import Shading
from viewer.translation import Text, _
from viewer.ui.context import UiContext


class Need(NamedTuple):
    """What a shading mode shows: whether a model has it, and the sentence for one without."""

    is_met: Callable[[Document], bool]
    reason: Text


def _has_records(document: Document) -> bool:
    return document.is_terrain or len(document.model.tri_descriptors) > 0


_NEEDS: Final[Mapping[Shading, Need]] = {
    Shading.LIGHTMAP: Need(
        lambda document: any(row.lightmap is not None for row in document.materials.rows),
        _("no material of this model has a lightmap"),
    ),
    Shading.STREAM18: Need(
        lambda document: document.model.lightmap_uvs_raw is not None, _("this model has no stream 18 (Res18)")
    ),
    Shading.BATCH: Need(lambda document: len(document.model.batches) > 0, _("this model has no batches")),
    Shading.SLOT: Need(lambda document: len(document.model.slots) > 0, _("this model has no slots")),
    Shading.FLAG: Need(
        _has_records,
        _("this model has no triangle descriptors, which hold the flags"),
    ),
    Shading.NORMAL_ERROR: Need(
        _has_records,
        _("this model has no triangle descriptors, which hold the normals"),
    ),
}


def obstacle(document: Document | None, shading: Shading) -> str:
    """Return why a shading mode would show nothing of a model; empty if it shows something."""
    need = _NEEDS.get(shading)
    return "" if document is None or need is None or need.is_met(document) else str(need.reason)


def shading_obstacle(frame: UiContext, shading: Shading) -> str:
    """Return why a shading mode would show nothing of what is open; empty if it shows something."""
    stage = frame.state.stage
    words = "" if stage is None else str(stage.shading_obstacle(shading))
    found = [obstacle(it, shading) for it in documents_of(stage)]
    return words or (found[0] if found and all(found) else "")


def available(frame: UiContext) -> list[Shading]:
    """Return the shading modes that show something."""
    return [shading for shading in Shading if not shading_obstacle(frame, shading)]


def is_missing(document: Document | None, overlay: Overlay) -> bool:
    """Whether an overlay is about a table that the open model does not have."""
    table = AROUND.get(overlay)
    return table is not None and (document is None or document.table(table) is None)


def overlay_obstacle(frame: UiContext, overlay: Overlay) -> str:
    """Return why an overlay would show nothing of what is open; empty if it may show something."""
    stage = frame.state.stage
    if stage is not None and frame.document is None:
        return str(stage.overlay_obstacle(overlay))
    return str(_("not in this model")) if is_missing(frame.document, overlay) else ""
