"""Entries of an archive: added, removed, replaced, renamed, described, moved; and what follows from names.

Entries are given as in addresses: by name, or ``#`` and the row in the directory as it is before the change.
What follows from names are the sort indices, and the names of what belongs to a renamed model.

Source: spec/nres.md 1.2, 5, 6; spec/rsli.md 6; spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Final

from viewer.errors import EditError, FormatError, UsageError, reason_of
from viewer.formats import mat0, splice
from viewer.formats.archive import nres, nres_edit, rsli, rsli_edit
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.record import Rows
from viewer.formats.text import decode, encode, fold, until_nul
from viewer.model.edit.change import (
    Change,
    Consequence,
    Topic,
    change,
    refusal,
    refuse_outside,
)
from viewer.model.edit.draft import Draft, refused
from viewer.model.edit.typed_words import ENTRY_WORD, FILE_WORD, NAME_WORD, Typed
from viewer.model.game.registry import MODEL_SUFFIX, NEIGHBORS
from viewer.model.kinds.entry_kinds import guessed_attributes, guessed_type
from viewer.model.kinds.registry import MODEL
from viewer.model.material.lookup import MAT0
from viewer.model.store.following import row_after
from viewer.model.store.item import Container, container_of, index_of, missing_entry, read_archive
from viewer.translation import _

DIRECTORY: Final = nres.ENTRY.name
"""The table of entries, of archives and of packed libraries."""
LARGEST: Final = 0xFFFFFFFF
"""Largest attribute."""


def edited_container(draft: Draft) -> Container:
    """The archive, packed library or model of a draft; raises `UsageError` for anything else."""
    found = container_of(draft.data)
    if found is None:
        raise UsageError(_("is not an archive: {kind}", kind=draft.kind.id))
    return found


def edited_archive(draft: Draft) -> nres.Archive:
    """The archive of a draft; refuses a packed library, of which only members are replaced and renamed."""
    found = edited_container(draft)
    if isinstance(found, rsli.PackedLibrary):
        words = (
            "entries of a packed library can only be replaced and renamed: how it is written is not proven"
        )
        raise refusal(words, DIRECTORY)
    return found


def entry_row(holder: Container, entry: str) -> int:
    """The row of an entry, given as in an address: a name, or ``#`` and a row; raises `EditError`."""
    row = index_of(holder, entry)
    if row is None:
        raise EditError(missing_entry(holder, entry), table=DIRECTORY)
    return row


def checked_name(draft: Draft, holder: Container, name: str, row: int | None = None) -> bytes:
    """The bytes of the name of a new entry, or of `row`; raises `EditError` if the directory cannot hold it.

    A name that another entry has is refused, because only the first of them is found; tables of a model,
    which are found by their types, may share one.
    """
    is_packed = isinstance(holder, rsli.PackedLibrary)
    most = rsli_edit.NAME_SIZE if is_packed else nres.NAME_SIZE - 1
    try:
        # Packed libraries store capitals and are searched by them.
        raw = encode(name.upper() if is_packed else name)
    except ValueError as error:
        raise EditError(reason_of(error), table=DIRECTORY, index=row, field="name") from None
    if not 0 < len(raw) <= most or b"\0" in raw:
        words = "{name!r} has {size} bytes; a name has 1 to {limit}, none of them NUL"
        raise refusal(words, DIRECTORY, row, "name", name=name, size=len(raw), limit=most)
    if draft.kind is not MODEL:
        # Entries of a model are found by their types, so that two may have one name.
        wanted = fold(raw)
        for entry in holder.entries:
            if entry.index != row and fold(entry.name) == wanted:
                words = "entry {other} has the name {name!r}"
                raise refusal(words, DIRECTORY, row, "name", other=entry.index, name=entry.text)
    return raw


def _check_numbers(numbers: Mapping[str, int], row: int | None = None) -> None:
    """Raise `EditError` for a number of a directory entry that its field cannot hold."""
    for field, value in numbers.items():
        refuse_outside(value, 0, LARGEST, DIRECTORY, row, field)


@change(
    "add-entry",
    "add entry {name}",
    typed=Typed(
        "add a file to an archive, with the type and attributes that such entries have there",
        (NAME_WORD, FILE_WORD),
    ),
)
class AddEntry(Change, frozen=True):
    """Add an entry; its payload comes after all others.

    Parameters
    ----------
    name
        1 to 35 bytes as CP1251, and no other entry's.
    payload
        The bytes.
    type_id
        Its type; None for that of most entries with the same suffix, else that of the kind of its bytes.
    attr1, attr2, attr3
        Its attributes; None for those on which all entries of that type agree, else 0.
    row
        Its row in the new directory; after the last by default.
    """

    name: str
    payload: bytes
    type_id: int | None = None
    attr1: int | None = None
    attr2: int | None = None
    attr3: int | None = None
    row: int | None = None

    def apply(self, draft: Draft) -> None:
        """Add the entry; raises `EditError` for a name or a number that the directory cannot hold."""
        archive = edited_archive(draft)
        name = checked_name(draft, archive, self.name)
        count = len(archive.rows)
        row = count if self.row is None else self.row
        if not 0 <= row <= count:
            raise EditError(_("there are {count} rows", count=count), table=DIRECTORY, index=row)
        numbers = self._numbers(archive, name)
        _check_numbers(numbers)
        edit = nres_edit.Edit(archive)
        type_id, attr1, attr2, attr3 = numbers.values()
        edit.add(nres.NewEntry(type_id, self.payload, name, attr1, attr2, attr3), row)
        draft.edit_container(edit)

    def _numbers(self, archive: nres.Archive, name: bytes) -> dict[str, int]:
        """The numbers of the entry in the directory: those that are given, the rest guessed."""
        type_id = self.type_id
        if type_id is None:
            type_id = guessed_type(archive, name, memoryview(self.payload))
        guessed = {"type_id": type_id, **guessed_attributes(archive, type_id)}
        given = {field: getattr(self, field) for field in guessed}
        return guessed | {field: value for field, value in given.items() if value is not None}


