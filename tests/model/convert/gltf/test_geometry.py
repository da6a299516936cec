"""Geometry of other programs: how arrays may lie in a file, and what triangles are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.model.convert.gltf.making import CORNERS, File, glb, one_triangle
from viewer.model.convert.gltf.read import read
from viewer.model.convert.scene import NEW, Primitive, Scene

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 2, 1], [3, 3, 1]], "<f4")


def native(points: npt.ArrayLike) -> list[list[float]]:
    """Points of a file with Y up as in a model."""
    x, y, z = np.asarray(points, np.float32).T
    return np.column_stack([x, -z, y]).tolist()  # type: ignore[no-any-return]


def shown(file: File, **primitive: Any) -> Scene:
    """What is read of a primitive."""
    file.node(mesh=file.add("meshes", primitives=[primitive]))
    return file.scene()


def first(file: File, **primitive: Any) -> Primitive:
    return shown(file, **primitive).meshes[0].primitives[0]


def corners(found: Primitive) -> list[list[list[float]]]:
    return found.positions[found.triangles].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("mode", "indices", "wanted"),
    [
        (4, None, [(0, 1, 2), (3, 4, 5)]),
        (4, [2, 1, 0, 3, 4], [(2, 1, 0)]),
        (5, None, [(0, 1, 2), (2, 1, 3), (2, 3, 4), (4, 3, 5)]),
        (5, [0, 1, 2, 2, 3, 3, 4, 5], [(0, 1, 2), (4, 3, 5)]),
        (6, None, [(1, 2, 0), (2, 3, 0), (3, 4, 0), (4, 5, 0)]),
        (6, [3, 4, 5], [(4, 5, 3)]),
    ],
)
def test_triangles_strips_and_fans(
    mode: int, indices: list[int] | None, wanted: list[tuple[int, ...]]
) -> None:
    file = File()
    more = {} if indices is None else {"indices": file.array(indices, "|u1")}
    found = first(file, attributes={"POSITION": file.array(POINTS)}, mode=mode, **more)
    assert corners(found) == [native(POINTS[list(it)]) for it in wanted]


@pytest.mark.parametrize("mode", range(4))
def test_points_and_lines_are_a_loss(mode: int) -> None:
    file = File()
    found = shown(file, attributes={"POSITION": file.array(POINTS)}, mode=mode)
    assert (found.meshes, dict(found.nodes[0].cells)) == ((), {})
    assert found.losses == ("meshes[0].primitives[0]: points and lines are left out",)


def test_strides_and_offsets() -> None:
    file = File()
    rows = np.zeros(4, [("skip", "<f4"), ("point", "<f4", 3), ("uv", "<u2", 2)])
    rows["point"], rows["uv"] = CORNERS, np.arange(8).reshape(4, 2) * 8191
    view = file.view(b"\0" * 8 + rows.tobytes(), byteStride=rows.itemsize)
    common = {"bufferView": view, "count": 4}
    point = file.add("accessors", **common, byteOffset=12, componentType=5126, type="VEC3")
    uv = file.add("accessors", **common, byteOffset=24, componentType=5123, type="VEC2", normalized=True)
    indices = file.array([2, 1, 3], "<u4")
    found = first(file, attributes={"POSITION": point, "TEXCOORD_0": uv}, indices=indices)
    assert corners(found) == [native(CORNERS[[2, 1, 3]])]
    assert found.uvs is not None
    np.testing.assert_allclose(found.uvs * 65535, rows["uv"][[2, 1, 3]], rtol=1e-6)


@pytest.mark.parametrize(("dtype", "most"), [("|i1", 127), ("|u1", 255), ("<i2", 32767), ("<u2", 65535)])
def test_quantized_positions_and_normals(dtype: str, most: int) -> None:
    file = File(extensionsUsed=["KHR_mesh_quantization"], extensionsRequired=["KHR_mesh_quantization"])
    raw = (CORNERS * 100).astype(dtype)
    least = np.full((4, 3), np.iinfo(np.dtype(dtype)).min)
    attributes = {
        "POSITION": file.array(raw, dtype),
        "NORMAL": file.array(np.where(CORNERS > 0, most, least), dtype, normalized=True),
    }
    found = first(file, attributes=attributes, indices=file.array([0, 1, 2], "<u2"))
    assert corners(found) == [native(CORNERS[:3] * 100)]
    least_float = -1.0 if dtype in {"|i1", "<i2"} else 0.0
    assert found.normals is not None
    assert found.normals.tolist() == native(np.where(CORNERS[:3] > 0, 1.0, least_float))


@pytest.mark.parametrize("is_based", [True, False])
def test_sparse_arrays(is_based: bool) -> None:
    file = File()
    base = {"bufferView": file.view(POINTS.tobytes())} if is_based else {}
    sparse = {
        "count": 2,
        "indices": {"bufferView": file.view(bytes([1, 4])), "componentType": 5121},
        "values": {"bufferView": file.view(np.array([[7, 8, 9], [4, 5, 6]], "<f4").tobytes())},
    }
    point = file.add("accessors", **base, componentType=5126, type="VEC3", count=6, sparse=sparse)
    found = first(file, attributes={"POSITION": point}, indices=file.array([0, 1, 4], "<u2"))
    wanted = (POINTS if is_based else np.zeros((6, 3)))[[0, 1, 4]]
    wanted[1:] = [[7, 8, 9], [4, 5, 6]]
    assert corners(found) == [native(wanted)]


def test_primitives_that_share_vertices_take_their_own() -> None:
    file = File()
    attributes = {
        "POSITION": file.array(POINTS),
        "NORMAL": file.array(POINTS),
        "TEXCOORD_0": file.array(POINTS[:, :2]),
    }
    parts = [{"attributes": attributes, "indices": file.array(it, "<u2")} for it in ([0, 1, 2], [5, 4, 3])]
    file.node(mesh=file.add("meshes", primitives=parts))
    a, b = file.scene().meshes[0].primitives
    assert [len(it.positions) for it in (a, b)] == [3, 3]
    assert corners(b) == [native(POINTS[[5, 4, 3]])]
    assert b.uvs is not None
    assert b.uvs[b.triangles].tolist() == [POINTS[[5, 4, 3], :2].tolist()]


def test_few_triangles_of_many_vertices_take_their_own() -> None:
    file = File()
    many = np.arange(300, dtype="<f4").reshape(100, 3)
    found = first(file, attributes={"POSITION": file.array(many)}, indices=file.array([90, 3, 50], "<u2"))
    assert corners(found) == [native(many[[90, 3, 50]])]


def test_rows_of_the_model_come_back_and_mixtures_are_new() -> None:
    file = File()
    normals = file.array(np.ones((4, 3)) / np.sqrt(3))
    rows = file.array([70000, 3, 3.5, -1])
    attributes = {"POSITION": file.array(CORNERS), "NORMAL": normals, "_VERTEX": rows}
    found = first(file, attributes=attributes, indices=file.array([0, 1, 2, 2, 1, 3], "<u2"))
    assert found.vertices is not None
    assert found.vertices.tolist() == [70000, 3, NEW, NEW]


@pytest.mark.parametrize(
    ("name", "width", "loss"),
    [
        ("COLOR_0", 4, "colors of vertices are left out"),
        ("TANGENT", 4, "tangents are left out"),
        ("TEXCOORD_1", 2, "texture coordinates that the texture does not use are left out"),
        ("TEXCOORD_2", 2, "texture coordinates that the texture does not use are left out"),
        ("_HEAT", 1, "values of vertices that have no meaning here are left out"),
    ],
)
def test_what_vertices_cannot_have_is_a_loss(name: str, width: int, loss: str) -> None:
    file = File()
    for _ in range(2):
        file.node(mesh=file.mesh(file.triangle({name: file.array(np.ones((4, width)))})))
    assert file.scene().losses == (f"meshes[0].primitives[0] and 1 more: {loss}",)


def test_morph_targets_have_the_shape_of_their_weights_at_rest() -> None:
    """The weights of a node go before those of its mesh; one mesh may have several shapes."""
    file = File()
    raised = np.array(CORNERS, np.float32) * 0 + (0, 2, 0)
    normals = file.array(np.tile(np.array([0, 0, 1], np.float32), (len(CORNERS), 1)))
    turned = file.array(np.tile(np.array([2, 0, -2], np.float32), (len(CORNERS), 1)))
    target = {"POSITION": file.array(raised.astype(np.float32)), "NORMAL": turned}
    shape = file.triangle({"NORMAL": normals}, targets=[target, {}])
    mesh = file.mesh(shape, weights=[0.5, 1])
    for weights in ({}, {"weights": [1, 0]}, {"weights": [0, 0]}):
        file.node(mesh=mesh, **weights)
    scene = file.scene()
    places = [scene.meshes[node.cells[0, 0]].primitives[0].positions for node in scene.nodes]
    # Y of the file is Z of the model
    raised_by = [np.round((it - places[2])[0], 6).tolist() for it in places]
    assert raised_by == [[0, 0, 1], [0, 0, 2], [0, 0, 0]]
    bent = scene.meshes[scene.nodes[0].cells[0, 0]].primitives[0].normals
    assert bent is not None
    assert np.allclose(bent, (1, 0, 0), atol=1e-6)
    words = "morph targets are left out but for their shape at rest"
    assert scene.losses == (f"meshes[0].primitives[0] and 2 more: {words}",)


@pytest.mark.parametrize("name", [5, None, ["a"], {"en": "a"}, True])
def test_names_of_another_type_are_none(name: object) -> None:
    file = one_triangle()
    file.json["scenes"] = [{"nodes": [0], "name": name}]
    for kind in ("nodes", "meshes"):
        file.json[kind][0]["name"] = name
    scene = file.scene()
    assert (scene.name, scene.nodes[0].name, scene.meshes[0].name) == ("", "", "")


def test_indices_may_be_written_with_a_point() -> None:
    """Some programs write all numbers as floats."""

    def with_points(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: with_points(it) for key, it in value.items()}
        if isinstance(value, list):
            return [*map(with_points, value)]
        return float(value) if type(value) is int else value

    file = one_triangle()
    file.node(children=[0])
    file.json |= {"scenes": [{"nodes": [1]}], "scene": 0}
    expected = file.scene()
    file.glb()
    found = read(glb(with_points(file.json), bytes(file.bytes)))
    assert [it.parent for it in found.nodes] == [it.parent for it in expected.nodes]
    assert len(found.meshes[0].primitives[0].triangles) == 1


def test_a_primitive_without_positions_is_a_loss() -> None:
    file = one_triangle()
    file.json["meshes"][0]["primitives"].append({"attributes": {}})
    found = file.scene()
    assert len(found.meshes[0].primitives) == 1
    assert found.losses == ("meshes[0].primitives[1]: triangles without positions are left out",)


def test_triangles_without_normals_are_flat() -> None:
    file = File()
    attributes = {"POSITION": file.array(CORNERS)}
    found = first(file, attributes=attributes, indices=file.array([0, 1, 2, 0, 1, 3, 0, 0, 0], "<u2"))
    assert corners(found) == [native(CORNERS[list(it)]) for it in ((0, 1, 2), (0, 1, 3), (0, 0, 0))]
    assert found.normals is not None
    assert found.normals.tolist() == [[0, -1, 0]] * 3 + [[0, 0, -1]] * 3 + [[0, 0, 0]] * 3
