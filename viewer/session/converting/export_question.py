"""What the export window asks: what is exported, how, and where to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from viewer.model.convert.exchange import JSON
from viewer.model.convert.scene import Cell
from viewer.session.converting.export_choices import ExportChoices


class Scope(StrEnum):
    """How much is exported."""

    MODEL = "model"
    SELECTION = "selection"
    """The selected nodes with those above them."""
    ARCHIVE = "archive"
    """Every model of the archive, a file each; as JSON every entry."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What an export will write.

    Attributes
    ----------
    files
        Names and sizes in bytes of the files; of an archive sizes are not known before, and are 0.
    nodes, triangles, materials, pictures, clips, frames
        What is in the scene; all 0 for JSON and for an archive.
    replaced
        Names of files that exist.
    error
        Why it cannot be exported; empty if it can.
    """

    files: tuple[tuple[str, int], ...] = ()
    nodes: int = 0
    triangles: int = 0
    materials: int = 0
    pictures: int = 0
    clips: int = 0
    frames: int = 0
    replaced: tuple[str, ...] = ()
    error: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for _, size in self.files)


@dataclass(frozen=True, slots=True)
class ExportQuestion:
    """What is to be exported, and where to.

    Attributes
    ----------
    address, kind
        What was open or clicked, and its kind.
    archive
        The archive that it lies in, or that it is; empty without one.
    is_model
        Whether it is a model; anything else is exported as JSON.
    scope
        How much of it is exported.
    choices
        How.
    nodes
        The selected nodes.
    cell
        The cell of models that is shown.
    folder, stem
        Where to; the stem is not used for an archive.
    preview
        What will be written; None while it is being found.
    """

    address: str
    kind: str
    archive: str
    is_model: bool
    scope: Scope
    choices: ExportChoices
    folder: Path
    stem: str
    nodes: tuple[int, ...] = ()
    cell: Cell = (0, 0)
    preview: Preview | None = None

    @property
    def suffix(self) -> str:
        """The format: JSON for whatever is no model."""
        return self.choices.suffix if self.is_model or self.scope is Scope.ARCHIVE else JSON

    @property
    def is_scene(self) -> bool:
        """Whether a scene is written, and not bytes as text."""
        return self.suffix != JSON

    @property
    def path(self) -> Path:
        """The file, or the folder of the files of an archive."""
        return self.folder if self.scope is Scope.ARCHIVE else self.folder / f"{self.stem}.{self.suffix}"

    @property
    def chosen_nodes(self) -> frozenset[int] | None:
        """The nodes to write; None for all."""
        return frozenset(self.nodes) if self.scope is Scope.SELECTION else None
