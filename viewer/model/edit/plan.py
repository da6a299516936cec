"""A plan: changes of one payload with what follows from them, as splices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import AddressError, FormatError, UsageError, reading_from
from viewer.formats import splice
from viewer.formats.archive import nres_edit, rsli_edit
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.splice import Splices
from viewer.model.edit.archive import entries
from viewer.model.edit.change import Change, Consequence, Topic
from viewer.model.edit.draft import Draft, RowMoves
from viewer.model.edit.geometry.links import geometry_follows, header_follows
from viewer.model.edit.nodes import track_edit
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, index_of, missing_entry
from viewer.translation import Text, _

Finder = Callable[[memoryview, Draft], Iterator[Consequence]]
"""Given the bytes before all changes and the draft after them, yields what follows."""

FINDERS: Final[tuple[Finder, ...]] = (
    entries.follow_model_name,
    entries.follow_names,
    track_edit.follow_key_times,
    geometry_follows,
    header_follows,
)
"""Finders in the order of their changes; each sees the draft after the changes of those before it."""


def consequences_of(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Consequences of the changes made to a draft; the caller applies each before the next.

    Nothing follows where the bytes before or after cannot be read, as there is nothing to compare.
    """
    # Each finder looks at the draft when its turn comes, after what the ones before it have changed.
    for find in FINDERS if draft.splices else ():
        with suppress(FormatError):
            yield from find(before, draft)


class PlannedStep(Struct, frozen=True):
    """A change, requested or following from others.

    Parameters
    ----------
    change
        The change.
    splices
        What it replaces; offsets count in the bytes after the steps before it.
    topic
        The name of a consequence; None for what was asked for.
    """

    change: Change
    splices: Splices
    topic: Topic | None = None


