"""Models as scenes: poses, what nodes show, materials, clips."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, legacy24, quad, turn
from viewer.errors import UsageError
from viewer.formats.msh.batches import FLAG_OPEN, FLAG_PORTAL, FLAG_SIGN
from viewer.formats.msh.nodes import FLAG_COCKPIT
from viewer.model.clips.clip import Channel, Clip
from viewer.model.clips.controller import Controller
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.motion import rotations
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import AlphaMode, Scene
from viewer.model.convert.source import ModelSource, alpha_of
from viewer.model.material.materials import PLAIN_PHASE, AlphaKind, Material
from viewer.model.material.phases import state_at
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.interpolation import matrices
from viewer.model.mesh.pose.skeleton import Skeleton

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
MOVING = [
    Node("hull", shapes={(0, 0): [box()]}, keys=[Key(0, (1, 2, 3), turn(Z, 40)), Key(8, (0, 0, 9))]),
    Node("gun", parent=0, shapes={(0, 0): [box()]}, keys=[Key(0, (0, 1, 0), turn(X, 70)), Key(4)]),
]


def source_of(model: Model, controller: Controller | None = None) -> ModelSource:
    choice = reading.choose(model, Skeleton(model), draw_builder.build(model))
    found = ModelSource("test.msh", model, choice)
    return found if controller is None else replace(found, controller=controller)


def shown(scene: Scene, view: int = 0) -> list[tuple[int, int] | None]:
    return [*scene.views[view].shown]


def test_a_file_name_that_is_not_text_can_be_written() -> None:
    found = replace(source_of(ModelBuilder.of(MOVING).model()), name="\udccf\udcf0 \u0420.msh")
    scene = scene_of(found)
    assert scene.origin is not None
    assert scene.name == scene.origin.name == "?? \u0420.msh"
    assert glb_of(scene)


@pytest.mark.parametrize("time", [0.0, 2.5, 6.0])
def test_the_rest_pose_is_that_of_the_animation(time: float) -> None:
    source = source_of(ModelBuilder.of(MOVING).model())
    scene = scene_of(source, Options(rest=time))
    turned = np.array([node.rotation for node in scene.nodes])
    positions = np.array([node.position for node in scene.nodes], np.float32)
    local = matrices((turned * (1, -1, -1, -1)).astype(np.float32), positions)
    world = source.skeleton.world_from_node(local)
    np.testing.assert_allclose(world, source.animation.pose(time).world, atol=2e-4)


def test_a_rest_pose_at_no_time_is_refused() -> None:
    with pytest.raises(UsageError):
        scene_of(source_of(ModelBuilder.of(MOVING).model()), Options(rest=float("nan")))


def test_nodes_show_what_the_viewer_shows() -> None:
    nodes = [
        Node("all", shapes={(0, 0): [box()], (0, 1): [box()], (1, 0): [box()]}),
        Node("one", parent=0, shapes={(0, 0): [box()]}),
        Node("cockpit", parent=0, shapes={(0, 4): [box()]}, flags=FLAG_COCKPIT),
    ]
    source = source_of(ModelBuilder.of(nodes).model())
    assert shown(scene_of(source)) == [(0, 0), (0, 0), None]
    assert shown(scene_of(source, Options(cell=(1, 0)))) == [(1, 0), (0, 0), None]
    assert shown(scene_of(source, Options(cell=(0, 1)))) == [(0, 1), (0, 0), None]
    assert shown(scene_of(source, Options(cell=(0, 4)))) == [None, None, (0, 4)]


def test_all_cells_have_every_slot() -> None:
    nodes = [Node("gap", shapes={(0, 0): [box()], (2, 0): [box()], (1, 3): [box()]})]
    source = source_of(ModelBuilder.of(nodes).model())
    assert [len(scene_of(source, Options(has_all_cells=full)).meshes) for full in (False, True)] == [1, 3]
    scene = scene_of(source, Options(has_all_cells=True))
    assert [view.cell for view in scene.views] == [(0, 0), (1, 3), (2, 0)]
    assert set(scene.nodes[0].cells) == {(0, 0), (1, 3), (2, 0)}


def test_chosen_nodes_come_with_those_above_them_alone() -> None:
    nodes = [Node("a", shapes={(0, 0): [box()]}), Node("b"), Node("c", parent=1, shapes={(0, 0): [box()]})]
    scene = scene_of(source_of(ModelBuilder.of(nodes).model()), Options(nodes=frozenset({2, 99})))
    assert [(node.name, node.parent, node.number) for node in scene.nodes] == [("b", None, 1), ("c", 0, 2)]


def test_vertices_know_their_rows_and_batches_their_fields() -> None:
    shapes = [quad(material=3), quad(material=5, flags=0x100)]
    scene = scene_of(source_of(ModelBuilder.of([Node("a", shapes={(0, 0): shapes})]).model()))
    first, second = scene.meshes[0].primitives
    assert first.vertices is not None
    assert second.vertices is not None
    assert (first.vertices.tolist(), second.vertices.tolist()) == ([0, 1, 2, 3], [4, 5, 6, 7])
    assert (second.batch, second.fields["flags"], second.fields["material"]) == (1, 0x100, 5)
    assert [scene.materials[part.material or 0].row for part in (first, second)] == [3, 5]
    assert scene.meshes[0].fields["batch_count"] == 2


@pytest.mark.parametrize("kind", [0, FLAG_OPEN])
def test_doorways_and_open_portals_are_there_but_show_nothing(kind: int) -> None:
    shapes = [quad(), quad(flags=FLAG_PORTAL | kind)]
    scene = scene_of(source_of(ModelBuilder.of([Node("a", shapes={(0, 0): shapes})]).model()))
    wall, portal = (scene.materials[part.material or 0] for part in scene.meshes[0].primitives)
    assert (portal.color[3], portal.alpha, portal.fields["portal"]) == (0, AlphaMode.CUTOUT, True)
    assert portal.is_two_sided
    assert wall.alpha is AlphaMode.OPAQUE


def test_a_sign_shows_its_material() -> None:
    shapes = [quad(), quad(flags=FLAG_PORTAL | FLAG_SIGN)]
    scene = scene_of(source_of(ModelBuilder.of([Node("a", shapes={(0, 0): shapes})]).model()))
    sign = scene.materials[scene.meshes[0].primitives[1].material or 0]
    assert (sign.color[3], "portal" in sign.fields) == (1, False)


def test_a_model_without_readable_nodes_is_one_mesh() -> None:
    scene = scene_of(source_of(Model.read(legacy24([quad(), quad()]))))
    assert [len(mesh.primitives) for mesh in scene.meshes] == [2]
    assert shown(scene) == [(0, 0)]


@pytest.mark.parametrize(
    ("attr1", "kind", "opacity", "has_flag", "mode"),
    [
        (0, AlphaKind.TRANSLUCENT, 1.0, False, AlphaMode.OPAQUE),
        (2, AlphaKind.GLOSS, 1.0, True, AlphaMode.OPAQUE),
        (4, AlphaKind.TRANSLUCENT, 1.0, False, AlphaMode.BLENDED),
        (4, AlphaKind.CUTOUT, 1.0, False, AlphaMode.CUTOUT),
        (4, AlphaKind.CUTOUT, 1.0, True, AlphaMode.BLENDED),
        (4, AlphaKind.NONE, 0.5, False, AlphaMode.BLENDED),
        (4, AlphaKind.NONE, 1.0, False, AlphaMode.OPAQUE),
        (8, AlphaKind.NONE, 1.0, False, AlphaMode.ADDED),
    ],
)
def test_alpha_follows_the_look_of_the_game(
    attr1: int, kind: AlphaKind, opacity: float, has_flag: bool, mode: AlphaMode
) -> None:
    phase = replace(PLAIN_PHASE, ambient=(0, 0, 0, opacity))
    material = Material(0, attr1=attr1, has_see_through_flag=has_flag, phases=(phase,), alphas=(kind,))
    assert alpha_of(material, state_at(material, 0.0)) is mode


def clip(first: tuple[float, float], second: tuple[float, float] | None = None, weight: float = 0.0) -> Clip:
    return Clip(0, None, 1, first, second, weight, 2.0, (0,))


def test_a_clip_plays_its_frames_in_its_own_time_also_backwards() -> None:
    source = source_of(ModelBuilder.of(MOVING).model(), Controller(clips=(clip((2, 6)), clip((6, 2)))))
    forwards, backwards = scene_of(source, Options(clips=Clips.CLIPS)).clips
    for played, share in ((forwards, 0.25), (backwards, 0.75)):
        track = played.tracks[0]
        assert track.times.tolist() == [0, 2]
        position = track.positions[0] + (track.positions[1] - track.positions[0]) * share
        np.testing.assert_allclose(position, source.animation.pose(3.0).position[0], atol=1e-5)
    assert forwards.tracks[1].times.tolist() == [0, 1, 2]  # with the key at frame 4


def test_a_clip_that_takes_no_time_is_one_pose() -> None:
    instant = replace(clip((2, 6)), seconds=0.0)
    source = source_of(ModelBuilder.of(MOVING).model(), Controller(clips=(instant,)))
    assert scene_of(source, Options(clips=Clips.CLIPS)).clips[0].tracks[0].times.tolist() == [0]


def test_a_blend_of_two_ranges_is_sampled() -> None:
    source = source_of(ModelBuilder.of(MOVING).model(), Controller(clips=(clip((0, 4), (8, 4), 0.25),)))
    played = scene_of(source, Options(clips=Clips.CLIPS)).clips[0]
    assert played.fields["baked"]
    track = played.tracks[0]
    middle = len(track.times) // 2
    share = track.times[middle] / 2
    pose = source.animation.pose(4 * share, 8 - 4 * share, 0.25)
    np.testing.assert_allclose(track.positions[middle], pose.position[0], atol=1e-5)
    found = rotations.active(pose.quaternion)[0]
    assert abs(float(track.rotations[middle] @ found)) == pytest.approx(1, abs=1e-6)


def test_nodes_that_channels_drive_keep_their_initial_position() -> None:
    turret = Channel(0, 1, 0.0, 4.0, 0.5, 1.0, 1.0, 0)
    source = source_of(ModelBuilder.of(MOVING).model(), Controller(clips=(clip((2, 6)),), channels=(turret,)))
    track = scene_of(source, Options(clips=Clips.CLIPS)).clips[0].tracks[1]
    np.testing.assert_allclose(track.positions, [source.animation.pose(2.0).position[1]] * 2, atol=1e-6)
