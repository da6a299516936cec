"""The nodes and batches of the model that are not in the file: removed, or left as they are.

Programs export selected objects. What was not selected is not in the file, and what is below it hangs on the
nearest selected object above it, or on none, at the place that it has there; its keys may say that place too,
or the one below the missing object. What is below a deleted object is where it was in the space of that one.
So a file shows what it is: one with less than half of the nodes, or with some that stand where only the
missing ones put them, is of selected objects.

In OBJ each batch of a node is an object of its own: a node counts by those that are there. One that was
joined with another is in the file all the same: its triangles are there, or its material is in that object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.quaternions import conjugate, product
from viewer.model.convert.importing.check.surfaces import Triangles, matched
from viewer.model.convert.importing.findings import (
    BATCHES_KEPT,
    BATCHES_REMOVED,
    CELLS_KEPT,
    CELLS_REMOVED,
    HIDDEN,
    KEPT,
    Missing,
    listed,
)
from viewer.model.convert.importing.matching import Comparison
from viewer.model.convert.importing.motion.fitting import with_helpers
from viewer.model.convert.motion.curve import Curve, at_rest
from viewer.model.convert.motion.rotations import apart, turn_matrix
from viewer.model.convert.options import Cell
from viewer.model.convert.scene import IDENTITY, NEW, Mesh, Node, Primitive, Track, View
from viewer.model.convert.shapes import mapped

NEAR: Final = 2e-4
"""Distance of equal places, as a part of the largest coordinate, and of components of rotations: samples of
another program, in the space of other nodes, are not as near as keys."""


class _Below(Struct, frozen=True, eq=False):
    """A node of the file whose parent in the model is missing.

    Attributes
    ----------
    index
        Its index in the file.
    above
        The expected indices of the missing nodes above it, the topmost first, that parent last.
    known
        It in the model.
    given
        It in the file, at its place below that parent.
    is_in_place
        Whether that is its place in the model, and another one than the file says as it is.
    """

    index: int
    above: tuple[int, ...]
    known: Node
    given: Node
    is_in_place: bool


def what_is_missing(compared: Comparison) -> Missing:
    """The choice for nodes, objects and cells that are not in a file, guessed from the file.

    They stay if it has less than half of the nodes, or of the copies of nodes for other cells; also if nodes
    stand where only missing ones put them.
    """
    known = sum(at is not None for at in compared.nodes)
    # Of another model hardly any node is known.
    is_of_model = 2 * known >= len(compared.nodes)
    counts = _nodes_there(compared), _copies_there(compared)
    is_part = is_of_model and any(2 * there < count for there, count in counts)
    if is_part or any(it.is_in_place for it in _below_missing(compared)):
        return Missing.KEEP
    return Missing.REMOVE


def _nodes_there(compared: Comparison) -> tuple[float, int]:
    """Number of nodes that a file has, and of those expected.

    In OBJ a node that shows something counts by its objects: one with two of its five counts 0.4.
    """
    given, expected = compared.given, compared.expected
    index_of = {at: index for index, at in enumerate(compared.nodes) if at is not None}
    if not given.is_by_objects:
        return len(index_of), len(expected.nodes)
    batches, cells = _batches_left(compared), dict(_cells_left(compared))
    there, count = 0.0, 0
    for at, (node, cell) in enumerate(zip(expected.nodes, expected.chosen.shown, strict=True)):
        primitives = () if cell is None else expected.meshes[node.cells[cell]].primitives
        objects = sum(len(it.triangles) > 0 for it in primitives)
        count += objects > 0
        index = index_of.get(at)
        if objects and cell is not None and index is not None and cell not in cells[index]:
            there += 1 - len(batches.get(given.nodes[index].cells.get(cell, NEW), ())) / objects
    return there, count


def _copies_there(compared: Comparison) -> tuple[int, int]:
    """Number of cells besides those of the nodes in a file with all cells, and of those expected."""
    expected = compared.expected
    if compared.given.is_by_objects:
        return 0, 0
    shown = zip(expected.nodes, expected.chosen.shown, strict=True)
    of_node = [
        sum(cell != own and _has_triangles(expected.meshes[mesh]) for cell, mesh in node.cells.items())
        for node, own in shown
    ]
    count = sum(of_node[at] for at in compared.nodes if at is not None)
    return count - sum(len(cells) for _ignored, cells in _cells_left(compared)), count


def _has_triangles(mesh: Mesh) -> bool:
    return any(len(it.triangles) for it in mesh.primitives)


def _batches_left(compared: Comparison) -> dict[int, tuple[Primitive, ...]]:
    """The whole batches of the model that a file of objects does not have, by the index of their mesh."""
    found: dict[int, tuple[Primitive, ...]] = {}
    for index, at in enumerate(compared.meshes if compared.given.is_by_objects else ()):
        if at is not None and compared.is_first(index):
            own = compared.given.meshes[index].primitives
            left = tuple(_not_in(compared, own, compared.expected.meshes[at].primitives))
            if left:
                found[index] = left
    return found


def _not_in(
    compared: Comparison, own: Sequence[Primitive], known: Sequence[Primitive]
) -> Iterator[Primitive]:
    """The known primitives of a mesh that its objects in the file do not hold."""
    objects = Counter(it.batch for it in own)
    if not own or None in objects:  # what is of no batch may be any of them
        return
    materials = (it.material for it in own if objects[it.batch] > 1)
    joined = {compared.given.materials[it].row for it in materials if it is not None} - {None}
    for primitive in known:
        if primitive.batch in objects or not len(primitive.triangles):
            continue
        material = primitive.material
        row = None if material is None else compared.expected.materials[material].row
        if row not in joined and not _is_in(primitive, own):
            yield primitive


def _is_in(primitive: Primitive, own: Sequence[Primitive]) -> bool:
    """Whether most triangles of a primitive are among those of others."""
    near = NEAR * max(1.0, float(np.nan_to_num(np.abs(primitive.positions)).max(initial=0)))
    # The only row is that of no material: places alone are compared.
    rows = np.array([NEW])
    there, known = (
        Triangles.of([replace(it, material=None) for it in some], rows) for some in (own, [primitive])
    )
    return 2 * len(matched(there, known, near).made) > len(known)


def with_missing(compared: Comparison) -> Comparison:
    """A comparison in which nodes that are not in the file are as in the model, with what is below them."""
    expected, count = compared.expected, len(compared.nodes)
    added = _missing(compared)
    index_of = {at: index for index, at in enumerate(compared.nodes) if at is not None}
    index_of |= {at: count + number for number, at in enumerate(added)}
    # A slot that several nodes show is that of the file for all of them.
    matched, left = [*compared.meshes], dict(_cells_left(compared))
    # Reversed, as the last one written stays, which is then the first mesh that stands for a slot.
    mesh_of = {at: index for index, at in reversed([*enumerate(matched)]) if at is not None}
    needed = {mesh for it in added for mesh in expected.nodes[it].cells.values()}
    needed |= {mesh for cells in left.values() for mesh in cells.values()}
    new = sorted(needed - mesh_of.keys())
    mesh_of |= {at: len(matched) + number for number, at in enumerate(new)}
    # Without a material each batch keeps its own: the materials of the file are others.
    meshes = tuple(mapped(expected.meshes[at], lambda it: replace(it, material=None)) for at in new)
    nodes = []
    for known in map(expected.nodes.__getitem__, added):
        parent = None if known.parent is None else index_of[known.parent]
        cells = {cell: mesh_of[mesh] for cell, mesh in known.cells.items()}
        nodes.append(replace(known, parent=parent, cells=cells))
    below = [*_below_missing(compared)]
    placed = {it.index: replace(it.given, parent=index_of[it.above[-1]]) for it in below}
    shown = {view.cell: view.shown for view in expected.views}

    own = [placed.get(index, node) for index, node in enumerate(compared.given.nodes)]
    for index, cells in left.items():
        of_file = {cell: mesh_of[mesh] for cell, mesh in cells.items()}
        own[index] = replace(own[index], cells={**own[index].cells, **of_file})
    batches = _batches_left(compared)
    views = (
        View(it.cell, (*it.shown, *(shown[it.cell][at] if it.cell in shown else None for at in added)))
        for it in compared.given.views
    )
    given = replace(
        compared.given,
        nodes=(*own, *nodes),
        meshes=(*_with_batches(compared.given.meshes, batches), *meshes),
        views=tuple(views),
    )
    return replace(
        compared,
        given=given,
        nodes=(*compared.nodes, *added),
        meshes=(*matched, *new),
        left=frozenset(range(len(matched), len(matched) + len(new))),
        left_batches=frozenset(it.batch for some in batches.values() for it in some if it.batch is not None),
        left_nodes=frozenset(range(count, count + len(added))),
        above={it.index: it.above for it in below},
    )


def _with_batches(meshes: Sequence[Mesh], batches: Mapping[int, Sequence[Primitive]]) -> Iterator[Mesh]:
    """Meshes with more batches, which keep their materials, in their order."""
    for index, mesh in enumerate(meshes):
        left = [replace(it, material=None) for it in batches.get(index, ())]
        order = sorted((*mesh.primitives, *left), key=lambda it: it.batch or 0) if left else mesh.primitives
        yield replace(mesh, primitives=tuple(order))


def _missing(compared: Comparison) -> list[int]:
    """The expected indices of the nodes that are not in the file."""
    found = {*compared.nodes}
    return [at for at in range(len(compared.expected.nodes)) if at not in found]


def has_missing_parts(compared: Comparison) -> bool:
    """Whether cells that nodes or copies of them show, or objects of nodes, are not in the file."""
    return any(cells for _ignored, cells in _cells_left(compared)) or bool(_batches_left(compared))


def _cells_left(compared: Comparison) -> Iterator[tuple[int, dict[Cell, int]]]:
    """The expected meshes of cells that copies of a node show, which were not selected either."""
    expected = compared.expected
    shapes = [*map(_has_triangles, expected.meshes)]
    for index, (node, at) in enumerate(zip(compared.given.nodes, compared.nodes, strict=True)):
        if at is not None:
            cells, own = expected.nodes[at].cells, expected.chosen.shown[at]
            has_own = not compared.given.is_by_objects
            missing = (it for it in cells if it not in node.cells and not (has_own and it == own))
            # a mesh without triangles is in no file
            yield index, {it: cells[it] for it in missing if shapes[cells[it]]}


def _below_missing(compared: Comparison) -> Iterator[_Below]:
    """The nodes that hang on the nearest node above their missing parents, or on none."""
    expected, given = compared.expected.nodes, compared.given.nodes
    missing = {*_missing(compared)}
    reach = max((float(np.abs(it.position).max()) for it in given), default=0.0)
    for index, (node, at) in enumerate(zip(given, compared.nodes, strict=True)):
        parent = None if at is None else expected[at].parent
        if at is None or parent is None or parent not in missing:
            continue
        above: list[int] = []
        up: int | None = parent
        while up is not None and up in missing:
            above.insert(0, up)
            up = expected[up].parent
        if (None if node.parent is None else compared.nodes[node.parent]) == up and (
            up is not None or node.parent is None
        ):
            hidden = [expected[it] for it in above]
            found = _placed(node, expected[at], hidden, NEAR * max(1.0, reach))
            yield _Below(index, tuple(above), expected[at], *found)


def _placed(node: Node, known: Node, above: Sequence[Node], near: float) -> tuple[Node, bool]:
    """A node at its place below missing nodes, and whether that is its own and other than in the file."""
    rest = _back(at_rest(node), _world([at_rest(it) for it in above], np.zeros(1)))
    is_still = _is_on(rest, at_rest(known), near)
    is_in_place = is_still and not _is_on(at_rest(node), at_rest(known), near)
    position, rotation = known.position, known.rotation
    if not is_still:
        position, rotation = tuple(rest.positions[0].tolist()), tuple(rest.rotations[0].tolist())
    track = node.track
    if track is not None:
        moving = known.track or at_rest(known)
        track = below_missing(track, [[it.track or at_rest(it) for it in above]], moving)
        track = known.track if track is moving else track
    return replace(node, position=position, rotation=rotation, track=track), is_in_place


def below_missing(track: Track, above: Sequence[Sequence[Track]], known: Track) -> Track:
    """The track of a node in the space of its missing parent; the known one if it moves so.

    Parameters
    ----------
    above
        How the missing nodes above it may have moved meanwhile, each with the track of the topmost first.
    known
        Its track in the model.
    """
    # Keys of the object are in the space of its parent, samples of its movement in that of the file.
    ways = [track]
    for tracks in above:
        ways.append(_back(track, _world(tracks, track.times)))
        # Blender mixes rotations between keys, those of the strip with the ones that export adds.
        ways.append(_back(track, _world(tracks, track.times, is_mixed=True)))
        helped = [*map(with_helpers, tracks)]
        ways.append(_back(track, _world(helped, track.times, is_mixed=True)))
    found = min(ways, key=lambda it: _distance(it, known))
    near = NEAR * max(1.0, *(float(np.abs(it.positions).max()) for it in ways))
    return known if _is_on(found, known, near) else found


def _world(tracks: Sequence[Track], times: npt.NDArray[np.float64], *, is_mixed: bool = False) -> Track:
    """The place of the last of nodes, each of which is below the one before, at some times.

    Parameters
    ----------
    is_mixed
        Whether rotations between keys are mixed.
    """
    made = Track(
        times, np.zeros((len(times), 3), np.float32), np.tile(np.array(IDENTITY, np.float32), (len(times), 1))
    )
    for track in tracks:
        own = Curve(track).at(times, is_mixed=is_mixed)
        # World of the child: r = r_parent * r_own, p = p_parent + r_parent p_own (spec/animation.md 5).
        turned = np.einsum("nij,nj->ni", turn_matrix(made.rotations), own.positions)
        rotations = product(made.rotations, own.rotations).astype(np.float32)
        made = Track(times, (made.positions + turned).astype(np.float32), rotations)
    return made


def _back(track: Track, world: Track) -> Track:
    """A track in the space of a node, whose place at its times is known."""
    turns = turn_matrix(world.rotations)
    # "nji": multiplied with the transpose, which is the inverse of a rotation.
    positions = np.einsum("nji,nj->ni", turns, track.positions - world.positions).astype(np.float32)
    rotations = product(conjugate(world.rotations), track.rotations).astype(np.float32)
    return Track(track.times, positions, rotations)


def _distance(track: Track, known: Track) -> float:
    """Distance of a track from a known one, at most times."""
    there = Curve(known).at(track.times)
    away = np.abs(track.positions - there.positions).max(axis=1) + apart(track.rotations, there.rotations)
    # The median, as some samples may have been edited on purpose: the way that fits most of them is meant.
    return float(np.median(away))


def _is_on(track: Track, known: Track, near: float) -> bool:
    """Whether a track is on a known one at all its times."""
    there = Curve(known).at(track.times)
    is_placed = np.abs(track.positions - there.positions).max() <= near
    return bool(is_placed and apart(track.rotations, there.rotations).max() <= NEAR)


def note_missing(compared: Comparison, missing: Missing) -> None:
    """Report the nodes that are not in the file and stay, and the fate of cells that are not."""
    names = [it.name or str(it.number) for it in compared.missing]
    if names and missing is Missing.KEEP:
        compared.findings.note(KEPT, nodes=listed(names))
    nodes = compared.given.nodes
    names = [nodes[it].name or str(it) for it, cells in _cells_left(compared) if cells]
    if names:
        words = CELLS_KEPT, CELLS_REMOVED
        if compared.given.is_by_objects:
            words = KEPT, HIDDEN
        compared.findings.note(words[missing is Missing.REMOVE], nodes=listed(names))
    batches = _batches_left(compared)
    names = [node.name or str(at) for at, node in enumerate(nodes) if batches.keys() & {*node.cells.values()}]
    if names:
        words = BATCHES_KEPT, BATCHES_REMOVED
        compared.findings.note(words[missing is Missing.REMOVE], nodes=listed(names))
