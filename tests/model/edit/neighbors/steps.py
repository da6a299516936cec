"""Edits of archives together with what follows in them, for the tests of neighbors."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.archive.nres import Archive
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.neighbors.following import CombinedEdit, together
from viewer.model.edit.plan import plan
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

GAME = Path(__file__).parents[4] / "assets" / "game"
MODELS = GAME / "models.rlb"


@dataclass(frozen=True)
class Edited:
    """An archive before and after a step."""

    step: CombinedEdit
    before: Archive
    after: Archive

    def payload(self, name: str) -> memoryview:
        """The payload of an entry after the step."""
        return payload(self.after, name)

    @property
    def changed(self) -> set[str]:
        """The names of entries whose payload or row of the directory has changed."""
        return {
            old.text
            for old, new in zip(self.before.entries, self.after.entries, strict=True)
            if self.before.payload(old.index) != self.after.payload(new.index) or _row(old) != _row(new)
        }


def _row(entry: nres.Entry) -> tuple[object, ...]:
    return entry.type_id, entry.attr1, entry.attr2, entry.attr3, entry.name_raw


def payload(archive: Archive, name: str) -> memoryview:
    index = archive.find(name.encode())
    assert index is not None
    return memoryview(archive.payload(index))


def edited(path: Path, entry: str, *changes: Change, declined: Collection[Topic] = ()) -> Edited:
    """Edit an entry of an archive, or the archive itself; that it can be undone is asserted."""
    step = step_of(path, entry, *changes, declined=declined)
    data = path.read_bytes()
    after = splice.applied(data, step.splices)
    assert splice.applied(after, splice.reverse(step.splices)) == data
    return Edited(step, Archive.read(data), Archive.read(after))


def step_of(path: Path, entry: str, *changes: Change, declined: Collection[Topic] = ()) -> CombinedEdit:
    """Plan an edit of a file or of an entry in it."""
    library = FileStore()

    def draft(address: Address) -> Draft:
        item = library.open(address)
        return Draft(
            promised_kind(item), item.data, item.entry if isinstance(item.entry, nres.Entry) else None
        )

    address = Address(path, (entry,) if entry else ())
    made = plan(draft(address), changes, declined=declined)
    return together(library, address, made, draft, declined)
