"""Sampling and blending: the golden vectors, the edges, and any track against the spec written out."""

from __future__ import annotations

from math import acos, sin

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, legacy24, quad, turn
from tests.terrains import terrain
from viewer.errors import UsageError
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.model.checks.animation import track_findings
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation, Pose
from viewer.model.mesh.pose.frame_index import frame_at
from viewer.model.mesh.pose.interpolation import interpolate, matrices
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import FIELD

HALF = 23170 / 32767
GOLDEN_SCENE = [
    Node(
        "swing",
        keys=[
            Key(0),
            Key(4, (2, 4, -6), (HALF, 0, 0, HALF)),
            Key(8, (10, 0, 0), (0, 0, 0, 1)),
        ],
    ),
    Node("still", keys=[Key(0, (1, 2, 3), (HALF, HALF, 0, 0))]),
]
NONE = 0xFFFF


def animation_of(source: ModelBuilder | Model, order: QuaternionOrder = QuaternionOrder.XYZW) -> Animation:
    model = source.model() if isinstance(source, ModelBuilder) else source
    return Animation(model, Skeleton(model), order)


def golden() -> Animation:
    return animation_of(ModelBuilder.of(GOLDEN_SCENE))


def where(source: ModelBuilder) -> list[str]:
    return [f"{finding.rule} {finding.where}" for finding in track_findings(source.model())]


def test_every_key_belongs_to_the_node_whose_track_it_is_in() -> None:
    builder = ModelBuilder.of([Node(keys=[Key(0), Key(3)]), Node(), Node(keys=[Key(0), Key(1), Key(2)])])
    model = builder.model()
    animation = Animation(model, Skeleton(model), QuaternionOrder.XYZW)
    assert animation.key_owners.tolist() == [0, 0, 1, 2, 2, 2]


def test_the_builder_makes_the_golden_tables() -> None:
    model = ModelBuilder.of(GOLDEN_SCENE).model()
    assert bytes(model.payload(KEYS))[24:48] == bytes.fromhex(
        "00000040 00008040 0000C0C0 00008040 0000 0000 825A 825A"
    )
    assert bytes(model.payload(FRAME_MAP)) == bytes.fromhex("0000 0000 0000 0000 0100 0100 0100 0100 0200")
    assert model.nodes["fallback_key"].tolist() == [2, 3]
    assert model.nodes["map_start"].tolist() == [0, NONE]
    assert model.frame_count == 9


@pytest.mark.parametrize(
    ("time", "frame"),
    [
        (0.0, 0),
        (-0.0, 0),
        (0.25, 0),
        (0.5, 0),
        (0.99999994, 0),
        (1.0, 0),
        (1.00000004, 0),
        (1.0000001, 1),
        (1.5, 1),
        (2.0, 2),
        (2.5, 2),
        (3.0, 2),
        (4.0, 4),
        (7.0, 6),
        (10.0, 10),
        (-1e-9, 0),
        (-1e-7, 0xFFFFFFFF),
        (-0.25, 0xFFFFFFFF),
        (-1.0, 0xFFFFFFFE),
        (8388608.0, 8388608),
        (2.0**40, 0),
        (1e30, 0),
        (-1e30, 0),
    ],
)
def test_frame_of_a_time(time: float, frame: int) -> None:
    assert frame_at(time) == frame


@pytest.mark.parametrize("time", [np.nan, np.inf, -np.inf, 1e39])
def test_a_time_that_is_not_finite_is_an_error(time: float) -> None:
    with pytest.raises(UsageError):
        frame_at(time)
    with pytest.raises(UsageError):
        golden().pose(time)
    with pytest.raises(UsageError):
        golden().pose(0, time, 0.5)


