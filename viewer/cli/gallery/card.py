"""The card of one model in ``gallery.json`` and in the page, and the names in a site."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.json_types import JsonObject, Natural, Sha256, Vector, described, names_of
from viewer.model.kinds.columns import DiagnosticRow, diagnostic_rows
from viewer.model.kinds.registry import MODEL
from viewer.model.material.materials import Material
from viewer.model.write.saving import FileNames
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState
from viewer.translation import readable

INDEX: Final = "gallery.json"
PAGE: Final = "index.html"
PICTURES: Final = "pictures"
TURNTABLES: Final = "turntables"
MODELS: Final = "models"
EARLIER: Final = "earlier"
FOLDERS: Final = (PICTURES, TURNTABLES, MODELS, EARLIER)
Camera = Literal["three-quarter", "front", "side", "top"]
CAMERAS: Final[tuple[Camera, ...]] = get_args(Camera)
"""The fixed cameras."""
LONGEST: Final = 80
"""Letters of a name, so that it stays valid with what is added, and in folders with long names."""
_UNSAFE: Final = re.compile(r"[^0-9A-Za-z._-]+")
_SUFFIX: Final = re.compile(r"(?i)\.msh$")


class GalleryChange(StrEnum):
    """Difference of a model from that of an earlier gallery."""

    NONE = "none"
    NEW = "new"
    PICTURES = "pictures"
    BYTES = "bytes"
    GONE = "gone"


class SiteNames:
    """Gives each model of a site the beginning of its file names, no two of which are equal."""

    def __init__(self) -> None:
        self._names = FileNames()

    def stem(self, name: str, index: int) -> str:
        """The beginning of the names of a model's files: its own name with what is unsafe replaced."""
        safe = _UNSAFE.sub("_", _SUFFIX.sub("", name)).strip("._")[:LONGEST]
        return self._names.add(safe or f"model-{index}", index)

    @staticmethod
    def picture(folder: str, stem: str, camera: str = "") -> str:
        """The name of a picture below the site."""
        return f"{folder}/{stem}{'_' * bool(camera)}{camera}.webp"

    @staticmethod
    def model(stem: str) -> str:
        """The name of a model in the form that a page loads, below the site."""
        return f"{MODELS}/{stem}.js"


MOST_PROBLEMS: Final = 60
"""Problems of one model that are listed; all are counted."""


class CardCounts(JsonObject, frozen=True):
    """Counts of the parts of a model; triangles are those in the pictures, frames are 0 if nothing moves."""

    nodes: Natural
    triangles: Natural
    vertices: Natural
    frames: Natural
    textures: Natural
    materials: Natural


COUNTS: Final = names_of(CardCounts)


class CardRow(JsonObject, frozen=True):
    """A model or an effect of a gallery; pictures are files below the site."""

    source: str
    name: str
    holder: str
    kind: str
    called: str | None
    sha256: Sha256 | None
    size: Natural
    error: str | None
    counts: CardCounts
    extent: Annotated[Vector | None, described("sides of the box around what the pictures show")]
    errors: Natural
    warnings: Natural
    diagnostics: Sequence[DiagnosticRow]
    pictures: Mapping[Camera, str]
    turntable: str | None
    model: str | None
    change: GalleryChange | None
    changed: Sequence[Camera]
    earlier: Mapping[Camera, str]


class ChangeCounts(JsonObject, frozen=True):
    """Numbers of models that differ, by `GalleryChange`."""

    none: Natural
    new: Natural
    pictures: Natural
    bytes: Natural
    gone: Natural


class GallerySummary(JsonObject, frozen=True):
    """A gallery in numbers."""

    models: Natural
    unreadable: Natural
    changes: Annotated[ChangeCounts | None, described("null without an earlier gallery")]


class GalleryAnswer(Struct, frozen=True):
    """Content of a gallery, as in ``gallery.json``."""

    title: str
    models: Sequence[CardRow]
    summary: GallerySummary


