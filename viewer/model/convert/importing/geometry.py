"""The geometry of a file compared with that of the model: rows that changed, slots with other triangles.

A vertex that is in several batches or slots and was changed in some of them only becomes two. A slot that
several nodes or cells show changes for all of them.

Source: spec/msh.md 12, 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats.msh.tables import TABLES
from viewer.geometry.transforms import Indices
from viewer.model.convert.importing import identity
from viewer.model.convert.importing.face_normals import with_face_normals
from viewer.model.convert.importing.matching import Comparison, is_of
from viewer.model.convert.importing.vertices import STREAMS, Compared, Surface, Vertices, is_portal
from viewer.model.convert.scene import (
    NEW,
    Mesh,
    Primitive,
)
from viewer.model.convert.shapes import with_flat_normals
from viewer.model.edit.change import Change
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.geometry.move import slots_of_nodes
from viewer.model.edit.geometry.slot_changes import AssignMaterial, ReplaceSlots, SlotBatches
from viewer.model.edit.geometry.slot_triangles import SlotTriangles
from viewer.model.edit.rows.row_changes import ReplaceRows
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import wear_rows_of

MOST_PARTS: Final = 64
"""Meshes whose changed vertices are changes of their own."""


class GeometryChanges(Struct, eq=False):
    """The changes of a file's geometry.

    Attributes
    ----------
    rows, materials
        Changes of vertices and of batches.
    slots
        Slots with other triangles; None if there are none.
    slot_of
        The slot of each mesh of the file that is shown, after the changes.
    reshaped
        The meshes of the file with other triangles or positions than their slots.
    """

    rows: list[Change] = field(default_factory=list)
    materials: list[Change] = field(default_factory=list)
    slots: ReplaceSlots | None = None
    slot_of: dict[int, int | None] = field(default_factory=dict)
    reshaped: frozenset[int] = frozenset()


class Shapes:
    """Compares the meshes of a file with those of the model.

    Parameters
    ----------
    wear_rows
        The wear row of each material of the file, -1 for none.
    """

    def __init__(self, compared: Comparison, wear_rows: Sequence[int]) -> None:
        self._source, self._model = compared.source, compared.source.model
        self._expected, self._given, self._comparison = compared.expected, compared.given, compared
        self._findings = compared.findings
        # One more at the end: index -1, no material, finds the row -1 there.
        self._wear_rows = np.array([*wear_rows, NEW], np.int64)
        shown = {mesh for node in self._given.nodes for mesh in node.cells.values()}
        self._listed = [it for it in sorted(shown) if compared.is_first(it)]

    def _like(self, mesh: int) -> int:
        """The expected mesh that one is or is a copy of, -1 for none."""
        at = self._comparison.meshes[mesh]
        return self._comparison.like.get(mesh, NEW) if at is None else at

    @cached_property
    def _primitives(self) -> list[tuple[int, Primitive]]:
        meshes = (self._given.meshes[mesh] for mesh in self._listed)
        return self._identified([[*map(self._comparison.as_stored, it.primitives)] for it in meshes])

    def _identified(self, listed: Iterable[Sequence[Primitive]]) -> list[tuple[int, Primitive]]:
        """The primitives of each listed mesh, with the rows of their vertices that are known."""
        found: list[tuple[int, Primitive]] = []
        for mesh, own in zip(self._listed, listed, strict=True):
            like, primitives = self._like(mesh), own
            known = self._expected.meshes[like] if like != NEW else Mesh("")
            if like == NEW:
                primitives = [with_flat_normals(it) if it.normals is None else it for it in primitives]
            given_rows = self._wear_rows[_or_none(it.material for it in primitives)].tolist()
            known_rows = _or_none(self._wear_row(it) for it in known.primitives).tolist()
            found += [(mesh, it) for it in identity.identified(primitives, known, (given_rows, known_rows))]
        return found

    def _wear_row(self, primitive: Primitive) -> int | None:
        """The wear row of an expected primitive."""
        material = primitive.material
        return None if material is None else self._expected.materials[material].row

    @cached_property
    def _known(self) -> Vertices:
        meshes = enumerate(self._expected.meshes)
        return Vertices.of([(index, it) for index, mesh in meshes for it in mesh.primitives])

    @cached_property
    def _compared(self) -> Compared:
        given = Vertices.of(self._primitives)
        like = np.array([self._like(it) for it in range(len(self._given.meshes))] or [NEW], np.int64)

        rounding = np.array([it.rounding for it in self._given.meshes])

        def compared_by(rows: Indices) -> Compared:
            own = identity.rows_of(replace(given, rows=rows), self._known, like[given.mesh])
            return Compared(self._model, self._known, given, own, self._reach, rounding)

        by_ids, is_own = compared_by(given.rows), is_of(self._given, self._expected)
        if is_own and (self._given.origin is not None or not by_ids.is_known.any()):
            return self._with_normals(by_ids, rounding)
        bare = self._identified(
            [replace(it, vertices=None) for it in self._given.meshes[mesh].primitives]
            for mesh in self._listed
        )
        places = Vertices.of(bare).rows
        if not is_own:
            rows = identity.rows_now(given.rows, places, compared_by)
            return self._with_normals(compared_by(rows), rounding)
        # A file that does not say its model may be of another one, such as the one that this was made from:
        # then vertices are in the places of other rows than they say.
        by_place = compared_by(places)
        is_elsewhere = by_place.is_placed & by_place.has_uvs & ~(by_ids.is_placed & by_ids.has_uvs)
        is_other = bool((is_elsewhere & (given.rows != NEW)).any())
        rows = identity.rows_apart(places, given.rows) if is_other else given.rows
        return self._with_normals(compared_by(rows), rounding)

    def _with_normals(self, compared: Compared, rounding: npt.NDArray[np.float64]) -> Compared:
        """A comparison with the normals that a file without them needs."""
        given, count = with_face_normals(compared, self._known)
        if count:
            words = (
                "the file has no normals: {count} of vertices whose triangles changed are computed from faces"
            )
            self._findings.note(words, count=count)
        if given is compared.given:
            return compared
        return Compared(self._model, self._known, given, compared.rows, self._reach, rounding)

    @cached_property
    def _reach(self) -> npt.NDArray[np.float64]:
        """The largest coordinate of a node of the model that shows each mesh of the file, (m,)."""
        pose = self._source.animation.pose(self._expected.options.rest)
        size = np.nan_to_num(np.abs(pose.world[:, :3, 3]).max(axis=1, initial=0))
        found = np.zeros(len(self._given.meshes))
        for node, known in self._comparison.pairs:
            number = None if known is None else known.number
            for mesh in node.cells.values() if number is not None else ():
                found[mesh] = max(found[mesh], size[number])
        return found

    def changes(self) -> GeometryChanges:
        """All changes of geometry."""
        found = GeometryChanges()
        if not self._primitives:
            return self._numbered(found, [])
        final, owners, new = self._vertices()
        found.rows += self._row_changes(owners)
        triangles = final[self._compared.given.triangles]
        pieces = self._pieces()
        changed = self._compared.rows[owners]
        pending = [
            mesh
            for mesh in self._listed
            if self._is_rebuilt(mesh, triangles[pieces[mesh]], changed, pieces[mesh], found)
        ]
        moved = owners[~self._compared.is_placed[owners]]
        found.reshaped = frozenset({*pending, *self._compared.given.mesh[moved].tolist()})
        if pending and len(moved):
            found.rows += self._recomputed(moved, pending)
        rebuilt = [self._rebuilt(mesh, triangles[pieces[mesh]], pieces[mesh]) for mesh in pending]
        if rebuilt:
            found.slots = ReplaceSlots(tuple(rebuilt), *self._new_values(new))
        self._note_sharing(pending, owners)
        return self._numbered(found, pending)

    def _recomputed(self, moved: Indices, pending: Sequence[int]) -> Iterator[Change]:
        """The changes that follow in slots with moved vertices, which is not found where rows are added."""
        triangles = SlotTriangles.of(self._model)
        known = (self._comparison.meshes[mesh] for mesh in pending)
        others = [self._expected.meshes[at].slot for at in known if at is not None]
        is_moved = np.isin(triangles.corners, self._compared.rows[moved]).any(axis=1)
        is_moved &= ~np.isin(triangles.slot, [it for it in others if it is not None])
        slots = np.unique(triangles.slot[is_moved]).tolist()
        rows = np.unique(triangles.row[is_moved & (triangles.row >= 0)]).tolist()
        if slots:
            yield Recompute(DerivedData.BOUNDS, tuple(slots))
        if rows:
            yield Recompute(DerivedData.FACE_NORMALS, tuple(rows))
            # Links lead to neighbors: those of a moved triangle lead back to it.
            leads = np.isin(self._model.tri_descriptors["links"], rows).any(axis=1)
            yield Recompute(DerivedData.BROKEN_LINKS, tuple(sorted({*rows, *np.flatnonzero(leads).tolist()})))

    def _pieces(self) -> dict[int, slice]:
        """The triangles of each mesh."""
        given = self._compared.given
        owner = np.array([mesh for mesh, _ in self._primitives], np.int64)[given.primitive]
        # Triangles stand mesh after mesh, so the owners ascend: owners 0 0 2 give mesh 2 the slice 2..3,
        # mesh 1 2..2.
        ends = [np.searchsorted(owner, self._listed, side).tolist() for side in ("left", "right")]
        return {mesh: slice(*it) for mesh, *it in zip(self._listed, *ends, strict=True)}

    def _vertices(self) -> tuple[Indices, Indices, Indices]:
        """The row or new number of each vertex, (n,); vertices whose values their rows take; new vertices."""
        compared, count = self._compared, self._model.vertex_count
        is_original = np.array([it is not None for it in self._comparison.meshes], np.bool_)
        is_own = compared.is_known & is_original[compared.given.mesh]
        is_same = is_own & compared.is_same
        final = np.where(is_same, compared.rows, NEW)
        if is_same.all():
            return final, final[:0], final[:0]
        is_taken = np.zeros(count, np.bool_)
        is_taken[compared.rows[is_same]] = True
        changed = np.flatnonzero(is_own & ~is_same)
        changed = changed[~is_taken[compared.rows[changed]]]
        keys = self._keys()
        # Sorted by row, then those at their place, then as in the file: the first of a row becomes its owner.
        order = changed[np.lexsort((changed, ~compared.is_placed[changed], compared.rows[changed]))]
        rows, first = np.unique(compared.rows[order], return_index=True)
        owner = np.full(count, NEW, np.int64)
        owner[rows] = order[first]
        is_owned = keys[changed] == keys[owner[compared.rows[changed]]]
        final[changed[is_owned]] = compared.rows[changed[is_owned]]
        rest = np.flatnonzero(final == NEW)
        _, first_new, number = np.unique(keys[rest], return_index=True, return_inverse=True)
        # np.unique sorts by bytes; numbers follow the first appearance: firsts 7, 2, 5 rank 2, 0, 1.
        rank = np.argsort(np.argsort(first_new))
        final[rest] = count + rank[number.reshape(-1)]
        return final, order[first], rest[np.sort(first_new)]

    def _keys(self) -> npt.NDArray[np.void]:
        """Mesh, row and values of each vertex as bytes, (n,)."""
        compared = self._compared
        columns: list[npt.NDArray[Any]] = [compared.given.mesh[:, None], self._sources[:, None]]
        columns += [values for values, _ in self._compared.stored.values()]
        raw = [np.ascontiguousarray(it).view(np.uint8).reshape(len(it), -1) for it in columns]
        joined = np.ascontiguousarray(np.hstack(raw))
        # Rows of bytes as single values, which np.unique compares at once.
        return joined.view(f"V{joined.shape[1]}").reshape(-1)

    @cached_property
    def _sources(self) -> Indices:
        """The row whose unknown streams each vertex has if it is new, its own or the nearest; -1 for none."""
        compared, given = self._compared, self._compared.given
        found = compared.rows.copy()
        for mesh in np.unique(given.mesh[~compared.is_known]).tolist():
            like = self._like(mesh)
            own = np.flatnonzero((given.mesh == mesh) & ~compared.is_known)
            known = np.flatnonzero(self._known.mesh == like)
            at = identity.nearest(given.positions[own], self._known.positions[known])
            found[own] = self._known.rows[known][at] if len(known) else NEW
        return found

    def _row_changes(self, owners: Indices) -> Iterator[Change]:
        """The rows that take other values, by table and mesh, so that each mesh can be left out alone."""
        for table, (values, kept) in self._compared.stored.items() if len(owners) else ():
            record = TABLES[table].record
            chosen = owners[~kept[owners]]
            if record is None or not len(chosen):
                continue
            name = record.fields[0].name
            stored = values[chosen].astype(record.fields[0].dtype)
            rows = self._compared.rows[chosen]
            is_other = (stored != self._model.rows(table)[name][rows]).any(axis=1)
            rows, stored, mesh = rows[is_other], stored[is_other], self._compared.given.mesh[chosen[is_other]]
            meshes = np.unique(mesh)
            # Each change writes its table anew, so of very many meshes there is one change.
            parts = [mesh == it for it in meshes] if len(meshes) <= MOST_PARTS else [slice(None)]
            for part in parts:
                order = np.argsort(rows[part])
                data = stored[part][order].tobytes()
                yield ReplaceRows(record.name, chosen_rows(rows[part][order]), name, data)

    def _new_values(self, new: Indices) -> Iterator[bytes]:
        """The sources and the values of new vertices, as `ReplaceSlots` has them."""
        yield self._sources[new].astype("<i4").tobytes()
        for table in STREAMS:
            values = self._compared.stored.get(table)
            yield b"" if values is None else values[0][new].tobytes()

    def _is_rebuilt(
        self, mesh: int, triangles: Indices, changed: Indices, own: slice, found: GeometryChanges
    ) -> bool:
        """Whether a mesh has other triangles than its slot; adds materials that whole batches got.

        Rows that are `changed` are like no others, although they had the same values.
        """
        at = self._comparison.meshes[mesh]
        if at is None:
            return len(triangles) > 0
        known, expected = self._known, self._expected.meshes[at]
        chosen = slice(*self._known_starts[at : at + 2])
        stored = known.rows[known.triangles[chosen]]
        paired = identity.pairs(stored, triangles)
        if not paired.is_same:
            both = (self._compared.alike(it, changed) for it in (stored, triangles))
            paired = identity.with_alike(paired, *both)
        if paired.is_same and self._assigned(known.primitive[chosen], paired, own, found):
            return False
        if expected.slot is None or self._model.variant is not Variant.MODEL:
            self._findings.lose("the triangles of {mesh} cannot be replaced", mesh=expected.name)
            return False
        return True

    @cached_property
    def _known_starts(self) -> list[int]:
        """The first expected triangle of each mesh, and the end."""
        counts = [sum(len(it.triangles) for it in mesh.primitives) for mesh in self._expected.meshes]
        return [0, *accumulate(counts)]

    @cached_property
    def _known_primitives(self) -> tuple[Indices, Indices]:
        """Wear row and batch of each expected primitive, -1 for none."""
        primitives = [it for mesh in self._expected.meshes for it in mesh.primitives]
        rows = map(self._wear_row, primitives)
        return _or_none(rows), _or_none([it.batch for it in primitives])

    @cached_property
    def _given_primitives(self) -> tuple[Indices, Indices]:
        """Wear row and batch of each primitive of the file, -1 for none and for one unknown."""
        materials = _or_none([it.material for _, it in self._primitives])
        batches = _or_none([it.batch for _, it in self._primitives])
        batches[batches >= len(self._model.batches)] = NEW
        return self._wear_rows[materials], batches

    def _assigned(
        self, primitive: Indices, paired: identity.Pairs, own: slice, found: GeometryChanges
    ) -> bool:
        """Whether no batch gets several materials; those that whole batches get are added."""
        wanted = self._given_primitives[0][self._compared.given.primitive[own]]
        known, batch = (it[primitive][paired.of_given] for it in self._known_primitives)
        is_other = (wanted >= 0) & (wanted != known)
        if not is_other.any():
            return True
        if self._model.variant is Variant.TERRAIN:
            self._findings.lose("materials of a terrain are not taken over")
            return True
        changed = np.unique(batch[is_other])
        if any(len(np.unique(wanted[batch == it])) > 1 for it in changed.tolist()):
            return False
        for row in np.unique(wanted[is_other]).tolist():
            chosen = np.unique(batch[is_other & (wanted == row)])
            found.materials.append(AssignMaterial(chosen_rows(chosen), row))
        return True

    def _rebuilt(self, mesh: int, triangles: Indices, own: slice) -> SlotBatches:
        """The batches of a slot from the triangles of a mesh."""
        at = self._comparison.meshes[mesh]
        slot = None if at is None else self._expected.meshes[at].slot
        surface = Surface.of(self._model, slot)
        given = self._compared.given
        corners = given.triangles[own]
        materials, batches = (it[given.primitive[own]] for it in self._given_primitives)
        known = identity.pairs(surface.corners, triangles).of_given
        turned = identity.turned_over(surface.corners, triangles, known)
        made = identity.Corners(
            surface,
            triangles,
            given.positions[corners].mean(axis=1),
            np.where(known == NEW, turned, known),
            turned != NEW,
            np.logical_not(self._compared.is_placed[corners].all(axis=1)),
            materials,
            batches,
        )
        return SlotBatches(tuple(made.batches(self._batch_rows, self._first_of_row)), slot)

    @cached_property
    def _batch_rows(self) -> Indices:
        """The wear row of every batch of the model."""
        return wear_rows_of(self._model.batches, self._source.choice.reading.material_field)

    @cached_property
    def _first_of_row(self) -> dict[int, int]:
        """The first batch with each wear row, which is no portal."""
        usable = (it for it in range(len(self._batch_rows)) if not is_portal(self._model, it))
        return {int(self._batch_rows[it]): it for it in reversed([*usable])}

    def _numbered(self, found: GeometryChanges, pending: Sequence[int]) -> GeometryChanges:
        """The changes with the slot of every shown mesh."""
        added = len(self._model.slots)
        for mesh, at in enumerate(self._comparison.meshes):
            if at is not None:
                found.slot_of[mesh] = self._expected.meshes[at].slot
        for mesh in pending:
            if self._comparison.meshes[mesh] is None:
                found.slot_of[mesh] = added
                added += 1
        return found

    def _note_sharing(self, pending: Sequence[int], owners: Indices) -> None:
        """Note the nodes and slots that show changed geometry too."""
        meshes = {*pending, *self._compared.given.mesh[owners].tolist()}
        known = (self._comparison.meshes[mesh] for mesh in meshes)
        changed = {self._expected.meshes[at].slot for at in known if at is not None} - {None}
        if not changed or self._model.variant is not Variant.MODEL:
            return
        shown = slots_of_nodes(self._model)
        for slot in sorted(it for it in changed if it is not None):
            nodes = [str(node) for node, slots in enumerate(shown) if slot in slots]
            if len(nodes) > 1:
                words = "slot {slot} is shown by the nodes {nodes}; it changes for all of them"
                self._findings.note(words, slot=slot, nodes=", ".join(nodes))
        self._note_other_slots(owners)

    def _note_other_slots(self, owners: Indices) -> None:
        """Note the slots outside of the file that use changed vertices."""
        triangles = SlotTriangles.of(self._model)
        is_user = np.isin(triangles.corners, self._compared.rows[owners]).any(axis=1)
        users = {*np.unique(triangles.slot[is_user]).tolist()} - {it.slot for it in self._expected.meshes}
        if users:
            text = ", ".join(map(str, sorted(users)))
            self._findings.note(
                "slots {slots}, which are not in the file, use changed vertices; they change too", slots=text
            )


def _or_none(numbers: Iterable[int | None]) -> Indices:
    """Numbers, -1 for none."""
    return np.array([NEW if it is None else it for it in numbers], np.int64)


def chosen_rows(rows: Indices) -> RowChoice:
    """Ascending rows; a range if they are one."""
    first, last = int(rows[0]), int(rows[-1])
    if len(rows) > 1 and last - first + 1 == len(rows):
        return RowChoice(f"{first}:{last + 1}")
    return RowChoice.of(*rows.tolist())
