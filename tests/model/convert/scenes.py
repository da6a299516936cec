"""Small scenes, and a strategy for any small scene."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import strategies as st

from viewer.errors import AddressError
from viewer.model.convert.scene import Mesh, Node, Primitive, Scene, SceneMaterial, Track
from viewer.model.convert.scene_file import Resolver


def resolver_of(files: Mapping[str, bytes]) -> Resolver:
    """Give the files beside one that is read, or say as for those of a folder that one is missing."""

    def read(name: str) -> bytes:
        if name not in files:
            raise AddressError("does not exist", source=name)
        return files[name]

    return read


def square() -> Primitive:
    """A square of two units in the XY plane that faces up: four vertices, two triangles."""
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float32)
    return Primitive(
        corners,
        np.array([(0, 1, 2), (0, 2, 3)], np.int64),
        np.tile(np.array([0, 0, 1], np.float32), (4, 1)),
        (corners[:, :2] + np.float32(1)) / np.float32(2),
    )


def triangle_fan(count: int) -> Primitive:
    """Triangles around the origin, each with a vertex of its own; neighbors share an edge."""
    angle = np.linspace(0, 6, count + 1)
    rim = np.stack([np.cos(angle), np.sin(angle), np.zeros(count + 1)], axis=1)
    numbers = np.arange(1, count + 1)
    corners = np.concatenate([np.zeros((1, 3)), rim]).astype(np.float32)
    normals = np.tile(np.array([0, 0, 1], np.float32), (len(corners), 1))
    return Primitive(corners, np.stack([np.zeros_like(numbers), numbers, numbers + 1], axis=1), normals)


def still(*primitives: Primitive) -> Scene:
    """One node that shows some primitives."""
    return Scene("model", (Node("node", cells={(0, 0): 0}),), (Mesh("mesh", primitives),))


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Any small scene that the game's format can hold."""
    chance = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    materials = tuple(SceneMaterial(f"MATERIAL_{row}", row=row) for row in range(draw(st.integers(1, 3))))
    has_lightmaps = draw(st.booleans())
    meshes = tuple(
        Mesh(
            f"mesh {number}",
            tuple(_primitive(chance, len(materials), has_lightmaps) for _ in range(chance.integers(1, 4))),
        )
        for number in range(draw(st.integers(0, 4)))
    )
    nodes = tuple(_node(chance, number, len(meshes)) for number in range(draw(st.integers(1, 5))))
    return Scene("model", nodes, meshes, materials)


def _primitive(chance: np.random.Generator, material_count: int, has_lightmap: bool) -> Primitive:
    """Random triangles over a few points, each of them used."""
    count = int(chance.integers(3, 12))
    points = chance.integers(-3, 4, (count, 3)) + chance.normal(0, 0.05, (count, 3))
    corners = [chance.permutation(count)[:3] for _ in range(int(chance.integers(1, 8)))]
    used, triangles = np.unique(np.array(corners), return_inverse=True)
    normals = chance.normal(size=(len(used), 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Primitive(
        points[used].astype(np.float32),
        triangles.reshape(-1, 3).astype(np.int64),
        normals.astype(np.float32),
        chance.uniform(-4, 4, (len(used), 2)).astype(np.float32),
        chance.uniform(0, 1, (len(used), 2)).astype(np.float32) if has_lightmap else None,
        int(chance.integers(material_count)),
    )


def _node(chance: np.random.Generator, number: int, mesh_count: int) -> Node:
    cells = {}
    if mesh_count:
        rows = range(int(chance.integers(0, 3)))
        cells = {(row, 0): int(chance.integers(mesh_count)) for row in rows}
    key_count = int(chance.integers(1, 5))
    rotations = chance.normal(size=(key_count, 4))
    rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
    positions = chance.uniform(-9, 9, (key_count, 3)).astype(np.float32)
    times = np.concatenate(([0.0], np.cumsum(chance.integers(1, 6, key_count - 1))))
    track = Track(times, positions, rotations.astype(np.float32)) if key_count > 1 else None
    return Node(
        f"node {number}",
        int(chance.integers(number)) if number and chance.integers(4) else None,
        cells,
        tuple(positions[0].tolist()),
        tuple(rotations[0].astype(np.float32).tolist()),
        track=track,
    )
