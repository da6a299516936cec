"""The nodes and meshes of a file that are those of the model.

By their ids, which most programs keep; without them by the names that export gives, and by what stands at the
same place. The ids of a file of another model are none: its row 3 is not row 3 of the template. A copy made
in another program has the id of its original: of several with one id the one that is most like it is that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.geometry.transforms import Floats
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.findings import DEFAULT, Findings, ImportChoices, listed
from viewer.model.convert.importing.nodes.directions import with_known_directions
from viewer.model.convert.importing.nodes.likeness import with_renamed
from viewer.model.convert.importing.nodes.quantized import unmoved
from viewer.model.convert.importing.nodes.wrapping import without_wrapper
from viewer.model.convert.importing.parts.returned import with_known_parts
from viewer.model.convert.labels import UniqueNames, numbered, without_copy
from viewer.model.convert.options import Cell, Clips
from viewer.model.convert.scene import (
    NO_FIELDS,
    WHOLE,
    Mesh,
    Node,
    Origin,
    Primitive,
    Scene,
    SceneClip,
    Track,
)
from viewer.model.convert.shapes import emptiness, without_rows
from viewer.model.convert.source import ModelSource

UNIT: Final = (1.0, 1.0, 1.0)


def is_of_another_model(given: Scene, own: Origin, names: Iterable[str]) -> bool:
    """Whether a scene was made from another model than the template, not from the template as it once was.

    Parameters
    ----------
    own, names
        The template, and the names of its nodes.
    """
    if given.origin is None or given.origin.sha256 == own.sha256 or given.origin.name == own.name:
        return False
    said = [node.name for node in given.nodes if node.number is not None and node.name]
    # At least half of the names have to be known.
    return 2 * sum(name in {*names} for name in said) < len(said) or not said


def without_ids(given: Scene) -> Scene:
    """A scene without the rows of the model that it was made from; a part of that model replaces nothing."""
    options = given.options if given.options.nodes is None else replace(given.options, nodes=frozenset())
    return replace(
        given,
        nodes=tuple(replace(it, number=None) for it in given.nodes),
        meshes=tuple(map(without_rows, given.meshes)),
        materials=tuple(replace(it, row=None) for it in given.materials),
        options=options,
        fields=NO_FIELDS,
    )


def written_names(nodes: Sequence[Node]) -> list[str]:
    """The name that each node has in a file."""
    names = UniqueNames()
    return [names.add(node.name, numbered("node", index)) for index, node in enumerate(nodes)]


CLOSE: Final = 1e-6
"""Distance of equal positions, as a fraction of the largest coordinate."""


class Comparison(Struct, frozen=True, eq=False):
    """The scene that export would give of a model, that of a file, and what belongs together in both.

    Attributes
    ----------
    source
        The model.
    expected, given
        The two scenes.
    findings
        What is said about the file.
    nodes, meshes
        The expected node or mesh of each given one; None for a new one.
    like
        The expected mesh that a new mesh is a copy of, by the index of the given one.
    left
        Meshes that are not in the file and left as they are in the model.
    left_batches
        Batches that are not in the file and left, in meshes that are; only of files of objects.
    left_nodes
        Nodes that are not in the file and left as they are, by their indices in `given`.
    above
        The expected nodes that are missing above a node of the file, by its index, the topmost first.
    has_strip
        Whether the file has a movement of nodes that is in no clip.
    new_clips
        Clips of the file that get frames of their own after those of the model.
    film
        With them, how each node moves as the file has it; None if that is in `given`.
    """

    source: ModelSource
    expected: Scene
    given: Scene
    findings: Findings
    nodes: Sequence[int | None]
    meshes: Sequence[int | None]
    like: Mapping[int, int]
    left: frozenset[int] = frozenset()
    left_batches: frozenset[int] = frozenset()
    left_nodes: frozenset[int] = frozenset()
    above: Mapping[int, Sequence[int]] = field(default_factory=dict)
    has_strip: bool = False
    new_clips: tuple[SceneClip, ...] = ()
    film: Sequence[Track | None] | None = None

    @property
    def pairs(self) -> list[tuple[Node, Node | None]]:
        """Pairs of each node of the file and the expected one; None for a new one."""
        pairs = zip(self.given.nodes, self.nodes, strict=True)
        return [(node, None if at is None else self.expected.nodes[at]) for node, at in pairs]

    def of(self, source: ModelSource) -> Comparison:
        """The comparison of the same file with another state of the model."""
        return replace(self, source=source)

    @property
    def missing(self) -> list[Node]:
        """The expected nodes that are not in the file."""
        found = set(self.nodes)
        return [node for index, node in enumerate(self.expected.nodes) if index not in found]

    def as_stored(self, primitive: Primitive) -> Primitive:
        """A primitive of the file with coordinates of the part of the image that its material shows."""
        applied = WHOLE if primitive.material is None else self.given.materials[primitive.material].applied
        if primitive.uvs is None or applied == WHOLE:
            return primitive
        uvs = (primitive.uvs.astype(np.float64) - applied[:2]) / applied[2:]
        return replace(primitive, uvs=uvs.astype(np.float32))

    def is_first(self, mesh: int) -> bool:
        """Whether no earlier mesh of the file stands for the same slot."""
        at = self.meshes[mesh]
        return at is None or self.meshes.index(at) == mesh


def compared(template: ModelSource, given: Scene, choices: ImportChoices = DEFAULT) -> Comparison:
    """A scene and what export would give of a model, whose nodes and meshes are matched."""
    findings = Findings([*given.losses], [*given.notes])
    own = template.origin
    is_foreign = is_of_another_model(given, own, template.names)
    if is_foreign:
        given = without_ids(given)
    clips = Clips.NONE if given.options.clips is Clips.NONE else Clips.STRIP
    expected = scene_of(template, replace(given.options, has_textures=False, clips=clips))
    _compare_origin(own, given, findings, is_foreign=is_foreign)
    if not emptiness(expected):
        for words in emptiness(given):
            findings.lose(words)
    given = without_wrapper(expected, given, findings)
    nodes = matched_nodes(expected, given, findings)
    if choices.is_y_up is None:
        given = with_known_directions(expected, given, nodes, findings)
    if not is_foreign:
        has_axes = choices.is_y_up is not None
        given, nodes = with_known_parts(expected, given, nodes, findings, has_axes=has_axes)
    given = with_known_cells(expected, given, nodes)
    meshes, like = _meshes(expected, given, nodes)
    given = unmoved(expected, given, nodes)
    has_strip = any(it.track is not None for it in given.nodes)
    return Comparison(template, expected, given, findings, nodes, meshes, like, has_strip=has_strip)


def _compare_origin(own: Origin, given: Scene, findings: Findings, *, is_foreign: bool) -> None:
    """Report a scene that was made from another model, or in another reading."""
    origin = given.origin
    if origin is None:
        findings.note(
            "the file does not say which model it was made from; it is compared by names and places"
        )
        return
    if is_foreign:
        findings.note(
            "the file was exported from {name}, which is another model; it is compared by names and places",
            name=origin.name,
        )
    elif origin.sha256 != own.sha256:
        words = "the file was exported from {name} with other bytes; it is compared all the same"
        findings.note(words, name=origin.name)
    if origin.reading != own.reading:
        findings.note("the file was exported in another reading of the model")
    if any(node.scale != UNIT for node in given.nodes):
        findings.lose("scales of nodes are left out; apply them to the geometry")


def is_of(given: Scene, expected: Scene) -> bool:
    """Whether a scene was made from this very model, whose rows its ids are; also if it does not say."""
    return given.origin is None or expected.origin is None or given.origin.sha256 == expected.origin.sha256


def with_known_cells(expected: Scene, given: Scene, nodes: Sequence[int | None]) -> Scene:
    """The scene of a file in which each node has its meshes by the cells that they are from.

    A file without ids says only what a node shows for a requested cell, which may be from a coarser one.
    """
    if given.origin is not None or not given.options.has_all_cells or given.views:
        return given
    views = {view.cell: view.shown for view in expected.views}
    found = []
    for node, at in zip(given.nodes, nodes, strict=True):
        cells: dict[Cell, int] = {}
        for cell, mesh in node.cells.items():
            known = views[cell][at] if at is not None and cell in views else None
            is_free = known is not None and cells.get(known, mesh) == mesh
            cells[known if is_free and known is not None else cell] = mesh
        found.append(replace(node, cells=cells))
    return replace(given, nodes=tuple(found))


def matched_nodes(expected: Scene, given: Scene, findings: Findings) -> list[int | None]:
    """The expected node of each node of a file; None for a new one."""
    by_number = {node.number: index for index, node in enumerate(expected.nodes)}
    claims: dict[int, list[int]] = {}
    for index, node in enumerate(given.nodes):
        if node.number is not None and node.number in by_number:
            claims.setdefault(by_number[node.number], []).append(index)
    found: list[int | None] = [None] * len(given.nodes)
    if not is_of(given, expected):
        _by_own_name(expected, given, found)
    taken = {*found}
    for at, claimants in claims.items():
        left = [it for it in claimants if found[it] is None]
        if left and at not in taken:
            # Copies of an object keep its number: the one most like the node is taken for it, of equals the
            # first.
            found[min(left, key=lambda it: _unlikeness(given.nodes[it], expected.nodes[at]))] = at
    lost = [index for index, node in enumerate(given.nodes) if found[index] is None and node.number is None]
    free = set(range(len(expected.nodes))) - {*found}
    labels = [it.name or numbered("node", it.number or 0) for it in expected.nodes]
    # From the surest to the least: names as export writes them, as the model has them, and without the
    # numbers that programs append to copies.
    for names, fold in ((written_names(expected.nodes), str), (labels, str), (labels, without_copy)):
        _by_name(lost, given.nodes, free, names, found, fold)
    if is_of(given, expected):
        found = with_renamed(lost, given, free, expected, found)
    if lost and len(lost) == len(given.nodes):
        words = "the nodes of the file have no ids; they are matched by name, {count} are new"
        unknown = sum(found[index] is None for index in lost)
        if is_of(given, expected) and (unknown or given.origin is not None):
            findings.note(words, count=unknown)
    return found


def _by_own_name(expected: Scene, given: Scene, found: list[int | None]) -> None:
    """Match nodes with names that only one has: in a model that was changed since, numbers are others."""
    names, others = (Counter(node.name for node in it.nodes) for it in (given, expected))
    known = {node.name: index for index, node in enumerate(expected.nodes)}
    for index, node in enumerate(given.nodes):
        if node.name and names[node.name] == 1 and others[node.name] == 1:
            found[index] = known[node.name]


def _unlikeness(node: Node, other: Node) -> int:
    """Unlikeness of the names of two nodes."""
    return 0 if node.name == other.name else 1 + (without_copy(node.name) != other.name)


def _by_name(
    indices: Iterable[int],
    nodes: Sequence[Node],
    free: set[int],
    names: Sequence[str],
    found: list[int | None],
    fold: Callable[[str], str],
) -> None:
    """Match nodes with free ones of the same name, in order."""
    named: dict[str, list[int]] = {}
    for other in sorted(free):
        named.setdefault(fold(names[other]), []).append(other)
    for index in indices:
        if found[index] is None and named.get(fold(nodes[index].name)):
            found[index] = named[fold(nodes[index].name)].pop(0)
            free.discard(found[index] or 0)


def _meshes(
    expected: Scene, given: Scene, nodes: Sequence[int | None]
) -> tuple[list[int | None], dict[int, int]]:
    """The expected mesh of each given one, and what the others are copies of."""
    shown = {mesh for node in given.nodes for mesh in node.cells.values()}
    by_slot = {mesh.slot: index for index, mesh in enumerate(expected.meshes) if mesh.slot is not None}
    claims: dict[int, list[int]] = {}
    for index in sorted(shown):
        slot = given.meshes[index].slot
        if slot is not None and slot in by_slot:
            claims.setdefault(by_slot[slot], []).append(index)
    places = {*_places(expected, given, nodes)}
    found: list[int | None] = [None] * len(given.meshes)
    like: dict[int, int] = {}
    for at, claimants in claims.items():
        alike = [
            it for it in claimants if len(claimants) > 1 and is_alike(given.meshes[it], expected.meshes[at])
        ]
        # Copies that are as they were all stay that slot; else the one in its old place, or the first.
        owners = alike or [min(claimants, key=lambda it: ((it, at) not in places, it))]
        for index in claimants:
            if index in owners:
                found[index] = at
            else:
                like[index] = at
    _by_place(given, places, {*found}, found, like)
    return found, like


def _by_place(
    given: Scene,
    places: Iterable[tuple[int, int]],
    taken: set[int | None],
    found: list[int | None],
    like: Mapping[int, int],
) -> None:
    """Match meshes without an id with those that the same node shows in the same cell."""
    for index, at in sorted(places):
        if (
            found[index] is None
            and at not in taken
            and index not in like
            and given.meshes[index].slot is None
        ):
            found[index] = at
            taken.add(at)


def _places(expected: Scene, given: Scene, nodes: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Pairs of a given and an expected mesh that the same node shows in the same cell."""
    for node, at in zip(given.nodes, nodes, strict=True):
        if at is not None:
            known = expected.nodes[at].cells
            yield from ((mesh, known[cell]) for cell, mesh in node.cells.items() if cell in known)


