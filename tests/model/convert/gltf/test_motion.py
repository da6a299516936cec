"""Animations of other programs as tracks: what is linear is kept, what is not is close at every frame."""

from __future__ import annotations

import re
from math import cos, radians, sin
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.model.convert.gltf.making import File
from viewer.errors import FormatError
from viewer.model.convert.building.tables import made_of
from viewer.model.convert.gltf.animation import MOST_FRAMES
from viewer.model.convert.gltf.curves import Interpolation, KeyCurve, with_frame_keys, without_frame_keys
from viewer.model.convert.gltf.read import FPS, read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Node, Scene, Track

HALF = 0.7071067811865476
MOVED = [[0, 0, 0], [1, 2, 3], [4, 4, 4]]


def moving(path: str, seconds: Any, values: Any, mode: str = "LINEAR") -> Scene:
    """A file with a node that is moved."""
    file = File()
    file.node(name="still")
    file.node(name="moving", translation=[7, 0, 0])
    file.animation(1, path, seconds, values, mode)
    found = file.scene()
    assert found.nodes[0].track is None
    return found


def track_of(scene: Scene, node: int = 1) -> Track:
    track = scene.nodes[node].track
    assert track is not None
    return track


def test_linear_keys_are_kept() -> None:
    scene = moving("translation", np.array([0, 3, 4.5]) / FPS, MOVED)
    track = track_of(scene)
    assert track.times.tolist() == pytest.approx([0, 3, 4.5])
    assert track.positions.tolist() == [[0, 0, 0], [1, -3, 2], [4, -4, 4]]
    assert track.rotations.tolist() == [[1, 0, 0, 0]] * 3
    assert scene.frame_count == 6
    assert scene.losses == ()


@pytest.mark.parametrize("fps", [15, 24, 30, 60, 12.5])
def test_seconds_become_whole_frames(fps: float) -> None:
    frames = np.arange(0, 5000, 7)
    file = File()
    file.node()
    file.animation(0, "translation", (frames / fps).astype("f4"), np.zeros((len(frames), 3)))
    assert track_of(read(file.glb(), fps=fps), 0).times.tolist() == frames.tolist()


def test_keys_of_position_and_rotation_are_joined() -> None:
    file = File()
    file.node(rotation=[0, 0, 0, 1])
    file.animation(0, "translation", [0, 4 / FPS], [[0, 0, 0], [4, 0, 0]])
    file.json["animations"][0]["samplers"].append(
        {"input": file.array([1 / FPS, 3 / FPS]), "output": file.array([[0, 0, 0, 1], [0, HALF, 0, HALF]])}
    )
    file.json["animations"][0]["channels"].append({"sampler": 1, "target": {"node": 0, "path": "rotation"}})
    track = track_of(file.scene(), 0)
    assert track.times.tolist() == [0, 1, 3, 4]
    np.testing.assert_allclose(track.positions[:, 0], [0, 1, 3, 4], atol=1e-6)
    eighth = np.sin(np.pi / 8) * 0
    np.testing.assert_allclose(track.rotations[:, 3], [eighth, 0, HALF, HALF], atol=1e-6)