@pytest.mark.parametrize(
    ("node", "time", "frame", "key", "is_interpolated", "quaternion", "position"),
    [
        (0, 0.0, 0, 0, False, (1, 0, 0, 0), (0, 0, 0)),
        (0, 0.25, 0, 0, True, (0.9987955, 0, 0, 0.04906803), (0.125, 0.25, -0.375)),
        (0, 1.0, 0, 0, True, (0.9807857, 0, 0, 0.1950918), (0.5, 1, -1.5)),
        (0, 1.5, 1, 0, True, (0.9569415, 0, 0, 0.2902869), (0.75, 1.5, -2.25)),
        (0, 3.0, 2, 0, True, (0.8314738, 0, 0, 0.5555751), (1.5, 3, -4.5)),
        (0, 4.0, 4, 1, False, (0.7071139, 0, 0, 0.7071139), (2, 4, -6)),
        (0, 5.0, 4, 1, True, (0.5555751, 0, 0, 0.8314738), (4, 3, -4.5)),
        (0, 6.5, 6, 1, True, (0.2902869, 0, 0, 0.9569414), (7, 1.5, -2.25)),
        (0, 7.75, 7, 1, True, (0.04906806, 0, 0, 0.9987954), (9.5, 0.25, -0.375)),
        (0, 8.0, 8, 2, False, (0, 0, 0, 1), (10, 0, 0)),
        (0, 9.0, 8, 2, False, (0, 0, 0, 1), (10, 0, 0)),
        (0, -1.0, -2, 2, False, (0, 0, 0, 1), (10, 0, 0)),
        (1, 3.0, 2, 3, False, (0.7071139, 0.7071139, 0, 0), (1, 2, 3)),
    ],
)
def test_golden_samples(
    node: int,
    time: float,
    frame: int,
    key: int,
    is_interpolated: bool,
    quaternion: tuple[float, ...],
    position: tuple[float, ...],
) -> None:
    pose = golden().pose(time)
    assert pose.frame == frame
    assert pose.sample.key[node] == key
    assert pose.sample.is_interpolated[node] == is_interpolated
    assert pose.quaternion[node] == pytest.approx(quaternion, abs=1e-6)
    assert pose.position[node] == pytest.approx(position, abs=1e-6)
    assert pose.quaternion.dtype == pose.position.dtype == pose.world.dtype == np.float32


@pytest.mark.parametrize(
    ("time_a", "time_b", "blend", "quaternion", "position"),
    [
        (0, 4, 0.5, (0.9238815, 0, 0, 0.3826864), (1, 2, -3)),
        (0, 8, 0.25, (0.9238795, 0, 0, 0.3826835), (2.5, 0, 0)),
        (1.5, 6.5, 0.75, (0.5141041, 0, 0, 0.8577291), (5.4375, 1.5, -2.25)),
        (0, 4, 0, (1, 0, 0, 0), (0, 0, 0)),
        (0, 4, 1, (0.7071139, 0, 0, 0.7071139), (2, 4, -6)),
        (-1, 4, 0.3, (0.7071139, 0, 0, 0.7071139), (2, 4, -6)),
        (4, -1, 0.3, (0.7071139, 0, 0, 0.7071139), (2, 4, -6)),
    ],
)
def test_golden_blends(
    time_a: float, time_b: float, blend: float, quaternion: tuple[float, ...], position: tuple[float, ...]
) -> None:
    pose = golden().pose(time_a, time_b, blend)
    assert pose.quaternion[0] == pytest.approx(quaternion, abs=1e-6)
    assert pose.position[0] == pytest.approx(position, abs=1e-6)