class Plan(Struct, frozen=True):
    """The result of changes to one payload.

    Parameters
    ----------
    steps
        The changes in the order in which they were made.
    offered
        What would follow too, but was declined or is done on request only.
    before, after
        The bytes of the payload.
    splices
        All steps together.
    notes
        What the user should know of them.
    moves
        The rows and frames that were moved, which others may refer to.
    words
        The name of the undo step.
    """

    steps: tuple[PlannedStep, ...]
    offered: tuple[Consequence, ...]
    before: memoryview
    after: memoryview
    splices: Splices
    notes: tuple[str, ...] = ()
    moves: RowMoves = field(default_factory=RowMoves)
    words: str = ""

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The consequences that were made, each once."""
        return tuple(dict.fromkeys(step.topic for step in self.steps if step.topic is not None))


def plan(
    draft: Draft,
    changes: Sequence[Change],
    *,
    declined: Collection[Topic] = (),
    wanted: Collection[Topic] = (),
) -> Plan:
    """Apply changes and what follows from them; raises `EditError` or `UsageError` for the first refused one.

    Parameters
    ----------
    draft
        The payload; it is changed.
    declined, wanted
        Consequences that are not made, and those that are made though they are only offered.
    """
    before = draft.data
    steps = [*_all_made(draft, changes)]
    offered: list[Consequence] = []
    # Bytes that are set by hand stand for themselves: what would follow from them is offered.
    is_raw = bool(changes) and all(change.is_raw for change in changes)
    for found in consequences_of(before, draft):
        is_default = found.is_default and not is_raw
        is_made = found.topic not in declined and (is_default or found.topic in wanted)
        if not is_made or not _follows(draft, found, steps):
            offered.append(found)
    kept = tuple(step for step in steps if step.splices or step.topic is None)
    notes = tuple(draft.notes)
    moves = replace(draft.moves, orders=dict(draft.moves.orders))
    return Plan(kept, tuple(offered), before, draft.data, draft.splices, notes, moves, _words(changes, draft))


def _follows(draft: Draft, found: Consequence, steps: list[PlannedStep]) -> bool:
    """Make a consequence; one that is only offered and cannot be made is noted instead."""
    earlier = draft.splices
    try:
        steps.append(_made(draft, found.change, found.topic))
    except (FormatError, UsageError) as error:
        if found.is_default:
            raise
        words = "{topic}: {reason}"
        draft.notes.append(_(words, topic=found.topic, reason=Text.of(error.message)))
        return False
    finally:
        # `_made` left those of the last step alone.
        draft.splices = splice.combined(earlier, draft.splices)
    return True


def _all_made(draft: Draft, changes: Sequence[Change]) -> Iterator[PlannedStep]:
    """The steps of changes; of those that are joined the last has all splices."""
    found = [draft.splices]
    try:
        # Only changes of one class in a row: another one between them may depend on what the first have done.
        for (kind, is_joined), run in groupby(changes, lambda it: (type(it), it.is_joined)):
            joined = [*run] if is_joined else []
            yield from (PlannedStep(it, ()) for it in joined[:-1])
            applied = partial(kind.apply_joined, changes=joined) if is_joined else None
            for change in joined[-1:] if is_joined else run:
                step = _made(draft, change, apply=applied)
                found.append(step.splices)
                yield step
    finally:
        # All at once: after each step it would go through the thousands of splices of the steps before.
        draft.splices = splice.combined_all(found)


def _made(
    draft: Draft,
    change: Change,
    topic: Topic | None = None,
    apply: Callable[[Draft], None] | None = None,
) -> PlannedStep:
    """The step of a change, whose splices alone the draft has then."""
    # Offsets of a step count after the steps before it, so undoing one step needs its own splices alone.
    draft.splices = ()
    (apply or change.apply)(draft)
    return PlannedStep(change, draft.splices, topic)


def _words(changes: Sequence[Change], draft: Draft) -> str:
    """The name of the undo step of changes."""
    if not changes:
        return ""
    first = changes[0].words_in(draft)
    return first if len(changes) == 1 else _("{first} and {count} more", first=first, count=len(changes) - 1)


def lifted(library: FileStore, address: Address, splices: Splices) -> Splices:
    """The splices of the file in which an entry lies, from those of the entry.

    Raises `AddressError` or `FormatError` if an archive on the way cannot take it.
    """
    while address.entries and splices:
        with reading_from(address.parent):
            splices = _in_container(library, address, splices)
        # From the innermost archive outwards: its splices are those of an entry of the next one.
        address = address.parent
    return splices


def lifted_together(library: FileStore, payloads: Sequence[tuple[Address, Splices]]) -> Splices:
    """The splices of the file in which entries of one archive lie, from those of the entries.

    Raises like `lifted`.
    """
    changed = [(address, splices) for address, splices in payloads if splices]
    if len(changed) < 2:
        return lifted(library, *changed[0]) if changed else ()
    return lifted(library, changed[0][0].parent, in_archive(library, changed))


def in_archive(library: FileStore, payloads: Sequence[tuple[Address, Splices]]) -> Splices:
    """The splices of the archive in which entries lie, from those of the entries.

    Raises like `lifted`.
    """
    changed = [(address, splices) for address, splices in payloads if splices]
    if not changed:
        return ()
    holder = changed[0][0].parent
    with reading_from(holder):
        if len(changed) == 1:
            return _in_container(library, *changed[0])
        container = library.open(holder).container
        if container is None or any(it.parent != holder for it, _ignored in changed):
            raise AddressError(_("the entries are not in one archive"), source=holder)
        rows = {_row_of(container, address): own for address, own in changed}
        after = {row: splice.applied(memoryview(container.payload(row)), own) for row, own in rows.items()}
        if isinstance(container, PackedLibrary):
            return rsli_edit.replaced(container, after)
        edit = nres_edit.Edit(container)
        for row, own in rows.items():
            edit.replace(row, after[row], own)
        return edit.splices()


def _row_of(container: Container, address: Address) -> int:
    """The directory index of an entry; raises `AddressError`."""
    index = index_of(container, address.entries[-1])
    if index is None:
        raise AddressError(missing_entry(container, address.name), source=address.parent)
    return index


def _in_container(library: FileStore, address: Address, splices: Splices) -> Splices:
    """The splices of the archive that holds an entry."""
    holder = library.open(address.parent)
    container = holder.container
    index = None if container is None else index_of(container, address.entries[-1])
    if container is None or index is None:
        raise AddressError(_("has no entry {entry!r}", entry=address.name), source=address.parent)
    if isinstance(container, PackedLibrary):
        after = splice.applied(memoryview(container.payload(index)), splices)
        return rsli_edit.replaced(container, {index: after})
    entry = container.entry(index)
    # Splices of equal length move nothing: no need to look at directories, which makes setting a field
    # quick.
    if splice.growth(splices) == 0:
        moved = splice.moved(splices, entry.offset)
        nres_edit.refuse_shared(container, index, moved)
        return moved
    edit = nres_edit.Edit(container)
    edit.replace(index, splice.applied(container.payload(index), splices), splices)
    return edit.splices()
