"""What programs join and add although nobody edited it: vertices that look alike, a node above roots."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box
from tests.model.convert.importing.scenes import PLAIN, cube, imported, scene, source_of
from viewer.formats.msh.tables import NORMALS
from viewer.model.convert.scene import Node as SceneNode
from viewer.model.convert.scene import Primitive, Scene
from viewer.model.convert.source import ModelSource

ASSIMP = "Open Asset Import Library (assimp v5.2.0)"


def unshared(last: int, first: int = 0) -> ModelSource:
    """A cube in which each triangle has vertices of its own; every second one differs in one byte.

    Parameters
    ----------
    last
        The fourth byte of its normals.
    first
        What is taken from its x, if that is -127.
    """
    shape = box()
    rows = shape.triangles.reshape(-1)
    own = replace(
        shape,
        positions=shape.positions[rows],
        normals=shape.normals[rows],
        uvs=shape.uvs[rows],
        triangles=np.arange(len(rows)).reshape(-1, 3),
    )
    source = source_of(ModelBuilder.of([Node("hull", shapes={(0, 0): [own]})]).build())
    data = bytearray(source.data)
    normals = source.model.rows(NORMALS).tobytes()
    raw = np.frombuffer(normals, np.int8).reshape(-1, 4).copy()
    other = np.arange(len(raw)) // 3 % 2 == 1
    raw[other, 3] = last
    raw[other & (raw[:, 0] == -127), 0] -= first
    start = bytes(data).index(normals)
    data[start : start + raw.nbytes] = raw.tobytes()
    return source_of(bytes(data))


def joined(given: Scene) -> Scene:
    """A scene without ids in which vertices with the same values are one."""

    def of(it: Primitive) -> Primitive:
        assert it.normals is not None
        assert it.uvs is not None
        values = np.hstack([it.positions, it.normals, it.uvs])
        _ignored, first, number = np.unique(values, axis=0, return_index=True, return_inverse=True)
        return replace(
            it,
            positions=it.positions[first],
            normals=it.normals[first],
            uvs=it.uvs[first],
            vertices=None,
            triangles=number.reshape(-1)[it.triangles],
        )

    mesh = given.meshes[0]
    primitives = tuple(of(it) for it in mesh.primitives)
    assert sum(len(it.positions) for it in primitives) < sum(len(it.positions) for it in mesh.primitives)
    return replace(given, meshes=(replace(mesh, primitives=primitives),), origin=None)


@pytest.mark.parametrize(("last", "first"), [(0, 0), (-112, 0), (0, 1)])
def test_vertices_that_only_look_alike_may_be_joined(last: int, first: int) -> None:
    source = unshared(last, first)
    assert imported(joined(scene(PLAIN, source)), source).changes == ()


ROOTS = source_of(
    ModelBuilder.of(
        [
            Node("left", shapes={(0, 0): [box()]}, keys=[Key(0, (1, 0, 0))]),
            Node("right", shapes={(0, 0): [box()]}, keys=[Key(0, (-1, 0, 0)), Key(4, (-1, 2, 0))]),
            Node("top", 1),
        ]
    ).build()
)


def under_one_root(name: str = "ROOT", program: str = ASSIMP, **values: object) -> Scene:
    """The scene of a model with two roots below a node, as assimp writes it."""
    given = scene(PLAIN, ROOTS)
    below = (replace(it, parent=0 if it.parent is None else it.parent + 1, number=None) for it in given.nodes)
    root = replace(SceneNode(name), **values)
    clips = tuple(
        replace(it, tracks={index + 1: track for index, track in it.tracks.items()}) for it in given.clips
    )
    return replace(given, nodes=(root, *below), clips=clips, origin=None, program=program)


def test_the_node_that_assimp_adds_above_several_roots_is_left_out() -> None:
    found = imported(under_one_root(), ROOTS)
    assert (found.changes, found.losses, found.numbers) == ((), (), (0, 1, 2))
    assert "ROOT is left out: assimp puts it above the roots of a model with several" in found.notes


@pytest.mark.parametrize(
    "given",
    [
        under_one_root("all"),
        under_one_root(program="Blender"),
        under_one_root(position=(0.0, 0.0, 1.0)),
        replace(under_one_root(cells={(0, 0): 2}), meshes=(*scene(PLAIN, ROOTS).meshes, cube())),
    ],
)
def test_another_node_above_several_roots_is_new(given: Scene) -> None:
    assert imported(given, ROOTS).changes != ()
