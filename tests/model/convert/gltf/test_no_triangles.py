"""Files that give no triangle: each says so, whatever the reason, and is not taken over with ``--exact``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box
from tests.model.convert.gltf.making import File, one_triangle
from tests.model.convert.importing.scenes import imported, source_of
from viewer.cli.main import main
from viewer.model.convert.new_model import NO_AREA, NO_TRIANGLES, made_of

CUBE = source_of(ModelBuilder([Node("hull", shapes={(0, 0): [box()]})]).build())


def with_json(**root: Any) -> Callable[[], File]:
    return lambda: File(**root)


def of_mode(mode: int, count: int = 3) -> Callable[[], File]:
    """A mesh of points, lines or too few corners."""

    def make() -> File:
        file = File()
        primitive = {"attributes": {"POSITION": file.array(np.eye(3)[:count])}, "mode": mode}
        file.node(mesh=file.mesh(primitive))
        return file

    return make


def of_indices(*indices: int) -> Callable[[], File]:
    """Triangles whose corners are given."""

    def make() -> File:
        file = File()
        primitive = file.triangle()
        primitive["indices"] = file.array(indices, "<u2")
        file.node(mesh=file.mesh(primitive))
        return file

    return make


def without_positions() -> File:
    file = File()
    file.node(mesh=file.mesh({"attributes": {"NORMAL": file.array(np.eye(3))}}))
    return file


def without_use() -> File:
    """A mesh that no node shows."""
    file = File()
    file.mesh()
    file.node(name="empty")
    return file


def in_another_scene() -> File:
    """A triangle in a scene that is not the one that is shown."""
    file = one_triangle()
    file.node(name="empty")
    file.json |= {"scene": 1, "scenes": [{"nodes": [0]}, {"nodes": [1]}]}
    return file


def in_no_scene() -> File:
    file = one_triangle()
    file.json |= {"scene": 0, "scenes": [{}]}
    return file


def without_count() -> File:
    """An accessor that has no values, which the format forbids and programs write."""
    file = File()
    view = file.view(b"\0" * 4)
    empty = file.add("accessors", bufferView=view, componentType=5126, count=0, type="VEC3")
    file.node(mesh=file.mesh({"attributes": {"POSITION": empty}}))
    return file


FILES: dict[str, Callable[[], File]] = {
    "nothing": File,
    "a scene without nodes": with_json(scenes=[{}], scene=0),
    "a scene without a number": with_json(scenes=[{"name": "a"}]),
    "nodes": with_json(nodes=[{"name": "a", "children": [1]}, {"name": "b"}]),
    "a camera": with_json(cameras=[{"type": "perspective"}], nodes=[{"camera": 0}]),
    "materials": with_json(materials=[{"name": "steel"}]),
    "a mesh without a node": without_use,
    "a mesh without positions": without_positions,
    "a mesh in another scene": in_another_scene,
    "a mesh in no scene": in_no_scene,
    "points": of_mode(0),
    "lines": of_mode(1),
    "a loop of lines": of_mode(2),
    "a strip of lines": of_mode(3),
    "two corners": of_mode(4, 2),
    "a strip of two corners": of_mode(5, 2),
    "a fan of two corners": of_mode(6, 2),
    "no values": without_count,
    "triangles without area": of_indices(0, 0, 1, 2, 2, 2),
    "two indices": of_indices(0, 1),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_triangles_says_so(name: str, tmp_path: Path) -> None:
    """Also if it is compared with a model, whose triangles it would remove."""
    file = FILES[name]()
    words = NO_AREA if name == "triangles without area" else NO_TRIANGLES
    assert words in made_of(file.scene()).losses
    assert words in imported(file.scene(), CUBE).losses
    path, out = tmp_path / "a.glb", tmp_path / "a.msh"
    path.write_bytes(file.glb())
    assert main(["import", str(path), "-o", str(out), "--exact"]) == 1
    assert not out.exists()


def test_a_file_with_a_triangle_does_not() -> None:
    said = (*made_of(one_triangle().scene()).losses, *imported(one_triangle().scene(), CUBE).losses)
    assert not {NO_TRIANGLES, NO_AREA}.intersection(said)
