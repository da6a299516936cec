"""The nodes of a file compared with those of the model: names, parents, cells, nodes added and removed.

Programs write nodes in an order of their own, so the order in the file says nothing; new nodes come last, or
before those that were put under them. Programs drop empty nodes, so one that something refers to stays.

Source: spec/msh.md 2, 12.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.text import decode
from viewer.model.convert.building.nodes import stored_names
from viewer.model.convert.gltf.nodes import from_the_roots
from viewer.model.convert.importing.findings import ImportChoices, OtherLevels
from viewer.model.convert.importing.geometry import GeometryChanges
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.motion.curves import Motions
from viewer.model.convert.labels import LONGEST, is_same_name, numbered, without_copy
from viewer.model.convert.options import Cell
from viewer.model.convert.scene import Node
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, SetCell, SetParent, parents_first
from viewer.model.edit.nodes.node_edit import NodeReference, by_node, references_of
from viewer.model.edit.nodes.rename_node import LabelNode, RenameNode
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.mesh import cell_names
from viewer.model.mesh.pose.skeleton import ROOT
from viewer.translation import _

SOCKET: Final = _("units, whose parts are mounted on it")
"""The files that refer to a socket by its number, which are not looked at."""


class Hierarchy:
    """Compares the nodes of a file with those of a model.

    Parameters
    ----------
    shapes
        What the geometry of the file changes.

    Attributes
    ----------
    has_outdated, has_referenced
        Whether there are nodes with cells that the file does not have and whose geometry differs from the
        new one, and nodes that are not in the file and something refers to; known after `structure`.
    numbers
        The node of the model of each node of the file, new ones from the end on once `structure` has added
        them; None for one that is left out.
    """

    has_outdated = False
    has_referenced = False

    def __init__(
        self, compared: Comparison, shapes: GeometryChanges, motions: Motions, choices: ImportChoices
    ) -> None:
        self._source, self._findings = compared.source, compared.findings
        self._expected, self._given, self._comparison = compared.expected, compared.given, compared
        self._shapes, self._motions, self._choices = shapes, motions, choices
        self._count = len(self._source.model.nodes)
        self.numbers = [None if known is None else known.number for _node, known in compared.pairs]

    def own_changes(self) -> Iterator[Change]:
        """The changes of nodes that the model has, by the numbers that they have in it."""
        for node, known in self._comparison.pairs:
            if known is None:
                continue
            number = known.number or 0
            if not self._has_name(node, known) and self._fitting(node.name) == node.name:
                yield RenameNode(number, node.name)
            if node.socket_tag != known.socket_tag and (node.socket_tag or node.number is not None):
                yield LabelNode(number, node.socket_tag)
            yield from self._motions.changes(known, node)

    def _has_name(self, node: Node, known: Node) -> bool:
        """Whether a node has its name, or what other programs make of it."""
        if node.name == known.name:
            return True
        if node.number is None and is_same_name(node.name, known.name, numbered("node", known.number or 0)):
            return True
        # Blender keeps 63 bytes of a name, and may have put a number at its end in place of some of them.
        is_cut = len(known.name.encode()) > LONGEST and known.name.startswith(without_copy(node.name))
        is_copy = without_copy(node.name) == known.name and any(
            it.name == known.name for it in self._given.nodes
        )
        return bool(node.name) and (is_cut or is_copy)

    @property
    def _longest_name(self) -> int | None:
        """Bytes of the longest name that the model can hold; None for any length."""
        return NAME_SIZE - 1 if self._source.choice.reading.has_name_records else None

    def _fitting(self, name: str) -> str:
        """The part of a name that the model can hold; the rest is a loss."""
        found = _in_letters(name).encode("cp1251")[: self._longest_name].decode("cp1251")
        if found != name:
            self._findings.lose("a node cannot be named {name!r}", name=name)
        return found

    def _new_names(self, added: Sequence[int]) -> list[str]:
        """The names of nodes that are added: those that are cut are unlike all others."""
        names = [it.name for it in (*self._expected.nodes, *(self._given.nodes[it] for it in added))]
        stored = stored_names([*map(_in_letters, names)], self._longest_name)[len(self._expected.nodes) :]
        for index in added:
            self._fitting(self._given.nodes[index].name)  # what is cut is a loss
        return [*map(decode, stored)]

    def structure(self) -> Iterator[Change]:
        """Nodes that are added, cells, parents, and nodes that are removed; after all other changes."""
        if not self._count:
            return
        added = [index for index in self._from_the_roots() if self._comparison.nodes[index] is None]
        for index, name in zip(added, self._new_names(added), strict=True):
            self.numbers[index] = self._count
            self._count += 1
            yield AddNode(name, self._parent(index))
        # After all of them: nodes that are added one after the other are written at once.
        for index in added:
            yield from self._fields(index)
        yield from self._cells()
        gone, kept = self._missing()
        shown = {it.number for it in self._expected.nodes if it.cells}
        for number in sorted(kept & shown):
            # The node stays for what refers to it, and shows nothing, as if it were removed.
            cells = np.argwhere(self._source.model.nodes["slots"][number] != NONE).tolist()
            yield from (SetCell(number, lod, group, None) for lod, group in cells)
        yield from self._parents(gone)

    def _from_the_roots(self) -> list[int]:
        """The nodes of the file, each after its parent; those that are above themselves are left out."""
        parents = [node.parent for node in self._given.nodes]
        found = from_the_roots(parents)
        if len(found) < len(parents):
            words = "{count} nodes are above themselves; their parents are left out"
            self._findings.lose(words, count=len(parents) - len(found))
        return found

    def _fields(self, index: int) -> Iterator[Change]:
        node, number = self._given.nodes[index], self.numbers[index] or 0
        if node.socket_tag:
            yield LabelNode(number, node.socket_tag)
        flags = node.fields.get("flags")
        if isinstance(flags, int) and flags:
            yield SetField(NODE.name, RowChoice.of(number), "flags", flags)
        yield from self._motions.changes(Node(node.name, number=number), node)

    def _parent(self, index: int) -> int | None:
        """The number of the parent of a node of the file."""
        parent = self._given.nodes[index].parent
        return None if parent is None else self.numbers[parent]

    def _cells(self) -> Iterator[Change]:
        for index, node in enumerate(self._given.nodes):
            number, at = self.numbers[index], self._comparison.nodes[index]
            if number is None:
                continue
            known = {} if at is None else self._expected.nodes[at].cells
            for cell in sorted({*node.cells, *known}):
                slot, before = self._slot(node, cell), self._known_slot(known, cell)
                if slot != before and (cell in node.cells or self._has_triangles(known[cell])):
                    yield SetCell(number, *cell, slot)
            if at is not None:
                yield from self._other_cells(node, number, known)

    def _other_cells(self, node: Node, number: int, known: Mapping[Cell, int]) -> Iterator[Change]:
        """The changes of the cells of a node that are not in the file, if its geometry differs now."""
        changed = [cell for cell in sorted({*node.cells, *known}) if self._is_reshaped(node, cell, known)]
        if not changed:
            return
        new, slots = self._slot(node, changed[0]), self._source.model.nodes["slots"][number]
        cells = [
            (lod, group) for lod, group in np.argwhere(slots != NONE).tolist() if (lod, group) not in known
        ]
        others = [cell for cell in cells if slots[cell] != new]
        self.has_outdated |= bool(others)
        if self._choices.other_levels is not OtherLevels.LEAVE:
            slot = new if self._choices.other_levels is OtherLevels.REUSE else None
            yield from (SetCell(number, *cell, slot) for cell in others)
        elif others:
            names = cell_names.of_model(self._source.model, self._source.choice.requested)
            text = "; ".join(names.cell(*cell) for cell in others)
            self._findings.outdated.append(f"{node.name or number} ({text})")

    def _is_reshaped(self, node: Node, cell: Cell, known: Mapping[Cell, int]) -> bool:
        """Whether a node shows other geometry in a cell than before, or none any more."""
        if cell not in node.cells:
            return self._has_triangles(known[cell])
        return node.cells[cell] in self._shapes.reshaped or self._slot(node, cell) != self._known_slot(
            known, cell
        )

    def _slot(self, node: Node, cell: Cell) -> int | None:
        return self._shapes.slot_of.get(node.cells[cell]) if cell in node.cells else None

    def _known_slot(self, known: Mapping[Cell, int], cell: Cell) -> int | None:
        return self._expected.meshes[known[cell]].slot if cell in known else None

    def _has_triangles(self, mesh: int) -> bool:
        """Whether a file can have a mesh of the model: one without triangles is in none."""
        return any(len(it.triangles) for it in self._expected.meshes[mesh].primitives)

    def _missing(self) -> tuple[set[int], set[int]]:
        """The numbers of the nodes that are not in the file: those to remove, and those that stay empty."""
        gone = {node.number or 0 for node in self._comparison.missing}
        source = self._source
        references = [*references_of(source.model, source.choice.reading), *source.references]
        found = [it for it in references if it.node in gone]
        if any(node.number is not None for node in self._given.nodes):
            sockets = [
                it for it in self._expected.nodes if it.is_socket and it.number in gone and not it.cells
            ]
            found += [NodeReference(it.number or 0, SOCKET, None, "") for it in sockets]
        self.has_referenced = bool(found)
        kept = set() if self._choices.clears_references else {it.node for it in found}
        shown = {it.number for it in self._expected.nodes if it.cells}
        held = [it for it in found if it.node in kept]
        self._findings.referenced += by_node([it for it in held if it.node not in shown], source.names)
        self._findings.emptied += by_node([it for it in held if it.node in shown], source.names)
        self._findings.removed += [
            it.name or str(it.number) for it in self._comparison.missing if it.number not in kept
        ]
        return gone - kept, kept

    def _parents(self, gone: Iterable[int]) -> Iterator[Change]:
        """New parents and removed nodes, by the numbers that the nodes have then."""
        parents = [
            *self._source.skeleton.parents.tolist(),
            *[ROOT] * (self._count - len(self._source.model.nodes)),
        ]
        for index, at in enumerate(self._comparison.nodes):
            if at is None:
                wanted = self._parent(index)
                parents[self.numbers[index] or 0] = ROOT if wanted is None else wanted
        order = [*range(self._count)]
        for index in self._from_the_roots():
            at, number = self._comparison.nodes[index], self.numbers[index]
            if at is None or number is None or not self._is_other_parent(index, at):
                continue
            wanted = self._parent(index)
            node, parent = order.index(number), None if wanted is None else order.index(wanted)
            parents[number] = ROOT if wanted is None else wanted
            # Parents must come before their children (spec/msh.md 10), so the rows are sorted anew.
            is_late = parent is not None and parent > node
            yield SetParent(node, parent, reorders=is_late)
            if is_late:
                numbered = [ROOT if parents[it] == ROOT else order.index(parents[it]) for it in order]
                # Later changes count nodes as they stand after this one: order has the old number of each.
                order = [order[it] for it in parents_first(numbered)]
        # From the end, so that removing one does not renumber those still to go.
        for node in sorted(map(order.index, gone), reverse=True):
            yield RemoveNode(node, clears_references=self._choices.clears_references)

    def _is_other_parent(self, index: int, at: int) -> bool:
        """Whether a node of the model has another parent in the file."""
        before = self._expected.nodes[at].parent
        known = None if before is None else self._expected.nodes[before].number
        return self._parent(index) != known


def _in_letters(name: str) -> str:
    """A name in the letters of CP1251, without NUL."""
    return name.replace("\0", "").encode("cp1251", "replace").decode("cp1251")
