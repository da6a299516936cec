"""A mod while it is made, and what of it the game has already, which is named instead of taken along.

A payload that is new may be one of the game that was renamed, moved or doubled, as it is or edited: the mod
has its address then, and what was edited as a patch.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct, field

from viewer.errors import FormatError, MshviewError
from viewer.formats.record import Bytes
from viewer.model.kinds.registry import ARCHIVES, promised_kind
from viewer.model.patch.making import made
from viewer.model.patch.patch import BytesChange, Patch
from viewer.model.store.address import Address
from viewer.model.store.item import Container as ItemContainer
from viewer.model.store.item import Item, entry_of
from viewer.model.write.saving import FileNames
from viewer.operations.mods.game_files import GameFiles, entry_within
from viewer.operations.mods.manifest import (
    AddedAddress,
    BaseStamp,
    CopiedAddress,
    EditedCopy,
    GameAddress,
    InnerPath,
    ModChange,
    PatchedAddress,
    RemovedAddress,
)
from viewer.progress import checkpoint
from viewer.translation import _

FEW: Final = 64
"""Bytes of a payload that a patch may replace, however many it has: so few are no file of the game."""
PATCHES: Final = "patches"
FILES: Final = "files"
"""The folders of a mod."""
SAMPLES: Final = 16
"""Stretches of `FEW` bytes of a new payload that are looked for in those of the game."""
VARIED: Final = 8
"""Different bytes of a stretch that says something: zeros are in every payload."""


class ModDraft(Struct, eq=False):
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
        path = self._path(FILES, label_of(address))
        self.files[path] = data
        self.changes.append(AddedAddress(address, path))

    def patch(self, address: GameAddress, patch: Patch) -> None:
        """Note a payload that is changed by a patch."""
        self.changes.append(PatchedAddress(address, self._patch_file(address, patch)))

    def _patch_file(self, address: GameAddress, patch: Patch) -> InnerPath:
        path = self._path(PATCHES, f"{label_of(address)}.json")
        self.files[path] = patch.encode()
        return path

    def copy(self, row: int, source: GameAddress, data: Bytes, patch: Patch | None = None) -> None:
        """Name the payload of the game that an added one is, or is made of, instead of having its bytes."""
        added = self.changes[row]
        assert isinstance(added, AddedAddress)
        del self.files[added.add]
        if patch is None:
            self.changes[row] = CopiedAddress(added.address, source)
        else:
            self.changes[row] = EditedCopy(added.address, source, self._patch_file(added.address, patch))
        if source.key not in {it.address.key for it in self.base}:
            self.stamp(source, data)

    def remove(self, address: GameAddress, data: Bytes) -> None:
        """Note a payload that is gone."""
        self.stamp(address, data)
        self.changes.append(RemovedAddress(address, remove=True))


def label_of(address: GameAddress) -> str:
    """The name of a payload in the files of a mod."""
    return address.entries[-1] if address.entries else PurePosixPath(address.path).name


def address_of(path: str) -> GameAddress:
    """The address of a file of a game; raises `FormatError` for a name that JSON cannot hold."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise FormatError(_("has a name that is not UTF-8"), source=path) from None
    return GameAddress(path)


def container_of(item: Item) -> ItemContainer | None:
    """The archive that an item is; None for a model, anything else, and a broken one."""
    if promised_kind(item).id not in ARCHIVES:
        return None
    try:
        return item.container
    except FormatError:
        return None


