"""The request that a document was opened with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address


@dataclass(frozen=True, slots=True)
class Source:
    """A model's address and how to read it; a document is derived from it and from the files.

    Attributes
    ----------
    address
        Address of the model; its bytes come from a `FileStore`, including unsaved ones.
    reading
        Reading of the disputed fields.
    wear
        A wear table instead of the one in the same archive or folder.
    game
        The game folder whose libraries are used instead of those found above the model.
    set_game
        The game folder if none is found.
    is_strict
        Refuse the model if it has an error.
    control
        A controller instead of the one that the registry names, or the one of the model's stem.
    """

    address: Address
    reading: ReadingChoice = ReadingChoice.AUTO
    wear: Address | None = None
    game: Path | None = None
    set_game: Path | None = None
    is_strict: bool = False
    control: Address | None = None
