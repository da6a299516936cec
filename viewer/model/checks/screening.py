"""Screens: which of many models certainly break no rule, found over the joined tables of all of them.

A model alone has small tables, and calling numpy for each of its rules costs more than the arithmetic. Here
the tables of many models are joined, with the number of the model beside each row, and each rule is evaluated
once. A screen does not say what is wrong: models that it does not pass are checked by the telling code.

A screen may be stricter than its rule, never laxer: what passes has no diagnostic, not even an information.
Models without keys, with a type outside `TABLES` or names that are not ASCII do not pass, sound or not.
Each stage examines the models that passed those before, so that every range in them is inside its table.

Source: spec/nres.md 4; spec/msh.md 11; spec/animation.md 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.archive.nres import ALIGNMENT, ENTRY, HEADER, MAGIC, NAME_SIZE, VERSION
from viewer.formats.msh import tables
from viewer.formats.msh.keys import SCALE
from viewer.formats.msh.nodes import LEGACY_SIZE, NONE
from viewer.formats.text import folded_bytes, names_of
from viewer.geometry.transforms import Indices, Mask
from viewer.model.checks.animation import NORM_TOLERANCE
from viewer.model.checks.joined_tables import TYPES, JoinedDirectories, JoinedTables
from viewer.model.checks.models import OPTIONAL, PRESERVED
from viewer.model.mesh.draw_builder import (
    DRAW_ALLOWANCE,
    PART_ALLOWANCE,
    TRIANGLE_ALLOWANCE,
    TRIANGLES_PER_INDEX,
)
from viewer.model.mesh.draws import expand
from viewer.model.mesh.model import LOOSE

SCREENED: Final = 4 << 20
"""Bytes of the largest model that is screened."""
TOGETHER: Final = 5 << 19
"""Bytes of models that are screened at once. The arrays of more are larger than what the allocator keeps:
the system would give them anew each time, page by page, which takes half as long as the rules."""

_LENGTH: Final = Struct("<I")
_VECTOR: Final = (tables.NORMALS, tables.UVS, tables.STREAM15, tables.STREAM16, tables.STREAM18)
"""Tables with a row for each vertex."""


def _per_type(values: dict[int, int]) -> Indices:
    column = np.zeros(TYPES, np.int64)
    column[[*values]] = [*values.values()]
    return column


_RECORD_SIZE: Final = _per_type({it.type_id: it.record.size for it in tables.TABLES.values() if it.record})
_HEADER_SIZE: Final = _per_type({it.type_id: it.header_size for it in tables.TABLES.values()})
_STATED_SIZE: Final = _RECORD_SIZE.copy()
_STATED_SIZE[tables.KEYS] = 4  # what retail files state in attr3 of keys, whatever their size


def clean(payloads: Sequence[memoryview]) -> Mask:
    """Which payloads are models that break no rule of `models.check_model`, (n,) bool."""
    return ~Screening(payloads).is_suspect


class Screening:
    """The stages of the screens.

    Attributes
    ----------
    suspects
        By rule the payloads that may break it, (n,) bool.
    """

    def __init__(self, payloads: Sequence[memoryview]) -> None:
        self.suspects: dict[str, Mask] = {}
        self._payloads = payloads
        self._left = np.arange(len(payloads))
        """The payloads that this stage examines."""
        with np.errstate(all="ignore"):  # comparisons with NaN are False, as they have to be
            self._headers()
            directories = JoinedDirectories.of([payloads[index] for index in self._passed()])
            if len(self._left):
                self._directories(directories)
            tables = JoinedTables(directories.only(self._kept()))
            for stage in (self._tables, self._ranges, self._geometry, self._animation):
                if len(self._left):
                    stage(tables)
                    tables = tables.only(self._kept())

    @property
    def is_suspect(self) -> Mask:
        """The payloads that may break any rule, (n,) bool."""
        found: Mask = np.zeros(len(self._payloads), np.bool_)
        for mask in self.suspects.values():
            found |= mask
        return found

    def _passed(self) -> Indices:
        """Move on to the payloads that have passed so far."""
        self._left = np.flatnonzero(~self.is_suspect)
        return self._left

    def _kept(self) -> Indices:
        """The payloads that have passed so far, as positions among those of this stage."""
        before = self._left
        return np.searchsorted(before, self._passed())

    def _suspect(self, rule: str, models: npt.NDArray[Any]) -> None:
        """Note models of this stage, by their positions or as a mask."""
        mask = self.suspects.setdefault(rule, np.zeros(len(self._payloads), np.bool_))
        mask[self._left[models]] = True

    def _headers(self) -> None:
        """N01 to N04: the header, and that the file ends with its directory."""
        sizes = np.array([len(data) for data in self._payloads], np.int64)
        self._suspect("N01", sizes < HEADER.size)
        starts = b"".join(bytes(data[: HEADER.size]).ljust(HEADER.size, b"\0") for data in self._payloads)
        headers = np.frombuffer(starts, HEADER.dtype)
        magic = np.frombuffer(starts, np.uint8).reshape(-1, HEADER.size)[:, : len(MAGIC)]
        self._suspect("N01", (magic != np.frombuffer(MAGIC, np.uint8)).any(axis=1))
        self._suspect("N01", headers["version"] != VERSION)
        count = headers["entry_count"].astype(np.int64)
        self._suspect("N02", count < 0)
        self._suspect("N03", headers["total_size"] != sizes)
        self._suspect("N04", HEADER.size + count * ENTRY.size > sizes)

    def _directories(self, them: JoinedDirectories) -> None:
        """N05 to N13, V01 to V03, unknown types: names, their order, the ranges of the payloads."""
        rows, owner, first = them.rows, them.owner, them.first
        start, size = rows["data_offset"].astype(np.int64), rows["size"].astype(np.int64)
        end, limit = start + size, them.limit[owner]
        self._suspect("N05", owner[(start < HEADER.size) | (end > limit)])
        raw = np.frombuffer(rows["name"].tobytes(), np.uint8).reshape(-1, NAME_SIZE)
        self._suspect("N06", owner[raw.all(axis=1)])
        self._suspect("N09", owner[(raw >= 0x80).any(axis=1)])  # so that the order of texts is that of bytes
        self._name_order(them, folded_bytes(names_of(rows["name"])).view(f"S{NAME_SIZE}").ravel())
        self._suspect("N11", owner[start % ALIGNMENT != 0])

        # Payloads in order of their starts, each model closed by its directory.
        filled = np.flatnonzero(size > 0)
        begins = np.concatenate((start[filled], them.limit))
        holder = np.concatenate((owner[filled], np.arange(len(first))))
        reaches = np.concatenate((end[filled], them.limit))
        # The last key counts most: by container, then start, then end.
        order = np.lexsort((reaches, begins, holder))
        begins, holder, reaches = begins[order], holder[order], reaches[order]
        before = np.concatenate(([HEADER.size], reaches[:-1]))
        # The first range of a container follows its header, not the range of the container before.
        before[np.flatnonzero(np.diff(holder, prepend=-1))] = HEADER.size
        gap = begins - before
        self._suspect("N10", holder[gap < 0])
        self._suspect("N13", holder[(gap > 0) & (gap != -before % ALIGNMENT)])
        padded = np.flatnonzero((gap > 0) & (gap < ALIGNMENT))
        for model, a, b in zip(
            holder[padded].tolist(), before[padded].tolist(), begins[padded].tolist(), strict=True
        ):
            if any(them.payloads[model][a:b]):
                self._suspect("N12", np.array([model]))
        self._types(them)

    def _name_order(self, them: JoinedDirectories, names: npt.NDArray[np.bytes_]) -> None:
        """N08, N09: the sort table is a permutation, and its names ascend."""
        stored = them.rows["sort_index"].astype(np.int64)
        is_outside = stored >= them.count[them.owner]
        self._suspect("N08", them.owner[is_outside])
        # A wrong index is counted as row 0 of its own directory instead of a row of the next one.
        at = them.first[them.owner] + np.where(is_outside, 0, stored)
        is_met = np.zeros(len(stored), np.bool_)
        is_met[at] = True
        self._suspect("N08", them.owner[~is_met])
        ordered = names[at]
        is_wrong = (ordered[:-1] > ordered[1:]) & (them.owner[:-1] == them.owner[1:])
        self._suspect("N09", them.owner[1:][is_wrong])

    def _types(self, them: JoinedDirectories) -> None:
        """Known types, each once, and those that a model requires."""
        types = them.rows["type_id"].astype(np.int64)
        is_known = np.isin(types, [*tables.TABLES])
        self._suspect("V27", them.owner[~is_known])
        met = np.bincount(
            # A histogram of the types of each model: model 2, type 5 is cell 2 * TYPES + 5.
            them.owner[is_known] * TYPES + types[is_known],
            minlength=len(them.first) * TYPES,
        ).reshape(-1, TYPES)
        self._suspect("V02", np.any(met > 1, axis=1))
        self._suspect("V01", np.any(met[:, [*tables.REQUIRED, tables.KEYS]] == 0, axis=1))
        self._suspect("V03", them.owner[(types == tables.NODES) & (them.rows["attr3"] == LEGACY_SIZE)])

    def _tables(self, them: JoinedTables) -> None:
        """V04 to V10, V20, V21, A06: sizes and attributes of tables, texts, numbers that are not finite."""
        directory = them.directory
        rows, owner = directory.rows, directory.owner
        types, size = rows["type_id"].astype(np.int64), rows["size"].astype(np.int64)
        body, record = size - _HEADER_SIZE[types], np.maximum(_RECORD_SIZE[types], 1)
        has_rows = _RECORD_SIZE[types] > 0
        self._suspect("V04", owner[has_rows & ~np.isin(types, [*LOOSE]) & ((body < 0) | (body % record > 0))])

        attr1, attr2, attr3 = (rows[name].astype(np.int64) for name in ("attr1", "attr2", "attr3"))
        is_blank = np.isin(types, [*OPTIONAL]) & (attr1 == 0) & (attr2 == 0) & (attr3 == 0)
        is_stated = has_rows & ~np.isin(types, [*PRESERVED]) & ~is_blank
        self._suspect("V06", owner[is_stated & (attr1 != body // record)])
        self._suspect("V07", owner[is_stated & (attr3 != _STATED_SIZE[types])])
        has_attr2 = np.isin(types, [tables.NODES, tables.FRAME_MAP])
        self._suspect("V08", owner[is_stated & (attr2 != 0) & ~has_attr2])
        is_texts = types == tables.STRINGS
        self._suspect("V06", owner[is_texts & (attr1 != them.counts(tables.NODES)[owner])])
        self._suspect("V07", owner[is_texts & ((attr2 != 0) | (attr3 != 0))])
        self._suspect("A06", owner[(types == tables.FRAME_MAP) & (attr2 < 1)])
        for row in np.flatnonzero(is_texts).tolist():
            data = directory.payload(row)
            if not _are_whole_texts(data, int(them.counts(tables.NODES)[owner[row]])):
                self._suspect("V21", owner[[row]])
        for type_id in _VECTOR:
            is_other = them.counts(type_id) != them.counts(tables.POSITIONS)
            self._suspect("V09", them.has(type_id) & is_other)
        is_wrong = ~np.isfinite(them.rows(tables.POSITIONS)["position"]).all(axis=1)
        self._suspect("V20", them.owner(tables.POSITIONS)[is_wrong])
        self._suspect("V20", np.any(~np.isfinite(them.headers), axis=1))
        for type_id in (tables.NODES, tables.KEYS):
            self._suspect("A07", them.counts(type_id) == 0)

    def _ranges(self, them: JoinedTables) -> None:
        """V11 to V14, V16, V22, A02, A03: references to rows that exist."""
        nodes, owner = them.rows(tables.NODES), them.owner(tables.NODES)
        parent = nodes["parent"].astype(np.int64)
        self._suspect("V22", owner[(parent != NONE) & (parent >= them.place(tables.NODES))])
        matrix = nodes["slots"].reshape(len(nodes), -1)
        is_filled = matrix != NONE
        slot_count = them.counts(tables.SLOTS)[owner][:, None]
        self._suspect("V11", owner[(is_filled & (matrix >= slot_count)).any(axis=1)])
        self._suspect("V11", them.sums(tables.NODES, is_filled.sum(axis=1)) > PART_ALLOWANCE)
        self._suspect("A02", owner[nodes["fallback_key"] >= them.counts(tables.KEYS)[owner]])
        start = nodes["map_start"].astype(np.int64)
        words = them.counts(tables.FRAME_MAP)
        self._suspect("A03", owner[(start != NONE) & (start + them.frames[owner] > words[owner])])

        within = them.within
        self._suspect("V12", within(tables.SLOTS, "batch_start", "batch_count", tables.BATCHES))
        has_some = them.counts(tables.TRIANGLES) > 0  # without descriptors their ranges mean nothing
        self._suspect("V13", has_some & within(tables.SLOTS, "tri_start", "tri_count", tables.TRIANGLES))
        self._suspect("V14", within(tables.BATCHES, "index_start", "index_count", tables.INDICES))
        links, holder = them.rows(tables.TRIANGLES)["links"], them.owner(tables.TRIANGLES)
        is_outside = (links != NONE) & (links >= them.counts(tables.TRIANGLES)[holder][:, None])
        self._suspect("V16", holder[is_outside.any(axis=1)])
        total = them.sums(tables.BATCHES, them.rows(tables.BATCHES)["index_count"])
        self._suspect("V15", total > 3 * TRIANGLE_ALLOWANCE + 2 * them.counts(tables.INDICES))

    def _geometry(self, them: JoinedTables) -> None:
        """V12 (totals), V15, V17 to V19, V27: batches, slots, and that cells use everything."""
        batches, owner = them.rows(tables.BATCHES), them.owner(tables.BATCHES)
        count = batches["index_count"].astype(np.int64)
        self._suspect("V17", owner[count % 3 != 0])
        start = them.global_start(tables.BATCHES, "index_start", tables.INDICES)
        corner = them.rows(tables.INDICES)["index"][expand(start, count)].astype(np.int64)
        batch = np.repeat(np.arange(len(count)), count)
        corner += batches["base_vertex"][batch]
        is_over = corner >= them.counts(tables.POSITIONS)[owner][batch]
        self._suspect("V15", owner[batch[is_over]])

        slot, holder = them.rows(tables.SLOTS), them.owner(tables.SLOTS)
        first_batch = them.global_start(tables.SLOTS, "batch_start", tables.BATCHES)
        behind = first_batch + slot["batch_count"]
        before = np.concatenate(([0], np.cumsum(count // 3)))
        triangles = before[behind] - before[first_batch]
        is_described = them.counts(tables.TRIANGLES)[holder] > 0
        self._suspect("V18", holder[is_described & (triangles != slot["tri_count"])])
        finite = [np.isfinite(slot[name]).all(axis=1) for name in ("aabb_min", "aabb_max", "sphere_center")]
        is_sound = np.logical_and.reduce(finite) & np.isfinite(slot["sphere_radius"])
        is_sound &= (slot["aabb_min"] <= slot["aabb_max"]).all(axis=1) & (slot["sphere_radius"] >= 0)
        self._suspect("V19", holder[~is_sound])

        matrix = them.rows(tables.NODES)["slots"].reshape(len(them.owner(tables.NODES)), -1).astype(np.int64)
        node, cell = np.nonzero(matrix != NONE)
        shown = them.starts(tables.SLOTS)[them.owner(tables.NODES)[node]] + matrix[node, cell]
        is_shown = np.zeros(len(slot), np.bool_)
        is_shown[shown] = True
        self._suspect("V27", holder[~is_shown])
        # +1 where a slot's batches begin and -1 behind them: their running sum is the number of slots.
        depth = np.zeros(len(count) + 1, np.int64)
        np.add.at(depth, first_batch, 1)
        np.add.at(depth, behind, -1)
        self._suspect("V27", owner[np.cumsum(depth)[:-1] == 0])
        is_met = np.zeros(len(them.rows(tables.POSITIONS)), np.bool_)
        is_met[(them.starts(tables.POSITIONS)[owner][batch] + corner)[~is_over]] = True
        self._suspect("V27", them.owner(tables.POSITIONS)[~is_met])
        # A slot in several cells counts once for each; the telling code counts it once a node.
        model = holder[shown]
        totals = [
            np.bincount(model, each[shown], len(them.frames)) for each in (slot["batch_count"], triangles)
        ]
        self._suspect("V12", totals[0] > DRAW_ALLOWANCE)
        most = TRIANGLE_ALLOWANCE + np.floor(TRIANGLES_PER_INDEX * them.counts(tables.INDICES))
        self._suspect("V12", totals[1] > most)

    def _animation(self, them: JoinedTables) -> None:
        """A04 to A13: tracks one after another, a canonical frame map, rotations of length 1."""
        nodes, owner = them.rows(tables.NODES), them.owner(tables.NODES)
        keys, holder = them.rows(tables.KEYS), them.owner(tables.KEYS)
        self._suspect("A12", holder[~np.isfinite(keys["position"]).all(axis=1) | ~np.isfinite(keys["time"])])
        last = nodes["fallback_key"].astype(np.int64)
        first = np.concatenate(([0], last[:-1] + 1))
        first[them.place(tables.NODES) == 0] = 0
        is_bad = first > last
        self._suspect("A07", owner[is_bad])
        first, last = (np.where(is_bad, 0, each) + them.starts(tables.KEYS)[owner] for each in (first, last))
        times = keys["time"]
        depth = np.zeros(len(times) + 1, np.int64)
        # Tracks of keys 0..2 and 3..4: +1 at 1, 4 and -1 at 3, 5 sum up to 1 for keys 1, 2, 4.
        np.add.at(depth, first + 1, 1)
        np.add.at(depth, last + 1, -1)
        is_next = np.cumsum(depth)[:-1] > 0
        # Not <=, so that a NaN is suspect.
        self._suspect("A05", holder[1:][is_next[1:] & ~(times[1:] > times[:-1])])
        self._suspect("A07", holder[~np.equal(times, np.rint(times))])
        self._suspect("A07", owner[times[first] != 0])
        is_mapped = nodes["map_start"] != NONE
        self._suspect("A05", owner[is_mapped & (first == last)])

        longest = np.zeros(len(them.frames), np.float64)
        np.maximum.at(longest, owner, times[last].astype(np.float64))
        self._suspect("A08", them.has(tables.FRAME_MAP) & (longest + 1 != them.frames))
        # Canonical: the blocks of the mapped nodes in order, each as long as the model has frames.
        mapped = np.flatnonzero(is_mapped)
        model, frames = owner[mapped], them.frames[owner[mapped]]
        blocks = np.bincount(model, minlength=len(them.frames))
        # The number of a mapped node in its model: 2 and 3 of them give 0 1 0 1 2.
        number = np.arange(len(mapped)) - (np.cumsum(blocks) - blocks)[model]
        self._suspect("A09", model[nodes["map_start"][mapped] != number * frames])
        is_whole = blocks * them.frames == them.counts(tables.FRAME_MAP)
        self._suspect("A09", ~is_whole)
        usable = mapped[is_whole[model]]
        word = them.rows(tables.FRAME_MAP)["key"][is_whole[them.owner(tables.FRAME_MAP)]].astype(np.int64)
        node = np.repeat(usable, them.frames[owner[usable]])
        word += them.starts(tables.KEYS)[owner[node]]
        self._suspect("A10", owner[node[word > last[node]]])
        self._suspect("A11", owner[node[word < first[node]]])
        norm = np.linalg.norm(keys["quaternion"].astype(np.float64), axis=1) / SCALE
        # Not >, so that a NaN is suspect.
        self._suspect("A13", holder[~(np.abs(norm - 1) <= NORM_TOLERANCE)])


def _are_whole_texts(data: memoryview, count: int) -> bool:
    """Whether a table is so many texts, each with its length before and a NUL after it if it is not empty."""
    cursor, size = 0, len(data)
    for _ in range(count):
        if cursor + _LENGTH.size > size:
            return False
        length = _LENGTH.unpack_from(data, cursor)[0]
        cursor += _LENGTH.size
        if length:
            cursor += length + 1
            if cursor > size or data[cursor - 1]:
                return False
    return cursor == size