@pytest.mark.parametrize(
    ("time_a", "time_b", "blend"), [(-1, -1, 0.5), (-1, 4, 0), (4, -1, 1), (0, 4, np.nan), (0, 4, np.inf)]
)
def test_a_blend_of_nothing_is_an_error(time_a: float, time_b: float, blend: float) -> None:
    with pytest.raises(UsageError):
        golden().pose(time_a, time_b, blend)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((1, 0, 0, 0), (-0.70710677, 0, 0, -0.70710677), (0.9238795, 0, 0, 0.3826834)),
        ((1, 0, 0, 0), (1, 0, 0, 0.001), (1, 0, 0, 0.0005)),
        ((1.00002, 0, 0, 0), (1.00002, 0, 0, 0), (1.00002, 0, 0, 0)),
        ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0)),
    ],
)
def test_interpolation(
    first: tuple[float, ...], second: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    q0, q1 = np.array([first], np.float32), np.array([second], np.float32)
    assert interpolate(q0, q1, np.array([0.5], np.float32))[0] == pytest.approx(expected, abs=1e-6)


def test_a_key_is_a_matrix() -> None:
    local = golden().pose(4).local[0]
    assert local @ np.array([1, 0, 0, 1], np.float32) == pytest.approx((1.99998, 2.99998, -6, 1), abs=1e-5)
    assert local[3].tolist() == [0, 0, 0, 1]


def test_a_raw_quarter_turn_about_z_turns_x_to_minus_y() -> None:
    matrix = matrices(np.array([turn((0, 0, 1), 90)], np.float32), np.zeros((1, 3), np.float32))[0]
    assert matrix[:3, :3] @ np.array([1, 0, 0]) == pytest.approx((0, -1, 0), abs=1e-6)


@given(st.tuples(*[st.floats(-1, 1, width=32)] * 4), st.tuples(*[st.floats(-9, 9, width=32)] * 3))
def test_matrices_are_as_tabulated(q: tuple[float, ...], p: tuple[float, ...]) -> None:
    w, x, y, z = q
    expected = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), p[0]],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), p[1]],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), p[2]],
        [0, 0, 0, 1],
    ]
    made = matrices(np.array([q], np.float32), np.array([p], np.float32))[0]
    assert made == pytest.approx(np.array(expected), abs=1e-5)


def test_the_order_of_the_components_is_the_readings() -> None:
    builder = ModelBuilder.of(GOLDEN_SCENE, FIELD)
    right, wrong = animation_of(builder, QuaternionOrder.WXYZ), animation_of(builder)
    assert right.pose(4).quaternion[0] == pytest.approx((HALF, 0, 0, HALF), abs=1e-6)
    assert wrong.pose(4).quaternion[0] == pytest.approx((HALF, HALF, 0, 0), abs=1e-6)


def test_children_follow_their_parents() -> None:
    scene = [
        Node(keys=[Key(0), Key(2, (0, 0, 10))]),
        Node(parent=0, keys=[Key(0, (1, 0, 0), turn((0, 0, 1), 90))]),
        Node(parent=1, keys=[Key(0, (0, 5, 0))]),
    ]
    pose = animation_of(ModelBuilder.of(scene)).pose(1)
    assert pose.world[2][:3, 3] == pytest.approx((6, 0, 5), abs=1e-3)
    assert np.array_equal(pose.world[2], pose.world[1] @ pose.local[2])


# Every choice of the spec, one node at a time, in double precision.


def spelled_out(builder: ModelBuilder, node: int, time: float) -> tuple[int, list[float], list[float]]:
    """Left key, quaternion and position by the rules of animation.md 4."""
    row, table = builder.nodes[node], builder.keys
    start, last = int(row["map_start"]), int(row["fallback_key"])
    frame = int(np.rint(np.float32(time - 0.5))) & 0xFFFFFFFF
    words = builder.frame_map.tolist()
    if frame >= builder.frame_count or start == NONE or words[start + frame] >= last:
        return last, quaternion(table[last]), table["position"][last].tolist()
    key = words[start + frame]
    left, right = table[key], table[key + 1]
    if time == left["time"] or left["time"] == right["time"]:
        return key, quaternion(left), left["position"].tolist()
    if time == right["time"]:
        return key + 1, quaternion(right), right["position"].tolist()
    a = (time - float(left["time"])) / (float(right["time"]) - float(left["time"]))
    position = left["position"].astype(float) + a * (right["position"].astype(float) - left["position"])
    return key, slerp(quaternion(left), quaternion(right), a), position.tolist()


def quaternion(key: np.void) -> list[float]:
    x, y, z, w = key["quaternion"].tolist()
    return [component / 32767 for component in (w, x, y, z)]