@change("remove-entry", "remove entry {entry}", typed=Typed("remove an entry from an archive", (ENTRY_WORD,)))
class RemoveEntry(Change, frozen=True):
    """Remove an entry with its payload; bytes without an entry stay.

    Parameters
    ----------
    entry
        Its name, or ``#`` and its row.
    """

    entry: str

    def apply(self, draft: Draft) -> None:
        """Remove the entry; raises `EditError` if there is none, or if it has bytes of another one."""
        archive = edited_archive(draft)
        edit = nres_edit.Edit(archive)
        edit.remove(entry_row(archive, self.entry))
        draft.edit_container(edit)


@change(
    "replace-entry",
    typed=Typed("replace the payload of an entry, a name or #index, by a file", (ENTRY_WORD, FILE_WORD)),
)
class ReplaceEntry(Change, frozen=True):
    """Replace the payload of an entry, whose name, type and attributes stay.

    A damaged entry gets a payload after all others.

    Parameters
    ----------
    entry
        Its name, or ``#`` and its row.
    payload
        The bytes.
    """

    entry: str
    payload: bytes

    @property
    def words(self) -> str:
        """The entry and the new size."""
        return _("replace entry {entry} by {size} bytes", entry=self.entry, size=len(self.payload))

    def apply(self, draft: Draft) -> None:
        """Replace the payload; raises `EditError` if there is none, or if it has bytes of another one."""
        holder = edited_container(draft)
        row = entry_row(holder, self.entry)
        with refused():
            if isinstance(holder, rsli.PackedLibrary):
                draft.splice_readable(rsli_edit.replaced(holder, {row: self.payload}))
                return
            known = None
            with suppress(FormatError):  # of a damaged entry
                known = splice.between(memoryview(holder.payload(row)), self.payload)
            edit = nres_edit.Edit(holder)
            # With the splices known, equal bytes of the payload are not written again.
            edit.replace(row, self.payload, known)
            draft.splice_readable(edit.splices())


@change(
    "rename-entry",
    "rename entry {entry} to {name}",
    typed=Typed("give an entry of an archive another name", (ENTRY_WORD, NAME_WORD)),
)
class RenameEntry(Change, frozen=True):
    """Give an entry another name; sort indices follow, and in a packed library the keys of payloads.

    Parameters
    ----------
    entry
        Its name, or ``#`` and its row.
    name
        The new name: 1 to 35 bytes as CP1251, 1 to 12 capitals in a packed library.
    """

    entry: str
    name: str

    def apply(self, draft: Draft) -> None:
        """Rename the entry; raises `EditError` if there is none, or if the directory cannot hold the name."""
        holder = edited_container(draft)
        row = entry_row(holder, self.entry)
        name = checked_name(draft, holder, self.name, row)
        if name == holder.entry(row).name:
            return
        if isinstance(holder, rsli.PackedLibrary):
            with refused():
                draft.splice(rsli_edit.renamed(holder, row, name))
            return
        edit = nres_edit.Edit(holder)
        edit.rename(row, name)
        draft.edit_container(edit)


@change("describe-entry")
class DescribeEntry(Change, frozen=True):
    """Set the type and the attributes of an entry; None leaves one as it is.

    Parameters
    ----------
    entry
        Its name, or ``#`` and its row.
    type_id, attr1, attr2, attr3
        Its type and its attributes.
    """

    entry: str
    type_id: int | None = None
    attr1: int | None = None
    attr2: int | None = None
    attr3: int | None = None

    @property
    def words(self) -> str:
        """The entry and the new numbers."""
        numbers = ", ".join(f"{field}={value}" for field, value in self._numbers.items())
        return _("describe entry {entry}: {numbers}", entry=self.entry, numbers=numbers)

    @property
    def _numbers(self) -> dict[str, int]:
        fields = ("type_id", "attr1", "attr2", "attr3")
        return {field: value for field in fields if (value := getattr(self, field)) is not None}

    def apply(self, draft: Draft) -> None:
        """Set the numbers; raises `EditError` without such an entry, or if a field cannot hold its number."""
        archive = edited_archive(draft)
        row = entry_row(archive, self.entry)
        _check_numbers(self._numbers, row)
        after = archive.rows[row : row + 1].copy()
        for field, value in self._numbers.items():
            after[field] = value
        # One row of the directory alone: with a new type the payload may be another kind, but nothing moves.
        start = archive.directory_offset + row * nres.ENTRY.size
        found = splice.between(archive.data[start : start + nres.ENTRY.size], after.tobytes())
        draft.splice_readable(splice.moved(found, start))


