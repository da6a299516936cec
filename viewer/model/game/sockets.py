"""Parts of the registry for a socket, by its tag: the label of its node in Res10.

Source: spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from viewer.model.game.part_names import PartNames
from viewer.model.game.registry import MOST_OBJECTS, REGISTRY, Game, existing
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.translation import Text, _

GUN: Final = "e_gun_"
"""Beginning of the keys of guns; two letters follow, the size and the kind, as at the end of a socket tag."""
# Right sockets take central and left guns as well, as counted on 865 of 865 guns (spec/field-notes.md 2).
_KINDS: Final[Mapping[str, str]] = {"r": "rcl"}
"""The kinds of guns that a socket of a kind takes, if more than its own."""


class FittingPart(NamedTuple):
    """A part that fits a socket.

    Attributes
    ----------
    key
        Its object in the registry.
    called
        What the game calls it; empty if that is not known.
    address
        The address of its object.
    model
        The address of its model; None if the object leads to none.
    reason
        Why it fits.
    """

    key: str
    called: str
    address: Address
    model: Address | None = None
    reason: str = ""


def fit_reason(tag: str, key: str) -> Text | None:
    """The reason why the part of a key fits a socket; None if it does not.

    The tag begins its key, or it is a gun of the size and the kind at the end of the tag.
    """
    folded, own = tag.casefold(), key.casefold()
    if not folded:
        return None
    if own.startswith(folded):
        return _("its key begins with the tag of the socket, {tag}", tag=tag)
    # ``universal_mr`` takes ``e_gun_mr``, ``e_gun_mc`` and ``e_gun_ml``.
    size, kind = folded[-2:-1], folded[-1:]
    for other in _KINDS.get(kind, kind):
        if own.startswith(f"{GUN}{size}{other}"):
            if other == kind:
                return _("it is a gun {gun}, as the socket {tag} takes", gun=f"{GUN}{size}{other}", tag=tag)
            return _("a right socket takes guns {gun} too", gun=f"{GUN}{size}{other}")
    return None


def fits(tag: str, key: str) -> bool:
    """Whether the part of a key fits a socket."""
    return fit_reason(tag, key) is not None


def fitting(store: FileStore, folder: Path | None, tag: str) -> tuple[FittingPart, ...] | None:
    """The parts in the registry of a game folder that fit a socket, in order; None without a registry."""
    game = None if folder is None else Game(folder, store)
    path = None if game is None else game.folder.file(REGISTRY)
    if game is None or game.registry is None or path is None:
        return None
    names, registry = PartNames.of(store, folder), Address(path)
    found = []
    for entry in game.registry.archive.entries[:MOST_OBJECTS]:
        reason = fit_reason(tag, entry.text)
        if reason is not None:
            called, model = str(names.of_key(entry.name) or ""), _model_of(game, entry.name)
            found.append(FittingPart(entry.text, called, registry.child(entry.text), model, str(reason)))
    return tuple(sorted(found, key=lambda it: it.key))


def _model_of(game: Game, key: bytes) -> Address | None:
    """The address of the model that an object leads to."""
    _outcome, reference = game.model(key)
    return None if reference is None else next(existing(game, reference), None)
