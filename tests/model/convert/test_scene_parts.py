"""What scenes cannot have as sentences, and curves as tracks that go through every frame."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, turn
from tests.corpora import ABSENT, SAMPLES
from tests.model.convert.test_from_model import source_of
from viewer.cli.main import main
from viewer.formats.msh import tables
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import NONE
from viewer.geometry.transforms import Doubles
from viewer.model.convert.from_model import notes_of, scene_of
from viewer.model.convert.gltf.curves import seconds_of
from viewer.model.convert.motion import rotations, tracks
from viewer.model.convert.motion.curve import Curve
from viewer.model.convert.motion.tracks import APART, track_of
from viewer.model.convert.obj import objects
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import Node as SceneNode
from viewer.model.convert.scene import Track
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source, model_of

NODES = [
    Node("hull", shapes={(0, 0): [box()], (1, 0): [box()]}, keys=[Key(0), Key(4, (1, 0, 0))]),
    Node("gun", parent=0, shapes={(0, 0): [box()]}, keys=[Key(0), Key(4, (2, 0, 0))]),
]
Z = (0.0, 0.0, 1.0)


def test_models_have_no_losses_even_if_one_cell_is_exported() -> None:
    source = source_of(ModelBuilder.of(NODES).model())
    assert scene_of(source).losses == scene_of(source, Options(has_all_cells=True)).losses == ()


def without_a_cell() -> Model:
    """A model in which no node shows the last slot."""
    data = bytearray(ModelBuilder.of(NODES).build())
    model = Model.read(bytes(data))
    nodes = model.nodes.copy()
    nodes["slots"][nodes["slots"] == len(model.slots) - 1] = NONE
    entry = model.archive.entries[model.archive.find_type(tables.NODES) or 0]
    data[entry.offset : entry.offset + nodes.nbytes] = nodes.tobytes()
    return Model.read(bytes(data))


def test_slots_and_batches_of_no_cell_are_named() -> None:
    model = without_a_cell()
    last, batch = len(model.slots) - 1, len(model.batches) - 1
    assert scene_of(source_of(model)).losses == (
        f"slots that no node shows in any cell: 1 ({last})",
        f"batches that no node shows in any cell: 1 ({batch})",
    )


def test_nodes_beyond_the_limit_of_keys_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of(ModelBuilder.of(NODES).model())
    monkeypatch.setattr(tracks, "ALLOWANCE", -(1 << 30))
    found = scene_of(source)
    told = "nodes that stand still, as the frame map asks for too many keys: 2 (0, 1)"
    assert found.losses == (told,)
    assert [node.track for node in found.nodes] == [None, None]
    assert scene_of(source, Options(clips=Clips.NONE)).losses == ()


def test_export_warns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.msh"
    path.write_bytes(ModelBuilder.of(NODES).build())
    monkeypatch.setattr(tracks, "ALLOWANCE", -(1 << 30))
    assert main(["export", str(path), "-o", str(tmp_path / "a.glb")]) == 0
    assert "a.glb: nodes that stand still" in capsys.readouterr().err
    path.write_bytes(chain(1 - 1e-4).build())
    assert main(["export", str(path), "-o", str(tmp_path / "b.glb")]) == 0
    assert "b.glb: at frame 0 vertices are up to" in capsys.readouterr().err


def chain(length: float, count: int = 40) -> ModelBuilder:
    """Nodes, each turned against the one below it by a rotation of a length."""
    turn = tuple((np.array([0.96, 0.0, 0.0, 0.28]) * length).tolist())
    keys, shapes = [Key(0, (1, 0, 0), turn)], {(0, 0): [box()]}
    return ModelBuilder.of(
        [Node(f"n{at}", parent=at - 1 if at else None, shapes=shapes, keys=keys) for at in range(count)]
    )


@pytest.mark.parametrize("model", ["chain", "h_nodes200"])
def test_vertices_that_are_not_where_the_game_shows_them_are_named(model: str) -> None:
    """As a reader of the file sees them at the frame that is named; what is exact is not mentioned."""
    source = (
        source_of(chain(1 - 1e-4).model()) if model == "chain" else of_corpus("robots.rlb", f"{model}.msh")
    )
    scene = scene_of(source)
    (note,) = notes_of(source, scene)
    frame, distance = map(float, re.findall(r"frame (\S+) vertices are up to (\S+) away", str(note))[0])
    pose = source.animation.pose(frame)
    worlds = objects.worlds(replace(scene, nodes=tuple(with_pose(node, frame) for node in scene.nodes)))
    away = []
    for at, node in enumerate(scene.nodes):
        shown = [it.positions for mesh in node.cells.values() for it in scene.meshes[mesh].primitives]
        points = np.vstack([np.zeros((1, 3)), *shown])
        there = [points @ it[:3, :3].T + it[:3, 3] for it in (worlds[at], pose.world[at].astype(np.float64))]
        away.append(np.linalg.norm(there[0] - there[1], axis=1).max())
    assert 0.8 * distance <= max(away) <= 1.06 * distance
    assert max(away) > 1e-3
    exact = source_of(chain(1, count=3).model())
    assert not [*notes_of(exact, scene_of(exact))]


ROUNDED = Key(0, (0, 0, 0), (0.96, 0.0, 0.0, 0.28))
"""A rotation that is not of unit length as it is stored."""


def noted(*nodes: Node) -> tuple[float, float]:
    """The frame and the distance that are named."""
    source = source_of(ModelBuilder.of([*nodes]).model())
    (note,) = notes_of(source, scene_of(source))
    frame, distance = re.findall(r"frame (\S+) vertices are up to (\S+) away", str(note))[0]
    return float(frame), float(distance)


def test_all_corners_of_what_a_node_shows_are_compared() -> None:
    """Its box ends at the origin of the node, which is where it should be."""
    shapes = {(0, 0): [box((100, 100, 100), center=(-50, -50, -50))]}
    assert noted(Node("n", shapes=shapes, keys=[ROUNDED]))[1] > 1e-4


def test_frames_within_the_movement_are_compared() -> None:
    """A part is at its parent in the first frame and in the last one, and far away between them."""
    away = [Key(0), Key(8, (1000, 0, 0)), Key(14)]
    parts = Node("base", keys=[ROUNDED]), Node("part", 0, keys=away)
    assert noted(*parts)[0] == 8


def with_pose(node: SceneNode, frame: float) -> SceneNode:
    if node.track is None:
        return node
    point = Curve(node.track).at(np.array([frame]))
    (x, y, z), (w, i, j, k) = point.positions[0].tolist(), point.rotations[0].tolist()
    return replace(node, position=(x, y, z), rotation=(w, i, j, k))


def of_corpus(archive: str, name: str) -> ModelSource:
    if not SAMPLES.is_dir():
        pytest.skip(ABSENT)
    return model_of(FileStore(), Source(Address(SAMPLES / "field/game" / archive, (name,))))


def animation_of(builder: ModelBuilder) -> Animation:
    model = builder.model()
    return Animation(model, Skeleton(model), QuaternionOrder.XYZW)


def at(track: Track, times: Doubles) -> tuple[Doubles, Doubles]:
    """What a program that follows glTF shows: linear positions, spherical rotations, held ends."""
    left = np.clip(np.searchsorted(track.times, times, "right") - 1, 0, len(track.times) - 2)
    start, end = track.times[left], track.times[left + 1]
    share = np.clip((times - start) / (end - start), 0, 1)[:, None]
    position, rotation = track.positions.astype(np.float64), track.rotations.astype(np.float64)
    first, second = rotation[left], rotation[left + 1]
    dot = (first * second).sum(axis=1, keepdims=True)
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    is_near = angle < 1e-6
    sine = np.where(is_near, 1, np.sin(angle))
    one = np.where(is_near, 1 - share, np.sin((1 - share) * angle) / sine)
    other = np.where(is_near, share, np.sin(share * angle) / sine)
    mixed = one * first + other * np.where(dot < 0, -second, second)
    return position[left] + (position[left + 1] - position[left]) * share, mixed


def largest_error(animation: Animation, node: int, times: Doubles) -> float:
    """The largest difference from the engine, but for times beside a whole one, where it may jump."""
    times = times.astype(np.float32).astype(np.float64)
    beside = np.abs(times - np.rint(times))
    times = times[(beside == 0) | (beside > APART)]
    sample = animation.sample_nodes(np.full(len(times), node), times.astype(np.float32))
    track = track_of(animation, node)
    rotation = rotations.active(sample.quaternion)
    held = sample.position[:1].astype(np.float64), rotation[:1].astype(np.float64)
    position, turned = held if track is None else at(track, times)
    moved = np.abs(position - sample.position).max() / (1 + np.abs(sample.position).max())
    ways = [np.abs(turned + sign * rotation).max(axis=1) for sign in (-1, 1)]
    return float(max(moved, np.minimum(ways[0], ways[1]).max()))


def many_times(random: np.random.Generator, frames: int) -> Doubles:
    """Times between frames, whole ones, and some after the end."""
    return np.concatenate([random.uniform(0, frames + 1, 60), np.arange(frames + 2), np.arange(frames) + 0.5])


def random_model(random: np.random.Generator) -> ModelBuilder:
    """Two nodes with keys at whole frames and any rotations."""
    frames = int(random.integers(2, 12))
    times = [0, *sorted(random.choice(np.arange(1, frames), min(4, frames - 1), replace=False).tolist())]
    axes = random.normal(size=(len(times), 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    keys = [
        Key(float(time), tuple(random.normal(size=3)), turn(tuple(axis), random.uniform(-180, 180)))
        for time, axis in zip(times, axes.tolist(), strict=True)
    ]
    return ModelBuilder.of([Node("a", keys=keys), Node("b", parent=0, keys=keys[:2])])


@pytest.mark.parametrize("change", ["nothing", "the map", "the times too", "a zero rotation"])
def test_any_frame_map_is_followed(change: str) -> None:
    random = np.random.default_rng(7)
    for _ in range(20):
        builder = random_model(random)
        count = len(builder.keys)
        if change != "nothing":
            builder.frame_map[:] = random.integers(0, count + 2, len(builder.frame_map))
        if change == "the times too":
            builder.keys["time"] = random.permutation(builder.keys["time"])
        if change == "a zero rotation":
            builder.keys["quaternion"][int(random.integers(0, count))] = 0
        animation = animation_of(builder)
        for node in range(2):
            error = largest_error(animation, node, many_times(random, animation.frame_count))
            assert error < (2e-3 if change == "a zero rotation" else 3e-5)


def test_a_canonical_map_gives_the_stored_keys() -> None:
    keys = [Key(0), Key(3, (1, 2, 3), turn(Z, 90)), Key(4, (1, 2, 3), turn(Z, 90)), Key(9, (0, 0, 1))]
    track = track_of(animation_of(ModelBuilder.of([Node(keys=keys)])), 0)
    assert track is not None
    assert track.times.tolist() == [0, 3, 4, 9]
    np.testing.assert_array_equal(track.positions, [key.position for key in keys])
    np.testing.assert_allclose(track.rotations[1], (np.sqrt(0.5), 0, 0, -np.sqrt(0.5)), atol=1e-5)


def test_a_jump_belongs_to_the_frame_after_an_even_time_and_before_an_odd_one() -> None:
    builder = ModelBuilder.of([Node(keys=[Key(0), Key(6, (6, 0, 0))])])
    for frame, is_jump_after in ((2, False), (3, True)):
        builder.frame_map[:] = [0] * frame + [1] * (7 - frame)
        track = track_of(animation_of(builder), 0)
        assert track is not None
        at_frame = track.positions[track.times.tolist().index(frame)]
        assert at_frame.tolist() == ([frame, 0, 0] if is_jump_after else [6, 0, 0])
        assert track.positions[[0, -1], 0].tolist() == [0, 6]


def test_a_half_turn_gets_a_key_that_says_which_way_round() -> None:
    keys = [Key(0), Key(4, quaternion=turn(Z, 180))]
    track = track_of(animation_of(ModelBuilder.of([Node(keys=keys)])), 0)
    assert track is not None
    assert track.times.tolist() == [0, 2, 4]


def test_the_tracks_of_all_nodes_at_once_are_those_of_each_alone() -> None:
    random = np.random.default_rng(11)
    for _ in range(20):
        builder = random_model(random)
        builder.frame_map[:] = random.integers(0, len(builder.keys) + 2, len(builder.frame_map))
        animation = animation_of(builder)
        together, stilled = tracks.tracks_of(animation, range(2))
        assert not stilled
        for node in range(2):
            alone, found = track_of(animation, node), together.get(node)
            assert (alone is None) == (found is None)
            if alone is not None and found is not None:
                for name in ("times", "positions", "rotations"):
                    np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))


def test_nodes_that_stand_still_have_no_track() -> None:
    animation = animation_of(ModelBuilder.of([Node(keys=[Key(0), Key(2)]), Node(parent=0)]))
    assert track_of(animation, 1) is None


def test_times_in_seconds_increase_in_single_precision() -> None:
    times = np.array([0, 1, 1 + 1e-12, 1 + 2e-12, 5e6, 5e6 + 1e-3])
    seconds = seconds_of(times, 15.0)
    assert (np.diff(seconds) > 0).all()
    np.testing.assert_allclose(seconds, times / 15, rtol=1e-6)


def test_vectors_are_made_one_long_in_double_precision() -> None:
    stored = np.random.default_rng(5).integers(-127, 128, (400, 3)).astype(np.float32) / np.float32(127)
    lengths = np.linalg.norm(stored.astype(np.float64), axis=1, keepdims=True)
    once_rounded = (stored.astype(np.float64) / lengths).astype(np.float32)
    assert np.array_equal(rotations.unit(stored).astype(np.float32), once_rounded)
    assert (stored / np.linalg.norm(stored, axis=1, keepdims=True) != once_rounded).any()
