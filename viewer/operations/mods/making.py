"""Making a mod of two game folders: what turns the first into the second, without what both have.

A changed payload is a patch, field by field if both are decoded; one of which little is left is a new file.
Of an archive the entries are compared, then what remains: types and attributes of entries, and the layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import EditError, reading_from
from viewer.formats.archive import nres, rsli
from viewer.formats.record import Bytes, Rows
from viewer.formats.splice import same_bytes
from viewer.formats.text import fold
from viewer.model.checks.containers import overlapping
from viewer.model.kinds.registry import ARCHIVES, kind_of, promised_kind
from viewer.model.patch.making import made
from viewer.model.patch.patch import BytesChange, Patch
from viewer.model.store.item import Container, Item, entry_of
from viewer.operations.mods import directory
from viewer.operations.mods.conflicts import ModFindings
from viewer.operations.mods.draft import FEW, ModDraft, address_of, container_of, is_small, label_of, use_own
from viewer.operations.mods.game_files import GameFiles
from viewer.operations.mods.manifest import MANIFEST, GameAddress, ModManifest
from viewer.operations.mods.merging import ModTouch, PayloadMerge
from viewer.operations.mods.package import Mod
from viewer.progress import current
from viewer.translation import _


class NewMod(Struct, frozen=True, eq=False):
    """A mod that was made, and what the user should know of it."""

    manifest: ModManifest
    files: Mapping[str, Bytes]
    remarks: tuple[str, ...]


def make_mod(base: GameFiles, changed: GameFiles, about: ModManifest) -> NewMod:
    """The mod that turns a game into another one; raises `MshviewError`.

    Parameters
    ----------
    about
        Its name, version, author and what it needs.
    """
    for it in (base, changed):
        it.refuse_twins()
    draft = ModDraft()
    keys = sorted({*base.names, *changed.names})
    for key in current().over(keys, lambda it: it.decode(errors="replace")):
        one, other = (it.names.get(key) for it in (base, changed))
        before = None if one is None else base.original(one)
        after = None if other is None else changed.original(other)
        _compare(draft, address_of(one or other or ""), before, after)
    if not draft.changes:
        words = _("nothing differs from {base}", base=base.folder)
        raise EditError(draft.remarks[0] if draft.remarks else words, source=changed.folder)
    use_own(draft, base)
    manifest = replace(about, base=tuple(draft.base), changes=tuple(draft.changes))
    return NewMod(manifest, draft.files, tuple(draft.remarks))


def _compare(draft: ModDraft, address: GameAddress, before: Item | None, after: Item | None) -> None:
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


def _change(draft: ModDraft, address: GameAddress, before: Item, after: Item) -> None:
    """Note a payload that is another one: a patch, or its bytes if the patch would have the old ones.

    Raises `EditError` for an archive of which neither is possible without files of the game.
    """
    draft.stamp(address, before.data)
    patch = made(before.data, after.data, label_of(address), before.entry)
    if is_small(patch, len(before.data)):
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
    container = container_of(item)
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


def _is_readable(container: Container) -> bool:
    """Whether all entries can be read, and share no bytes."""
    if isinstance(container, rsli.PackedLibrary):
        return all(it.available is not None for it in container.entries)
    return not overlapping(container) and not any(it.is_damaged for it in container.entries)


def _compare_archives(draft: ModDraft, address: GameAddress, before: Item, after: Item) -> bool:
    """Note what turns an archive into another one, entry by entry; False if that cannot be."""
    a, b = container_of(before), container_of(after)
    if a is None or b is None or isinstance(a, rsli.PackedLibrary) != isinstance(b, rsli.PackedLibrary):
        return False
    found, others = _entries_of(before), _entries_of(after)
    if found is None or others is None or found.hidden != others.hidden:
        return False
    old, new = found.rows, others.rows
    if isinstance(a, rsli.PackedLibrary) and old.keys() != new.keys():
        return False
    own = ModDraft(names=draft.names)
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


def _finish_archive(own: ModDraft, address: GameAddress, before: Item, after: Item) -> None:
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
    if _most_of_a_payload(layout, container_of(item), container_of(after)) <= FEW:
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


def _applied(own: ModDraft, address: GameAddress, before: Item) -> Bytes:
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
