"""Effects at an address, as the window and the shell play them."""

from __future__ import annotations

from viewer.errors import FormatError, reading_from
from viewer.formats import fxid
from viewer.model.kinds.entry_kinds import entry_kinds
from viewer.model.kinds.registry import ARCHIVE, EFFECT, kind_of
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item, spelling
from viewer.translation import _

NAMED = 8
"""Effects of an archive that an error names."""


def effect_of(store: FileStore, item: Item) -> fxid.Effect:
    """The effect that an item is; raises `FormatError` for anything else."""
    kind = kind_of(item)
    if kind is not EFFECT:
        raise FormatError(_not_an_effect(store, item), source=str(item.address))
    with reading_from(str(item.address)):
        return item.once(fxid.decode, lambda: fxid.decode(item.data))


def _not_an_effect(store: FileStore, item: Item) -> str:
    """What an item is instead, and which effects are in it."""
    container = store.container(item) if kind_of(item) is ARCHIVE else None
    rows = (
        [] if container is None else entry_kinds(container).are(frozenset({EFFECT.id})).nonzero()[0].tolist()
    )
    if container is None or not rows:
        return _("not an effect: {kind}", kind=kind_of(item).title)
    names = ", ".join(spelling(container, row) for row in rows[:NAMED])
    if len(rows) > NAMED:
        names = _("{names}, ... ({count} in all)", names=names, count=len(rows))
    first = item.address.child(spelling(container, rows[0]))
    return _("is an archive, not an effect; name one as in {first}: {names}", first=first, names=names)
