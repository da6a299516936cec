"""Movement of a file at whole frames: that of the model is the file's, however it goes between its keys.

What a file says is worked out here from its numbers by the rules of glTF 2.0, appendix C.
"""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, turn
from tests.model.convert.importing.scenes import scene, source_of, with_node
from tests.model.edit.drafts import draft_of
from viewer.formats.msh.keys import KEY
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.check.deviation import DeviationKind
from viewer.model.convert.importing.check.deviations import deviations
from viewer.model.convert.importing.importer import Import, changes_of
from viewer.model.convert.importing.motion.fitting import with_known_times
from viewer.model.convert.motion.curve import Curve
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Track
from viewer.model.convert.source import ModelSource
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.plan import plan
from viewer.model.edit.rows.row_changes import ReplaceTrack

ARM = [
    Key(0, (0, 0, 1)),
    Key(8, (1, 0, 1), turn((0, 0, 1), 100)),
    Key(16, (1, 2, 1), turn((0, 1, 0), 70)),
    Key(24, (0, 0, 1)),
]
"""Wide turns: export adds keys at 1 to 7, 9 to 15 and 17 to 23."""
SOURCE = source_of(
    ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]}), Node("arm", 0, keys=ARM)]).build()
)
WITH_KEYS = Options(has_textures=False)
NATIVE = Options(has_textures=False, has_frame_keys=False)
LAST = 24
FPS = 15
STEP = 1 / 32767

Numbers = npt.NDArray[np.float64]


def between(start: Numbers, end: Numbers, share: float) -> Numbers:
    """A rotation between two on the shorter way, in double precision."""
    dot = float(start @ end)
    end, dot = (-end, -dot) if dot < 0 else (end, dot)
    angle = np.arccos(min(dot, 1.0))
    if angle < 1e-9:
        return start
    made: Numbers = (np.sin((1 - share) * angle) * start + np.sin(share * angle) * end) / np.sin(angle)
    return made


def degrees_between(one: Numbers, other: Numbers) -> float:
    """The angle between two rotations."""
    chord = min(float(np.linalg.norm(it)) for it in (one - other, one + other))
    return float(np.degrees(4 * np.arcsin(min(chord / 2, 1.0))))


class Turns(Struct, frozen=True):
    """The rotations of the arm in a file: times in frames, x, y, z, w, and tangents a frame of cubic ones."""

    times: Numbers
    values: Numbers
    mode: str = "LINEAR"
    tangents: Numbers | None = None

    def at(self, frame: float) -> Numbers:
        """The rotation at a frame; of two keys at one time the second one."""
        left = int(np.searchsorted(self.times, frame + 1e-9, "right")) - 1
        if left < 0 or left >= len(self.times) - 1 or self.mode == "STEP":
            held: Numbers = self.values[max(left, 0)]
            return held
        start, end = self.values[left : left + 2]
        length = self.times[left + 1] - self.times[left]
        t = (frame - self.times[left]) / length
        if self.tangents is None:
            return between(start, end, t)
        out, into = length * self.tangents[left, 1], length * self.tangents[left + 1, 0]
        made: Numbers = (
            (2 * t**3 - 3 * t**2 + 1) * start
            + (t**3 - 2 * t**2 + t) * out
            + (3 * t**2 - 2 * t**3) * end
            + (t**3 - t**2) * into
        )
        made /= np.linalg.norm(made)
        return made

    def turned(self, frames: Sequence[float], degrees: float = 30) -> Turns:
        """With some keys turned about an axis of the node."""
        half = np.radians(degrees) / 2
        x, y, z, w = np.append(np.array([1, 2, 2]) / 3 * np.sin(half), np.cos(half))
        values = self.values.copy()
        for row in np.flatnonzero(np.isin(np.round(self.times, 6), frames)):
            a, b, c, d = values[row]
            values[row] = (
                d * x + a * w + b * z - c * y,
                d * y - a * z + b * w + c * x,
                d * z + a * y - b * x + c * w,
                d * w - a * x - b * y - c * z,
            )
        return replace(self, values=values)

    def some(self, rows: Any) -> Turns:
        """Some of its keys."""
        return replace(self, times=self.times[rows], values=self.values[rows])

    def resampled(self, times: Numbers) -> Turns:
        """With a key at each of some times, linear."""
        return Turns(times, np.array([self.at(it) for it in times]))


