"""Entries that are made without a file: a copy of another one, a plain material.

Source: spec/nres.md 5, spec/materials.md 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from viewer.errors import EditError
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.text import decode, encode, fold
from viewer.model.edit.archive import entries
from viewer.model.edit.archive.entries import AddEntry
from viewer.model.edit.draft import Draft
from viewer.model.material.lookup import MAT0
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class DuplicateEntry:
    """Add a copy of an entry with its type and attributes, after all others.

    Parameters
    ----------
    entry
        The entry: a name, or ``#`` and a row.
    name
        The name of the copy; None for that of the entry with a number: ``STEEL_2.0``.
    """

    entry: str
    name: str | None = None

    @property
    def words(self) -> str:
        """The entry."""
        return Sentence("duplicate entry {entry}", entry=self.entry)

    def apply(self, draft: Draft) -> None:
        """Add the copy; raises `EditError` if the entry cannot be read, or for a name like `AddEntry`."""
        archive = entries.edited_archive(draft)
        entry = archive.entry(entries.entry_row(archive, self.entry))
        if entry.is_damaged:
            raise EditError(Sentence("is not readable"), table=entries.DIRECTORY, index=entry.index)
        name = self.name or free_name(archive, entry.text)
        payload = bytes(archive.payload(entry.index))
        AddEntry(name, payload, entry.type_id, entry.attr1, entry.attr2, entry.attr3).apply(draft)


@dataclass(frozen=True, slots=True)
class AddMaterial:
    """Add a white material without a texture, an ordinary skin, after all others.

    Parameters
    ----------
    name
        Its name; None for ``MATERIAL``, with a number if that is taken.
    """

    name: str | None = None

    @property
    def words(self) -> str:
        """The name, if it is given."""
        return Sentence("add material {name}", name=self.name) if self.name else Sentence("add a material")

    def apply(self, draft: Draft) -> None:
        """Add it; raises `EditError` for a name like `AddEntry`."""
        name = self.name or free_name(entries.edited_archive(draft), "MATERIAL")
        payload = mat0.build([PhaseRecord(ambient=(0, 0, 0))])
        AddEntry(name, payload, MAT0, mat0.LIT_SKIN, mat0.VERSION, 0).apply(draft)


def free_name(archive: nres.Archive, name: str) -> str:
    """A name that no entry has: the given one, else with a number before its suffix."""
    taken = {fold(entry.name) for entry in archive.entries}
    stem, dot, suffix = encode(name).rpartition(b".") if "." in name else (encode(name), b"", b"")
    for number in count(1):
        end = (b"_%d" % number if number > 1 else b"") + dot + suffix
        found = stem[: nres.NAME_SIZE - 1 - len(end)] + end
        if fold(found) not in taken:
            break
    return decode(found)
