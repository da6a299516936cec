"""The scene of several: the models of a unit, each on the socket of the one that it hangs on.

The scene has no model that it was made from, and no rows of one: read again it is a new model.

Source: spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.convert.motion import rotations
from viewer.model.convert.options import Cell, Options
from viewer.model.convert.scene import (
    IDENTITY,
    NO_FIELDS,
    ZERO,
    Mesh,
    Node,
    Primitive,
    Rotation,
    Scene,
    SceneClip,
    SceneMaterial,
    Vector,
    View,
)
from viewer.model.convert.scene_images import SceneImage
from viewer.model.convert.shapes import mapped, without_rows


class UnitScene(Struct, frozen=True, eq=False):
    """The scene of a part of a unit.

    Attributes
    ----------
    name
        Of the node that holds the part.
    above
        The part that it hangs on, an index among the parts before it; None for one that hangs on nothing.
    socket
        The node of that which it hangs on.
    """

    name: str
    scene: Scene
    above: int | None = None
    socket: int = 0


def joined(name: str, parts: Sequence[UnitScene], options: Options) -> Scene:
    """The scene of all parts. Parts that hang on nothing move; those on them follow their sockets."""
    scene, starts = Scene(name, options=options), list[int]()
    images: list[SceneImage] = []
    for part in parts:
        starts.append(len(scene.nodes))
        image = [_image(images, it) for it in part.scene.images]
        scene = _with(scene, part, starts, image)
    first = parts[0].scene if parts else scene
    cells = dict.fromkeys(view.cell for part in parts for view in part.scene.views)
    return replace(
        scene,
        images=tuple(images),
        clips=tuple(_clip(it) for it in first.clips),
        frame_count=first.frame_count,
        views=tuple(View(cell, _shown(parts, cell)) for cell in cells),
        losses=tuple(dict.fromkeys(words for part in parts for words in part.scene.losses)),
    )


def _with(scene: Scene, part: UnitScene, starts: Sequence[int], image: Sequence[int]) -> Scene:
    """A scene and one more part, whose images are at some indices."""
    own, start = part.scene, starts[-1] + 1
    # The node that holds the part has the inverse of the place of the part's root, so that the root is on the
    # socket: world(socket) * local(root)^-1 * world(node) (spec/field-notes.md 5).
    position, rotation = _undone(own.nodes[0]) if part.above is not None and own.nodes else (ZERO, IDENTITY)
    # The node that holds the part is followed by the nodes of its model, in their order.
    socket = None if part.above is None else starts[part.above] + 1 + part.socket
    holder = Node(part.name, socket, position=position, rotation=rotation)
    material, mesh = len(scene.materials), len(scene.meshes)
    nodes = [
        replace(
            node,
            parent=start - 1 if node.parent is None else start + node.parent,
            cells={cell: mesh + at for cell, at in node.cells.items()},
            track=node.track if part.above is None else None,
            number=None,
            fields=NO_FIELDS,
        )
        for node in own.nodes
    ]
    return replace(
        scene,
        nodes=(*scene.nodes, holder, *nodes),
        meshes=(*scene.meshes, *(_mesh(it, material) for it in own.meshes)),
        materials=(*scene.materials, *(_material(it, image) for it in own.materials)),
    )


def _mesh(mesh: Mesh, first: int) -> Mesh:
    """A mesh without rows, whose materials are some places further on."""

    def placed(it: Primitive) -> Primitive:
        return replace(it, material=None if it.material is None else first + it.material)

    return mapped(without_rows(mesh), placed)


def _material(material: SceneMaterial, image: Sequence[int]) -> SceneMaterial:
    own, lightmap = material.image, material.lightmap
    return replace(
        material,
        row=None,
        image=None if own is None else image[own],
        lightmap=None if lightmap is None else image[lightmap],
        fields=NO_FIELDS,
    )


def _image(images: list[SceneImage], image: SceneImage) -> int:
    """The index of an image among those of all parts, to which it is added if it is new."""
    for at, known in enumerate(images):
        if known.name == image.name and np.array_equal(known.pixels, image.pixels):
            return at
    images.append(image)
    return len(images) - 1


def _clip(clip: SceneClip) -> SceneClip:
    """A clip of the first part, whose nodes come after the one that holds them."""
    return replace(clip, tracks={1 + node: track for node, track in clip.tracks.items()})


def _shown(parts: Sequence[UnitScene], cell: Cell) -> tuple[Cell | None, ...]:
    """The cell that each node shows for a requested one; a part without a view of that has its first view."""
    found: list[Cell | None] = []
    for part in parts:
        views = (it for it in part.scene.views if it.cell == cell)
        found += [None, *next(views, part.scene.chosen).shown]
    return tuple(found)


def _undone(node: Node) -> tuple[Vector, Rotation]:
    """The opposite of the turn and the shift of a node."""
    w, x, y, z = node.rotation
    # The inverse of "turn, then move by p" turns back what is moved by -p: its place is -(R^-1 p).
    opposite = w, -x, -y, -z
    back = -rotations.turn_matrix(np.array(opposite)) @ np.array(node.position, np.float64)
    a, b, c = back.tolist()
    return (a, b, c), opposite