class Card(Struct, frozen=True):
    """The card of a model or effect in a gallery.

    Attributes
    ----------
    label, name, holder
        As in `FoundItem`.
    kind
        What it is: a model or an effect.
    called
        What the game calls the part, as in `Document`; empty if that is not known.
    sha256
        Of the bytes of the model, hexadecimal; empty if they cannot be read.
    size
        Bytes of the model.
    error
        Why it cannot be shown; empty if it can.
    counts
        By the names of `COUNTS`: triangles are those in the pictures, frames are 0 if nothing moves. Those of
        an effect are textures and materials alone.
    extent
        Length of the three sides of the box around what the pictures show, model units; None without any.
    problems
        Errors and warnings, the errors first.
    pictures, turntable, model
        File names below the site; empty if there are none. The turntable of an effect plays it.
    change
        None if the gallery is not compared with another one.
    changed
        The cameras whose pictures differ.
    earlier
        Pictures in the earlier gallery by camera: of those that differ, or of a model that is gone.
    """

    label: str
    name: str
    holder: str
    kind: str = MODEL.id
    called: str = ""
    sha256: str = ""
    size: int = 0
    error: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    extent: tuple[float, ...] | None = None
    problems: tuple[Diagnostic, ...] = ()
    pictures: Mapping[str, str] = field(default_factory=dict)
    turntable: str = ""
    model: str = ""
    change: GalleryChange | None = None
    changed: tuple[str, ...] = ()
    earlier: Mapping[str, str] = field(default_factory=dict)

    def with_problems(self, found: Iterable[Diagnostic]) -> Card:
        """The card with more problems, each once; remarks are not among them."""
        problems = [it for it in dict.fromkeys((*self.problems, *found)) if it.severity is not Severity.INFO]
        return replace(
            self, problems=tuple(sorted(problems, key=lambda it: it.severity is not Severity.ERROR))
        )

    def without_place(self, base: Path) -> Card:
        """The card with paths from a folder on: a site does not tell where on a computer it was made."""
        above = "" if base.parent == base.parent.parent else readable(f"{base.parent}{os.sep}")
        problems = (replace(it, message=readable(str(it.message)).replace(above, "")) for it in self.problems)
        return replace(self, error=self.error.replace(above, ""), problems=tuple(problems))

    @property
    def is_different(self) -> bool:
        """Whether the model was compared with another gallery and differs."""
        return self.change not in (None, GalleryChange.NONE)

    @property
    def row(self) -> CardRow:
        """The card as it is written."""
        totals = Counter(it.severity for it in self.problems)
        maybe_empty = ("called", "sha256", "error", "turntable", "model")
        return CardRow.of(
            self,
            source=self.label,
            counts=CardCounts(**{name: self.counts.get(name, 0) for name in COUNTS}),
            errors=totals[Severity.ERROR],
            warnings=totals[Severity.WARNING],
            diagnostics=diagnostic_rows(self.problems[:MOST_PROBLEMS]),
            **{name: getattr(self, name) or None for name in maybe_empty},
        )


def material_counts(rows: Sequence[Material]) -> dict[str, int]:
    """The counts of different textures and materials."""
    textures = {texture.key for row in rows for texture in (*row.textures, row.lightmap) if texture}
    return {"textures": len(textures), "materials": len({row.row for row in rows})}


def counts_of(document: Document, view: ViewState) -> dict[str, int]:
    """The counts of a model as `Card.counts` has them."""
    model, rows = document.model, document.materials.rows
    return {
        "nodes": model.node_count,
        "triangles": document.shown(view).triangle_count,
        "vertices": model.vertex_count,
        "frames": model.frame_count if document.animation.is_animated else 0,
        **material_counts(rows),
    }


def extent_of(document: Document, view: ViewState) -> tuple[float, ...] | None:
    """The sides of the box around what a view shows at time 0."""
    bounds = document.bounds(document.animation.pose(0.0), view)
    return None if bounds is None else tuple(bounds.size.tolist())