def slerp(q0: list[float], q1: list[float], a: float) -> list[float]:
    dot = sum(x * y for x, y in zip(q0, q1, strict=True))
    sign, dot = (-1, -dot) if dot < 0 else (1, dot)
    if 1 - dot <= 9.9999997e-6:
        w0, w1 = 1 - a, a
    else:
        angle = acos(dot)
        w0, w1 = sin((1 - a) * angle) / sin(angle), sin(a * angle) / sin(angle)
    return [w0 * x + w1 * sign * y for x, y in zip(q0, q1, strict=True)]


whole = st.integers(-20, 20)
leaning = st.tuples(st.integers(6, 9), *[st.integers(-3, 3)] * 3)
"""Never at right angles to each other, where rounding alone would decide the shorter way."""


@st.composite
def rotations(draw: st.DrawFn) -> tuple[float, float, float, float]:
    stored = np.array(draw(leaning)) * draw(st.sampled_from([-1, 1]))
    w, x, y, z = (stored / np.linalg.norm(stored)).tolist()
    return w, x, y, z


@st.composite
def tracks(draw: st.DrawFn) -> list[Key]:
    later = draw(st.sets(st.integers(1, 12), max_size=4))
    places = st.tuples(whole, whole, whole)
    return [Key(time, draw(places), draw(rotations())) for time in (0, *sorted(later))]


times = st.one_of(st.integers(-2, 14).map(float), st.floats(-0.25, 14, width=32))


@given(st.lists(tracks(), min_size=1, max_size=4), times)
def test_any_track_is_sampled_as_the_spec_says(scene: list[list[Key]], time: float) -> None:
    builder = ModelBuilder.of([Node(keys=track) for track in scene])
    pose = animation_of(builder).pose(time)
    for node in range(len(scene)):
        key, rotation, position = spelled_out(builder, node, time)
        assert pose.sample.key[node] == key
        assert pose.position[node] == pytest.approx(position, abs=1e-4)
        assert pose.quaternion[node] == pytest.approx(rotation, abs=2e-4)


@given(
    st.lists(st.integers(0, 8), min_size=9, max_size=9),
    st.lists(st.integers(0, 9), min_size=3, max_size=3),
    times,
)
def test_any_map_and_any_times_are_sampled_as_the_spec_says(
    words: list[int], key_times: list[int], time: float
) -> None:
    builder = ModelBuilder.of(GOLDEN_SCENE)
    builder.frame_map[:] = words
    builder.keys["time"][:3] = key_times
    sample = animation_of(builder).sample(time)
    key, _, position = spelled_out(builder, 0, time)
    assert sample.key[0] == key
    assert sample.position[0] == pytest.approx(position, rel=1e-4, abs=1e-4)


@given(st.lists(tracks(), min_size=1, max_size=3), times, times, st.floats(-0.5, 1.5, width=32))
def test_any_blend_is_as_the_spec_says(scene: list[list[Key]], first: float, second: float, b: float) -> None:
    """Which times count, the shorter way and the weights of animation.md 4.1, one node after another."""
    builder = ModelBuilder.of([Node(keys=track) for track in scene])
    has_first, has_second = b < 1 and first >= 0, b > 0 and second >= 0
    if not (has_first or has_second):
        with pytest.raises(UsageError):
            animation_of(builder).pose(first, second, b)
        return
    pose = animation_of(builder).pose(first, second, b)
    for node in range(len(scene)):
        (_, rotation, place), (_, other, goal) = (spelled_out(builder, node, it) for it in (first, second))
        if not has_first:
            rotation, place = other, goal
        elif has_second:
            rotation = slerp(rotation, other, b)
            place = [(1 - b) * x + b * y for x, y in zip(place, goal, strict=True)]
        assert pose.position[node] == pytest.approx(place, abs=1e-4)
        assert pose.quaternion[node] == pytest.approx(rotation, abs=3e-4)


@given(times)
def test_a_blend_of_a_time_with_itself_is_that_time(time: float) -> None:
    animation = golden()
    if time < 0:
        return
    blended, plain = animation.pose(time, time, 0.5), animation.pose(time)
    assert blended.quaternion == pytest.approx(plain.quaternion, abs=1e-6)
    assert blended.position == pytest.approx(plain.position, abs=1e-6)


