"""Poses, bit for bit as node by node and product by product, of made models and of the corpora."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, turn
from tests.corpora import folders
from viewer.formats.archive import nres
from viewer.formats.msh.keys import QuaternionOrder, decode_quaternion
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import FRAME_MAP, KEYS
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose import animation as animation_module
from viewer.model.mesh.pose.animation import Animation, Moment
from viewer.model.mesh.pose.skeleton import ROOT, Skeleton

Numbers = npt.NDArray[np.float32]
ORDER = QuaternionOrder.XYZW


def segment(model: Model, node: int, time: float) -> tuple[int, np.float32]:
    """Key of a node by the rules of animation.md 4, and the fraction of the way to the next one."""
    row, keys = model.nodes[node], model.keys
    last, start = int(row["fallback_key"]), int(row["map_start"])
    t = np.float32(time)
    frame = int(np.rint(t - np.float32(0.5)))
    is_mapped = start != NONE and 0 <= frame < model.frame_count
    key = int(model.frame_map[start + frame]) if is_mapped else last
    if key >= last:
        return last, np.float32(0)
    before, after = keys["time"][key], keys["time"][key + 1]
    if before in (t, after):
        return key, np.float32(0)
    if t == after:
        return key + 1, np.float32(0)
    return key, (t - before) / (after - before)


def interpolated(q0: Numbers, q1: Numbers, a: Numbers) -> Numbers:
    """As in animation.md 4, of quaternions (n, 4) by fractions (n,)."""
    dot = np.einsum("ij,ij->i", q0, q1)
    sign, dot = np.where(dot < 0, np.float32(-1), np.float32(1)), np.abs(dot)
    is_linear = np.float32(1) - dot <= np.float32(9.9999997e-6)
    angle = np.arccos(np.where(is_linear, 0, dot).astype(np.float64)).astype(np.float32)
    turned = (a * angle).astype(np.float64)
    w1 = np.sin(turned).astype(np.float32) / np.sin(angle.astype(np.float64)).astype(np.float32)
    w0 = np.cos(turned).astype(np.float32) - w1 * dot
    w0, w1 = np.where(is_linear, np.float32(1) - a, w0), np.where(is_linear, a, w1) * sign
    return (w0[:, None] * q0 + w1[:, None] * q1).astype(np.float32)


def tabulated(quaternion: Numbers, position: Numbers) -> Numbers:
    """The matrix of animation.md 5."""
    w, x, y, z = quaternion
    x2, y2, z2 = x + x, y + y, z + z
    one = np.float32(1)
    return np.array(
        [
            (one - (y * y2 + z * z2), x * y2 + w * z2, x * z2 - w * y2, position[0]),
            (x * y2 - w * z2, one - (x * x2 + z * z2), y * z2 + w * x2, position[1]),
            (x * z2 + w * y2, y * z2 - w * x2, one - (x * x2 + y * y2), position[2]),
            (0, 0, 0, 1),
        ],
        np.float32,
    )


def check(model: Model, times: list[float]) -> None:
    """Compare poses at some times, in this order, with those that are worked out node by node."""
    animation = Animation(model, Skeleton(model), ORDER)
    turns, places = decode_quaternion(model.keys["quaternion"], ORDER), model.keys["position"]
    for time in times:
        pose = animation.pose(time)
        found = [segment(model, node, time) for node in range(model.node_count)]
        key, share = (np.array(column) for column in zip(*found, strict=True))
        assert np.array_equal(pose.sample.key, key)
        assert np.array_equal(pose.sample.is_interpolated, share != 0)
        quaternion, position = turns[key], places[key]
        between, a = np.flatnonzero(share), share[share != 0]
        left = key[between]
        quaternion[between] = interpolated(turns[left], turns[left + 1], a)
        position[between] = places[left] + (places[left + 1] - places[left]) * a[:, None]
        assert np.array_equal(pose.quaternion, quaternion)
        assert np.array_equal(pose.position, position)
        local = np.array([*map(tabulated, quaternion, position)])
        assert np.array_equal(pose.local, local)
        for node, parent in enumerate(animation.skeleton.parents.tolist()):
            above = local[node] if parent == ROOT else pose.world[parent] @ local[node]
            assert np.array_equal(pose.world[node], above)


places = st.tuples(*[st.floats(-20, 20, width=32)] * 3)
turns = st.builds(turn, st.sampled_from([(1, 0, 0), (0, 1, 0), (0.6, 0, 0.8)]), st.floats(-360, 360))
later = st.sets(st.integers(1, 9), max_size=4)


@st.composite
def nodes(draw: st.DrawFn) -> list[Node]:
    """A forest whose parents may follow their children; some nodes stand still."""
    count = draw(st.integers(1, 6))
    order = draw(st.permutations(range(count)))
    made = []
    for node in range(count):
        above = order[: order.index(node)]
        parent = draw(st.sampled_from(above)) if above else None
        keys = [Key(time, draw(places), draw(turns)) for time in (0, *sorted(draw(later)))]
        made.append(Node(parent=parent, keys=keys))
    return made


@given(nodes(), st.lists(st.one_of(st.integers(-1, 10).map(float), st.floats(-1, 10, width=32)), min_size=1))
def test_poses_are_as_node_by_node(scene: list[Node], times: list[float]) -> None:
    check(ModelBuilder.of(scene).model(), times)


@folders("seed", "field")
def test_poses_of_files_are_as_node_by_node(folder: Path) -> None:
    animated = [model for model in models(folder) if model.frame_count > 1]
    assert animated
    for model in animated:
        check(model, [0.0, 0.3, 0.7, 1.0, model.frame_count / 3, model.frame_count - 1.5])


def models(folder: Path) -> Iterator[Model]:
    for path in sorted(folder.rglob("*.rlb")):
        if not path.read_bytes().startswith(nres.MAGIC):
            continue
        archive = nres.Archive.read(path.read_bytes())
        for entry in archive.entries:
            if bytes(archive.payload(entry.index)[:4]) != nres.MAGIC:
                continue
            model = Model.read(archive.payload(entry.index))
            if model.variant is Variant.MODEL and model.has(KEYS) and model.has(FRAME_MAP):
                yield model


def test_a_time_far_away_is_not_that_of_the_frame_with_the_same_low_word() -> None:
    model = ModelBuilder.of([Node(keys=[Key(0), Key(4, (8, 0, 0))])]).model()
    animation = Animation(model, Skeleton(model), ORDER)
    assert [animation.sample(time).position[0, 0] for time in (0.5, 2.0**40, 0.5)] == [1, 8, 1]


@pytest.mark.parametrize("kept", [0, 1_000])
def test_a_driven_or_still_node_leaves_other_poses_alone(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    monkeypatch.setattr(animation_module, "KEPT", kept)
    scene = [Node(keys=[Key(0, (1, 0, 0)), Key(4, (9, 0, 0))]), Node(keys=[Key(0), Key(4, (8, 0, 0))])]
    model = ModelBuilder.of(scene).model()
    animation = Animation(model, Skeleton(model), ORDER)
    for time in (3.0, 1.0, 3.0, 2.5):
        changed = animation.pose_at(Moment(1.0, driven=((1, time),), is_root_still=True))
        assert changed.position[:, 0].tolist() == [0, 2 * time]
        assert changed.sample.position[:, 0].tolist() == [3, 2 * time]
        assert animation.pose(1.0).position[:, 0].tolist() == [3, 2]
    assert (len(animation._known) == 1) is (kept == 0)
