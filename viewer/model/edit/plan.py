"""A plan: changes of one payload with what follows from them, as splices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from viewer.errors import FormatError, UsageError
from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.edit.archive import names
from viewer.model.edit.change import Change, Consequence, Topic
from viewer.model.edit.draft import Draft, RowOrder
from viewer.model.edit.geometry.following import geometry_follows, header_follows
from viewer.model.edit.keys import track_edit
from viewer.model.edit.keys.frame_move import FrameMove
from viewer.model.mesh.model import Model
from viewer.translation import Sentence

Finder = Callable[[memoryview, Draft], Iterator[Consequence]]
"""Given the bytes before all changes and the draft after them, yields what follows."""

FINDERS: Final[tuple[Finder, ...]] = (
    names.follow_model_name,
    names.follow_names,
    track_edit.follow_key_times,
    geometry_follows,
    header_follows,
)
"""In the order in which their changes are made; each sees the draft after those of the others before it."""


def consequences_of(before: memoryview, draft: Draft) -> Iterator[Consequence]:
    """Yield what follows from the changes made to a draft; the caller applies it before the next.

    Nothing follows where the bytes before or after cannot be read, as there is nothing to compare.
    """
    for find in FINDERS if draft.splices else ():
        with suppress(FormatError):
            yield from find(before, draft)


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One change, asked for or following from others.

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


@dataclass(frozen=True, slots=True)
class Plan:
    """What changes do to one payload.

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
    node_order
        The nodes of a model by the indices that they had, None for a new one; None if all have their numbers.
    row_orders
        The same of tables whose rows were rearranged, by their paths.
    frame_moves
        The ranges of frames of a model that were moved, in order.
    clears_references
        Whether what refers to a removed node next to a model refers to none then; else that is refused.
    """

    steps: tuple[PlannedStep, ...]
    offered: tuple[Consequence, ...]
    before: memoryview
    after: memoryview
    splices: Splices
    notes: tuple[str, ...] = ()
    node_order: tuple[int | None, ...] | None = None
    row_orders: Mapping[str, RowOrder] = field(default_factory=dict)
    frame_moves: tuple[FrameMove, ...] = ()
    clears_references: bool = False

    @property
    def node_count(self) -> int:
        """Nodes that a model had, if they are numbered anew."""
        return len(Model.read(self.before).nodes) if self.node_order is not None else 0

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
    steps: list[PlannedStep] = [_made(draft, change) for change in changes]
    offered: list[Consequence] = []
    for found in consequences_of(before, draft):
        is_made = found.topic not in declined and (found.is_default or found.topic in wanted)
        if not is_made or not _follows(draft, found, steps):
            offered.append(found)
    kept = tuple(step for step in steps if step.splices or step.topic is None)
    return Plan(
        kept,
        tuple(offered),
        before,
        draft.data,
        draft.splices,
        tuple(draft.notes),
        draft.node_order,
        dict(draft.row_orders),
        draft.frame_moves,
        draft.clears_references,
    )


def _follows(draft: Draft, found: Consequence, steps: list[PlannedStep]) -> bool:
    """Make a consequence; one that is only offered and cannot be made is noted instead."""
    try:
        steps.append(_made(draft, found.change, found.topic))
    except (FormatError, UsageError) as error:
        if found.is_default:
            raise
        draft.notes.append(
            Sentence("{topic}: {reason}", topic=found.topic, reason=Sentence.of(error.message))
        )
        return False
    return True


def _made(draft: Draft, change: Change, topic: Topic | None = None) -> PlannedStep:
    earlier, draft.splices = draft.splices, ()
    try:
        change.apply(draft)
    finally:
        made, draft.splices = draft.splices, splice.combined(earlier, draft.splices)
    return PlannedStep(change, made, topic)


def words_of(changes: Sequence[Change]) -> str:
    """The name of an undo step."""
    if len(changes) == 1:
        return changes[0].words
    return Sentence("{first} and {count} more", first=changes[0].words, count=len(changes) - 1)
