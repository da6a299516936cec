"""Numbers in the directory of an archive that mods set: types and attributes of entries, found by name.

Such a patch has, before the numbers of an entry, its name, which changes in case at most: rows move as
entries come and go, so that the row that a patch states is not where the entry is in another archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes, Rows
from viewer.formats.text import decode, encode, fold
from viewer.model.patch.applying import value_of
from viewer.model.patch.patch import FieldChange, Patch, Stamp
from viewer.operations.mods.conflicts import GAME, ModConflict, ModFindings
from viewer.operations.mods.manifest import GameAddress
from viewer.translation import _

DIRECTORY: Final = nres.ENTRY.name
NAME: Final = "name"
NUMBERS: Final = ("type_id", "attr1", "attr2", "attr3")
"""The fields that say what an entry is; all others follow from names and payloads."""
LARGEST: Final = 0xFFFFFFFF


class SetNumber(Struct, frozen=True):
    """A number of an entry that a mod sets, or the case of its name."""

    name: bytes
    change: FieldChange
    mod: str


def is_of_directory(patch: Patch) -> bool:
    """Whether a patch sets numbers of entries and does nothing else."""
    return all(
        isinstance(it, FieldChange)
        and it.table == DIRECTORY
        and (it.field in NUMBERS or (it.field == NAME and _is_one_name(it.before, it.after)))
        for it in patch.changes
    )


def _is_one_name(before: object, after: object) -> bool:
    """Whether two names are those of one entry: the game ignores case."""
    if not isinstance(before, str) or not isinstance(after, str):
        return False
    try:
        return fold(encode(before)) == fold(encode(after))
    except ValueError:
        return False


def numbers_of(patch: Patch, mod: str) -> Iterator[SetNumber]:
    """The numbers that a patch sets; raises `EditError` for one without a name before it."""
    names: dict[int | None, bytes] = {}
    for row, change in enumerate(patch.changes):
        if not isinstance(change, FieldChange):
            continue
        if change.field == NAME:
            names[change.row] = encode(str(change.before))
            if change.before != change.after:
                yield SetNumber(names[change.row], change, mod)
        elif change.row in names:
            yield SetNumber(names[change.row], change, mod)
        else:
            raise EditError(_("the entry has no name"), table="changes", index=row)


def patch_of(before: nres.Archive, rows: Mapping[int, Rows], name: str) -> tuple[Patch, bytes] | None:
    """The patch that gives entries of an archive the numbers of other rows, and what it makes of the archive.

    None if they have them.
    """
    changes: list[FieldChange] = []
    after = before.rows.copy()
    for row, other in rows.items():
        different = [field for field in NUMBERS if after[row][field] != other[field]]
        label, spelled = (_shown(NAME, it) for it in (before.rows[row], other))
        if different or label != spelled:
            changes.append(FieldChange(name, DIRECTORY, row, NAME, label, spelled))
            _spell(after, row, str(spelled))
        for field in different:
            values = (_shown(field, it) for it in (before.rows[row], other))
            changes.append(FieldChange(name, DIRECTORY, row, field, *values))
            after[row][field] = other[field]
    if not changes:
        return None
    data = _with_rows(before, after)
    return Patch(Stamp.of(before.data), Stamp.of(data), tuple(changes)), data


def _shown(name: str, row: Any) -> object:
    """The value of a field as ``inspect`` prints it."""
    field = nres.ENTRY.field(name)
    return value_of(field, row[name].tobytes())


def _spell(rows: Rows, row: int, name: str) -> None:
    """Set the case of a name; the bytes behind it stay."""
    text = encode(name)
    rows[row][NAME] = text + rows[row][NAME].tobytes()[len(text) :]


def _with_rows(archive: nres.Archive, rows: Rows) -> bytes:
    """An archive with other directory rows, as many as before."""
    start = archive.directory_offset
    found = splice.between(archive.data[start : archive.total_size], rows.tobytes())
    return splice.applied(archive.data, splice.moved(found, start))


class EntryNumbers:
    """The numbers that mods set in one archive, one mod after the other.

    Parameters
    ----------
    archive
        The archive with the entries that the mods replaced, added and removed.
    own
        The folded names of the entries that they added.
    """

    def __init__(
        self, archive: nres.Archive, own: frozenset[bytes], address: GameAddress, findings: ModFindings
    ) -> None:
        self._archive = archive
        self._own = own
        self._address = address
        self._findings = findings
        self._rows = archive.rows.copy()
        self._set: dict[tuple[bytes, str], SetNumber] = {}

    def set(self, number: SetNumber) -> None:
        """Set a number; what the game or an earlier mod has set otherwise is a conflict."""
        change, key = number.change, (fold(number.name), number.change.field)
        row = self._archive.find(number.name)
        value = change.after
        is_name = change.field == NAME  # which `is_of_directory` has checked
        if not is_name and (type(value) is not int or not 0 <= value <= LARGEST):
            words = _("is not a 32-bit number")
            raise EditError(words, table=DIRECTORY, index=change.row, field=change.field)
        if row is None:
            if not self._findings.has_whole(self._place(number), number.mod):
                self._note(number, GAME, None, GAME)
            return
        now = _shown(change.field, self._rows[row])
        if (earlier := self._set.get(key)) is not None:
            if earlier.change.after != value:
                self._note(number, earlier.mod, earlier.change.after, number.mod)
        elif now not in (change.before, value) and key[0] not in self._own:
            self._note(number, GAME, now, number.mod)
        self._set[key] = number
        if is_name:
            _spell(self._rows, row, str(value))
        else:
            self._rows[row][change.field] = value

    def _note(self, number: SetNumber, other: str, now: object, winner: str) -> None:
        values = now, number.change.after
        mods = other, number.mod
        self._findings.add(ModConflict(self._place(number), number.change.field, mods, values, winner))

    def _place(self, number: SetNumber) -> GameAddress:
        return self._address.child(decode(number.name))

    @property
    def data(self) -> Bytes:
        """The archive with these numbers."""
        return _with_rows(self._archive, self._rows)
