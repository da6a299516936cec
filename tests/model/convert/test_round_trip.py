"""Scenes as models and back: the same scenes, as exactly as the game's format holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from tests.model.convert.scenes import scenes
from tests.share import examples
from viewer.errors import Severity
from viewer.formats.archive import nres
from viewer.formats.msh import vertices
from viewer.formats.msh.triangles import ALL_NONE, NONE
from viewer.formats.record import Rows
from viewer.model.checks.models import check_model
from viewer.model.convert.building.tables import tables_of
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Mesh, Node, Primitive, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.mesh import draw_builder
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import FIELD, SEED, Reading, choose
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.resources import bundled_path

STEP = 0.5001
"""Half a step of a stored number, and the error of the binary32 ones around it."""
TURN = 4 / 32767
ALL = Options(has_all_cells=True, has_textures=False, has_frame_keys=False)


def source_of(data: bytes, reading: Reading) -> ModelSource:
    """A model without materials, in a reading."""
    model = Model.read(data)
    requested = ReadingChoice.SEED if reading is SEED else ReadingChoice.FIELD
    choice = choose(model, Skeleton(model), draw_builder.build(model), requested=requested)
    return ModelSource("model", model, choice)


@pytest.mark.parametrize("reading", [SEED, FIELD], ids=["seed", "field"])
@given(scene=scenes())
@settings(max_examples=examples(25), deadline=None)
def test_a_written_scene_reads_as_the_same(reading: Reading, scene: Scene) -> None:
    made = tables_of(scene, reading)
    back = scene_of(source_of(made.build(), reading), ALL)
    assert [node.name for node in back.nodes] == [node.name for node in scene.nodes]
    assert [node.parent for node in back.nodes] == [node.parent for node in scene.nodes]
    for before, after in zip(scene.nodes, back.nodes, strict=True):
        _assert_same_movement(before, after)
        assert sorted(before.cells) == sorted(after.cells)
        for cell, mesh in before.cells.items():
            _assert_same_mesh(scene, scene.meshes[mesh], back, back.meshes[after.cells[cell]])


def _assert_same_movement(before: Node, after: Node) -> None:
    assert (before.track is None) == (after.track is None)
    if before.track is None or after.track is None:
        np.testing.assert_array_equal(after.position, before.position)
        _assert_same_turns(np.array([after.rotation]), np.array([before.rotation]))
        return
    rows = np.searchsorted(after.track.times, before.track.times)
    np.testing.assert_array_equal(after.track.times[rows], before.track.times)
    np.testing.assert_array_equal(after.track.positions[rows], before.track.positions)
    _assert_same_turns(after.track.rotations[rows], before.track.rotations)


def _assert_same_turns(found: npt.NDArray[np.floating], wanted: npt.NDArray[np.floating]) -> None:
    sign = np.sign((found * wanted).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found * sign, wanted, atol=TURN)


def _assert_same_mesh(scene: Scene, before: Mesh, back: Scene, after: Mesh) -> None:
    for wanted, found in zip(before.primitives, after.primitives, strict=True):
        np.testing.assert_array_equal(found.positions, wanted.positions)
        np.testing.assert_array_equal(found.triangles, wanted.triangles)
        assert _row(back, found) == _row(scene, wanted)
        assert found.normals is not None
        assert wanted.normals is not None
        np.testing.assert_allclose(found.normals, wanted.normals, atol=2 * STEP / vertices.NORMAL_SCALE)
        assert found.uvs is not None
        assert wanted.uvs is not None
        np.testing.assert_allclose(found.uvs, wanted.uvs, atol=STEP / vertices.UV_SCALE)
        if wanted.lightmap_uvs is not None and found.lightmap_uvs is not None:
            np.testing.assert_allclose(found.lightmap_uvs, wanted.lightmap_uvs, atol=STEP / vertices.UV_SCALE)


def _row(scene: Scene, primitive: Primitive) -> int | None:
    assert primitive.material is not None
    return scene.materials[primitive.material].row


@pytest.mark.parametrize(
    ("archive", "name"), [("models.rlb", "walker"), ("models.rlb", "b_tower"), ("seed.rlb", "drone_seed")]
)
def test_a_model_written_from_its_scene_is_shown_alike(archive: str, name: str) -> None:
    container = nres.Archive.read(bundled_path(f"assets/game/{archive}").read_bytes())
    entry = container.find(f"{name}.msh".encode())
    assert entry is not None
    reading = SEED if name == "drone_seed" else FIELD
    scene = scene_of(source_of(bytes(container.payload(entry)), reading), ALL)
    made = tables_of(scene, reading)
    assert made.losses == ()
    assert [it for it in check_model(made.model()) if it.severity is not Severity.INFO] == []
    back = scene_of(source_of(made.build(), reading), ALL)
    for before, after in zip(scene.nodes, back.nodes, strict=True):
        assert (before.name, before.socket_tag, before.parent) == (after.name, after.socket_tag, after.parent)
        _assert_same_movement(before, after)
        for cell, mesh in before.cells.items():
            _assert_same_mesh(scene, scene.meshes[mesh], back, back.meshes[after.cells[cell]])
    assert (scene.tables, scene.attributes) == (back.tables, back.attributes)


def test_bounds_normals_and_links_are_those_of_another_program(samples: Path) -> None:
    same = []
    for path in sorted(samples.glob("*/direct/**/*.msh")):
        model = Model.read(path.read_bytes())
        if model.variant is not Variant.MODEL:
            continue
        choice = choose(model, Skeleton(model), draw_builder.build(model))
        scene = scene_of(ModelSource(path.name, model, choice), ALL)
        made = tables_of(scene, choice.reading)
        stored = model.slots[[mesh.slot or 0 for mesh in scene.meshes]]
        for name in ("aabb_min", "aabb_max", "sphere_center", "sphere_radius"):
            np.testing.assert_allclose(made.slots[name], stored[name], rtol=1e-5, atol=1e-5)
        for row, slot in zip(made.slots, stored, strict=True):
            found, wanted = _described(made.triangles, row), _described(model.tri_descriptors, slot)
            assert np.abs(found["normal"].astype(np.int64) - wanted["normal"]).max(initial=0) <= 1
            same += [
                *(found["links"] == wanted["links"]).ravel(),
                *(found["selectors"] == wanted["selectors"]),
            ]
    assert len(same) > 10_000
    # Where more than two triangles meet at an edge, programs differ in which of them they link.
    assert np.mean(same) > 0.998


def _described(descriptors: Rows, slot: np.void) -> Rows:
    """The descriptors of a slot; links count from the first of them, and selectors are without noise."""
    start, count = int(slot["tri_start"]), int(slot["tri_count"])
    rows = descriptors[start : start + count].copy()
    rows["links"] -= np.where(rows["links"] == NONE, 0, start).astype(np.uint16)
    rows["selectors"] &= ALL_NONE
    return rows
