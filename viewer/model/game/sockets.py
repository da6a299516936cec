"""Parts of the registry for a socket, by its tag: the label of its node in Res10.

Source: spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from viewer.model.game.part_names import PartNames
from viewer.model.game.registry import MOST_OBJECTS, REGISTRY, Game
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

GUN: Final = "e_gun_"
"""Beginning of the keys of guns; two letters follow, the size and the kind, as at the end of a socket tag."""
# Right sockets take central and left guns as well, as counted on 865 of 865 guns (spec/field-notes.md 2).
_KINDS: Final[Mapping[str, str]] = {"r": "rcl"}
"""The kinds of guns that a socket of a kind takes, if more than its own."""


class FittingPart(NamedTuple):
    """A part that fits a socket: its key, what the game calls it, and its object in the registry."""

    key: str
    called: str
    address: Address


def fits(tag: str, key: str) -> bool:
    """Whether the part of a key fits a socket: the tag begins its key, or it is a gun of that kind."""
    tag, key = tag.casefold(), key.casefold()
    # ``universal_mr`` takes ``e_gun_mr``, ``e_gun_mc`` and ``e_gun_ml``.
    size, kind = tag[-2:-1], tag[-1:]
    guns = (f"{GUN}{size}{it}" for it in _KINDS.get(kind, kind))
    return bool(tag) and (key.startswith(tag) or any(map(key.startswith, guns)))


def fitting(store: FileStore, folder: Path | None, tag: str) -> tuple[FittingPart, ...] | None:
    """The parts in the registry of a game folder that fit a socket, in order; None without a registry."""
    game = None if folder is None else Game(folder, store)
    path = None if game is None else game.folder.file(REGISTRY)
    if game is None or game.registry is None or path is None:
        return None
    names, registry = PartNames.of(store, folder), Address(path)
    entries = game.registry.archive.entries[:MOST_OBJECTS]
    found = ((it, str(names.of_key(it.name) or "")) for it in entries if fits(tag, it.text))
    return tuple(sorted(FittingPart(it.text, called, registry.child(it.text)) for it, called in found))