# Edges and damage.


def is_identity(pose: Pose, node: int) -> bool:
    return bool((pose.local[node] == np.eye(4, dtype=np.float32)).all())


def test_a_key_out_of_range_is_the_identity() -> None:
    builder = ModelBuilder.of(GOLDEN_SCENE)
    builder.nodes["fallback_key"][0] = 4
    animation = animation_of(builder)
    assert is_identity(animation.pose(3), 0)
    assert animation.pose(3).sample.key.tolist() == [-1, 3]
    assert where(builder) == ["A02 nodes[0].fallback_key"]
    assert list(animation.track(0)) == []


def test_a_map_that_does_not_fit_is_static() -> None:
    builder = ModelBuilder.of(GOLDEN_SCENE)
    builder.nodes["map_start"][0] = 1
    animation = animation_of(builder)
    assert animation.pose(3).sample.key.tolist() == [2, 3]
    assert where(builder) == ["A03 nodes[0].map_start"]
    assert not animation.is_animated


@pytest.mark.parametrize("missing", [KEYS, FRAME_MAP])
def test_without_keys_or_map_everything_is_the_identity(missing: int) -> None:
    builder = ModelBuilder.of(GOLDEN_SCENE)
    builder.missing.add(missing)
    animation = animation_of(builder)
    pose = animation.pose(3)
    assert is_identity(pose, 0)
    assert is_identity(pose, 1)
    assert where(builder) == []


def test_an_empty_map_is_a_static_model() -> None:
    animation = animation_of(ModelBuilder.of([Node(keys=[Key(0, (1, 2, 3))])]))
    assert not animation.is_animated
    assert animation.frame_count == 1
    for time in (-1, 0, 0.3, 99):
        assert animation.pose(time).position[0].tolist() == [1, 2, 3]


def test_equal_key_times_use_the_left_key() -> None:
    builder = ModelBuilder.of(GOLDEN_SCENE)
    builder.keys["time"][1] = 0
    sample = animation_of(builder).sample(1.5)
    assert (sample.key[0], sample.is_interpolated[0]) == (0, False)


def test_numbers_that_are_not_finite_count_as_zero() -> None:
    builder = ModelBuilder.of(GOLDEN_SCENE)
    builder.keys["position"][1] = (np.nan, np.inf, 2)
    builder.keys["time"][2] = np.nan
    animation = animation_of(builder)
    assert animation.sample(4).position[0].tolist() == [0, 0, 2]
    assert np.isfinite(animation.pose(6).world).all()
    assert where(builder) == ["A12 keys[1].position", "A12 keys[2].time"]


@pytest.mark.parametrize("source", [legacy24([quad()]), terrain()])
def test_what_has_no_animation_stands_still(source: bytes) -> None:
    animation = animation_of(Model.read(source))
    pose = animation.pose(7.5)
    assert all(is_identity(pose, node) for node in range(len(pose.local)))
    assert not animation.is_animated


def test_tracks_lie_one_after_the_other() -> None:
    animation = golden()
    assert animation.is_animated
    assert list(animation.track(0)) == [0, 1, 2]
    assert list(animation.track(1)) == [3]
    assert animation.key_times(0).tolist() == [0, 4, 8]


def test_a_track_that_overlaps_the_one_before_is_its_last_key() -> None:
    builder = ModelBuilder.of([GOLDEN_SCENE[0], GOLDEN_SCENE[0]])
    builder.nodes["fallback_key"] = [5, 2]
    assert list(animation_of(builder).track(1)) == [2]


@given(st.lists(st.floats(width=32), min_size=7, max_size=7), times)
def test_any_numbers_are_posed_without_a_warning(numbers: list[float], time: float) -> None:
    builder = ModelBuilder.of(GOLDEN_SCENE)
    stored: npt.NDArray[np.float32] = np.array(numbers, np.float32)
    builder.keys["position"][:2] = stored[:6].reshape(2, 3)
    builder.keys["time"][1] = stored[6]
    assert animation_of(builder).pose(time).world.shape == (2, 4, 4)
