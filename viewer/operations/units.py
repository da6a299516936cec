"""Units assembled from the models of their components, as the shell shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from viewer.errors import Diagnostic, Severity, reading_from
from viewer.formats import units
from viewer.geometry.transforms import Doubles
from viewer.model.game import game_folder
from viewer.model.game.assembly import MountedPart, assemble
from viewer.model.game.registry import Game
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.translation import _


def parts_of(
    store: FileStore, item: Item, game: Path | None, requested: ReadingChoice
) -> tuple[MountedPart, ...]:
    """The components of a unit with their models in place; none without a game folder.

    `game` is used instead of the folder found above the file. Raises `FormatError` for what is no unit.
    """
    with reading_from(item.address):
        unit = units.decode(item.data)
    found = game_folder.find(store, item.address.path, game)
    if found.folder is None:
        return ()
    return assemble(store, Game(found.folder, store), unit, requested)


def problems_of(parts: Sequence[MountedPart]) -> Iterator[Diagnostic]:
    """Yield what is missing of the parts that hang somewhere."""
    for part in parts:
        if part.problem:
            message = _("{key}: {problem}", key=part.key, problem=part.problem)
            yield Diagnostic("", Severity.WARNING, message, units.COMPONENT.name, part.component)


def rows_of(parts: Sequence[MountedPart]) -> list[dict[str, Any]]:
    """The parts as plain data; matrices as three rows of four numbers, those of a 4x4 matrix but the last."""
    return [
        {
            "component": part.component,
            "parent": part.parent,
            "key": part.key,
            "called": part.called or None,
            "outcome": str(part.outcome),
            "model": None if part.model is None else str(part.model),
            "socket": part.socket,
            "socket_name": part.socket_name or None,
            "socket_tag": part.socket_tag or None,
            "mount": _rows(part.mount),
            "matrix": _rows(part.matrix),
            "is_drawn": part.is_drawn,
            "is_guess": part.is_guess,
            "problem": part.problem or None,
        }
        for part in parts
    ]


def _rows(matrix: Doubles | None) -> list[list[float]] | None:
    return None if matrix is None else matrix[:3].tolist()