def is_small(patch: Patch, size: int) -> bool:
    """Whether a patch has at most half of the payload that it changes, which has `size` bytes."""
    replaced = sum(len(it.before) for it in patch.changes if isinstance(it, BytesChange))
    return replaced <= max(FEW, size // 2)


def use_own(draft: ModDraft, base: GameFiles) -> None:
    """Name the payloads of the game that are new elsewhere, as they are or edited: no mod has their bytes.

    Those within new archives stay, and are said: the archive should not be shared.
    """
    rows: dict[tuple[int, str], list[int]] = {}
    inner: dict[tuple[int, str], GameAddress] = {}
    for row, it in enumerate(draft.changes):
        if isinstance(it, AddedAddress):
            data = draft.files[it.add]
            item = Item(Address(Path(label_of(it.address))), memoryview(data))
            rows.setdefault(_identity(data), []).append(row)
            inner.update({_identity(own.data): it.address for own in _entries_in(item)})
    sizes = {size for size, _digest in (*rows, *inner) if size >= FEW}
    said: dict[GameAddress, None] = {}
    for address, found in _payloads_of(base, sizes):
        key = _identity(found.data)
        for row in rows.pop(key, ()):
            draft.copy(row, address, found.data)
        if (archive := inner.pop(key, None)) is not None:
            said[archive] = None
    for archive in said:
        words = "{address}: the mod has a file of the game, which is there under another name"
        draft.remarks.append(_(words, address=str(archive)))
    _use_edited(draft, base)


def _identity(data: Bytes) -> tuple[int, str]:
    return memoryview(data).nbytes, sha256(data).hexdigest()


def _payloads_of(base: GameFiles, sizes: Container[int]) -> Iterator[tuple[GameAddress, Item]]:
    """The files of a game and the entries of its archives that have one of some sizes."""
    for path in base.names.values() if sizes else ():
        item = base.original(path)
        if item is None:
            continue
        address = address_of(path)
        if len(item.data) in sizes:
            yield address, item
        for it in _entries_in(item):
            if len(it.data) in sizes and (inner := _child(address, it)) is not None:
                yield inner, it


def _child(address: GameAddress, entry: Item) -> GameAddress | None:
    """The address of an entry; None for one of two of one name, which an address cannot tell apart."""
    return None if entry.address.name.startswith("#") else address.child(entry.address.name)


def _entries_in(item: Item) -> Iterator[Item]:
    """The entries of an archive that can be read."""
    container = container_of(item)
    if container is None:
        return
    for index in range(len(container.rows)):
        with suppress(MshviewError):
            yield entry_of(item, container, index)


def _use_edited(draft: ModDraft, base: GameFiles) -> None:
    """Name the payloads of the game that new ones are made of, with patches of what was edited.

    They are looked for in the same archive, and among those that are gone.
    """
    stamped = {it.address.key for it in draft.base}
    gone = [it.address for it in draft.changes if isinstance(it, RemovedAddress)]
    for row, it in enumerate(draft.changes):
        if not isinstance(it, AddedAddress) or it.address.key in stamped:
            continue
        checkpoint()
        data = bytes(draft.files[it.add])
        nearest = _nearest(data, _alike(base, it.address, len(data), gone))
        if nearest is None:
            continue
        address, source = nearest
        patch = made(source.data, data, label_of(it.address), source.entry)
        if is_small(patch, len(source.data)):
            draft.copy(row, address, source.data, patch)


def _alike(
    base: GameFiles, address: GameAddress, size: int, gone: list[GameAddress]
) -> Iterator[tuple[GameAddress, Item]]:
    """The payloads of about the size of a new one in its archive, and those that are gone."""
    archive = base.original(address.path) if len(address.entries) == 1 else None
    entries = () if archive is None else _entries_in(archive)
    named = ((_child(GameAddress(address.path), it), it) for it in entries)
    others = ((it, entry_within(base.original(it.path), it.entries)) for it in gone)
    for place, item in (*named, *others):
        if place is not None and item is not None and size <= 2 * len(item.data) <= 4 * size:
            yield place, item


def _nearest(data: bytes, others: Iterator[tuple[GameAddress, Item]]) -> tuple[GameAddress, Item] | None:
    """The payload that has most of some stretches of another one; None if none has half of them."""
    step = max(FEW, len(data) // SAMPLES)
    samples = [data[start : start + FEW] for start in range(0, len(data) - FEW + 1, step)]
    samples = [it for it in samples if len(set(it)) > VARIED]
    most, best = (len(samples) - 1) // 2, None
    for place, item in others if samples else ():
        own = bytes(item.data)
        count = sum(it in own for it in samples)
        if count > most:
            most, best = count, (place, item)
    return best