@pytest.mark.parametrize("dtype", ["<i2", "|i1"])
def test_rotations_of_whole_numbers(dtype: str) -> None:
    most = np.iinfo(np.dtype(dtype)).max
    file = File()
    file.node()
    file.animation(0, "rotation", [0, 1], [[0, 0, 0, 1]] * 2)
    stored = file.array(np.round(np.array([[0, 0, 0, 1], [HALF, 0, 0, HALF]]) * most), dtype, normalized=True)
    file.json["animations"][0]["samplers"][0]["output"] = stored
    track = track_of(file.scene(), 0)
    np.testing.assert_allclose(np.linalg.norm(track.rotations, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(track.rotations[1], [HALF, HALF, 0, 0], atol=1e-6)


def test_held_keys_jump_within_a_frame() -> None:
    scene = moving("translation", np.array([0, 2, 4]) / FPS, MOVED, "STEP")
    track = track_of(scene)
    assert track.times.tolist() == [0, 1, 2, 3, 4]
    assert track.positions[:, 0].tolist() == [0, 0, 1, 1, 4]
    (loss,) = scene.losses
    assert re.search(r"off by up to 3\.7\d* and 0 degrees$", loss)


def test_held_keys_of_one_value_are_no_loss() -> None:
    assert moving("translation", [0, 1], [[1, 1, 1]] * 2, "STEP").losses == ()


def test_cubic_keys_are_sampled_at_every_frame() -> None:
    values = np.zeros((2, 3, 3))
    values[0, 2] = values[1, 0] = (15, 0, 0)  # tangents per second
    values[1, 1] = (4, 0, 0)
    scene = moving("translation", [0, 4 / FPS], values.reshape(-1, 3), "CUBICSPLINE")
    track = track_of(scene)
    assert track.times.tolist() == [0, 1, 2, 3, 4]
    # With tangents of one unit a frame the curve is the straight line.
    np.testing.assert_allclose(track.positions[:, 0], [0, 1, 2, 3, 4], atol=1e-5)
    assert scene.losses == ()


def test_cubic_keys_of_one_value_are_that_value_between_them() -> None:
    """p(t) = (2t^3 - 3t^2 + 1) v0 + (-2t^3 + 3t^2) v1 without tangents, whose factors add up to 1."""
    values = np.full((2, 3), 5, np.float32)
    curve = KeyCurve(Interpolation.CUBIC, np.array([0.0, 8.0]), values, np.zeros((2, 2, 3)))
    np.testing.assert_allclose(curve.at(np.array([1.0, 3.0, 6.0])), np.full((3, 3), 5), atol=1e-6)


def test_a_key_at_the_last_frame_is_there_once() -> None:
    last = MOST_FRAMES - 1
    file = File()
    file.node()
    file.animation(0, "translation", [0, last, last + 100], MOVED)
    scene = read(file.glb(), fps=1)
    assert track_of(scene, 0).times.tolist() == [0, last]
    assert len(scene.losses) == 1


def test_the_deviation_of_cubic_rotations_is_named() -> None:
    values = np.zeros((2, 3, 4))
    values[:, 1] = [(0, 0, 0, 1), (0, 1, 0, 0)]
    scene = moving("rotation", [0, 1.5 / FPS], values.reshape(-1, 4), "CUBICSPLINE")
    (loss,) = scene.losses
    assert re.search(r"off by up to 0 and \d+(\.\d+)? degrees$", loss)
    assert track_of(scene).times.tolist() == pytest.approx([0, 1, 1.5])


def test_animations_follow_one_another() -> None:
    file = File()
    file.node(name="a", translation=[9, 0, 0])
    file.node(name="b")
    file.animation(0, "translation", [0, 2 / FPS], [[0, 0, 0], [2, 0, 0]])
    file.animation(1, "translation", [1 / FPS, 2.5 / FPS], [[5, 0, 0], [6, 0, 0]])
    file.json["animations"][0]["name"], file.json["animations"][1]["name"] = "walk", "run"
    file.json["animations"][1]["channels"].append(
        {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    )
    scene = file.scene()
    assert [(it.name, it.first, it.last) for it in scene.clips] == [("walk", 0, 2), ("run", 3, 6)]
    assert scene.frame_count == 7
    a, b = track_of(scene, 0), track_of(scene, 1)
    assert a.times.tolist() == pytest.approx([0, 2, 3, 4, 5.5, 6])
    assert a.positions[:, 0].tolist() == [0, 2, 5, 5, 6, 6]
    assert b.times.tolist() == pytest.approx([0, 2, 3, 4, 5.5, 6])
    assert b.positions[:, 0].tolist() == [0, 0, 5, 5, 6, 6]
    assert scene.losses == ()
    made = made_of(scene)
    assert made.losses[0] == "2 animations follow one another"
    assert made.notes == ("clip walk: frames 0 to 2", "clip run: frames 3 to 6")


def test_animations_of_different_nodes_run_together() -> None:
    file = File()
    for node in range(2):
        file.node(name=f"{node}")
        file.animation(node, "translation", [node / FPS, 3 / FPS], [[0, 0, 0], [2, 0, 0]])
    scene = file.scene()
    assert [track_of(scene, node).times.tolist() for node in range(2)] == [[0, 3], [1, 3]]
    assert (scene.frame_count, len(scene.clips), scene.losses) == (4, 2, ())
    assert [(it.first, it.last) for it in scene.clips] == [(0, 3), (0, 3)]


def test_more_nodes_than_a_model_has_are_refused_at_once() -> None:
    file = File()
    for _ in range(65_536):
        file.node()
    with pytest.raises(FormatError, match="65536 nodes, at most 65535"):
        file.scene()


def test_children_of_scaled_nodes_move_as_far() -> None:
    file = File()
    file.node(children=[1], scale=[-2, 2, 2])
    file.node()
    file.animation(1, "translation", [0, 1], [[0, 0, 0], [1, 2, 3]])
    file.animation(1, "rotation", [0, 1], [[0, 0, 0, 1], [0, HALF, 0, HALF]])
    track = track_of(file.scene(), 1)
    np.testing.assert_allclose(track.positions[1], [-2, -6, 4], atol=1e-5)
    np.testing.assert_allclose(track.rotations[-1], [HALF, 0, 0, -HALF], atol=1e-6)


def test_what_turns_under_an_uneven_scale_is_a_loss() -> None:
    file = File()
    file.node(children=[1], scale=[2, 1, 1])
    file.node()
    file.animation(1, "rotation", [0, 1], [[0, 0, 0, 1], [0, HALF, 0, HALF]])
    (loss,) = file.scene().losses
    # Turned by 90 degrees about Y, what was 2 long along X is 1 long, and the game shows it as 2.
    words = (
        "turns under a scale by several factors, which is exact at rest only: off by up to 50 % of its size"
    )
    assert loss == f"nodes[1]: {words}"


def test_a_scale_that_changes_is_a_loss() -> None:
    assert moving("scale", [0, 1], [[1, 1, 1], [1, 1, 1]]).losses == ()
    (loss,) = moving("scale", [0, 1], [[1, 1, 1], [2, 1, 1]]).losses
    assert loss == "nodes[1]: scale that changes stays as it is at rest"


def test_weights_and_pointers_are_a_loss() -> None:
    file = File()
    file.node()
    file.animation(0, "weights", [0, 1], [1, 2])
    file.json["animations"][0]["channels"].append({"sampler": 0, "target": {"path": "pointer"}})
    assert file.scene().losses == (
        "animations[0].channels[0]: morph targets are left out",
        "animations[0].channels[1]: movement of something else than nodes is left out",
    )


def test_a_very_long_animation_is_cut_off() -> None:
    scene = moving("translation", [0, 1e6], [[0, 0, 0], [1e6, 0, 0]])
    assert scene.frame_count == 65_534
    np.testing.assert_allclose(track_of(scene).positions[-1, 0], 65_533 / 15, rtol=1e-4)
    assert scene.losses == ("animations[0]: what moves after frame 65533 is left out",)


def test_keys_that_go_back_in_time_are_a_loss() -> None:
    scene = moving("translation", [0, 2 / 15, 1 / 15, 2 / 15, 4 / 15], [[it, 0, 0] for it in range(5)])
    # The second key at frame 2 holds from there, the first one just before it.
    assert track_of(scene).times.tolist() == [0, 2 - 1 / 64, 2, 4]
    assert track_of(scene).positions[:, 0].tolist() == [0, 1, 3, 4]
    assert scene.losses[0].endswith("keys that are earlier than the ones before them are left out")


@pytest.mark.parametrize(
    ("frames", "times", "places"),
    [
        ([0, 3, 3, 6], [0, 3 - 1 / 64, 3, 6], [0, 1, 2, 3]),
        ([0, 2.5, 2.5, 2.5, 6], [0, 2.5 - 1 / 64, 2.5, 6], [0, 1, 3, 4]),  # the one between never shows
        ([0, 0, 6], [0, 6], [1, 2]),  # nothing is before time 0
        ([0, 3 - 1 / 128, 3, 3, 6], [0, 3 - 1 / 128, 3 - 1 / 256, 3, 6], [0, 1, 2, 3, 4]),
        ([3, 3, 6], [3 - 1 / 64, 3, 6], [0, 1, 2]),
    ],
)
def test_two_keys_at_one_time_are_a_cut(frames: list[float], times: list[float], places: list[float]) -> None:
    scene = moving("translation", np.array(frames) / FPS, [[it, 0, 0] for it in range(len(frames))])
    assert track_of(scene).times.tolist() == pytest.approx(times, abs=1e-6)
    assert track_of(scene).positions[:, 0].tolist() == places
    assert scene.losses == ()


def turn(*degrees: float) -> npt.NDArray[np.float32]:
    """Rotations about Z."""
    return np.array([(cos(radians(it) / 2), 0, 0, sin(radians(it) / 2)) for it in degrees], "f4")


def track(times: list[float], rotations: npt.NDArray[np.float32]) -> Track:
    return Track(np.array(times), np.zeros((len(times), 3), "f4"), rotations)


def test_a_wide_turn_gets_keys_on_its_way() -> None:
    made = with_frame_keys(track([0, 4, 6], turn(0, 80, 80)))
    assert made.times.tolist() == [0, 1, 2, 3, 4, 6]  # nothing turns after 4
    np.testing.assert_allclose(made.rotations, turn(0, 20, 40, 60, 80, 80), atol=1e-6)
    np.testing.assert_allclose(made.added[:, 0], [1, 2, 3])


def test_the_shorter_way_is_taken() -> None:
    made = with_frame_keys(track([0, 4], np.concatenate([turn(0), -turn(80)])))
    np.testing.assert_allclose(made.rotations[1], turn(20)[0], atol=1e-6)


def test_a_small_turn_and_one_from_frame_to_frame_stay() -> None:
    for times, rotations in (([0, 4], turn(0, 3)), ([0, 1], turn(0, 170)), ([0, 1 / 1024], turn(0, 170))):
        given = track([*times], rotations)
        assert len(with_frame_keys(given).added) == 0
    assert len(with_frame_keys(track([5], turn(9))).added) == 0


def test_added_keys_are_left_out_unless_they_changed() -> None:
    given = track([0, 4], turn(0, 80))
    made = with_frame_keys(given)
    said = made.added.reshape(-1).tolist()
    curve = KeyCurve(Interpolation.LINEAR, made.times, made.rotations)
    found = without_frame_keys(curve, said)
    np.testing.assert_array_equal(found.times, given.times)
    np.testing.assert_array_equal(found.values, given.rotations)
    edited = made.rotations.copy()
    edited[2] = turn(50)[0]
    # Without those at 1 and 3 it would be at 25 and 65 degrees there.
    assert without_frame_keys(replace(curve, values=edited), said).times.tolist() == [0, 1, 2, 3, 4]
    flipped = replace(curve, values=-made.rotations)
    assert without_frame_keys(flipped, said).times.tolist() == [0, 4]  # the same rotations
    moved = replace(curve, times=made.times + np.array([0, 0, 0.5, 0, 0]))
    assert without_frame_keys(moved, said).times.tolist() == [0, 1, 2.5, 3, 4]
    cut = KeyCurve(Interpolation.LINEAR, made.times[:-1], made.rotations[:-1])
    assert without_frame_keys(cut, said).times.tolist() == [0, 3]  # sampled without the last frame


def test_files_have_them_and_scenes_do_not() -> None:
    moving = track([0, 4, 8], turn(0, 80, 0))
    scene = Scene("crane", (Node("arm", track=moving, number=0),), frame_count=9)
    for has_frame_keys, count in ((True, 9), (False, 3)):
        data = glb_of(replace(scene, options=Options(has_frame_keys=has_frame_keys)))
        assert (b'"count":9' in data) == (count == 9)
        found = read(data).nodes[0].track
        assert found is not None
        np.testing.assert_array_equal(found.times, [0, 4, 8])
        np.testing.assert_allclose(found.rotations, moving.rotations, atol=1e-6)
