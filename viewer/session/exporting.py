"""The export window, and that of many files: the user's choices, and what they will write."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.model.convert.options import Cell, Options
from viewer.model.convert.scene_file import GLB, JSON, OBJ, SUFFIXES
from viewer.model.kinds.registry import MODEL
from viewer.model.store.address import Address
from viewer.operations.corpus.exports import ModelRoundTrips
from viewer.operations.exporting import ExportOptions, ExportPreview
from viewer.session.jobs import TEXTURES
from viewer.typed_json import Allowed

ROUND_TRIPS_LANE: Final = "trips"
"""The job that checks round trips."""
PICTURED: Final = TEXTURES | {MODEL.id}
"""Kinds of entries of which pictures are written."""
USUAL_SIZE: Final = 1024, 768
"""Width and height of pictures of entries, pixels: those of ``render``."""


class ExportChoices(Struct, frozen=True):
    """The choices of an export, which the settings remember.

    Attributes
    ----------
    suffix
        The format, one of `SUFFIXES`.
    scene
        How scenes are made; which axis is up is said below.
    is_gltf_y_up, is_obj_y_up
        Whether Y is up in the file; Z otherwise.
    """

    suffix: Annotated[str, Allowed(SUFFIXES)] = GLB
    scene: Options = Options()
    is_gltf_y_up: bool = True
    is_obj_y_up: bool = False

    @property
    def is_y_up(self) -> bool:
        """Whether Y is up in a file of the chosen format."""
        return self.is_obj_y_up if self.suffix == OBJ else self.is_gltf_y_up

    def with_y_up(self, *, is_on: bool) -> ExportChoices:
        """The choices with another axis up in files of the chosen format."""
        is_obj = self.suffix == OBJ
        return replace(self, is_obj_y_up=is_on) if is_obj else replace(self, is_gltf_y_up=is_on)


class ExportScope(StrEnum):
    """Extent of an export."""

    MODEL = "model"
    SELECTION = "selection"
    """The selected nodes with those above them."""
    ARCHIVE = "archive"
    """Every model of the archive, each in a file; as JSON every entry."""
    ENTRIES = "entries"
    """The selected entries, each in a file."""

    @property
    def is_many(self) -> bool:
        """Whether a folder of files is written."""
        return self in (ExportScope.ARCHIVE, ExportScope.ENTRIES)


class ExportQuestion(Struct, frozen=True):
    """The question about an export: the resources and the target.

    Attributes
    ----------
    address, kind
        What was open or clicked, and its kind.
    archive
        The archive that it lies in, or that it is; None without one.
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
        Where to; the stem is not used for many files.
    entries
        The selected entries of an overview.
    preview
        What will be written; None while it is being found.
    """

    address: Address
    kind: str
    archive: Address | None
    is_model: bool
    scope: ExportScope
    choices: ExportChoices
    folder: Path
    stem: str
    nodes: tuple[int, ...] = ()
    cell: Cell = (0, 0)
    entries: tuple[Address, ...] = ()
    preview: ExportPreview | None = None

    @property
    def suffix(self) -> str:
        """The format: JSON for whatever is no model."""
        return self.choices.suffix if self.is_model or self.scope.is_many else JSON

    @property
    def is_scene(self) -> bool:
        """Whether a scene is written, and not bytes as text."""
        return self.suffix != JSON

    @property
    def path(self) -> Path:
        """The file, or the folder of many files."""
        return self.folder if self.scope.is_many else self.folder / f"{self.stem}.{self.suffix}"

    @property
    def options(self) -> ExportOptions:
        """The format, and the shown cell of all nodes or of the selected ones."""
        how = self.choices
        scene = replace(
            how.scene,
            cell=self.cell,
            is_y_up=how.is_y_up,
            nodes=frozenset(self.nodes) if self.scope is ExportScope.SELECTION else None,
        )
        return ExportOptions(self.suffix, scene)


class EntryFile(StrEnum):
    """A file that is written of each selected entry besides an export."""

    PAYLOAD = "payload"
    """Its bytes, unpacked."""
    PICTURE = "picture"
    """A picture, as ``render`` and ``texture`` make it."""


class FilesQuestion(Struct, frozen=True):
    """The question about a file of each of some entries.

    Attributes
    ----------
    what
        What is written of each.
    entries
        The entries.
    folder
        Where to.
    size, is_transparent
        Width and height of pictures of models in pixels, and whether they have no background.
    preview
        What will be written; None while it is being found.
    """

    what: EntryFile
    entries: tuple[Address, ...]
    folder: Path
    size: tuple[int, int] = USUAL_SIZE
    is_transparent: bool = False
    preview: ExportPreview | None = None


class RoundTripReport(Struct, frozen=True):
    """Whether models come back from every format as they were.

    Attributes
    ----------
    address
        The model or the archive.
    models
        What was found of each.
    is_running
        Whether there are more to come.
    """

    address: Address
    models: tuple[ModelRoundTrips, ...] = ()
    is_running: bool = True
