"""Tables whose rows can be added, removed and moved, and what follows in the payload.

Most tables are declared by `RowTable` alone: where their number is stored, which tables have their order,
which fields refer to their rows, and what a new row holds. Others rearrange themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
from msgspec import Struct

from viewer.errors import EditError
from viewer.formats import mat0
from viewer.formats.fxid import COMMAND_KINDS, Effect
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH
from viewer.formats.neighbors.control import CHANNEL, COUNTS, Control, state_record
from viewer.formats.neighbors.damage import NODE_DAMAGE
from viewer.formats.objects import NAME_SIZE
from viewer.formats.part import Part
from viewer.formats.splice import Splices
from viewer.formats.texture.texm import LEVELS, PAGE, PAGE_HEADER, PAGE_MAGIC, Texture
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows import arrangement, wear_lines
from viewer.model.edit.rows.arrangement import (
    Arrangement,
    Blank,
    NewRow,
    arranged,
    counted,
    in_container,
    joined,
    replaced,
    sibling,
    zeros,
)
from viewer.model.effects.blocks import SOUND
from viewer.model.effects.templates import new_block
from viewer.translation import _

Arranger = Callable[[Draft, str, Arrangement], Splices]
"""The splices that rearrange the rows of a part with a path; raises `EditError`."""


def _itself(_ignored: Draft, __: Part, row: int) -> Iterable[int]:
    return (row,)


class RowTable(Struct, frozen=True):
    """The changes that the rows of a table allow, and what follows from them.

    Parameters
    ----------
    count
        Record and field with the number of the rows; None if it is not stored in the payload.
    new
        Makes a row with the usual values.
    most
        The most rows, if that is less than fits `count`.
    together
        The tables that have the rows in one order, this one included; empty for this one alone.
    references
        Table, field and word of what refers to the rows by number; ``[]`` stands for each row of a list.
    container
        Type of the table of a model that has the rows, and by how much its first and second attribute change
        with each of them.
    arrange
        Rearranges a table for which none of this suffices.
    can_grow
        Whether rows can be added and removed; else they can only be moved.
    extent
        The rows that belong to a row, itself included.
    records
        Names of the records that a new row may have, if there are several.
    """

    count: tuple[str, str] | None = None
    new: Blank = zeros
    most: int | None = None
    together: tuple[str, ...] = ()
    references: tuple[tuple[str, str, str], ...] = ()
    container: tuple[int, int, int] | None = None
    arrange: Arranger | None = None
    can_grow: bool = True
    extent: Callable[[Draft, Part, int], Iterable[int]] = _itself
    records: tuple[str, ...] = ()

    def splices(self, draft: Draft, path: str, arrangement: Arrangement) -> Splices:
        """The splices that rearrange the rows of the table at a path; raises `EditError`."""
        if self.arrange is not None:
            return self.arrange(draft, path, arrangement)
        growth = arrangement.growth
        made = [arranged(draft, draft.part(it), arrangement, self.new) for it in self.together or (path,)]
        if self.count is not None and growth:
            table, field = self.count
            made.append(counted(draft, sibling(path, table), field, growth, self.most))
        for referring, field, word in self.references:
            made += [arrangement.renumbered(draft, it, field, word) for it in _each(draft, referring)]
        if self.container is None:
            return joined(*made)
        type_id, first, second = self.container
        return in_container(draft, type_id, joined(*made), (growth * first, growth * second))


def _each(draft: Draft, path: str) -> Iterator[str]:
    """The paths of the tables that a path with ``[]`` stands for, those with rows."""
    holder, is_listed, name = path.partition("[]")
    count = draft.part(holder).count if is_listed else 1
    paths = [f"{holder}[{index}]{name}" for index in range(count)] if is_listed else [path]
    yield from (it for it in paths if draft.part(it).count)


def _filled(record: Any, **values: Any) -> Blank:
    """The maker of rows of a record of which some fields are not 0."""

    def made(_ignored: Draft, __: Part, ___: NewRow) -> bytes:
        rows = record.new()
        for name, value in values.items():
            rows[name] = value
        return bytes(rows.tobytes())

    return made


def _new_phase(_ignored: Draft, __: Part, ___: NewRow) -> bytes:
    rows = mat0.PHASE.new()
    rows[0] = mat0.PhaseRecord().record()
    return rows.tobytes()


def _new_block(_ignored: Draft, __: Part, ___: NewRow) -> bytes:
    """An animation block with one key, which ends after a second."""
    # Mode 0 loops; mask 0 blends nothing, so that phases are shown one after the other.
    made = mat0.block(0, 0, [(0, 1000)])
    return made.header_row.tobytes() + made.keys.tobytes()


_COMMANDS: Final = {kind.name: kind for kind in COMMAND_KINDS.values()}


def _new_command(draft: Draft, _ignored: Part, row: NewRow) -> bytes:
    """A block with usual values, of a kind by name or opcode; it names what the last such block names."""
    kind = _COMMANDS.get(row.record) or {str(it.opcode): it for it in _COMMANDS.values()}.get(row.record)
    if kind is None:
        raise EditError(_("name the kind of the new command: {names}", names=", ".join(_COMMANDS)))
    effect: Effect = draft.value
    named = [
        (index, name)
        for index, _archive, name in effect.references()
        if (effect.opcodes[index] == SOUND) == (kind.opcode == SOUND) and len(name) < NAME_SIZE
    ]
    # The last by its index, as references come kind by kind.
    return new_block(kind.opcode, max(named)[1] if named else b"")


# From 1e6 on the game takes a cost for no way at all (spec/ctl.md).
NO_TRANSITION: Final = 1_000_000
"""Cost between a new state and the others."""


def _arrange_states(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of states and of the costs between them; raises `EditError` if these cannot be read."""
    control: Control = draft.value
    if len(control.costs) != arrangement.count or int(control.counts["states"]) != arrangement.count:
        raise EditError(_("not all states and their costs can be read"))
    costs = draft.part("costs")
    # Negative frames say that there is no pair B; zeros are a pair.
    new_state = _filled(state_record(int(control.counts["contacts"])), frames_b=(-1, -1))
    return joined(
        counted(draft, COUNTS.name, "states", arrangement.growth),
        arranged(draft, draft.part(path), arrangement, new_state),
        replaced(draft, costs.start, costs.size, _costs(control, arrangement)),
    )


