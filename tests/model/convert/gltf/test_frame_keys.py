"""Keys that are added for programs that mix the components of rotations."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin

import numpy as np
import numpy.typing as npt

from viewer.model.convert.gltf.curves import Interpolation, KeyCurve, with_frame_keys, without_frame_keys
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.scene import Node, Options, Scene, Track


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
    assert without_frame_keys(replace(curve, values=edited), said).times.tolist() == [0, 2, 4]
    flipped = replace(curve, values=-made.rotations)
    assert without_frame_keys(flipped, said).times.tolist() == [0, 4]  # the same rotations
    moved = replace(curve, times=made.times + np.array([0, 0, 0.5, 0, 0]))
    assert without_frame_keys(moved, said).times.tolist() == [0, 2.5, 4]
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
