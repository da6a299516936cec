"""What other programs do to materials that nobody edited is no edit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.operations.test_import_materials import exported, tank_in, with_material, without_extras, words
from viewer.model.convert import exchange
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import SceneFile, nothing
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.plan import ImportPlan, compare
from viewer.operations.opening import Source


def changed_json(glb: bytes, change: Callable[[Any], None]) -> bytes:
    """A file whose JSON is changed."""
    size = int.from_bytes(glb[12:16], "little")
    root, rest = json.loads(glb[20 : 20 + size]), glb[20 + size :]
    change(root)
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    head = glb[:8] + (20 + len(text) + len(rest)).to_bytes(4, "little")
    return head + len(text).to_bytes(4, "little") + b"JSON" + text + rest


def squared(root: Any) -> None:
    """As assimp writes what it has read: the opacity is multiplied twice."""
    root["asset"]["generator"] = "Open Asset Import Library (assimp v5.2.0)"
    for it in root["materials"]:
        color = it["pbrMetallicRoughness"].get("baseColorFactor")
        if color is not None and "alphaMode" in it:
            color[3] **= 2


def lit(root: Any) -> None:
    """As trimesh writes it, which knows of no unlit materials."""
    for it in root["materials"]:
        it.pop("extensions", None)


@pytest.mark.parametrize("habit", [squared, lit])
def test_what_another_program_does_to_glowing_materials_is_no_edit(
    tmp_path: Path, habit: Callable[[Any], None]
) -> None:
    tank = tank_in(tmp_path)

    def read_back(scene: Scene, change: Callable[[Any], None]) -> ImportPlan:
        ((name, data),) = exchange.files_of(scene, "glb", "tank").items()
        file = SceneFile(Path(name), changed_json(without_extras(data), change), "glb", nothing)
        return compare(FileStore(), file, Source(tank))

    scene = exported(tank)
    found = read_back(scene, habit)
    assert (words(found), found.losses) == ([], ())
    # what was edited besides is an edit
    red = with_material(scene, "HALO", lambda _, it: replace(it, color=(0.2, 0.0, 0.0, 1.0)))
    assert [it.split(":")[0] for it in words(read_back(red, habit))] == ["HALO"]

    def other(root: Any) -> None:
        habit(root)
        root["asset"]["generator"] = "another program"
        root["materials"][0]["extensions"] = {"KHR_materials_unlit": {}}

    assert words(read_back(scene, other)), "a program that does not do so says what it means"
