"""Units assembled from the models of their components, as the shell shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity, reading_from
from viewer.formats import units
from viewer.geometry.transforms import Doubles
from viewer.json_types import JsonObject, Quaternion, described
from viewer.model.game import game_folder
from viewer.model.game.assembly import MountedPart, assemble
from viewer.model.game.registry import Game
from viewer.model.mesh.reading_choices import ReadingChoice
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


Placement = Annotated[
    Annotated[Sequence[Quaternion], Meta(min_length=3, max_length=3)] | None, described("rows")
]


class MountRow(JsonObject, frozen=True):
    """Place of the model of a component of a unit; matrices without their last row."""

    component: int
    parent: int
    key: str
    called: str | None
    outcome: str
    model: str | None
    socket: int | None
    socket_name: str | None
    socket_tag: str | None
    mount: Placement
    matrix: Placement
    is_drawn: bool
    is_guess: bool
    problem: str | None


class UnitMounts(Struct, frozen=True):
    """Members that `inspect` adds to a unit."""

    mounts: Sequence[MountRow]


def rows_of(parts: Sequence[MountedPart]) -> list[MountRow]:
    """The parts as plain data."""
    maybe_empty = ("called", "socket_name", "socket_tag", "problem")
    return [
        MountRow.of(
            part,
            outcome=str(part.outcome),
            model=None if part.model is None else str(part.model),
            mount=_rows(part.mount),
            matrix=_rows(part.matrix),
            **{name: getattr(part, name) or None for name in maybe_empty},
        )
        for part in parts
    ]


def _rows(matrix: Doubles | None) -> list[list[float]] | None:
    return None if matrix is None else matrix[:3].tolist()