@change("duplicate-entry", "duplicate entry {entry}")
class DuplicateEntry(Change, frozen=True):
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

    def apply(self, draft: Draft) -> None:
        """Add the copy; raises `EditError` if the entry cannot be read, or for a name like `AddEntry`."""
        archive = edited_archive(draft)
        entry = archive.entry(entry_row(archive, self.entry))
        if entry.is_damaged:
            raise EditError(_("is not readable"), table=DIRECTORY, index=entry.index)
        name = self.name or free_name(archive, entry.text)
        payload = bytes(archive.payload(entry.index))
        AddEntry(name, payload, entry.type_id, entry.attr1, entry.attr2, entry.attr3).apply(draft)


@change("add-material", "add material {name}", name="add a material")
class AddMaterial(Change, frozen=True):
    """Add a white material without a texture, an ordinary skin, after all others.

    Parameters
    ----------
    name
        Its name; None for ``MATERIAL``, with a number if that is taken.
    """

    name: str | None = None

    def apply(self, draft: Draft) -> None:
        """Add the material; raises `EditError` for a name like `AddEntry`."""
        name = self.name or free_name(edited_archive(draft), "MATERIAL")
        # Ambient is light of the surface's own: white, the default of a phase, would be bright without any
        # light.
        payload = mat0.build([PhaseRecord(ambient=(0, 0, 0))])
        AddEntry(name, payload, MAT0, mat0.LIT_SKIN, mat0.VERSION, 0).apply(draft)


def free_name(archive: nres.Archive, name: str) -> str:
    """A name that no entry has: the given one, else with a number before its suffix."""
    taken = {fold(entry.name) for entry in archive.entries}
    stem, dot, suffix = encode(name).rpartition(b".") if "." in name else (encode(name), b"", b"")
    for number in count(1):
        end = (b"_%d" % number if number > 1 else b"") + dot + suffix
        # The stem is cut, not the end: 33 letters and .0 become 31 letters and _2.0, 35 in all.
        found = stem[: nres.NAME_SIZE - 1 - len(end)] + end
        if fold(found) not in taken:
            break
    return decode(found)


def follow_model_name(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """New names for the entries that a renamed model would lose.

    A model that shares its old name with another one leaves them to that one, and a name that is taken is not
    given.
    """
    old, new = read_archive(before), read_archive(draft.data)
    if old is None or new is None:
        return
    names = [entry.name for entry in new.entries]
    # Backwards, because the first of several entries with one name is the one that is found.
    rows = {fold(name): row for row, name in reversed([*enumerate(names)])}
    for entry in old.entries:
        was = fold(entry.name)
        row = row_after(entry, new, draft.splices) if was.endswith(MODEL_SUFFIX) and was not in rows else None
        if row is not None and fold(names[row]).endswith(MODEL_SUFFIX):
            stems = was.removesuffix(MODEL_SUFFIX), names[row][: -len(MODEL_SUFFIX)]
            yield from _following(*stems, names, rows)


def _following(
    was: bytes, now: bytes, names: Sequence[bytes], rows: Mapping[bytes, int]
) -> Iterator[Consequence]:
    """The new names of what belongs to a model, by its stems before and after."""
    for suffix in NEIGHBORS:
        row = rows.get(was + suffix)
        if row is not None:
            # With the suffix as it is written there, whose case may be another one.
            name = now + names[row][-len(suffix) :]
            if len(name) < nres.NAME_SIZE and fold(name) not in rows:
                yield Consequence(Topic.REFERENCES, RenameEntry(decode(names[row]), decode(name)))


@change("recompute-sort-indices", "recompute sort indices")
class RecomputeSortIndices(Change, frozen=True):
    """Set the sort indices of an archive to the order of its names."""

    def apply(self, draft: Draft) -> None:
        """Write the indices that differ; raises `EditError` for a packed library."""
        archive = edited_archive(draft)
        rows = archive.rows.copy()
        rows["sort_index"] = order_of(rows)
        draft.write(archive.directory_offset, rows.tobytes())


def order_of(rows: Rows) -> list[int]:
    """The rows in the order of their names."""
    return nres.sort_order([until_nul(bytes(name)) for name in rows["name"].tolist()])


def follow_names(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Consequences of names that were set by hand, in a directory whose sort indices were right."""
    archives = read_archive(before), read_archive(draft.data)
    if archives[0] is None or archives[1] is None:
        return
    old, new = archives[0].rows, archives[1].rows
    if len(old) != len(new):
        return
    if (old["name"] != new["name"]).any() and order_of(new) != new["sort_index"].tolist():
        # A directory that was out of order before is not put in order by the way: that is only offered.
        yield Consequence(
            Topic.ORDER, RecomputeSortIndices(), is_default=order_of(old) == old["sort_index"].tolist()
        )
