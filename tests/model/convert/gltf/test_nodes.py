"""Nodes of other programs: every transform ends in rigid parts that look the same at rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.convert.gltf.making import CORNERS, File
from viewer.errors import FormatError
from viewer.model.convert.scene import Scene

Y_UP = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], np.float64)
"""From the axes of a file to those of a model."""
HALF = 0.7071067811865476
numbers = st.floats(-4, 4, allow_subnormal=False).map(lambda it: round(it, 3))
scales = st.lists(numbers.filter(lambda it: abs(it) > 0.05), min_size=3, max_size=3)
quaternions = st.lists(numbers, min_size=4, max_size=4).filter(lambda it: sum(map(abs, it)) > 0.5)


def turn(quaternion: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The matrix (4, 4) of x, y, z, w."""
    x, y, z, w = np.asarray(quaternion, np.float64)
    found = np.eye(4)
    found[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return found


def local(node: dict[str, Any]) -> npt.NDArray[np.float64]:
    """What the specification says about the transform of a node."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    move = np.eye(4)
    move[:3, 3] = node.get("translation", (0, 0, 0))
    scale = np.diag([*node.get("scale", (1, 1, 1)), 1.0])
    return np.asarray(move @ turn(node.get("rotation", (0, 0, 0, 1))) @ scale)


def seen(scene: Scene, index: int) -> npt.NDArray[np.float64]:
    """The triangles that a node shows in the space of the model, (t, 3, 3)."""
    world = np.eye(4)
    at: int | None = index
    while at is not None:
        node = scene.nodes[at]
        assert [*node.scale] == [1, 1, 1]
        w, x, y, z = node.rotation
        move = turn((x, y, z, w))
        move[:3, 3] = node.position
        world, at = move @ world, node.parent
    found = scene.meshes[scene.nodes[index].cells[0, 0]].primitives[0]
    points = found.positions[found.triangles].astype(np.float64)
    return np.asarray(points @ world[:3, :3].T + world[:3, 3])


def chain(*nodes: dict[str, Any]) -> Scene:
    """Nodes below each other that all show the same triangle."""
    file = File()
    mesh = file.mesh(file.triangle({"NORMAL": file.array([[0, 0, 1]] * 4)}))
    for index, node in enumerate(nodes):
        below = {"children": [index + 1]} if index + 1 < len(nodes) else {}
        file.node(mesh=mesh, **node, **below)
    file.add("scenes", nodes=[0])
    return file.scene()


def check(*nodes: dict[str, Any], tolerance: float = 1e-5) -> Scene:
    """Each node of a chain shows its triangle where the specification says, with its front outside."""
    scene = chain(*nodes)
    world = np.eye(4)
    for index, node in enumerate(nodes):
        world = world @ local(node)
        wanted = (CORNERS[:3] @ world[:3, :3].T + world[:3, 3]) @ Y_UP[:3, :3].T
        found = seen(scene, index)[0]
        if np.linalg.det(world[:3, :3]) < 0:
            wanted = wanted[::-1]
        np.testing.assert_allclose(found, wanted, atol=tolerance * (1 + np.abs(wanted).max()))
    return scene


def test_translation_and_rotation_stay_a_pose() -> None:
    scene = check({"translation": [1, 2, 3], "rotation": [HALF, 0, 0, HALF]}, {"translation": [0, 5, 0]})
    assert [*scene.nodes[0].position] == [1, -3, 2]
    np.testing.assert_allclose(scene.nodes[0].rotation, (HALF, HALF, 0, 0), atol=1e-6)
    assert len(scene.meshes) == 1
    assert scene.losses == ()


def test_a_scale_goes_into_vertices_and_positions() -> None:
    scene = check({"scale": [2, 2, 2]}, {"translation": [1, 0, 0]}, {"rotation": [0, HALF, 0, HALF]})
    assert [*scene.nodes[1].position] == [2, 0, 0]
    assert len(scene.meshes) == 1
    assert scene.losses == ()


def test_a_mirror_turns_the_winding() -> None:
    scene = check({"scale": [-1, 1, 1]}, {"rotation": [0, HALF, 0, HALF], "translation": [1, 2, 3]})
    found = scene.meshes[0].primitives[0]
    assert found.triangles.tolist() == [[2, 1, 0]]
    assert found.normals is not None
    np.testing.assert_allclose(found.normals, [[0, -1, 0]] * 3, atol=1e-6)


def test_normals_of_uneven_scales_stay_perpendicular() -> None:
    file = File()
    slope = np.array([[0, 0, 0], [1, 1, 0], [0, 0, 1]], "<f4")
    normal = np.array([[-HALF, HALF, 0]] * 3, "<f4")
    attributes = {"POSITION": file.array(slope), "NORMAL": file.array(normal)}
    file.node(mesh=file.mesh({"attributes": attributes}), scale=[3, 1, 1])
    found = file.primitive()
    assert found.normals is not None
    edges = found.positions[1:] - found.positions[0]
    np.testing.assert_allclose(edges @ found.normals.T, 0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found.normals, axis=1), 1, atol=1e-6)


def test_sheared_matrices_look_the_same_at_rest() -> None:
    sheared = np.array([[1, 0.5, 0, 3], [0, 2, 0.25, 4], [0, 0, -1, 5], [0, 0, 0, 1]])
    scene = check({"matrix": sheared.T.ravel().tolist()}, {"rotation": [0, HALF, 0, HALF]})
    assert scene.losses == ()


def test_a_matrix_is_the_place_and_the_rotation_that_it_is_made_of() -> None:
    node = {"translation": [1, 2, 3], "rotation": [HALF, 0, 0, HALF]}
    (made,), (plain,) = (it.nodes for it in (chain({"matrix": local(node).T.ravel().tolist()}), chain(node)))
    np.testing.assert_allclose(made.position, plain.position, atol=1e-6)
    np.testing.assert_allclose(made.rotation, plain.rotation, atol=1e-6)


@st.composite
def transforms(draw: st.DrawFn) -> dict[str, Any]:
    """Any transform of a node."""
    quaternion = np.array(draw(quaternions))
    node = {
        "translation": draw(st.lists(numbers, min_size=3, max_size=3)),
        "rotation": (quaternion / np.linalg.norm(quaternion)).tolist(),
        "scale": draw(scales),
    }
    return {"matrix": local(node).T.ravel().tolist()} if draw(st.booleans()) else node


@given(st.lists(transforms(), min_size=1, max_size=4))
def test_any_chain_looks_the_same_at_rest(nodes: list[dict[str, Any]]) -> None:
    check(*nodes, tolerance=2e-5)


def test_rounded_scales_are_none() -> None:
    scene = chain({"scale": [1.0000001, 0.9999999, 1]}, {})
    assert scene.meshes[0].primitives[0].positions.tolist() == CORNERS[:3, [0, 2, 1]].tolist()


def test_a_scale_of_zero_is_flat() -> None:
    found = chain({"scale": [0, 0, 0]}, {"rotation": [0, HALF, 0, HALF]})
    assert not found.meshes[0].primitives[0].positions.any()


@pytest.mark.parametrize(
    ("nodes", "place"),
    [
        ([{"children": [1]}, {"children": [0]}], "nodes: 2 nodes form a circle"),
        ([{"children": [0]}], r"nodes\[0\]\.children\[0\]: node 0 has a parent already"),
        ([{"children": [2]}, {"children": [2]}, {}], r"nodes\[1\]\.children\[0\]: node 2 has"),
        ([{"children": [1, 1]}, {}], r"nodes\[0\]\.children\[1\]: node 1 has"),
        ([{"children": [1]}], r"nodes\[0\]\.children\[0\]: 1 is not an index of 1 items"),
        ([{"children": [-1]}], r"nodes\[0\]\.children\[0\]: -1 is not"),
        ([{"children": [True]}], r"nodes\[0\]\.children\[0\]: true is not"),
        ([{"translation": [1, 2]}], r"nodes\[0\]\.translation: \[1, 2\] is not 3 finite numbers"),
        ([{"scale": [1e308, 1, 1]}], r"nodes\[0\]"),
        ([{"translation": [1e39, 1, 1]}], r"nodes\[0\]"),
        ([{"matrix": [1e300] * 16}], r"nodes\[0\]"),
        ([{"mesh": 0}], r"nodes\[0\]\.mesh: 0 is not an index of 0 items"),
    ],
)
def test_trees_that_are_none_are_refused(nodes: list[dict[str, Any]], place: str) -> None:
    with pytest.raises(FormatError, match=f"^{place}"):
        File(nodes=nodes).scene()


def test_the_default_scene_is_read_and_the_others_are_a_loss() -> None:
    file = File(nodes=[{"name": "a"}, {"name": "b", "children": [2]}, {"name": "c"}], scene=1)
    file.json["scenes"] = [{"nodes": [0]}, {"name": "shown", "nodes": [1]}]
    found = file.scene()
    assert found.name == "shown"
    assert [(it.name, it.parent) for it in found.nodes] == [("b", None), ("c", 0)]
    assert found.losses == ("only one scene of 2 is read",)


def test_cameras_and_lights_are_a_loss() -> None:
    light = {"extensions": {"KHR_lights_punctual": {"light": 0}}}
    file = File(nodes=[{"camera": 0}, light, {"camera": 0, "children": [3]}, {"name": "kept"}], cameras=[{}])
    found = file.scene()
    assert [(it.name, it.parent) for it in found.nodes] == [("", None), ("kept", 0)]
    assert found.losses == ("nodes[0] and 2 more: cameras and lights are left out",)


def test_names_that_are_absent_come_from_meshes() -> None:
    file = File()
    mesh = file.mesh(name="hull")
    for name in ("x", "x"):
        file.node(mesh=mesh, name=name)
    file.node(mesh=mesh)
    file.node()
    assert [it.name for it in file.scene().nodes] == ["x", "x", "hull", ""]


def test_a_skin_is_kept_as_it_is_at_rest() -> None:
    file = File()
    weights = {
        "JOINTS_0": file.array([[0, 1, 0, 0]] * 4, "|u1"),
        "WEIGHTS_0": file.array([[1, 0, 0, 0], [0, 1, 0, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0]]),
    }
    mesh = file.mesh(file.triangle(weights))
    inverse = np.tile(np.eye(4), (2, 1, 1))
    inverse[1, 0, 3] = -1
    skin = file.add("skins", joints=[1, 2], inverseBindMatrices=file.array(inverse.transpose(0, 2, 1)))
    file.node(name="body", mesh=mesh, skin=skin, translation=[100, 0, 0])
    file.node(name="bone", children=[2])
    file.node(name="tip", translation=[1, 0, 0], rotation=[0, 0, HALF, HALF])
    file.add("scenes", nodes=[0, 1])
    scene = file.scene()
    # The tip turns by a quarter about (1, 0, 0): its vertex stays there, the one in between goes half way.
    wanted = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], np.float64)
    wanted[2] = (np.array([0, 1, 0]) + np.array([0, -1, 0])) / 2
    np.testing.assert_allclose(seen(scene, 0)[0], wanted @ Y_UP[:3, :3].T, atol=1e-5)
    assert scene.losses == ("nodes[0]: a skin is kept as it is at rest, and not moved by its bones",)
