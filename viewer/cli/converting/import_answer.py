"""The answer of ``import`` as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Struct

from viewer.cli.editing.results import ChangeRow, RangeMembers
from viewer.json_types import JsonObject, Number, Rows, described
from viewer.model.compare.edit_report import FoundDiagnostic
from viewer.model.edit.change import Topic


class ImportedItem(JsonObject, frozen=True):
    """A change of a library."""

    item: Annotated[str, described("as --without takes it")]
    change: str
    is_made: bool


class LibraryEdit(JsonObject, frozen=True):
    """Changes of a library."""

    source: str
    changes: Rows[ChangeRow]
    ranges: Rows[RangeMembers]


class ClipFrames(JsonObject, frozen=True):
    """An animation of the file, and the frames that it has got."""

    name: str
    first: Number
    last: Number
    rate: Annotated[Number, described("frames a second")]


class ImportAnswer(Struct, frozen=True):
    """Changes of an import; of a new file nothing is before."""

    source: str
    changes: Rows[ChangeRow]
    items: Sequence[ImportedItem]
    libraries: Sequence[LibraryEdit]
    lossy: Annotated[Sequence[str], described("what cannot be taken over as it is")]
    diagnostics: Sequence[FoundDiagnostic]
    ranges: Rows[RangeMembers]
    identical: bool
    made: Sequence[Topic]
    notes: Sequence[str]
    clips: Sequence[ClipFrames]
