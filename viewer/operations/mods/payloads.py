"""Patches of several mods on one payload: three-way, field by field, later ones before earlier ones.

All patches are turned into splices of the payload that the game has. A change fits if what it replaces is
still there; what two mods put in one place is a conflict. Counts and offsets of a payload follow from its
size, so that two mods that both change the size cannot be put together: the later one counts as a whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import MshviewError
from viewer.formats.splice import Splice
from viewer.model.patch.applying import LocatedFile, raw_of, splice_of, value_of
from viewer.model.patch.patch import BytesChange, FieldChange, Patch, PatchChange, Stamp, entries_of
from viewer.model.store.address import CURRENT
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.operations.mods.conflicts import PATCH, ModConflict, ModFindings, shortened_hex
from viewer.operations.mods.manifest import GameAddress


class OwnedSplice(Struct, frozen=True):
    """A splice of the payload that the game has, the change that it is of, and the name of the mod."""

    splice: Splice
    change: PatchChange
    mod: str


class _PatchTarget(Struct, frozen=True, eq=False):
    """A payload to which a patch is applied, who made it what it is, and who changes it."""

    address: GameAddress
    located: LocatedFile
    owner: str
    mod: str

    def place_of(self, change: PatchChange) -> tuple[GameAddress, str | None]:
        """The place of a change: the payload in the game, and the field if it is one."""
        address = self.address.child(*entries_of(change.address))
        if isinstance(change, BytesChange):
            return address, None
        return address, Place(CURRENT, change.table, change.row, change.field).in_file


def splices_of(
    patch: Patch, item: Item, address: GameAddress, mods: tuple[str, str], findings: ModFindings
) -> list[OwnedSplice] | None:
    """Splices of a patch in the payload that the game has, in the order of offsets.

    What the game has already is left out; what it has changed itself is a conflict, in which the mod counts.
    None if the payload is too different to be patched, which is a conflict too.

    Parameters
    ----------
    mods
        Who made the payload what it is, in most cases the game, and the mod.
    """
    stamp = Stamp.of(item.data)
    if stamp == patch.after:
        return []
    is_other = stamp != patch.before
    grows = any(isinstance(it, BytesChange) and it.growth for it in patch.changes)
    if is_other and grows and stamp.size != patch.before.size:
        # Nothing says where the bytes that are inserted belong.
        findings.add_whole(address, mods, (PATCH, PATCH), mods[0])
        return None
    target = _PatchTarget(address, LocatedFile(item.address.name, item.data, item.entry), *mods)
    found = (_fitting(target, change, findings, is_other=is_other) for change in patch.changes)
    owned = [OwnedSplice(it, change, mods[1]) for it, change in zip(found, patch.changes, strict=True) if it]
    return sorted(owned, key=lambda it: (it.splice.offset, it.splice.end))


def _fitting(
    target: _PatchTarget, change: PatchChange, findings: ModFindings, *, is_other: bool
) -> Splice | None:
    """Splice of a change; None if that is done already, or cannot be."""
    try:
        return splice_of(target.located, change, is_other=is_other)
    except MshviewError:
        if _is_done(target.located, change):
            return None
    splice, now = _forced(target.located, change)
    address, field = target.place_of(change)
    wished = change.after if isinstance(change, FieldChange) else shortened_hex(change.after)
    winner = target.owner if splice is None else target.mod
    findings.add(ModConflict(address, field, (target.owner, target.mod), (now, wished), winner))
    return splice


def _is_done(located: LocatedFile, change: PatchChange) -> bool:
    """Whether the payload has what a change would put there."""
    if isinstance(change, BytesChange) and change.growth:
        return False
    turned = replace(change, before=change.after, after=change.before)
    try:
        splice_of(located, turned, is_other=True)
    except MshviewError:
        return False
    return True


def _forced(located: LocatedFile, change: PatchChange) -> tuple[Splice | None, object]:
    """Splice of a change whatever is there, and that value; None if it has no place any more."""
    try:
        if isinstance(change, FieldChange):
            names = entries_of(change.address), change.table, change.row, change.field
            found = located.field(names)
            raw = bytes(located.data[found.start : found.end])
            return Splice(found.start, raw, raw_of(found.field, change.after, raw)), value_of(
                found.field, raw
            )
        payload = located.payload(entries_of(change.address))
    except MshviewError:
        return None, None
    start = payload.start + change.offset
    raw = bytes(located.data[start : start + len(change.before)])
    if change.growth or len(raw) < len(change.before) or start + len(raw) > payload.end:
        return None, shortened_hex(raw)
    return Splice(start, raw, change.after), shortened_hex(raw)


def merged(
    earlier: Sequence[OwnedSplice], later: Sequence[OwnedSplice], address: GameAddress, findings: ModFindings
) -> list[OwnedSplice]:
    """Splices of earlier mods and of a later one on one payload, in the order of offsets; none overlap.

    What the later one puts elsewhere than the earlier ones, or in the same way, is no conflict.
    """
    if [it.splice for it in earlier] == [it.splice for it in later]:
        return [*earlier]
    pairs = [*_overlapping(earlier, later)]
    both_grow = all(any(it.splice.growth for it in side) for side in (earlier, later))
    if both_grow or any(one.splice.growth or other.splice.growth for one, other in pairs):
        other_mod = next((one.mod for one, _ in pairs), None) or next(
            it.mod for it in earlier if it.splice.growth
        )
        findings.add_whole(address, (other_mod, later[0].mod), (PATCH, PATCH), later[0].mod)
        return [*later]
    covered: dict[int, list[OwnedSplice]] = defaultdict(list)
    for one, other in pairs:
        _note(one, other, address, findings)
        covered[id(one)].append(other)
    kept = [part for it in earlier for part in _outside(it, covered[id(it)])]
    return sorted((*kept, *later), key=lambda it: (it.splice.offset, it.splice.end))


def _overlapping(
    earlier: Sequence[OwnedSplice], later: Sequence[OwnedSplice]
) -> Iterator[tuple[OwnedSplice, OwnedSplice]]:
    """Pairs of splices that have bytes in common, or insert into what the other one replaces."""
    ends = [it.splice.end for it in earlier]
    for other in later:
        start, end = other.splice.offset, other.splice.end
        # Those of one side do not overlap, so that their ends ascend like their offsets.
        for at in range(bisect_left(ends, start), len(earlier)):
            one = earlier[at].splice
            if one.offset > end:
                break
            if max(one.offset, start) < min(one.end, end) or _is_within(one, start, end):
                yield earlier[at], other


def _is_within(one: Splice, start: int, end: int) -> bool:
    """Whether one of two splices inserts inside of what the other one replaces."""
    return one.offset < start == end < one.end or start < one.offset == one.end < end


def _note(one: OwnedSplice, other: OwnedSplice, address: GameAddress, findings: ModFindings) -> None:
    """Note a conflict unless both put the same bytes where they overlap."""
    a, b = one.splice, other.splice
    start, end = max(a.offset, b.offset), min(a.end, b.end)
    values = tuple(it.after[start - it.offset : end - it.offset] for it in (a, b))
    if values[0] == values[1]:
        return
    named = one if isinstance(one.change, FieldChange) else other
    where, field = address.child(*entries_of(named.change.address)), None
    written: tuple[object, object] = (shortened_hex(values[0]), shortened_hex(values[1]))
    if isinstance(named.change, FieldChange):
        field = Place(CURRENT, named.change.table, named.change.row, named.change.field).in_file
    if isinstance(one.change, FieldChange) and isinstance(other.change, FieldChange):
        written = one.change.after, other.change.after
    findings.add(ModConflict(where, field, (one.mod, other.mod), written, other.mod))


def _outside(it: OwnedSplice, others: Iterable[OwnedSplice]) -> Iterator[OwnedSplice]:
    """The parts of a splice outside of others, which are in order; its bytes keep their number."""
    start = it.splice.offset
    for other in (*others, None):
        end = it.splice.end if other is None else min(it.splice.end, other.splice.offset)
        if start < end or (other is None and it.splice.growth and start == it.splice.offset):
            yield _part(it, start, end)
        start = start if other is None else max(start, other.splice.end)


def _part(it: OwnedSplice, start: int, end: int) -> OwnedSplice:
    whole = it.splice
    if (start, end) == (whole.offset, whole.end):
        return it
    inside = slice(start - whole.offset, end - whole.offset)
    return replace(it, splice=Splice(start, whole.before[inside], whole.after[inside]))
