"""Files as Blender writes them by default: without ids, joined by material, sampled 24 times a second."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import turn
from tests.model.convert.importing.scenes import (
    PLAIN,
    SOURCE,
    imported,
    model_after,
    moved,
    planned,
    scene,
    source_of,
    with_node,
    with_primitive,
)
from tests.model.edit.drafts import corpus_models
from viewer.formats.msh.keys import KEY, decode_quaternion
from viewer.formats.msh.tables import KEYS, POSITIONS, TABLES
from viewer.geometry.transforms import Indices
from viewer.model.convert.gltf.curves import Interpolation, KeyCurve, with_frame_keys
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.motion.fitting import _vectors
from viewer.model.convert.motion.curve import Curve
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Mesh, Primitive, Scene, Track
from viewer.model.edit.geometry.slot_changes import AssignMaterial
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.rows.row_changes import ReplaceTrack

BEFORE = SOURCE.model


def bare(given: Scene) -> Scene:
    """The scene as a file of another program has it; its vertices come in another order."""
    found = read(without_extras(glb_of(given)))
    meshes = tuple(Mesh(it.name, tuple(_joined(it))) for it in found.meshes)
    return replace(found, meshes=meshes)


def without_extras(data: bytes) -> bytes:
    """A GLB file without extras."""
    return changed_json(data, _plain)


def changed_json(data: bytes, change: Callable[[Any], Any]) -> bytes:
    """A GLB file with another text."""
    (size,) = struct.unpack_from("<I", data, 12)
    text = json.dumps(change(json.loads(data[20 : 20 + size]))).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size :]
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    return head + text + rest


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(it) for key, it in value.items() if key != "extras"}
    return [*map(_plain, value)] if isinstance(value, list) else value


def _joined(mesh: Mesh) -> list[Primitive]:
    """The primitives of a mesh, one for each material."""
    groups: dict[int, list[Primitive]] = {}
    for it in mesh.primitives:
        groups.setdefault(-1 if it.material is None else it.material, []).append(it)
    return [_one(groups[material]) for material in sorted(groups, reverse=True)]


def _one(primitives: list[Primitive]) -> Primitive:
    first = np.cumsum([0, *(len(it.positions) for it in primitives)])
    triangles: Indices = np.concatenate(
        [it.triangles + start for it, start in zip(primitives, first[:-1], strict=True)]
    )
    order = np.random.default_rng(7).permutation(int(first[-1]))
    new = np.argsort(order)

    def joined(name: str) -> np.ndarray | None:
        found = [getattr(it, name) for it in primitives]
        return None if found[0] is None else np.concatenate(found)[order]

    positions = np.concatenate([it.positions for it in primitives])[order]
    return Primitive(
        positions, new[triangles], joined("normals"), joined("uvs"), None, primitives[0].material
    )


def sampled(given: Scene, rate: float) -> Scene:
    """The scene with movement as it is `rate` times a second."""
    nodes = []
    for node in given.nodes:
        track = node.track
        if track is not None:
            times = np.arange(np.ceil(track.times[-1] * rate / 15) + 1) * 15 / rate
            track = Curve(track).at(times)
        nodes.append(replace(node, track=track))
    return replace(given, nodes=tuple(nodes))


def test_what_nobody_edited_changes_nothing(files: Path) -> None:
    for corpus, first in [("seed", 0), ("field", 1)]:
        for index, (name, data) in enumerate(corpus_models(files, corpus)):
            if index % 2 == first:
                source = source_of(data)
                given = sampled(bare(scene(Options(has_textures=False), source)), 24)
                found = imported(given, source, None)
                assert (found.changes, len(found.notes)) == ((), 1), name


@pytest.mark.parametrize("rate", [10, 15, 24, 25, 29.97, 30, 60])
def test_samples_at_any_rate_are_the_same_movement(rate: float) -> None:
    assert imported(sampled(scene(), rate)).changes == ()


def test_wide_turns_are_mixed_between_frames() -> None:
    given, times = scene(), np.array([0.0, 3.0, 10.0])
    rotations = np.array([turn((0, 0, 1), it) for it in (0, 170, 180)], np.float32)
    track = Track(times, np.zeros((3, 3), np.float32), rotations)
    source = source_of(planned(with_node(given, 1, track=track)).after)
    known = scene(source=source)
    own = known.nodes[1].track
    assert own is not None
    turning = with_frame_keys(own)
    blended = Track(turning.times, np.zeros((len(turning.times), 3), np.float32), turning.rotations)
    moments = np.arange(17) * 15 / 24
    mixed = Curve(blended).at(moments, is_mixed=True)
    assert not Curve(own).has(mixed, 1e-6).all()
    assert imported(with_node(known, 1, track=mixed), source).changes == ()


def test_rotations_are_axes_times_angles() -> None:
    half = np.cos(0.5), np.sin(0.5)
    turned = [(half[0], half[1], 0, 0), (-half[0], 0, half[1], 0), (half[0], 0, 0, half[1]), (1, 0, 0, 0)]
    np.testing.assert_allclose(
        _vectors(np.array(turned)), [(1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, 0)], atol=1e-12
    )


def test_a_channel_that_is_held_needs_no_keys_of_its_own() -> None:
    values = np.array([[1, 0, 0, 0], [1, 1e-8, 0, 0]], np.float32)
    assert KeyCurve(Interpolation.STEP, np.array([0.0, 10.0]), values).is_exact
    assert not KeyCurve(Interpolation.STEP, np.array([0.0, 10.0]), values + np.array([[0], [1e-3]])).is_exact


@pytest.mark.parametrize("rate", [24, 30, 60])
def test_a_key_that_was_edited_before_sampling_is_that_key(rate: float) -> None:
    given = scene()
    track = given.nodes[1].track
    assert track is not None
    positions, rotations = track.positions.copy(), track.rotations.copy()
    positions[1] += (0.5, 0, 0)
    rotations[1] = turn((1, 0, 0), 25)
    edited = Track(track.times, positions, rotations)
    (change,) = imported(sampled(with_node(given, 1, track=edited), rate)).changes
    assert isinstance(change, SetKey)
    assert (change.node, change.index) == (1, 1)
    assert change.position == pytest.approx(positions[1].tolist(), abs=1e-4)
    wanted = rotations[1] * (1, -1, -1, -1)
    assert abs(float(np.dot(change.quaternion or (), wanted))) == pytest.approx(1, abs=1e-6)


def test_a_key_that_was_edited_beside_added_ones_is_that_key() -> None:
    given = scene()
    track = given.nodes[1].track
    assert track is not None
    turning = with_frame_keys(track)
    rotations = turning.rotations.copy()
    rotations[turning.times == 4] = turn((1, 0, 0), 5)
    positions = Curve(track).at(turning.times).positions
    edited = Track(turning.times, positions, rotations)
    assert len(turning.added)
    (change,) = imported(sampled(with_node(given, 1, track=edited), 24)).changes
    assert isinstance(change, ReplaceTrack)
    keys = np.frombuffer(change.keys, KEY.dtype)
    # The added keys beside it hold the curve at their frames, as the file says.
    assert keys["time"].tolist() == [0, 3, 4, 5, 10]
    turned = decode_quaternion(keys["quaternion"], SOURCE.choice.reading.quaternion_order)
    wanted = rotations[np.isin(turning.times, keys["time"])] * (1, -1, -1, -1)
    away = [np.abs(turned - sign * wanted).max(axis=1) for sign in (1, -1)]
    assert np.minimum(*away).max() <= 1 / 32767


def test_movement_that_keys_cannot_follow_gets_keys_in_every_frame() -> None:
    given = sampled(scene(), 24)
    track = given.nodes[1].track
    assert track is not None
    waves = track.positions + np.sin(track.times)[:, None].astype(np.float32)
    found = imported(with_node(given, 1, track=replace(track, positions=waves)))
    (change,) = found.changes
    assert isinstance(change, ReplaceTrack)
    (loss,) = found.losses
    assert loss.startswith("turret: movement between whole frames goes straight: off by up to ")
    frames, times = np.arange(11), track.times
    away = [it - np.interp(times, frames, np.interp(frames, times, it)) for it in waves.T]
    assert float(loss.split()[11]) == pytest.approx(np.linalg.norm(away, axis=0).max(), abs=1e-4)
    assert len(change.keys) == 24 * 11


def test_many_nodes_with_keys_between_frames_are_one_sentence() -> None:
    given = scene()
    times = np.array([0, 0.4, 7.3])
    for index in range(5):
        track = Track(
            times, np.eye(3, dtype=np.float32) * index, np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1))
        )
        given = with_node(given, index, track=track)
    losses = imported(given).losses
    # Node 4 is at 4 units along one axis at 0, another at 0.4 and the third at 7.3: straight from 0 to 1 and
    # from 7 to 8 it is furthest off at 0.4, by what a 0.6 / 6.9 way from there to 7.3 is short of it.
    way = np.array([0, 4, 0]) - (0.6 * np.array([4, 0, 0]) + 0.4 * (np.array([0, 6.3, 0.6]) * 4 / 6.9))
    words = "turret, gun_l, gun_r, socket: movement between whole frames goes straight: off by up to "
    assert losses == (f"{words}{np.linalg.norm(way):.4g} and 0 degrees, most in socket at frame 0.4",)


def test_a_moved_vertex_is_found_without_ids() -> None:
    given = with_primitive(scene(), 0, moved({0: (5, 5, 5)}))
    after = model_after(bare(given))
    assert not np.array_equal(after.positions, BEFORE.positions)
    assert bytes(after.payload(KEYS)) == bytes(BEFORE.payload(KEYS))
    row = given.meshes[0].primitives[0].vertices[0]  # type: ignore[index]
    assert np.flatnonzero((after.positions != BEFORE.positions).any(axis=1)).tolist() == [row]
    changed = {it for it in TABLES if bytes(after.payload(it)) != bytes(BEFORE.payload(it))}
    assert POSITIONS in changed


def test_geometry_that_moved_as_a_whole_keeps_its_triangles() -> None:
    def edit(primitive: Primitive) -> Primitive:
        return replace(primitive, positions=primitive.positions * 2 + np.float32(1))

    after = model_after(bare(with_primitive(scene(), 0, edit)))
    assert len(after.positions) == len(BEFORE.positions)
    assert np.array_equal(after.indices, BEFORE.indices)


def test_another_material_is_found_without_ids() -> None:
    given = scene(PLAIN)
    given = with_primitive(given, 0, lambda it: replace(it, material=1 - (it.material or 0)), 0)
    (change,) = imported(bare(given), names=None).changes
    assert isinstance(change, AssignMaterial)


def test_a_renamed_node_is_found_without_ids() -> None:
    given = bare(with_node(scene(), 4, name="mount"))
    (change,) = imported(given, names=None).changes
    assert isinstance(change, RenameNode)
    assert (change.node, change.name) == (4, "mount")