def is_alike(mesh: Mesh, other: Mesh) -> bool:
    """Whether two meshes have corners with the same positions and texture coordinates, in any order."""
    corners, others = _corners(mesh), _corners(other)
    if corners.shape != others.shape:
        return False
    scale = np.maximum(1, np.abs(others).max(axis=0, initial=0))
    return bool((np.abs(corners - others) <= CLOSE * scale).all())


def _corners(mesh: Mesh) -> Floats:
    """Positions and texture coordinates of all corners in the order of their values, (3 t, 5)."""
    pieces = [
        np.hstack([it.positions, it.uvs if it.uvs is not None else np.zeros((len(it.positions), 2))])[
            it.triangles.reshape(-1)
        ]
        for it in mesh.primitives
    ]
    points = np.concatenate([np.empty((0, 5)), *pieces]).astype(np.float32)
    # Sorted by all columns, so that equal sets of corners are equal arrays.
    return points[np.lexsort(points.T)]


def lose_uvs(comparison: Comparison) -> None:
    """Report the meshes that have no texture coordinates any more: all vertices of a model have some."""
    expected = comparison.expected.meshes
    pairs = zip(comparison.given.meshes, comparison.meshes, strict=True)
    bare = [it.name for it, at in pairs if at is not None and _is_bare(it) and not _is_bare(expected[at])]
    if bare:
        words = "no texture coordinates of {meshes} are in the file: those of the model are kept"
        comparison.findings.lose(words, meshes=listed(bare))


def _is_bare(mesh: Mesh) -> bool:
    return bool(mesh.primitives) and all(it.uvs is None for it in mesh.primitives)
