"""A draft: the bytes of one payload while changes are applied to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from math import isfinite
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import EditError, FormatError, UsageError
from viewer.formats import splice
from viewer.formats.archive import nres_edit
from viewer.formats.archive.nres import Entry
from viewer.formats.msh.nodes import NODE
from viewer.formats.part import Part, find
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.geometry.transforms import Indices
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.translation import _

Times = npt.NDArray[np.float64]


class FrameMove(Struct, frozen=True):
    """A range of frames and where it goes.

    Parameters
    ----------
    start, end
        The range, both included, in frames.
    to_start, to_end
        Where its ends go.
    moves_later
        Whether the frames after the range move along with its end.
    node
        Index of the only node whose keys move; None for all animated nodes.
    """

    start: float
    end: float
    to_start: float
    to_end: float
    moves_later: bool = False
    node: int | None = None

    def check(self) -> None:
        """Raise `UsageError` unless both ranges go from a first to a last frame."""
        given = (self.start, self.end, self.to_start, self.to_end)
        if not all(isfinite(it) for it in given) or self.start > self.end or self.to_start > self.to_end:
            raise UsageError(_("a range of frames goes from its first to its last frame"))

    def times(self, times: Times) -> Times:
        """The new times of keys, rounded to whole frames."""
        return self._moved(times, is_whole=np.full(times.shape, fill_value=True))

    def positions(self, times: Times) -> Times:
        """Positions of frames after the move, (n,): whole ones at whole frames."""
        return self._moved(times, is_whole=np.floor(times) == times)

    @np.errstate(invalid="ignore", over="ignore")  # what has no number stays as it is
    def pairs(self, pairs: Times) -> Times:
        """The new first and last frames of what plays a range, (n, 2).

        Whole frames stay whole. A pair that only touches the range at one end stays, as does one without
        frames, and one that the move would turn round.
        """
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        ends_before = (high == self.start) & (low < high)
        starts_after = (low == self.end) & (low < high) & (not self.moves_later)
        moved = self._moved(pairs, is_whole=np.floor(pairs) == pairs)
        # A range that is played backwards, 40 to 10, has its ends in that order; it stays unless both ends
        # keep their order.
        is_turned = np.sign(moved[:, 1] - moved[:, 0]) * np.sign(pairs[:, 1] - pairs[:, 0]) < 0
        is_playable = np.isfinite(pairs).all(axis=1) & np.isfinite(moved).all(axis=1) & (low >= 0)
        stays = ~is_playable | ends_before | starts_after | is_turned
        return np.where(stays[:, None], pairs, moved)

    def _moved(self, times: Times, *, is_whole: npt.NDArray[np.bool_]) -> Times:
        is_inside = (times >= self.start) & (times <= self.end)
        length = self.end - self.start
        scale = (self.to_end - self.to_start) / length if length else 1.0
        inside = self.to_start + (times - self.start) * scale
        # Half up everywhere: `rint` would send 0.5 and 2.5 down and 1.5 up.
        moved = np.where(is_inside, np.where(is_whole, np.floor(inside + 0.5), inside), times)
        if self.moves_later:
            # Later frames move by a whole number, so that keys at whole frames stay at whole frames.
            moved[times > self.end] += np.floor(self.to_end - self.end + 0.5)
        return moved


REMOVED: Final = -1
"""The new number of a row that is not there any more."""


def targets_of(count: int, order: Sequence[int | None]) -> Indices:
    """The new number of each of `count` rows, `REMOVED` for one that is gone, (count,).

    `order` has the rows by the numbers that they had, None for a new one: of 3 rows in the order 2, None, 0
    these are 2, -1, 0.
    """
    targets = np.full(count, REMOVED, np.int64)
    for row, source in enumerate(order):
        if source is not None and 0 <= source < count:
            targets[source] = row
    return targets


def renumbered(numbers: Indices, targets: Indices) -> Indices:
    """References to rows after these moved; numbers that are not rows stay."""
    is_row = (numbers >= 0) & (numbers < len(targets))
    return np.where(is_row, targets[np.where(is_row, numbers, 0)], numbers) if len(targets) else numbers


class RowOrder(Struct, frozen=True):
    """The order of the rows of a table after changes.

    Parameters
    ----------
    count
        Rows that it had.
    order
        The rows that it has, by the indices that they had; None for one that is new.
    """

    count: int
    order: tuple[int | None, ...]

    @property
    def targets(self) -> Indices:
        """The new number of each old row, `REMOVED` for one that is gone, (count,)."""
        return targets_of(self.count, self.order)


class RowMoves(Struct):
    """The moved rows and frames, which others may refer to; by the numbers before all changes.

    Attributes
    ----------
    orders
        The order of tables whose rows were rearranged, by their paths.
    frames
        The ranges of frames of a model that were moved, one after the other.
    clears_references
        Whether what refers to a removed node next to a model refers to none then; else that is refused.
    """

    orders: dict[str, RowOrder] = field(default_factory=dict)
    frames: tuple[FrameMove, ...] = ()
    clears_references: bool = False

    @property
    def nodes(self) -> RowOrder | None:
        """The order of the nodes of a model; None as long as all have their numbers."""
        return self.orders.get(NODE.name)

    def note_rows(self, table: str, count: int, items: Sequence[int | None]) -> None:
        """Note the new order of the `count` rows of a table, by their present indices; None for a new one."""
        # By the numbers before all changes: a row that is moved twice is still known by the first.
        known = self.orders.get(table, RowOrder(count, tuple(range(count))))
        order = tuple(None if item is None else known.order[item] for item in items)
        self.orders[table] = RowOrder(known.count, order)

    def note_frames(self, move: FrameMove) -> None:
        """Note that frames were moved, of a node by its present index; those of a new node are nobody's."""
        if move.node is not None and self.nodes is not None:
            before = self.nodes.order[move.node]
            if before is None:
                return
            # As for rows: what refers to the node knows it by the number that it had.
            move = replace(move, node=before)
        self.frames = (*self.frames, move)


