"""Which shading modes a model has something to show in, and why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from viewer.model.mesh.model import Variant
from viewer.session.opened.document import Document
from viewer.session.view.view_state import Shading
from viewer.translation import Message


class Need(NamedTuple):
    """What a shading mode shows: whether a model has it, and the sentence for one without."""

    is_met: Callable[[Document], bool]
    reason: Message


_NEEDS: Final[Mapping[Shading, Need]] = {
    Shading.LIGHTMAP: Need(
        lambda document: any(row.lightmap is not None for row in document.materials.rows),
        Message("no material of this model has a lightmap"),
    ),
    Shading.STREAM18: Need(
        lambda document: document.model.lightmap_uvs_raw is not None,
        Message("this model has no stream 18 (Res18)"),
    ),
    Shading.BATCH: Need(
        lambda document: len(document.model.batches) > 0, Message("this model has no batches")
    ),
    Shading.SLOT: Need(lambda document: len(document.model.slots) > 0, Message("this model has no slots")),
    Shading.FLAG: Need(
        lambda document: document.model.variant is Variant.TERRAIN or len(document.model.tri_descriptors) > 0,
        Message("this model has no triangle descriptors, which hold the flags"),
    ),
}


def obstacle(document: Document | None, shading: Shading) -> str:
    """Return why a shading mode would show nothing of a model; empty if it shows something."""
    need = _NEEDS.get(shading)
    return "" if document is None or need is None or need.is_met(document) else str(need.reason)


def available(document: Document | None) -> list[Shading]:
    """Return the shading modes that show something."""
    return [shading for shading in Shading if not obstacle(document, shading)]
