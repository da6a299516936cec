"""Rules of parents, cells, slots, batches and triangles: V11 to V19, V22, V27 (what no cell uses).

L06 is V11 of terrains. What breaks them is left out or measured when the draws are built, with these limits.

Source: spec/msh.md 2, 5, 6, 10, 11; spec/land.md 6.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.errors import Severity
from viewer.formats.findings import Findings, Rule
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import GROUPS, LODS, NODE
from viewer.formats.msh.nodes import NONE as NO_NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import (
    BATCHES,
    INDICES,
    NODES,
    POSITIONS,
    SLOTS,
    TABLES,
    TRIANGLES,
)
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.msh.triangles import TRIANGLE
from viewer.geometry.transforms import Indices, Mask
from viewer.model.checks.joined_tables import Tables, in_some
from viewer.model.checks.rules import Rules
from viewer.model.mesh.draw_builder import (
    CHUNK,
    DRAW_ALLOWANCE,
    PART_ALLOWANCE,
    TRIANGLE_ALLOWANCE,
    TRIANGLES_PER_INDEX,
    cells_outside,
    reach,
    sound_bounds,
)
from viewer.model.mesh.draws import chunks, expand
from viewer.model.mesh.model import Variant
from viewer.model.mesh.pose.skeleton import usable_parents
from viewer.translation import Text, _

PARENTS: Final = Rules[Tables]()
"""Rules of the hierarchy."""
CELLS: Final = Rules[Tables]()
"""Rules of the slot matrix."""
DRAWS: Final = Rules[Tables]()
"""Rules of what models and legacy models draw."""
BOUNDS: Final = Rules[Tables]()
"""Rules of the bounds of slots."""
GEOMETRY: Final = Rules[Tables]()
"""Rules of models and legacy models beyond what is drawn."""


@PARENTS.rule
def parents(it: Tables) -> Findings:
    """Parents outside the nodes, and parents that close a cycle (V22)."""
    stored, counts, owner = it.rows(NODES)["parent"].astype(np.int64), it.counts(NODES), it.owner(NODES)
    first = it.of_rows(it.starts(NODES), NODES)
    is_outside, is_cyclic = usable_parents(stored, it.of_rows(counts, NODES), first)[1:]
    rule, words = Rule("V22", NODE.name, "parent"), "parent {problem}; treated as a root"
    outside, cyclic = "{parent} of {count} nodes", "{parent} closes a cycle"

    def leads_out(row: int) -> str:
        return _(outside, parent=stored[row], count=counts[owner[row]])

    yield from rule.in_joined(is_outside, counts, words, problem=leads_out)
    yield from rule.in_joined(is_cyclic, counts, words, problem=lambda row: _(cyclic, parent=stored[row]))


class SlotMatrices(Struct, frozen=True, eq=False):
    """The slot matrix of every node.

    Attributes
    ----------
    matrix, is_outside
        The slot of each cell, and those of a slot that does not exist, (n, 15).
    filled
        Number of cells with a slot by model, (m,).
    model, slot
        The model of each part, one node with one slot, and the row of that slot among those of all models,
        (p,), by node and slot. Parts of nodes beyond `PART_ALLOWANCE` are left out.
    """

    matrix: npt.NDArray[np.uint16]
    is_outside: Mask
    filled: Indices
    model: Indices
    slot: Indices

    @classmethod
    def of(cls, it: Tables) -> SlotMatrices:
        """The slot matrices of some models."""
        matrix = it.rows(NODES)["slots"].reshape(-1, LODS * GROUPS)
        owner = it.owner(NODES)
        is_outside = cells_outside(matrix, it.of_rows(it.counts(SLOTS), NODES)[:, None])
        cells = np.where(is_outside, NO_NODE, matrix)
        per_node = np.count_nonzero(cells != NO_NODE, axis=1)
        filled = it.sums(NODES, per_node)
        limit = np.full(len(filled), PART_ALLOWANCE)
        cells[_within(per_node, owner, filled, limit) < per_node] = NO_NODE
        # A slot in several cells of a node is one part: sorted, it stands beside itself.
        cells.sort(axis=1)
        is_part = cells != NO_NODE
        is_part[:, 1:] &= cells[:, 1:] != cells[:, :-1]
        node, cell = np.nonzero(is_part)
        model = owner[node]
        return cls(matrix, is_outside, filled, model, it.starts(SLOTS)[model] + cells[node, cell])


def _within(counts: Indices, owner: Indices, totals: Indices, limits: Indices) -> Indices:
    """Counts (n,) up to a total of the limit of their model, then zeros; `totals` are their sums, (m,)."""
    if not np.count_nonzero(totals > limits):
        return counts
    running = np.cumsum(counts)
    # What the models before have: totals 5, 2, 9 are preceded by 0, 5, 7.
    is_over = running - (np.cumsum(totals) - totals)[owner] > limits[owner]
    return np.where(is_over, 0, counts)


def too_many(
    what: str, totals: Indices, limits: Indices, number: str = "V12", table: str = SLOT.name
) -> Findings:
    """Models with more of something than is drawn."""
    is_over = totals > limits
    if not np.count_nonzero(is_over):
        return
    words = "{count} {what} are too many; those after {limit} are omitted"
    values = {"count": totals, "what": Text.of(what), "limit": limits}
    yield from Rule(number, table).of_subjects(is_over, words, **values)


@CELLS.rule
def cells(it: Tables) -> Findings:
    """Cells of slots that do not exist (V11, L06)."""
    found = it.once(SlotMatrices.of)
    number = "L06" if it.variant is Variant.TERRAIN else "V11"
    yield from Rule(number, NODE.name, "slots").in_joined(
        in_some(found.is_outside),
        it.counts(NODES),
        "{outside} of {count} slots; treated as empty",
        outside=lambda row: found.matrix[row][found.is_outside[row]].tolist(),
        count=it.of_rows(it.counts(SLOTS), NODES),
    )


@CELLS.rule
def filled_cells(it: Tables) -> Findings:
    """Models with more parts than are drawn (V11)."""
    filled = it.once(SlotMatrices.of).filled
    return too_many("filled cells", filled, np.full(len(filled), PART_ALLOWANCE), "V11", NODE.name)


class _DrawnBatches(Struct, frozen=True, eq=False):
    """The batches that models and legacy models draw.

    Attributes
    ----------
    first, end
        The batches of each part that are drawn, as rows of the joined table, (p,).
    model
        The model of each part, (p,).
    draws, most_draws
        Number of draws by model, and how many are drawn, (m,).
    triangles, most_triangles
        The same of triangles.
    is_readable
        Batches whose indices exist, (b,).
    """

    first: Indices
    end: Indices
    model: Indices
    draws: Indices
    most_draws: Indices
    triangles: Indices
    most_triangles: Indices
    is_readable: Mask

    @classmethod
    def of(cls, it: Tables) -> _DrawnBatches:
        batches, models = it.counts(BATCHES), len(it.models)
        most_draws = DRAW_ALLOWANCE + 4 * batches
        start, count = it.wide(BATCHES, "index")
        is_readable = start + count <= it.of_rows(it.counts(INDICES), BATCHES)
        if it.variant is Variant.LEGACY24:  # all batches are drawn
            first, model, draws = it.starts(BATCHES), np.arange(models), np.zeros(models, np.int64)
            end = first + batches
        else:
            parts = it.once(SlotMatrices.of)
            model = parts.model
            first, end = (each[parts.slot] for each in it.ranges(SLOTS, "batch", batches))
            draws = totals_of(model, end - first, models)
            end = first + _within(end - first, model, draws, most_draws)
        # Triangles before each batch: a part has the difference at its two ends, however many batches are
        # between.
        before = np.concatenate(([0], np.cumsum(np.where(is_readable, count // 3, 0))))
        triangles = totals_of(model, before[end] - before[first], models)
        most = TRIANGLE_ALLOWANCE + (TRIANGLES_PER_INDEX * it.counts(INDICES)).astype(np.int64)
        return cls(first, end, model, draws, most_draws, triangles, most, is_readable)


def totals_of(owner: Indices, values: Indices, models: int) -> Indices:
    """The sums of values by model, (m,)."""
    return np.bincount(owner, values, models).astype(np.int64)


def ranges_beyond(
    it: Tables, rule: Rule, type_id: int, prefix: str, totals: Indices, words: str, among: Mask | None = None
) -> Findings:
    """Ranges that leave a table of which each model has a number of rows, of the models `among`, (m,)."""
    (start, count), total = it.wide(type_id, prefix), it.of_rows(totals, type_id)
    is_over = start + count > total
    if among is not None:
        is_over &= it.of_rows(among, type_id)
    yield from rule.in_joined(is_over, it.counts(type_id), words, start=start, count=count, total=total)


@DRAWS.rule
def slot_batches(it: Tables) -> Findings:
    """Slots with batches that do not exist (V12)."""
    rule, words = Rule("V12", SLOT.name, "batch_start"), "{start} + {count} exceeds {total}; clipped"
    if it.variant is Variant.MODEL:
        yield from ranges_beyond(it, rule, SLOTS, "batch", it.counts(BATCHES), words)


@DRAWS.rule
def draw_count(it: Tables) -> Findings:
    """Models with more draws than are drawn (V12)."""
    drawn = it.once(_DrawnBatches.of)
    return too_many("draws", drawn.draws, drawn.most_draws)


@DRAWS.rule
def batch_indices(it: Tables) -> Findings:
    """Batches with indices that do not exist (V14)."""
    rule, words = (
        Rule("V14", BATCH.name, "index_start"),
        "{start} + {count} exceeds {total} indices; not drawn",
    )
    return ranges_beyond(it, rule, BATCHES, "index", it.counts(INDICES), words)


@DRAWS.rule
def triangle_count(it: Tables) -> Findings:
    """Models with more triangles than are drawn (V12)."""
    drawn = it.once(_DrawnBatches.of)
    return too_many("triangles", drawn.triangles, drawn.most_triangles)


@DRAWS.rule
def slot_descriptors(it: Tables) -> Findings:
    """Slots with descriptors that do not exist (V13); without any their ranges mean nothing."""
    rule, total = Rule("V13", SLOT.name, "tri_start"), it.counts(TRIANGLES)
    words = "{start} + {count} exceeds {total} descriptors; none are used"
    return ranges_beyond(it, rule, SLOTS, "tri", total, words, total > 0)


def _indextotals_of(it: Tables) -> tuple[Indices, Indices]:
    """The indices of all batches by model, and of how many the vertices are checked, (m,)."""
    total = it.sums(BATCHES, it.wide(BATCHES, "index")[1])
    return total, 3 * TRIANGLE_ALLOWANCE + 2 * it.counts(INDICES)


def _highest(it: Tables) -> Indices:
    """The highest index of each batch whose indices exist, else -1, (b,)."""
    start, count = it.wide(BATCHES, "index")
    start = start + it.of_rows(it.starts(INDICES), BATCHES)
    # Nothing of a batch without all its indices is looked at: it gets -1, which exceeds no vertex.
    count = np.where(it.once(_DrawnBatches.of).is_readable, count, 0)
    count = _within(count, it.owner(BATCHES), *_indextotals_of(it))
    return reach(it.rows(INDICES)["index"], start, count, np.maximum)


@DRAWS.rule
def index_count(it: Tables) -> Findings:
    """Models with more indices than are checked (V12)."""
    return too_many("indices", *_indextotals_of(it))


@DRAWS.rule
def batch_vertices(it: Tables) -> Findings:
    """Batches with vertices that do not exist (V15), even if they are not drawn."""
    base, highest = it.rows(BATCHES)["base_vertex"].astype(np.int64), it.once(_highest)
    total = it.of_rows(it.counts(POSITIONS), BATCHES)
    # The highest index decides for the batch; which triangles are bad only matters to what draws it.
    is_over = (highest >= 0) & (base + highest >= total)
    words = "{base} + {highest} exceeds {count} vertices; not drawn"
    rule, values = Rule("V15", BATCH.name, "base_vertex"), {"base": base, "highest": highest, "count": total}
    yield from rule.in_joined(is_over, it.counts(BATCHES), words, **values)


@BOUNDS.rule
def bounds(it: Tables) -> Findings:
    """Slots whose bounds cannot be used for culling (V19)."""
    rule = Rule("V19", SLOT.name, "aabb_min", Severity.WARNING)
    is_wrong, words = ~sound_bounds(it.rows(SLOTS)), "bounds cannot be used; measured instead"
    yield from rule.in_joined(is_wrong, it.counts(SLOTS), words)


@GEOMETRY.rule
def links(it: Tables) -> Findings:
    """Links to descriptors that do not exist (V16)."""
    links, total = it.rows(TRIANGLES)["links"], it.of_rows(it.counts(TRIANGLES), TRIANGLES)
    # As uint16, in which numbers are compared without a copy: of 0xFFFF rows and more each can be linked to.
    behind = np.minimum(total, NO_LINK).astype(np.uint16)[:, None]
    is_outside = in_some((links != NO_LINK) & (links >= behind))
    rule, words = Rule("V16", TRIANGLE.name, "links"), "{links} of {total} descriptors"
    yield from rule.in_joined(is_outside, it.counts(TRIANGLES), words, links=links, total=total)


@GEOMETRY.rule
def batch_sizes(it: Tables) -> Findings:
    """Batches with a part of a triangle (V17)."""
    count, rule = it.rows(BATCHES)["index_count"], Rule("V17", BATCH.name, "index_count", Severity.WARNING)
    words = "{count} is not a multiple of 3; the rest is not drawn"
    yield from rule.in_joined(count % 3 != 0, it.counts(BATCHES), words, count=count)


@GEOMETRY.rule
def slot_triangles(it: Tables) -> Findings:
    """Slots whose number of descriptors differs from the triangles of their batches (V18)."""
    triangles, stated = needed_descriptors(it), it.rows(SLOTS)["tri_count"]
    is_wrong = (triangles != stated) & it.of_rows(it.counts(TRIANGLES) > 0, SLOTS)
    rule, words = (
        Rule("V18", SLOT.name, "tri_count", Severity.WARNING),
        "{count} descriptors for {triangles} triangles",
    )
    yield from rule.in_joined(is_wrong, it.counts(SLOTS), words, count=stated, triangles=triangles)


def needed_descriptors(it: Tables) -> Indices:
    """The number of descriptors that the batches of every slot need, (s,)."""
    # A batch with 4 indices has two descriptors though it draws one triangle.
    per_batch = (it.wide(BATCHES, "index")[1] + 2) // 3
    # Batches of 2, 1, 3 triangles have 0, 2, 3, 6 before them; a range has the difference of two.
    before: Indices = np.concatenate(([0], per_batch.cumsum()))
    start, end = it.ranges(SLOTS, "batch", it.counts(BATCHES))
    return before[end] - before[start]


@GEOMETRY.rule
def parent_order(it: Tables) -> Findings:
    """Parents after their nodes (V22)."""
    parent, rule = (
        it.rows(NODES)["parent"].astype(np.int64),
        Rule("V22", NODE.name, "parent", Severity.WARNING),
    )
    # Read and drawn all the same: only no model of the game has such a parent (spec/msh.md 10).
    is_later = (
        (parent > it.place(NODES)) & (parent < it.of_rows(it.counts(NODES), NODES)) & (parent != NO_NODE)
    )
    words = "{parent} comes after the node itself"
    yield from rule.in_joined(is_later, it.counts(NODES), words, parent=parent)


@GEOMETRY.rule
def unreferenced(it: Tables) -> Findings:
    """Slots, batches and vertices that no cell uses (V27); of models of which something is omitted none."""
    if it.variant is Variant.LEGACY24:
        return
    parts, drawn = it.once(SlotMatrices.of), it.once(_DrawnBatches.of)
    is_whole = (drawn.draws <= drawn.most_draws) & (drawn.triangles <= drawn.most_triangles)
    is_whole &= parts.filled <= PART_ALLOWANCE
    is_shown = np.zeros(len(it.rows(SLOTS)), np.bool_)
    is_shown[parts.slot] = True
    # +1 where the batches of a part begin and -1 behind them: their running sum is the number of parts.
    size = len(drawn.is_readable) + 1
    depth = np.bincount(drawn.first, minlength=size) - np.bincount(drawn.end, minlength=size)
    is_drawn = (np.cumsum(depth)[:-1] > 0) & drawn.is_readable
    is_met = _met_vertices(it, is_drawn & it.of_rows(is_whole, BATCHES))
    for type_id, is_used in ((SLOTS, is_shown), (BATCHES, is_drawn), (POSITIONS, is_met)):
        unused = np.flatnonzero(~is_used)
        if len(unused):
            owner, counts = it.owner(type_id)[unused], np.zeros(len(it.models), np.int64)
            first = counts.copy()
            # `at` is where each model's first unused row is in `unused`, which ascends model after model.
            model, at, counts[model] = np.unique(owner, return_index=True, return_counts=True)
            first[model] = unused[at] - it.starts(type_id)[model]
            rule = Rule("V27", TABLES[type_id].name, severity=Severity.INFO)
            words = "{unused} of {total} are not used by any cell, the first is {first}"
            values = {"unused": counts, "total": it.counts(type_id), "first": first}
            yield from rule.of_subjects((counts > 0) & is_whole, words, first, **values)


def _met_vertices(it: Tables, is_drawn: Mask) -> Mask:
    """The vertices of the valid triangles of some batches (b,), (v,) bool."""
    batches = it.rows(BATCHES)
    is_met = np.zeros(len(it.rows(POSITIONS)), np.bool_)
    drawn = np.flatnonzero(is_drawn & (batches["index_count"] >= 3))
    start, count = (each[drawn] for each in it.wide(BATCHES, "index"))
    owner = it.owner(BATCHES)[drawn]
    start += it.starts(INDICES)[owner]
    base, highest = batches["base_vertex"].astype(np.int64)[drawn], it.once(_highest)[drawn]
    total, first = it.counts(POSITIONS)[owner], it.starts(POSITIONS)[owner]
    is_sound = (highest >= 0) & (base + highest < total)
    # What is behind the last whole triangle is not drawn, so its vertices are not used either (V17).
    counts, indices = count - count % 3, it.rows(INDICES)["index"]
    for some in chunks(counts, 3 * CHUNK):
        row = indices[expand(start[some], counts[some])] + np.repeat(base[some], counts[some])
        shift = np.repeat(first[some], counts[some])
        # Triangle by triangle only where a batch leaves the vertices, which is rare: those that do are not
        # drawn.
        if not is_sound[some].all():
            is_there = (row < np.repeat(total[some], counts[some])).reshape(-1, 3).all(axis=1)
            row, shift = (each.reshape(-1, 3)[is_there].reshape(-1) for each in (row, shift))
        is_met[row + shift] = True
    return is_met
