"""Parts for a slot: the entries of the registry whose key begins with the label of a component.

Source: spec/ctl.md, Component.
"""

from __future__ import annotations

from viewer.formats.text import fold
from viewer.model.game.registry import Registry


def fitting(registry: Registry, label: bytes) -> tuple[bytes, ...]:
    """The keys of the objects that fit a slot, in the order of the registry; none for an empty label."""
    start = fold(label.strip())
    if not start:
        return ()
    return tuple(it.name for it in registry.archive.entries if fold(it.name).startswith(start))
