"""Reading glTF of other programs: one feature a test, each seen in the scene."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.model.convert.gltf.making import CORNERS, one_triangle
from viewer.errors import FormatError
from viewer.model.convert import beside
from viewer.model.convert.gltf.read import read

NATIVE = CORNERS[:3, [0, 2, 1]] * np.array([1, -1, 1], "f4")


def test_a_triangle_of_a_glb_turns_from_y_up_to_z_up() -> None:
    found = one_triangle().scene()
    (node,), (mesh,) = found.nodes, found.meshes
    assert (node.name, node.parent, dict(node.cells)) == ("part", None, {(0, 0): 0})
    primitive = mesh.primitives[0]
    assert primitive.positions.tolist() == NATIVE.tolist()
    assert primitive.triangles.tolist() == [[0, 1, 2]]
    assert primitive.normals is not None
    assert primitive.normals.tolist() == [[0, -1, 0]] * 3
    assert primitive.uvs is None
    assert found.losses == ()


def test_text_files_hold_their_bytes_or_name_a_file(tmp_path: Path) -> None:
    file = one_triangle()
    embedded = read(file.text())
    (tmp_path / "a b.bin").write_bytes(bytes(file.bytes))
    named = read(file.text("a%20b.bin"), beside.Folder(tmp_path))
    for found in (embedded, named):
        assert found.meshes[0].primitives[0].positions.tolist() == NATIVE.tolist()


@pytest.mark.parametrize(
    "uri",
    [
        "../x.bin",
        "a/../../x.bin",
        "/etc/passwd",
        "file:///etc/passwd",
        "C:/x",
        "..%2Fx.bin",
        "\\x",
        "x%00",
        "link.bin",
        "none",
    ],
)
def test_nothing_outside_of_the_folder_is_read(tmp_path: Path, uri: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "x.bin").write_bytes(bytes(1000))
    (folder / "link.bin").symlink_to(tmp_path / "x.bin")
    with pytest.raises(FormatError, match=r"^buffers\[0\]\.uri: "):
        read(one_triangle().text(uri), beside.Folder(folder))
