"""The answer about two folders in JSON and in words, for the verb and for the page with pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import Struct

from viewer.json_types import JsonObject, Natural, described
from viewer.operations.folders.comparison import ComparedEntry, EntryState, FolderComparison
from viewer.translation import counted, translated

if TYPE_CHECKING:
    from viewer.model.store.address import Address

SCHEMA: Final = "mshview-diff-folders-1"


class FolderDifference(JsonObject, frozen=True):
    """A file or an entry that differs; addresses are relative to the folders."""

    state: EntryState
    a: str | None
    b: str | None
    kind: Annotated[str, described("what it is")]
    fields: Annotated[Natural | None, described("fields that differ, if both are decoded")]

    @classmethod
    def made(cls, it: ComparedEntry) -> FolderDifference:
        """The object of an entry."""
        return cls(it.state, _text(it.a), _text(it.b), it.kind, it.fields)


def _text(address: Address | None) -> str | None:
    return None if address is None else str(address)


class UnreadableFile(JsonObject, frozen=True):
    """A file or an entry that cannot be read in one of the folders, of which nothing else is said."""

    path: str
    message: str


class FolderDifferences(Struct, frozen=True):
    """The differences between two folders."""

    schema: Literal["mshview-diff-folders-1"]
    entries: Sequence[FolderDifference]
    same: Annotated[Natural, described("files and entries with the same name, place and content")]
    errors: Sequence[UnreadableFile]

    @classmethod
    def made(cls, found: FolderComparison) -> FolderDifferences:
        """The answer about a comparison."""
        entries = [*map(FolderDifference.made, found.entries)]
        return cls(SCHEMA, entries, found.same, [*map(UnreadableFile.of, found.errors)])


def places(entry: ComparedEntry) -> str:
    """The address of an entry, or both if they differ."""
    texts = [str(it) for it in (entry.a, entry.b) if it is not None]
    return " -> ".join(dict.fromkeys(texts))


def summary(found: FolderComparison) -> str:
    """The numbers of entries that are the same and that are not, in words."""
    states = Counter(it.state for it in found.entries)
    parts = [counted(found.same, "{count} entry is the same", "{count} entries are the same")]
    parts += [f"{states[it]} {translated(it)}" for it in EntryState if states[it]]  # type: ignore[misc]
    return ", ".join(map(str, parts))
