"""A unit with the models of its components, opened: what stands where, and what may take its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from msgspec import Struct, field

from viewer.errors import MshviewError, reading_from
from viewer.formats import units
from viewer.formats.units import Unit
from viewer.geometry.transforms import Doubles
from viewer.model.game import game_folder
from viewer.model.game.assembly import MountedPart, assemble, choices
from viewer.model.game.part_names import PartNames
from viewer.model.game.registry import Game, Outcome
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.progress import checkpoint
from viewer.session.opened.document import Document
from viewer.translation import _

MOST_MODELS: Final = 256
"""Components whose models are shown."""


class AssembledUnit(Struct, frozen=True, eq=False, dict=True):
    """The components of a unit in place. It needs no OpenGL, so a worker thread can make it.

    Attributes
    ----------
    parts
        Its components.
    documents
        The models of those that have a place, by component.
    game
        The game folder that they are from; None without one.
    problem
        What of it is not shown; empty if all is.
    """

    parts: tuple[MountedPart, ...] = ()
    documents: Mapping[int, Document] = field(default_factory=lambda: MappingProxyType({}))
    game: Game | None = None
    problem: str = ""

    @classmethod
    def of(
        cls,
        store: FileStore,
        unit: Unit,
        folder: Path,
        requested: ReadingChoice = ReadingChoice.AUTO,
        *,
        has_effects: bool = False,
        parents: Sequence[int] | None = None,
    ) -> AssembledUnit:
        """The unit with the models of a game folder, each opened once, if requested with their effects.

        `parents` are as in `assemble`.
        """
        game = Game(folder, store)
        parts = assemble(store, game, unit, requested, parents)
        placed = [part for part in parts if part.model is not None and part.matrix is not None]
        opened: dict[Address, Document] = {}
        documents: dict[int, Document] = {}
        problem = ""
        for part in placed[:MOST_MODELS]:
            checkpoint()
            assert part.model is not None
            try:
                if part.model not in opened:
                    source = Source(part.model, ReadingOptions(requested, game=folder))
                    opened[part.model] = Document.open(store, source, has_effects=has_effects)
                documents[part.component] = opened[part.model]
            except MshviewError as error:
                problem = error.text
        if len(placed) > MOST_MODELS:
            problem = _("only the first {count} models are shown", count=MOST_MODELS)
        return cls(parts, MappingProxyType(documents), game, problem)

    @classmethod
    def of_model(cls, document: Document) -> AssembledUnit:
        """A model alone, as the only part."""
        address = document.source.address
        part = MountedPart(0, -1, address.name, Outcome.MODEL, address, matrix=np.eye(4), is_drawn=True)
        return cls((part,), MappingProxyType({0: document}))

    @classmethod
    def at(
        cls, store: FileStore, item: Item, game: Path | None, requested: ReadingChoice = ReadingChoice.AUTO
    ) -> AssembledUnit:
        """The unit that an item is, empty without a game folder; raises `FormatError` for anything else.

        Parameters
        ----------
        game
            Used instead of the folder found above the file.
        """
        with reading_from(item.address):
            unit = units.decode(item.data)
        found = game_folder.find(store, item.address.path, game).folder
        return cls() if found is None else cls.of(store, unit, found, requested)

    @property
    def root(self) -> int | None:
        """The first component with a model that hangs on nothing: what the view plays is its."""
        return next(
            (it.component for it in self.parts if it.parent < 0 and it.component in self.documents), None
        )

    @property
    def chassis(self) -> Document | None:
        """The model of the root."""
        return None if self.root is None else self.documents[self.root]

    @property
    def drawn(self) -> Iterator[MountedPart]:
        """The parts that are drawn."""
        return (part for part in self.parts if part.is_drawn and part.component in self.documents)

    @cached_property
    def has_names(self) -> bool:
        """Whether the game calls any of the parts something."""
        return any(part.called for part in self.parts)

    @cached_property
    def apart(self) -> Doubles:
        """The way of each part from the center of what it hangs on to its own, and the ways above it, (n, 3).

        At time 0, in the space of the unit.
        """
        centers, ways = np.zeros((2, len(self.parts), 3))
        for part in self.parts:
            document, row, above = self.documents.get(part.component), part.component, part.parent
            extent = None if document is None else document.extent
            if extent is not None and part.matrix is not None:
                centers[row] = (part.matrix @ [*extent.center, 1])[:3]
            elif above >= 0:
                centers[row] = centers[above]
            if above >= 0:
                ways[row] = ways[above] + centers[row] - centers[above]
        return ways

    def below(self, component: int) -> frozenset[int]:
        """A component and all that hangs on it."""
        found = {component}
        for part in self.parts[component + 1 :]:  # written depth first
            if part.parent in found:
                found.add(part.component)
        return frozenset(found)

    def label(self, component: int) -> str:
        """The tag of its socket; empty if that is not known."""
        return self.parts[component].socket_tag

    def choices(self, component: int) -> dict[str, str]:
        """The keys of objects that may take the place of a component, those that fit its socket first.

        To each what the game calls it; empty if that is not known.
        """
        if self.game is None:
            return {}
        names = PartNames.of(self.game.folder.library, self.game.path)
        keys = choices(self.game, self.parts[component].key, self.label(component))
        return {key: str(names.of_key(key.encode("cp1251", "replace")) or "") for key in keys}
