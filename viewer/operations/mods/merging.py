"""Merging of several mods in one file of a game: payloads, and entries of archives at any depth.

The mods come in their order, and each is compared with what the ones before it do to the same payload.
Changes of different fields and entries are put together; what cannot be is a conflict, in which the later mod
counts. A patch of an archive that the manifest has no base of is about its layout: it follows the changes of
its entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import AddressError, EditError, reading_from, reason_of
from viewer.formats import splice
from viewer.formats.archive import nres, nres_edit, rsli, rsli_edit
from viewer.formats.record import Bytes
from viewer.formats.text import encode, fold
from viewer.model.kinds.entry_kinds import guessed_attributes, guessed_type
from viewer.model.kinds.registry import ARCHIVES, promised_kind
from viewer.model.patch.applying import applied
from viewer.model.patch.patch import Patch, Stamp
from viewer.model.store.address import Address
from viewer.model.store.item import Container, Item, entry_of, index_of
from viewer.operations.mods.conflicts import ADD, GAME, PATCH, REMOVE, ModFindings
from viewer.operations.mods.directory import EntryNumbers, is_of_directory, numbers_of
from viewer.operations.mods.manifest import (
    AddedAddress,
    CopiedAddress,
    EditedCopy,
    GameAddress,
    ModChange,
    PatchedAddress,
    RemovedAddress,
)
from viewer.operations.mods.package import Mod
from viewer.operations.mods.payloads import OwnedSplice, merged, splices_of
from viewer.progress import checkpoint
from viewer.translation import _

INSIDE: Final = "inside"
"""The change of an archive whose entries are changed."""


class SourceVersions(NamedTuple):
    """A payload as the mods before one leave it, and as the game has it; None for nothing."""

    now: Item | None = None
    original: Item | None = None


class ModTouch(Struct, frozen=True, eq=False):
    """A change of a mod, seen from a payload.

    Attributes
    ----------
    entries
        The entries from the payload to what is changed; empty if that is the payload itself.
    source
        Finds the payload that a change copies; raises `MshviewError`.
    """

    mod: Mod
    change: ModChange
    entries: tuple[str, ...]
    source: Callable[[GameAddress], SourceVersions] = lambda _address: SourceVersions()

    @property
    def what(self) -> str:
        """The kind of the change, in the words of the manifest."""
        if isinstance(self.change, PatchedAddress):
            return PATCH
        return REMOVE if isinstance(self.change, RemovedAddress) else ADD

    @property
    def stamp(self) -> str | None:
        """The SHA-256 of what the mod was made of; None if there was nothing."""
        return self.mod.manifest.stamps.get(self.change.address.key)

    @property
    def patch(self) -> Patch:
        """The patch of the file; raises `MshviewError`."""
        assert isinstance(self.change, PatchedAddress | EditedCopy)
        return self.mod.patch(self.change.patch)


class _Outcome(Struct, frozen=True, eq=False):
    """The result of some mods for a payload.

    Attributes
    ----------
    what
        What is done to it; empty for nothing.
    mod
        The last mod that does so.
    """

    what: str = ""
    mod: str = ""
    splices: Sequence[OwnedSplice] = ()
    data: Bytes = b""
    inside: Sequence[ModTouch] = ()


def digest_of_payload(data: Bytes | None) -> str | None:
    """The SHA-256 of a payload in hexadecimal; None if there is none."""
    return None if data is None else sha256(data).hexdigest()


class PayloadMerge:
    """The changes of several mods in a payload.

    Parameters
    ----------
    item
        What the game has; None for nothing.
    address
        Where.
    findings
        Gets conflicts, and what is not as a mod expects it.
    entry_of_new
        Makes the directory entry of a payload that the game does not have.
    """

    def __init__(
        self,
        item: Item | None,
        address: GameAddress,
        findings: ModFindings,
        entry_of_new: Callable[[Bytes], nres.Entry | None] = lambda _data: None,
    ) -> None:
        self._item = item
        self._address = address
        self._findings = findings
        self._entry_of_new = entry_of_new
        self._owner = GAME
        self._known = {digest_of_payload(None if item is None else item.data)}

    def result(self, touches: Iterable[ModTouch]) -> Bytes | None:
        """The payload after all of them, in the order of the mods; None if it is removed.

        Raises `MshviewError` for what no archive can hold.
        """
        checkpoint()
        outcome = _Outcome()
        for _name, group in groupby(touches, lambda it: it.mod.name):
            own = [*group]
            if outcome.what and self._is_on_top(outcome, own):
                self._settle(outcome)
                outcome = _Outcome()
            outcome = self._after(outcome, self._alone(own))
        return self._data(outcome, self._findings)

    def _is_on_top(self, outcome: _Outcome, own: Sequence[ModTouch]) -> bool:
        """Whether a mod was made of the payload as the mods before it leave it, so that it knows of them."""
        whole = self._whole(own)
        if not whole:
            return outcome.what in (ADD, PATCH)
        expected = _expected(whole[0])
        # What is done is done to the game's payload in most cases; only else it is worked out.
        return expected not in self._known and expected == digest_of_payload(
            self._data(outcome, ModFindings())
        )

    def _settle(self, outcome: _Outcome) -> None:
        """Take what mods make of the payload for what is there."""
        data = self._data(outcome, self._findings)
        self._owner = outcome.mod
        self._known.add(digest_of_payload(data))
        if data is None:
            self._item = None
        elif self._item is None:
            path = Path(self._address.entries[-1] if self._address.entries else self._address.path)
            self._item = Item(Address(path), memoryview(data), self._entry_of_new(data))
        else:
            self._item = Item(self._item.address, memoryview(data), self._item.entry)

    def _data(self, outcome: _Outcome, findings: ModFindings) -> Bytes | None:
        """The bytes of the payload after what mods do to it; None if it is removed."""
        data = None if self._item is None else self._item.data
        if outcome.what == ADD:
            return outcome.data
        if outcome.what == PATCH and data is not None:
            return splice.applied(data, splice.ordered(it.splice for it in outcome.splices))
        if outcome.what == INSIDE and self._item is not None:
            return ArchiveMerge(self._item, self._address, findings).result(outcome.inside)
        return None if outcome.what == REMOVE else data

    def _alone(self, own: Sequence[ModTouch]) -> _Outcome:
        """The result of one mod."""
        whole = self._whole(own)
        if not whole:
            return self._inside(own)
        (touch,) = whole
        found, mod = digest_of_payload(None if self._item is None else self._item.data), touch.mod.name
        expected = _expected(touch)
        if expected not in self._known:
            self._findings.changed[self._address] = None
        if touch.what == ADD:
            return self._added(touch, found)
        if self._item is None:
            if touch.what == PATCH:
                self._clash(touch, REMOVE, self._owner)
            return _Outcome()
        if touch.what == REMOVE:
            if found != expected:
                self._clash(touch, PATCH, mod)
            return _Outcome(REMOVE, mod)
        splices = splices_of(touch.patch, self._item, self._address, (self._owner, mod), self._findings)
        return _Outcome(PATCH, mod, splices) if splices else _Outcome()

    def _clash(self, touch: ModTouch, other: str, winner: str) -> None:
        """Note that what is there was changed in another way than a mod knows of."""
        mods = self._owner, touch.mod.name
        self._findings.add_whole(self._address, mods, (other, touch.what), winner)

    def _whole(self, own: Sequence[ModTouch]) -> list[ModTouch]:
        """The changes of the payload itself, without those of an archive that come after its entries."""
        is_archive = self._item is not None and promised_kind(self._item).id in ARCHIVES
        return [
            it for it in own if not it.entries and not (is_archive and it.what == PATCH and it.stamp is None)
        ]

    def _added(self, touch: ModTouch, found: str | None) -> _Outcome:
        """A payload that is new, or another one as a whole."""
        data, mod = self._new_payload(touch), touch.mod.name
        if data is None or found == digest_of_payload(data):
            return _Outcome()
        if found != touch.stamp:
            self._clash(touch, REMOVE if found is None else PATCH if touch.stamp else ADD, mod)
        return _Outcome(ADD, mod, data=data)

    def _new_payload(self, touch: ModTouch) -> Bytes | None:
        """The bytes that a change adds; None for a copy of what is not there, which is a conflict."""
        if isinstance(touch.change, AddedAddress):
            return touch.mod.file(touch.change.add)
        assert isinstance(touch.change, CopiedAddress)
        copied = touch.change.copy
        versions, expected = touch.source(copied), touch.mod.manifest.stamps.get(copied.key)
        # What mods before this one do to the payload is done to its copy too.
        if expected not in (digest_of_payload(None if it is None else it.data) for it in versions):
            self._findings.changed[copied] = None
        if versions.now is None:
            self._clash(touch, REMOVE, self._owner)
            return None
        if not isinstance(touch.change, EditedCopy):
            return versions.now.data
        mods = self._owner, touch.mod.name
        splices = splices_of(touch.patch, versions.now, self._address, mods, self._findings)
        return splice.applied(versions.now.data, splice.ordered(it.splice for it in splices or ()))

    def _inside(self, own: Sequence[ModTouch]) -> _Outcome:
        """The result of one mod for the entries of an archive, which has to be there."""
        if self._item is not None:
            return _Outcome(INSIDE, own[0].mod.name, inside=own)
        for it in own:
            address = self._address.child(*it.entries)
            self._findings.changed[address] = None
            mods = self._owner, it.mod.name
            self._findings.add_whole(address, mods, (REMOVE, it.what), self._owner)
        return _Outcome()

    def _after(self, before: _Outcome, own: _Outcome) -> _Outcome:
        """Two results together; that of the later mod if they cannot be put together."""
        if not before.what or not own.what:
            return own if own.what else before
        if before.what == own.what == INSIDE:
            return replace(own, inside=(*before.inside, *own.inside))
        if before.what == own.what == PATCH:
            return replace(own, splices=merged(before.splices, own.splices, self._address, self._findings))
        is_same = before.what == own.what and before.data == own.data
        if not is_same:
            one, other = (PATCH if it.what == INSIDE else it.what for it in (before, own))
            self._findings.add_whole(self._address, (before.mod, own.mod), (one, other), own.mod)
        return own


def _expected(touch: ModTouch) -> str | None:
    """The SHA-256 of the payload that a change was made of; None if there was none."""
    if touch.stamp is None and touch.what == PATCH:
        return touch.patch.before.sha256
    return touch.stamp


class ArchiveMerge:
    """The changes of several mods in the entries of an archive; the parameters are those of `PayloadMerge`.

    Raises `MshviewError` if the item is not an archive.
    """

    def __init__(self, item: Item, address: GameAddress, findings: ModFindings) -> None:
        container = item.container
        if container is None:
            raise AddressError(_("is not an archive"), source=str(address))
        self._item = item
        self._container: Container = container
        self._address = address
        self._findings = findings
        self._replaced: dict[int, Bytes] = {}
        self._removed: list[int] = []
        self._added: dict[str, Bytes] = {}

    def result(self, touches: Sequence[ModTouch]) -> Bytes:
        """The archive after all changes of its entries, then of its directory and its layout."""
        groups: dict[int | bytes, list[ModTouch]] = {}
        for it in (it for it in touches if it.entries):
            row = index_of(self._container, it.entries[0])
            key = fold(it.entries[0].encode("utf-8", "surrogatepass")) if row is None else row
            groups.setdefault(key, []).append(it)
        for found, inner in groups.items():
            self._merge(found if isinstance(found, int) else None, inner)
        with reading_from(str(self._address)):
            data = self._written()
            return self._laid_out(data, [it for it in touches if not it.entries])

    def _merge(self, row: int | None, touches: Sequence[ModTouch]) -> None:
        """Merge the changes of one entry, which the archive has in a row or not at all."""
        name = touches[0].entries[0]
        address = self._address.child(name)
        with reading_from(str(address)):
            child = None if row is None else entry_of(self._item, self._container, row, name)
        inner = [replace(it, entries=it.entries[1:]) for it in touches]
        after = PayloadMerge(child, address, self._findings, partial(self._new_entry, name)).result(inner)
        if row is None:
            if after is not None:
                self._added[name] = after
        elif after is None:
            self._removed.append(row)
        elif child is not None and after is not child.data:
            self._replaced[row] = after

    def _new_entry(self, name: str, data: Bytes) -> nres.Entry | None:
        """The directory entry that a new payload will have, by which its kind is recognised."""
        if isinstance(self._container, rsli.PackedLibrary):
            return None
        new = new_entry(self._container, name, data)
        count = len(self._container.rows)
        numbers = new.attr1, new.attr2, len(data), new.attr3
        return nres.Entry(count, new.type_id, *numbers, new.name_field, nres.HEADER.size, count)

    def _written(self) -> Bytes:
        """The archive with its entries replaced, removed and added; other bytes stay where they are."""
        archive = self._container
        if not (self._replaced or self._removed or self._added):
            return archive.data
        if isinstance(archive, rsli.PackedLibrary):
            if self._removed or self._added:
                words = "entries of a packed library can be changed, but neither added nor removed"
                raise EditError(_(words))
            return rsli_edit.rewrite(archive, self._replaced)
        edit = nres_edit.Edit(archive)
        for row, data in self._replaced.items():
            known = None if archive.entry(row).is_damaged else splice.between(archive.payload(row), data)
            edit.replace(row, data, known)
        for row in sorted(self._removed, reverse=True):
            edit.remove(row)
        for name, data in self._added.items():
            edit.add(new_entry(archive, name, data))
        return edit.encode()

    def _laid_out(self, data: Bytes, touches: Sequence[ModTouch]) -> Bytes:
        """The archive after the patches of its directory, by name, and those of its layout, if they fit."""
        patches = [(it.patch, it.mod.name) for it in touches]
        numbers = [pair for pair in patches if is_of_directory(pair[0])]
        if numbers and not isinstance(self._container, rsli.PackedLibrary):
            own = frozenset(fold(encode(name)) for name in self._added)
            found = EntryNumbers(nres.Archive.read(data), own, self._address, self._findings)
            for patch, mod in numbers:
                for number in numbers_of(patch, mod):
                    found.set(number)
            data = found.data
        for patch, mod in (pair for pair in patches if pair not in numbers):
            if Stamp.of(data) == patch.before:
                data = applied(patch, data, entry=self._item.entry)
            elif Stamp.of(data) != patch.after:
                words = "{address}: entries are as {mod} has them, but not where it has them in the file"
                self._findings.remarks.append(_(words, address=str(self._address), mod=mod))
        return data


def new_entry(archive: nres.Archive, name: str, data: Bytes) -> nres.NewEntry:
    """A new entry of an archive, with the type and the attributes that such entries have in it.

    Raises `EditError` for a name that the directory cannot hold.
    """
    try:
        raw = encode(name)
        nres.NewEntry(0, b"", raw).name_field  # noqa: B018 refused if it does not fit
    except ValueError as error:
        raise EditError(reason_of(error), table=nres.ENTRY.name, field="name") from None
    type_id = guessed_type(archive, raw, memoryview(data))
    numbers: Mapping[str, int] = guessed_attributes(archive, type_id)
    return nres.NewEntry(type_id, data, raw, numbers["attr1"], numbers["attr2"], numbers["attr3"])