class Draft:
    """The bytes of a payload, and what was done to them so far.

    Parameters
    ----------
    kind
        What the bytes are.
    data
        The bytes.
    entry
        Its directory entry, which some decoders need; None for a file.
    reading
        The reading asked for, of a model.
    wear_rows
        Rows of the model's wear table, which helps to choose its reading; None if there is no table.
    resolved
        The reading of the model as it is now, if it has been chosen already.
    value
        What the bytes decode to, if they have been decoded already.

    Attributes
    ----------
    notes
        What the user should know of the changes: vertices that other nodes use too.
    moves
        The rows and frames that were moved.
    """

    def __init__(
        self,
        kind: Kind,
        data: Bytes,
        entry: Entry | None = None,
        *,
        reading: ReadingChoice = ReadingChoice.AUTO,
        wear_rows: int | None = None,
        resolved: ResolvedReading | None = None,
        value: Any = None,
    ) -> None:
        self.kind = kind
        self.entry = entry
        self.requested = reading
        self.wear_rows = wear_rows
        self._resolved = resolved
        self._decoded = value
        self.splices: Splices = ()
        self.notes: list[str] = []
        self.moves = RowMoves()
        # The same object as long as nothing has changed, which tells whether a given value still holds.
        self._data = self._first = memoryview(data).toreadonly()

    def fresh(self) -> Draft:
        """A draft of the bytes as they are now, to try changes with."""
        return Draft(
            self.kind,
            self._data,
            self.entry,
            reading=self.requested,
            wear_rows=self.wear_rows,
            resolved=self._resolved,
        )

    @property
    def data(self) -> memoryview:
        """The bytes as they are now; never changed in place."""
        return self._data

    @cached_property
    def value(self) -> Any:
        """Decoded value of the bytes; raises `FormatError`."""
        # The given value belongs to the bytes before any change only.
        if self._decoded is not None and self._data is self._first:
            return self._decoded
        return self.kind.decode(self._data, self.entry)

    @cached_property
    def parts(self) -> Part:
        """The tree of parts of the bytes; raises `FormatError`, or `UsageError` for an unknown kind."""
        if not self.kind.is_known:
            raise UsageError(_("nothing is known of the format {kind}", kind=self.kind.id))
        return self.kind.parts(self.value)

    @property
    def model(self) -> Model:
        """The tables of a model; raises `UsageError` for anything else."""
        if self.kind is not MODEL:
            raise UsageError(_("is not a model: {kind}", kind=self.kind.id))
        model: Model = self.value
        return model

    @cached_property
    def first_model(self) -> Model:
        """The tables of a model as they were before any change; as they are now if those cannot be read."""
        if self._data is self._first:
            return self.model
        try:
            first: Model = self._decoded or self.kind.decode(self._first, self.entry)
        except FormatError:
            return self.model
        return first

    @cached_property
    def reading(self) -> ResolvedReading:
        """The reading of the model's disputed fields, as it was before any change."""
        from viewer.model.mesh import draw_builder, reading  # noqa: PLC0415 only for models
        from viewer.model.mesh.pose.skeleton import Skeleton  # noqa: PLC0415

        if self._resolved is not None:
            return self._resolved
        model = self.first_model
        return reading.choose(
            model,
            Skeleton(model),
            draw_builder.build(model),
            requested=self.requested,
            wear_rows=self.wear_rows,
        )

    def part(self, table: str) -> Part:
        """The part with a path; raises `UsageError` if there is none."""
        found = find(self.parts, table)
        if found is None:
            raise UsageError(_("there is no {table}", table=table))
        return found

    def splice(self, splices: Splices) -> None:
        """Replace bytes; offsets count in the bytes as they are now."""
        if not splices:
            return
        self._take(memoryview(splice.applied(self._data, splices)).toreadonly(), splices)

    def _take(self, data: memoryview, splices: Splices) -> None:
        self.splices = splice.combined(self.splices, splices)
        self._data = data
        # Both were made of the bytes before. The reading stays: it is chosen for the model as it was, so that
        # a change does not turn the meaning of the others round.
        for name in ("value", "parts"):
            self.__dict__.pop(name, None)

    def splice_readable(self, splices: Splices) -> None:
        """Replace bytes if the result can be read; raises `EditError` before anything is changed if not."""
        if not splices:
            return
        after = memoryview(splice.applied(self._data, splices)).toreadonly()
        try:
            value = self.kind.decode(after, self.entry)
        except FormatError as error:
            reason = error.text
            raise EditError(_("nothing could be read after it: {reason}", reason=reason)) from None
        self._take(after, splices)
        # Decoded already, to see whether it can be.
        self.__dict__["value"] = value

    def write(self, offset: int, after: Bytes) -> None:
        """Replace as many bytes as are given; only those that differ are in the splices."""
        before = self._data[offset : offset + memoryview(after).nbytes]
        self.splice(splice.moved(splice.between(before, after), offset))

    def edit_container(self, edit: nres_edit.Edit) -> None:
        """Take over the changes of a container.

        Raises `EditError` if its payloads cannot move, or if nothing could be read after it.
        """
        with refused():
            splices = edit.splices()
        self.splice_readable(splices)

    def replace_tables(self, tables: Mapping[int, Bytes], *, frame_count: int | None = None) -> None:
        """Set the bytes of tables of a model, by type, with the attributes that follow from them.

        Parameters
        ----------
        frame_count
            That of a new frame map.
        """
        with refused():
            edit = self.model.edit(tables, frame_count=frame_count)
        self.edit_container(edit)


@contextmanager
def refused() -> Iterator[None]:
    """A context that turns errors of the container into refusals of a change."""
    try:
        yield
    except EditError:
        raise
    except FormatError as error:
        raise EditError(error.message, table=error.table, index=error.index, field=error.field) from None
