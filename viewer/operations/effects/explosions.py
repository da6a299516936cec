"""The explosions of the nodes of a model, by the damage table of its stem.

Apart from `model_effects`, which reads effects and their materials: an export only names them.

Source: spec/effects.md 8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from viewer.errors import MshviewError
from viewer.formats.neighbors import damage
from viewer.formats.record import Rows
from viewer.formats.text import until_nul
from viewer.model.clips.started_effects import EXPLODE, StartedEffect
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item

NO_GROUP: Final = -1
"""Number in place of a group for a record that is not part of a controller."""


def explosions_of(library: FileStore, model: Item) -> tuple[StartedEffect, ...]:
    """The explosions of the nodes of a model by their damage, as records that start them, in no group."""
    rows = neighbor_rows(library, model, ".ndp", damage.decode, "rows", damage.NODE_DAMAGE.new(0))
    named = enumerate(tuple(map(until_nul, it)) for it in rows[["archive", "explosion"]].tolist())
    return tuple(
        StartedEffect(NO_GROUP, node, (), (), EXPLODE, (node, 0, 0, 0), archive, name)
        for node, (archive, name) in named
        if name
    )


def neighbor_rows(
    library: FileStore,
    model: Item,
    suffix: str,
    read: Callable[[Any], Any],
    attribute: str,
    nothing: Rows,
) -> Rows:
    """A table of the payload with the model's stem; nothing if there is none, or it cannot be read."""
    try:
        item = library.sibling(model, suffix)
        return nothing if item is None else getattr(item.decoded(read), attribute)
    except MshviewError:
        return nothing
