"""A tree as the flat list of rows on screen, so that a tree of any size draws only what is visible."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TreeRow(Generic[Key]):
    """One row: what it stands for, how deep it lies, and whether it has and shows rows of its own."""

    key: Key
    depth: int
    has_children: bool
    is_open: bool


def flatten(
    roots: Iterable[Key],
    children: Callable[[Key], Sequence[Key]],
    is_open: Callable[[Key], bool],
) -> list[TreeRow[Key]]:
    """Return the rows in drawing order; children of closed rows are left out. Works at any depth."""
    rows: list[TreeRow[Key]] = []
    waiting: list[tuple[Iterator[Key], int]] = [(iter(roots), 0)]
    while waiting:
        siblings, depth = waiting[-1]
        key = next(siblings, None)
        if key is None:
            waiting.pop()
            continue
        below = children(key)
        row = TreeRow(key, depth, bool(below), bool(below) and is_open(key))
        rows.append(row)
        if row.is_open:
            waiting.append((iter(below), depth + 1))
    return rows


def with_ancestors(keys: Iterable[Key], parent: Callable[[Key], Key | None]) -> set[Key]:
    """Return `keys` and their ancestors: the rows of a filtered tree."""
    kept: set[Key] = set()
    for key in keys:
        step: Key | None = key
        while step is not None and step not in kept:
            kept.add(step)
            step = parent(step)
    return kept