def exported(options: Options) -> tuple[dict[str, Any], bytes]:
    """The JSON and the bytes of the file that export writes."""
    data = glb_of(scene(options, SOURCE))
    (size,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def sampler_of(document: dict[str, Any]) -> dict[str, Any]:
    """The sampler of the rotation of the arm."""
    (animation,) = document["animations"]
    channels = (it for it in animation["channels"] if it["target"]["path"] == "rotation")
    found: dict[str, Any] = animation["samplers"][next(channels)["sampler"]]
    return found


def known_turns(options: Options = WITH_KEYS) -> Turns:
    """The rotations of the arm as they are exported, with the keys that are added."""
    document, data = exported(options)
    found = []
    for name, width in (("input", 1), ("output", 4)):
        accessor = document["accessors"][sampler_of(document)[name]]
        view = document["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        found.append(np.frombuffer(data, "<f4", width * accessor["count"], start).astype(np.float64))
    return Turns(np.round(found[0] * FPS, 4), found[1].reshape(-1, 4))


def file_with(turns: Turns, options: Options = WITH_KEYS) -> bytes:
    """The exported file with other rotations of the arm."""
    document, data = exported(options)
    values = turns.values
    if turns.tangents is not None:
        rates = turns.tangents * FPS
        values = np.stack([rates[:, 0], values, rates[:, 1]], axis=1)
    arrays = ((turns.times / FPS).astype("<f4"), values.astype("<f4"))
    document["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{b64encode(data).decode()}"
    for name, kind, array in zip(("input", "output"), ("SCALAR", "VEC4"), arrays, strict=True):
        uri = f"data:application/octet-stream;base64,{b64encode(array.tobytes()).decode()}"
        document["buffers"].append({"byteLength": array.nbytes, "uri": uri})
        view = {"buffer": len(document["buffers"]) - 1, "byteLength": array.nbytes}
        document["bufferViews"].append(view)
        count = array.size if kind == "SCALAR" else array.size // 4
        accessor = {"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "count": count}
        document["accessors"].append(accessor | {"type": kind})
        sampler_of(document)[name] = len(document["accessors"]) - 1
    sampler_of(document)["interpolation"] = turns.mode
    return json.dumps(document).encode()


def changes_in(turns: Turns) -> Import:
    """What an import of the file with these rotations changes."""
    return changes_of(SOURCE, read(file_with(turns)))


def model_of(found: Import) -> ModelSource:
    """The model after an import."""
    return source_of(plan(draft_of(bytes(SOURCE.data)), found.changes).after)


def after(found: Import) -> ModelSource:
    """The model after an import with which the check of the program agrees."""
    made = plan(draft_of(bytes(SOURCE.data)), found.changes)
    assert [it.words for it in deviations(found, SOURCE.edited(made.after), made.moves)] == []
    return source_of(made.after)


def matrix(quaternion: Numbers) -> Numbers:
    """The matrix of a rotation x, y, z, w of the file in the axes of the model, which has Z up."""
    x, y, z, w = quaternion[0], -quaternion[2], quaternion[1], quaternion[3]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def check_frames(source: ModelSource, turns: Turns, positions: ModelSource = SOURCE) -> None:
    """Compare every whole frame of the arm with the file."""
    for frame in range(int(np.ceil(turns.times[-1])) + 1):
        local = source.animation.pose(float(frame)).local[1].astype(np.float64)
        # Four components each off by at most one step and a half of what is stored.
        np.testing.assert_allclose(local[:3, :3], matrix(turns.at(frame)), atol=12 * STEP, err_msg=f"{frame}")
        there = positions.animation.pose(float(frame)).local[1][:3, 3]
        np.testing.assert_allclose(local[:3, 3], there, atol=1e-5)


def key_times(source: ModelSource) -> list[float]:
    """The frames of the keys of the arm."""
    found: list[float] = source.model.keys[source.animation.track(1)]["time"].tolist()
    return found


def test_a_file_that_was_not_edited_changes_nothing() -> None:
    known = known_turns()
    assert known.times.tolist() == [*range(25)]
    assert known_turns(NATIVE).times.tolist() == [0, 8, 16, 24]
    for turns, options in ((known, WITH_KEYS), (known_turns(NATIVE), NATIVE)):
        found = changes_of(SOURCE, read(file_with(turns, options)))
        assert (found.changes, found.losses) == ((), ())


@pytest.mark.parametrize(
    ("frames", "needed"),
    [
        ([12], [11, 12, 13]),
        ([9], [9, 10]),
        ([15], [14, 15]),
        ([3, 4, 20], [2, 3, 4, 5, 19, 20, 21]),
        ([8], [7, 9]),
        ([0], [1]),
    ],
)
def test_a_key_that_is_turned_leaves_the_frames_beside_it_as_they_are(
    frames: list[float], needed: list[float]
) -> None:
    """Of the keys that export added only those stay that are needed for that."""
    turns = known_turns().turned(frames)
    found = changes_in(turns)
    assert found.losses == ()
    made = after(found)
    check_frames(made, turns)
    assert key_times(made) == sorted({0, 8, 16, 24, *needed})
    for row, stored in zip(
        SOURCE.animation.track(1), SOURCE.model.keys[SOURCE.animation.track(1)], strict=True
    ):
        if stored["time"] not in frames:
            kept = made.model.keys[made.animation.track(1)]
            assert stored.tobytes() == kept[kept["time"] == stored["time"]][0].tobytes(), row


def test_a_key_that_is_added_and_one_that_is_removed() -> None:
    known = known_turns()
    for frame in (8, 12):
        turns = known.some(known.times != frame)
        made = after(changes_in(turns))
        check_frames(made, turns)
    native = known.some(np.isin(known.times, (0, 8, 16, 24)))
    added = native.resampled(np.array([0.0, 8, 13, 16, 24])).turned([13])
    made = after(changes_in(added))
    check_frames(made, added)
    assert key_times(made) == [0, 8, 13, 16, 24]


@pytest.mark.parametrize("frame", [8, 12])
def test_a_key_in_every_frame_of_a_file_without_extras(frame: int) -> None:
    turns = known_turns().turned([frame])
    data = json.loads(file_with(turns))
    plain = json.loads(
        json.dumps(data), object_hook=lambda it: {k: v for k, v in it.items() if k != "extras"}
    )
    found = changes_of(SOURCE, read(json.dumps(plain).encode()))
    made = after(found)
    check_frames(made, turns)
    assert key_times(made) == sorted({0, 8, 16, 24, frame - 1, frame, frame + 1})


@pytest.mark.parametrize("shift", [0, 0.5])
@pytest.mark.parametrize("scale", [0.5, 0.7, 1, 1.5, 2])
@pytest.mark.parametrize("is_native", [False, True])
def test_keys_between_frames_give_the_movement_at_whole_frames(
    scale: float, shift: float, is_native: bool
) -> None:
    known = known_turns(NATIVE if is_native else WITH_KEYS)
    turns = replace(known, times=known.times * scale + shift)
    found = changes_in(turns)
    made = model_of(found)
    frames = range(int(np.ceil(turns.times[-1])) + 1)
    for frame in frames:
        local = made.animation.pose(float(frame)).local[1].astype(np.float64)
        np.testing.assert_allclose(local[:3, :3], matrix(turns.at(frame)), atol=12 * STEP, err_msg=f"{frame}")
    whole = turns.resampled(np.array(frames, np.float64))
    away = max(degrees_between(whole.at(it), turns.at(it)) for it in turns.times)
    if away < 0.01:
        assert found.losses == ()
        return
    (loss,) = found.losses
    words = loss.split()
    assert words[:8] == ["arm:", "movement", "between", "whole", "frames", "goes", "straight:", "off"]
    assert float(words[words.index("degrees,") - 1]) == pytest.approx(away, rel=0.01, abs=0.02)


@pytest.mark.parametrize("mode", ["STEP", "CUBICSPLINE"])
def test_held_and_cubic_movement_is_the_same_at_whole_frames(mode: str) -> None:
    native = known_turns(NATIVE)
    tangents = np.tile(np.array([0.02, -0.03, 0.05, 0.01]), (4, 2, 1)) if mode == "CUBICSPLINE" else None
    turns = replace(native, mode=mode, tangents=tangents)
    found = changes_in(turns)
    check_frames(after(found), turns)
    (loss,) = found.losses
    assert loss.startswith(
        "movement that is held or cubic goes straight from frame to frame: off by up to 0 "
    )


@pytest.mark.parametrize("frame", [3, 8, 11, 12.5])
def test_two_keys_at_one_time_are_a_cut_within_one_frame(frame: float) -> None:
    known = known_turns()
    row = int(np.searchsorted(known.times, frame))
    first, second = known.at(frame), known.resampled(np.array([frame])).turned([frame], 50).values[0]
    # A key that is there already gets a second one behind it, else there are two new ones.
    rest = known.some(known.times != frame)
    values = np.insert(rest.values, [row] * 2, [first, second], axis=0)
    turns = Turns(np.insert(rest.times, [row] * 2, frame), values)
    found = changes_in(turns)
    made = model_of(found)
    check_frames(made, turns)
    (loss,) = found.losses
    # The model turns within the frame in which the file jumps by 50 degrees.
    words = loss.split()
    assert words[:7] == ["arm:", "movement", "between", "whole", "frames", "goes", "straight:"]
    lost = float(words[words.index("degrees,") - 1])
    assert lost == pytest.approx(50, abs=1.5)


def test_movement_that_is_played_backwards() -> None:
    known = known_turns()
    turns = Turns(LAST - known.times[::-1], known.values[::-1])
    found = changes_in(turns)
    made = model_of(found)
    assert found.losses == ()
    for frame in range(LAST + 1):
        local = made.animation.pose(float(frame)).local[1].astype(np.float64)
        np.testing.assert_allclose(local[:3, :3], matrix(turns.at(frame)), atol=12 * STEP)


def test_a_key_between_frames_that_no_frame_shows_is_a_loss_alone() -> None:
    native = known_turns(NATIVE)
    every: Numbers = np.arange(25, dtype=np.float64)
    whole = native.resampled(every)
    turns = whole.resampled(np.sort(np.append(whole.times, 12.5))).turned([12.5], 20)
    found = changes_in(turns)
    assert found.changes == ()
    (loss,) = found.losses
    words = loss.split()
    assert float(words[words.index("degrees,") - 1]) == pytest.approx(20, abs=0.05)
    assert loss.endswith("most in arm at frame 12.5")


def test_movement_that_was_sampled_between_frames_changes_only_where_it_was_edited() -> None:
    """At 24 samples a second: those beside the key at 16 are elsewhere, all others say what the model has."""
    wanted, given = known_turns().turned([16]), scene(WITH_KEYS, SOURCE)
    times: Numbers = np.arange(39, dtype=np.float64) * 0.625
    x, y, z, w = wanted.resampled(times).values.T.astype(np.float32)
    places = np.array(
        [np.interp(times, (0, 8, 16, 24), it) for it in np.transpose([it.position for it in ARM])]
    )
    track = Track(times, places.T.astype(np.float32), np.stack([w, x, -z, y], axis=1))
    made = model_of(changes_of(SOURCE, with_node(given, 1, track=track)))
    for frame in (*range(15), *range(18, 25)):
        before, now = (it.animation.pose(float(frame)).local[1] for it in (SOURCE, made))
        np.testing.assert_allclose(now, before, atol=12 * STEP)
    for frame in (15, 16, 17):
        local = made.animation.pose(float(frame)).local[1].astype(np.float64)
        np.testing.assert_allclose(local[:3, :3], matrix(wanted.at(frame)), atol=1e-3)


def test_a_cut_at_a_rounded_time_is_the_known_one() -> None:
    """126 degrees in 1/64 of a frame, at seconds in single floats, with a key more than the model has."""
    times = np.array([0, 13.984375, 14, 17.984375, 18, 19])
    turns = np.array([turn((0, 0, 1), it) for it in (0, 5, 134, 130, 4, 0)], np.float32)
    before = Track(times, np.zeros((6, 3), np.float32), turns)
    seconds = np.insert(times, 3, 16) / FPS
    rounded = seconds.astype(np.float32).astype(np.float64) * (1 + 2.0**-24) * FPS
    after = Track(rounded, np.zeros((7, 3), np.float32), Curve(before).at(np.insert(times, 3, 16)).rotations)
    assert with_known_times(before, after, 1e-6, is_keyed=False) is before
    rotations = after.rotations.copy()
    rotations[5] = turn((0, 0, 1), 4.02)
    edited = Track(rounded, after.positions, rotations)
    assert with_known_times(before, edited, 1e-6, is_keyed=False) is None


def test_half_a_turn_keeps_a_key_on_its_way() -> None:
    """Rounded keys half a turn apart could be joined either way round."""
    times = np.arange(0.0, 13.0, 2.0)
    angles = np.radians(45 * times) / 2
    values = np.stack([np.zeros(7), np.sin(angles), np.zeros(7), np.cos(angles)], axis=1)
    turns = Turns(times, values)
    made = model_of(changes_in(turns))
    for frame in range(13):
        local = made.animation.pose(float(frame)).local[1].astype(np.float64)
        np.testing.assert_allclose(local[:3, :3], matrix(turns.at(frame)), atol=12 * STEP)


def test_a_key_that_keeps_its_time_is_set_and_one_that_is_new_replaces_the_track() -> None:
    known = known_turns(NATIVE)
    (change,) = changes_of(SOURCE, read(file_with(known.turned([8]), NATIVE))).changes
    assert isinstance(change, SetKey)
    assert (change.node, change.index, change.position) == (1, 1, None)
    (track,) = changes_in(known_turns().turned([8])).changes
    assert isinstance(track, ReplaceTrack)
    assert np.frombuffer(track.keys, KEY.dtype)["time"].tolist() == [0, 7, 8, 9, 16, 24]


def test_a_key_that_samples_show_comes_back_and_what_is_between_them_is_said() -> None:
    """Sampled 24 times a second: the key at frame 8 is between two samples, at 7.5 and 8.125."""
    angles = {0: 0, 8: 20, 16: 30, 24: 0}
    keys = [Key(at, (0, 0, 1), turn((0, 0, 1), -angle)) for at, angle in angles.items()]
    source = source_of(ModelBuilder.of([Node("hull"), Node("arm", 0, keys=keys)]).build())
    times = np.arange(39, dtype=np.float64) * 0.625
    half = np.radians(np.interp(times, [0, 8, 16, 24], [0, 50, 30, 0])) / 2
    turns = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    track = Track(times, np.tile(np.array([0, 0, 1], np.float32), (39, 1)), turns.astype(np.float32))
    found = changes_of(source, with_node(scene(NATIVE, source), 1, track=track))
    assert [it.index for it in found.changes if isinstance(it, SetKey)] == [1], found.changes
    made = plan(draft_of(bytes(source.data)), found.changes)
    after = source.edited(made.after)
    local = after.animation.pose(8.0).local[1]
    assert np.degrees(np.arctan2(local[1, 0], local[0, 0])) == pytest.approx(50, abs=0.01)
    (said,) = deviations(found, after, made.moves)
    assert (said.kind, said.name, said.count, said.frame) == (DeviationKind.BETWEEN_TURN, "arm", 2, 8)
    # Straight from 46.875 degrees to 49.6875 it would be 49.125 there; at frame 16 29.8125 for 30.
    assert said.size == pytest.approx(0.875, abs=0.01)
