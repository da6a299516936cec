"""Making a mod of two game folders: what turns the first into the second, without what both have.

A changed payload is a patch, field by field if both are decoded; one of which little is left is a new file.
Of an archive the entries are compared, then what remains: types and attributes of entries, and the layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import EditError, FormatError, MshviewError, reading_from
from viewer.formats.archive import nres, rsli
from viewer.formats.record import Bytes, Rows
from viewer.formats.splice import same_bytes
from viewer.formats.text import fold
from viewer.model.checks.containers import overlapping
from viewer.model.kinds.registry import ARCHIVES, kind_of, promised_kind
from viewer.model.patch.making import made
from viewer.model.patch.patch import BytesChange, Patch
from viewer.model.store.address import Address
from viewer.model.store.item import Container, Item, entry_of
from viewer.model.write.saving import FileNames
from viewer.operations.mods import directory
from viewer.operations.mods.conflicts import ModFindings
from viewer.operations.mods.game_files import GameFiles
from viewer.operations.mods.manifest import (
    MANIFEST,
    AddedAddress,
    BaseStamp,
    CopiedAddress,
    GameAddress,
    InnerPath,
    ModChange,
    ModManifest,
    PatchedAddress,
    RemovedAddress,
)
from viewer.operations.mods.merging import ModTouch, PayloadMerge
from viewer.operations.mods.package import Mod
from viewer.progress import current
from viewer.translation import _

FEW: Final = 64
"""Bytes of a payload that a patch may replace, however many it has: so few are no file of the game."""
PATCHES: Final = "patches"
FILES: Final = "files"
"""The folders of a mod."""


class NewMod(Struct, frozen=True, eq=False):
    """A mod that was made, and what the user should know of it."""

    manifest: ModManifest
    files: Mapping[str, Bytes]
    remarks: tuple[str, ...]


class _Draft(Struct, eq=False):
    """A mod while it is made."""

    changes: list[ModChange] = field(default_factory=list)
    base: list[BaseStamp] = field(default_factory=list)
    files: dict[str, Bytes] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    names: dict[str, FileNames] = field(default_factory=dict)

    def _path(self, folder: str, name: str) -> InnerPath:
        names = self.names.setdefault(folder, FileNames())
        return InnerPath(f"{folder}/{names.add(name, len(self.files))}")

    def stamp(self, address: GameAddress, data: Bytes) -> None:
        """Note the payload that a change is made of."""
        self.base.append(BaseStamp(address, sha256(data).hexdigest()))

    def add(self, address: GameAddress, data: Bytes) -> None:
        """Note a payload that is new."""
        path = self._path(FILES, _label(address))
        self.files[path] = data
        self.changes.append(AddedAddress(address, path))

    def patch(self, address: GameAddress, patch: Patch) -> None:
        """Note a payload that is changed by a patch."""
        path = self._path(PATCHES, f"{_label(address)}.json")
        self.files[path] = patch.encode()
        self.changes.append(PatchedAddress(address, path))

    def copy(self, row: int, source: GameAddress, data: Bytes) -> None:
        """Name the payload of the game that an added one is, instead of having its bytes."""
        added = self.changes[row]
        assert isinstance(added, AddedAddress)
        del self.files[added.add]
        self.changes[row] = CopiedAddress(added.address, source)
        if source.key not in {it.address.key for it in self.base}:
            self.stamp(source, data)

    def remove(self, address: GameAddress, data: Bytes) -> None:
        """Note a payload that is gone."""
        self.stamp(address, data)
        self.changes.append(RemovedAddress(address, remove=True))


def _label(address: GameAddress) -> str:
    return address.entries[-1] if address.entries else PurePosixPath(address.path).name


def make_mod(base: GameFiles, changed: GameFiles, about: ModManifest) -> NewMod:
    """The mod that turns a game into another one; raises `MshviewError`.

    Parameters
    ----------
    about
        Its name, version, author and what it needs.
    """
    for it in (base, changed):
        it.refuse_twins()
    draft = _Draft()
    keys = sorted({*base.names, *changed.names})
    for key in current().over(keys, lambda it: it.decode(errors="replace")):
        one, other = (it.names.get(key) for it in (base, changed))
        before = None if one is None else base.original(one)
        after = None if other is None else changed.original(other)
        _compare(draft, _address_of(one or other or ""), before, after)
    if not draft.changes:
        words = _("nothing differs from {base}", base=base.folder)
        raise EditError(draft.remarks[0] if draft.remarks else words, source=changed.folder)
    _use_own(draft, base)
    manifest = replace(about, base=tuple(draft.base), changes=tuple(draft.changes))
    return NewMod(manifest, draft.files, tuple(draft.remarks))


def _address_of(path: str) -> GameAddress:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise FormatError(_("has a name that is not UTF-8"), source=path) from None
    return GameAddress(path)


def _compare(draft: _Draft, address: GameAddress, before: Item | None, after: Item | None) -> None:
    """Note what turns a file into another one."""
    if after is None:
        if before is not None:
            draft.remove(address, before.data)
    elif before is None:
        draft.add(address, after.data)
    elif not same_bytes(before.data, after.data):
        with reading_from(str(address)):
            if not _compare_archives(draft, address, before, after):
                _change(draft, address, before, after)


def _change(draft: _Draft, address: GameAddress, before: Item, after: Item) -> None:
    """Note a payload that is another one: a patch, or its bytes if the patch would have the old ones.

    Raises `EditError` for an archive of which neither is possible without files of the game.
    """
    draft.stamp(address, before.data)
    patch = made(before.data, after.data, _label(address), before.entry)
    replaced = sum(len(it.before) for it in patch.changes if isinstance(it, BytesChange))
    if replaced <= max(FEW, len(before.data) // 2):
        draft.patch(address, patch)
    elif {kind_of(after).id, promised_kind(after).id} <= ARCHIVES:
        for it in (before, after):
            it.container  # noqa: B018 a damaged one says what is wrong with it
        # As a new file it would have the entries that stay as they are, as a patch those that it replaces.
        words = (
            "its entries cannot be compared one by one, and a mod of its bytes would have files of the game"
        )
        raise EditError(_(words), source=str(address))
    else:
        # A patch has what it replaces: of a payload that is another one that is the file of the game.
        draft.add(address, after.data)


class _NamedEntries(Struct, frozen=True):
    """The entries of an archive, by their folded names.

    Attributes
    ----------
    rows
        The rows of those that addresses find.
    hidden
        The names and SHA-256 of those that are behind others of the same name, in their order.
    """

    rows: Mapping[bytes, int]
    hidden: Sequence[tuple[bytes, str]]


def _entries_of(item: Item) -> _NamedEntries | None:
    """The entries of an archive; None if it is none whose entries can be compared."""
    container = _container(item)
    if container is None or not _is_readable(container):
        return None
    rows = _first_rows(container)
    others = sorted({*range(len(container.rows))} - {*rows.values()})
    if b"" in rows or (others and isinstance(container, rsli.PackedLibrary)):
        return None
    entries = (entry_of(item, container, row) for row in others)
    hidden = [
        (fold(container.entry(row).name), sha256(it.data).hexdigest())
        for row, it in zip(others, entries, strict=True)
    ]
    return _NamedEntries(rows, hidden)


def _first_rows(container: Container) -> dict[bytes, int]:
    """The rows of entries by their folded names; of several of one name that of the first, which is found."""
    rows: dict[bytes, int] = {}
    for it in container.entries:
        rows.setdefault(fold(it.name), it.index)
    return rows


def _container(item: Item) -> Container | None:
    """The archive that an item is; None for a model, anything else, and a broken one."""
    if promised_kind(item).id not in ARCHIVES:
        return None
    try:
        return item.container
    except FormatError:
        return None


def _is_readable(container: Container) -> bool:
    """Whether all entries can be read, and share no bytes."""
    if isinstance(container, rsli.PackedLibrary):
        return all(it.available is not None for it in container.entries)
    return not overlapping(container) and not any(it.is_damaged for it in container.entries)


def _compare_archives(draft: _Draft, address: GameAddress, before: Item, after: Item) -> bool:
    """Note what turns an archive into another one, entry by entry; False if that cannot be."""
    a, b = _container(before), _container(after)
    if a is None or b is None or isinstance(a, rsli.PackedLibrary) != isinstance(b, rsli.PackedLibrary):
        return False
    found, others = _entries_of(before), _entries_of(after)
    if found is None or others is None or found.hidden != others.hidden:
        return False
    old, new = found.rows, others.rows
    if isinstance(a, rsli.PackedLibrary) and old.keys() != new.keys():
        return False
    own = _Draft(names=draft.names)
    own.files.update(draft.files)
    for name, row in old.items():
        entry = entry_of(before, a, row)
        inner = address.child(entry.address.name)
        if name not in new:
            own.remove(inner, entry.data)
            continue
        other = entry_of(after, b, new[name])
        if not same_bytes(entry.data, other.data):
            _change(own, inner, entry, other)
    for name, row in new.items():
        if name not in old:
            entry = entry_of(after, b, row)
            own.add(address.child(entry.address.name), entry.data)
    if any(it.address.entries[-1].startswith("#") for it in own.changes):
        return False  # an address cannot name it, and its row is another one in another archive
    _finish_archive(own, address, before, after)
    draft.changes += own.changes
    draft.base += own.base
    draft.files.update(own.files)
    draft.remarks += own.remarks
    return True


def _finish_archive(own: _Draft, address: GameAddress, before: Item, after: Item) -> None:
    """Note what of an archive differs besides its entries: their numbers in the directory, and the layout."""
    name = PurePosixPath(address.path).name
    data = bytes(_applied(own, address, before))
    if isinstance(before.container, nres.Archive):
        numbers = directory.patch_of(nres.Archive.read(data), _rows_by_place(data, after), name)
        if numbers is not None:
            own.patch(address, numbers[0])
            data = numbers[1]
    if same_bytes(data, after.data):
        return
    layout = made(data, after.data, name)
    item = Item(after.address, memoryview(data), after.entry)
    if _most_of_a_payload(layout, _container(item), _container(after)) <= FEW:
        own.patch(address, layout)
    else:
        words = "{address}: the order of its bytes is not part of the mod, which would have its payloads"
        own.remarks.append(_(words, address=str(address)))


def _most_of_a_payload(layout: Patch, before: Container | None, after: Container | None) -> int:
    """The most bytes of one payload, on either side, that a patch of an archive has."""
    old, new = [(0, 0)], [(0, 0)]
    growth = 0
    for it in layout.changes:
        if isinstance(it, BytesChange):
            old.append((it.at, it.at + len(it.before)))
            new.append((it.at + growth, it.at + growth + len(it.after)))
            growth += it.growth
    return max(_most_within(old, before), _most_within(new, after))


def _most_within(spans: Sequence[tuple[int, int]], container: Container | None) -> int:
    """The most bytes that one payload has within spans, which ascend; 0 without any."""
    if container is None or not container.entries:
        return 0
    starts, ends = np.array(spans, np.int64).T
    sums = np.append(0, np.cumsum(ends - starts))
    places = np.array([*map(_span, container.entries)], np.int64)
    count = np.searchsorted(starts, places, "right")
    # Up to each place: all spans that have begun there, less what the last of them has behind it.
    within = sums[count] - np.maximum(0, ends[count - 1] - places)
    return int((within[:, 1] - within[:, 0]).max())


def _span(entry: nres.Entry | rsli.PackedEntry) -> tuple[int, int]:
    """The span of the stored bytes of a payload in its archive."""
    size = entry.size if isinstance(entry, nres.Entry) else entry.packed_size
    return entry.offset, entry.offset + size


def _applied(own: _Draft, address: GameAddress, before: Item) -> Bytes:
    """The archive after the changes of its entries."""
    manifest = ModManifest(MANIFEST, base=tuple(own.base), changes=tuple(own.changes))
    mod = Mod(Path(MANIFEST), manifest, lambda path, _most: bytes(own.files[path]))
    touches = [ModTouch(mod, it, it.address.entries) for it in own.changes]
    merge = PayloadMerge(before, address, ModFindings())
    return merge.result(touches) or b""


def _rows_by_place(data: bytes, after: Item) -> dict[int, Rows]:
    """The directory rows of an archive by the rows that the same entries have in the bytes of another one."""
    here, there = nres.Archive.read(data), after.archive
    assert there is not None
    rows = _first_rows(there)
    return {index: there.rows[rows[name]] for name, index in _first_rows(here).items() if name in rows}


def _use_own(draft: _Draft, base: GameFiles) -> None:
    """Name the payloads of the game that are new elsewhere: no mod has their bytes.

    Those within new archives stay, and are said: the archive should not be shared.
    """
    rows: dict[tuple[int, str], list[int]] = {}
    inner: dict[tuple[int, str], GameAddress] = {}
    for row, it in enumerate(draft.changes):
        if isinstance(it, AddedAddress):
            data = draft.files[it.add]
            item = Item(Address(Path(_label(it.address))), memoryview(data))
            rows.setdefault(_identity(data), []).append(row)
            inner.update({_identity(own): it.address for _name, own in _inner(item)})
    sizes = {size for size, _digest in (*rows, *inner) if size >= FEW}
    said: dict[GameAddress, None] = {}
    for address, data in _payloads_of(base, sizes):
        key = _identity(data)
        for row in rows.pop(key, ()):
            draft.copy(row, address, data)
        if (archive := inner.pop(key, None)) is not None:
            said[archive] = None
    for archive in said:
        words = "{address}: the mod has a file of the game, which is there under another name"
        draft.remarks.append(_(words, address=str(archive)))


def _identity(data: Bytes) -> tuple[int, str]:
    return memoryview(data).nbytes, sha256(data).hexdigest()


def _payloads_of(base: GameFiles, sizes: set[int]) -> Iterator[tuple[GameAddress, Bytes]]:
    """The files of a game and the entries of its archives that have one of some sizes."""
    for path in base.names.values() if sizes else ():
        item = base.original(path)
        if item is None:
            continue
        address = _address_of(path)
        if len(item.data) in sizes:
            yield address, item.data
        for name, data in _inner(item):
            # Of two entries of one name an address cannot say which is meant.
            if len(data) in sizes and not name.startswith("#"):
                yield address.child(name), data


def _inner(item: Item) -> Iterator[tuple[str, Bytes]]:
    """The entries of an archive that can be read, by their names in addresses."""
    container = _container(item)
    if container is None:
        return
    for index in range(len(container.rows)):
        with suppress(MshviewError):
            entry = entry_of(item, container, index)
            yield entry.address.name, entry.data
