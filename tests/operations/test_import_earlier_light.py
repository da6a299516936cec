"""Files of earlier versions, in which the light of the scene, 0.3, is added to that of self-lit materials."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.operations.test_import_materials import exported, tank_in, with_material, words
from viewer.model.convert import exchange
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import SceneFile
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.plan import ImportPlan, compare
from viewer.operations.opening import Source

LIGHTS = {"LAMP": (101, 50, 7), "HALO": (20, 10, 3)}
"""Self-lit materials of the model, and their light as it is stored."""
NOTE = "an earlier version wrote the file"


@pytest.fixture
def tank(tmp_path: Path) -> Address:
    return tank_in(tmp_path)


def earlier(scene: Scene) -> Scene:
    """The scene with the colors of an earlier version."""
    for name, light in LIGHTS.items():
        red, green, blue = (value / 255 + 0.3 for value in light)
        scene = colored(scene, name, (red, green, blue))
    return scene


def colored(scene: Scene, name: str, color: tuple[float, float, float]) -> Scene:
    return with_material(scene, name, lambda _, it: replace(it, color=(*color, it.color[3])))


def imported(address: Address, scene: Scene, version: int, suffix: str = "glb") -> ImportPlan:
    """What a scene changes in a file that says its version."""
    files = exchange.files_of(scene, suffix, "tank")
    name = f"tank.{suffix}"
    said, new = rb"{\"version\":2", rb"{\"version\":%d" % version
    file = SceneFile(Path(name), files[name].replace(said, new), suffix, files.__getitem__)
    return compare(FileStore(), file, Source(address))


@pytest.mark.parametrize("suffix", ["glb", "gltf", "obj"])
def test_an_unedited_file_changes_nothing_and_says_why(tank: Address, suffix: str) -> None:
    plan = imported(tank, earlier(exported(tank)), 1, suffix)
    assert words(plan) == []
    assert [it for it in plan.notes if it.startswith(NOTE)] == [
        "an earlier version wrote the file and added the light of the scene to self-lit materials: "
        "it is taken off LAMP, HALO"
    ]


def test_of_an_edited_color_the_light_of_the_scene_is_taken_off(tank: Address) -> None:
    """What showed as (0.5, 0.9, 1) was a light of 0.2, 0.6 and all that there is."""
    plan = imported(tank, colored(earlier(exported(tank)), "LAMP", (0.5, 0.9, 1.0)), 1)
    assert words(plan) == ["LAMP: set phases[0].ambient to [51, 153, 255]"]


def test_a_file_of_this_version_means_what_it_says(tank: Address) -> None:
    """The light of the material is what is shown."""
    plan = imported(tank, colored(earlier(exported(tank)), "LAMP", (0.4, 0.6, 0.8)), 2)
    assert [it for it in plan.notes if NOTE in it] == []
    assert words(plan)[0] == "LAMP: set phases[0].ambient to [102, 153, 204]"


def test_an_earlier_version_with_the_colors_of_now_is_read_as_it_is(tank: Address) -> None:
    plan = imported(tank, exported(tank), 1)
    assert words(plan) == []
    assert [it for it in plan.notes if NOTE in it] == []