def _costs(control: Control, arrangement: Arrangement) -> bytes:
    """The costs between the states in their new order; 0 from a new state to itself."""
    sources = arrangement.sources
    new = np.full((len(sources), len(sources)), NO_TRANSITION, "<f4")
    np.fill_diagonal(new, 0)
    known = np.flatnonzero(sources >= 0)
    if len(known):
        # Copied as words, as a copied float need not keep the bits of a NaN.
        old = control.costs["cost"].view("<u4")
        new.view("<u4")[np.ix_(known, known)] = old[np.ix_(sources[known], sources[known])]
    return new.tobytes()


def _arrange_pages(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of rectangles of an atlas; the chunk that holds them comes and goes with them.

    Raises `EditError` if other bytes follow the pixels.
    """
    texture: Texture = draft.value
    part = draft.part(path)
    if texture.page_header is None:
        if len(texture.levels) < int(texture.header["mip_count"]):
            raise EditError(_("not all pixels can be read"))
        if len(texture.tail):
            raise EditError(_("other bytes follow the pixels"))
        header = PAGE_HEADER.new()
        header[0] = (PAGE_MAGIC, len(arrangement.items))
        rows = b"".join(_new_page(draft, part, NewRow()) for _ignored in arrangement.items)
        return replaced(draft, part.start, 0, header.tobytes() + rows)
    if not arrangement.items and not len(texture.tail):
        start = draft.part(PAGE_HEADER.name).start
        return replaced(draft, start, part.end - start, b"")
    return joined(
        counted(draft, PAGE_HEADER.name, "page_count", arrangement.growth),
        arranged(draft, part, arrangement, _new_page),
    )


def _new_page(draft: Draft, _ignored: Part, __: NewRow) -> bytes:
    """A rectangle of the whole texture, or of as much of it as its numbers, signed words, can say."""
    header = draft.value.header
    rows = PAGE.new()
    rows["w"], rows["h"] = (min(int(header[side]), 0x7FFF) for side in ("width", "height"))
    return rows.tobytes()


def _arrange_palette(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of the colors of a texture and of the pixels that refer to them: the image stays."""
    texture: Texture = draft.value
    pixels = np.frombuffer(b"".join(bytes(level.data) for level in texture.levels), np.uint8)
    # 256 colors before and after, so that every new number fits a byte.
    after = arrangement.new_indices.astype(np.uint8)[pixels]
    return joined(
        arranged(draft, draft.part(path), arrangement, zeros),
        replaced(draft, draft.part(LEVELS).start, len(pixels), after.tobytes()),
    )


_CONTROL_POINTS: Final = RowTable(("header", "count"), together=("points", "names"))
_RINGS: Final = RowTable(arrange=arrangement.arrange_rings)
_RING_POINTS: Final = RowTable(arrange=arrangement.arrange_ring_points)
TABLES: Final[Mapping[tuple[str, str], RowTable]] = {
    ("wear", "materials"): RowTable(arrange=wear_lines.arrange_materials),
    ("wear", "lightmaps"): RowTable(arrange=wear_lines.arrange_lightmaps),
    ("mat0", "phases"): RowTable(
        ("header", "phase_count"), _new_phase, references=(("blocks[].keys", "phase", "phase"),)
    ),
    ("mat0", "blocks"): RowTable(("header", "block_count"), _new_block, mat0.MAX_BLOCKS),
    ("mat0", "blocks[].keys"): RowTable(("header", "key_count")),
    ("fxid", "commands"): RowTable(("header", "command_count"), _new_command, records=(*_COMMANDS,)),
    ("control", "states"): RowTable(arrange=_arrange_states),
    ("control", "channels"): RowTable((COUNTS.name, "channels"), _filled(CHANNEL, points=-1)),
    ("control_points", "points"): _CONTROL_POINTS,
    ("control_points", "names"): _CONTROL_POINTS,
    # Most nodes of the game cannot be destroyed: they have a million hit points
    ("damage", "nodes"): RowTable(("header", "count"), _filled(NODE_DAMAGE, hit_points=1_000_000)),
    ("objects", "references"): RowTable(),
    ("units", "components"): RowTable(
        arrange=arrangement.arrange_components, extent=arrangement.with_children
    ),
    ("ground_plan", "inner"): _RINGS,
    ("ground_plan", "outer"): _RINGS,
    ("ground_plan", "inner[].points"): _RING_POINTS,
    ("ground_plan", "outer[].points"): _RING_POINTS,
    ("texm", "pages"): RowTable(arrange=_arrange_pages),
    ("texm", "palette"): RowTable(arrange=_arrange_palette, can_grow=False),
    ("palette", "colors"): RowTable(can_grow=False),
    ("msh", "light_probes"): RowTable(container=(LIGHT_PROBES, 1, 0)),
    ("msh", "path_graph"): RowTable(
        references=(("path_links", "start", "point"), ("path_links", "end", "point")),
        container=(PATH_GRAPH, 1, 0),
    ),
    ("msh", "path_links"): RowTable(container=(PATH_GRAPH, 0, 1)),
}
"""By the id of the kind and the path of the table without numbers."""

REASONS: Final[Mapping[tuple[str, str], str]] = {
    ("control", "costs"): _("its rows and columns follow the states"),
    ("ground_plan", "inner[].triangles"): _("its rows follow the points of the ring"),
    ("ground_plan", "inner[].corners"): _("its rows follow the points of the ring"),
    ("areal_map", "areals"): _("the number of areals is stored in the archive's directory"),
    ("texm", "levels"): _("the levels follow from size and number in the header"),
}
"""Reasons for which the rows of other tables cannot be changed."""


def of(kind: str, path: str) -> RowTable | str:
    """Operations on the rows of a table of a kind, or the reason for which there are none."""
    # The same for all rows of a list: ``blocks[2].keys`` is declared as ``blocks[].keys``.
    key = (kind, re.sub(r"\[\d+\]", "[]", path))
    return TABLES.get(key) or REASONS.get(key) or _("its rows cannot be added, removed or moved")
