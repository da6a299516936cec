"""Scenes as tables: what is written is valid, in either reading, and what cannot be is refused or listed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from tests.model.convert.scenes import scenes, square, still, triangle_fan
from tests.share import examples
from viewer.errors import FormatError, Severity
from viewer.formats.msh import triangles
from viewer.formats.msh.keys import decode_quaternion
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_NODE
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH, STREAM15, STREAM18, TRIANGLES
from viewer.geometry.bounds import Bounds
from viewer.geometry.quaternions import conjugate
from viewer.model.checks.models import check_model
from viewer.model.convert.building import motion
from viewer.model.convert.building.tables import ModelTables, tables_of
from viewer.model.convert.building.wear_rows import wear_rows
from viewer.model.convert.scene import Mesh, Node, Origin, Primitive, Scene, SceneMaterial, Track
from viewer.model.edit.geometry.measures import posed_bounds
from viewer.model.mesh.pose.interpolation import interpolate
from viewer.model.mesh.reading import FIELD, SEED, Reading

READINGS = pytest.mark.parametrize("reading", [SEED, FIELD], ids=["seed", "field"])


@READINGS
@given(scene=scenes())
@settings(max_examples=examples(30), deadline=None)
def test_nothing_is_wrong_with_a_written_scene(reading: Reading, scene: Scene) -> None:
    made = tables_of(scene, reading)
    found = [it for it in check_model(made.model()) if it.severity is not Severity.INFO]
    assert [str(it) for it in found] == []


@READINGS
@given(scene=scenes())
@settings(max_examples=examples(20), deadline=None)
def test_the_header_encloses_what_is_shown_first(reading: Reading, scene: Scene) -> None:
    model = tables_of(scene, reading).model()
    shown = posed_bounds(model, reading)
    assert model.header is not None
    if shown is None:
        assert not model.header["hull"].any()
    else:
        np.testing.assert_allclose(model.header["hull"], shown.corners, atol=1e-4)


@given(scene=scenes())
@settings(max_examples=examples(20), deadline=None)
def test_links_lead_to_the_same_edge_of_another_triangle(scene: Scene) -> None:
    made = tables_of(scene)
    counts = made.batches["index_count"].astype(np.int64)
    corners = made.positions[made.indices + np.repeat(made.batches["base_vertex"], counts)].reshape(-1, 3, 3)
    links, selectors = made.triangles["links"], triangles.decode_selectors(made.triangles["selectors"])
    for row, edge in np.argwhere(links != NONE).tolist():
        other, shared = int(links[row, edge]), int(selectors[row, edge])
        assert other != row
        assert (links[other, shared], selectors[other, shared]) == (row, edge)
        ends = (
            {tuple(corners[at, (of + step) % 3]) for step in (0, 1)}
            for at, of in ((row, edge), (other, shared))
        )
        assert next(ends) == next(ends)
    assert ((links == NONE) == (selectors == triangles.NO_SELECTOR)).all()


def test_a_square_is_two_triangles_that_know_each_other() -> None:
    made = tables_of(still(square()))
    assert made.triangles["links"].tolist() == [[NONE, NONE, 1], [0, NONE, NONE]]
    assert triangles.decode_selectors(made.triangles["selectors"]).tolist() == [[3, 3, 0], [2, 3, 3]]
    assert made.triangles["normal"].tolist() == [[0, 0, 32767]] * 2
    assert made.slots[["tri_start", "tri_count", "batch_start", "batch_count"]].tolist() == [(0, 2, 0, 1)]
    assert made.slots["opaque"][0, :2].view("<f4").tolist() == [4.0, 0.0]
    assert made.slots["sphere_radius"][0] == pytest.approx(2**0.5)


def test_parents_come_first_and_cycles_end() -> None:
    nodes = (Node("a", parent=2), Node("b", parent=0), Node("c"), Node("d", parent=4), Node("e", parent=3))
    made = tables_of(Scene("m", nodes))
    assert made.name_records == [b"c", b"a", b"b", b"e", b"d"]
    assert made.nodes["parent"].tolist() == [NONE, 0, 1, NONE, 3]
    assert len(made.losses) == 1


def test_what_names_nodes_follows_them() -> None:
    portal = replace(square(), fields={"flags": 8, "opaque6": 2})
    probes, points = LIGHT_PROBE.new(2), PATH_NODE.new(2)
    probes["node"] = points["node"] = (1, 9)
    nodes = (Node("c", number=2, cells={(0, 0): 0}), Node("b", number=1), Node("a", number=0))
    scene = replace(
        still(portal),
        nodes=nodes,
        origin=Origin("m", 0, "", "wxyz", "field", has_name_records=True),
        tables={LIGHT_PROBES: probes.tobytes(), PATH_GRAPH: points.tobytes()},
        attributes={PATH_GRAPH: (2, 0, PATH_NODE.size)},
    )
    made = tables_of(scene)
    assert made.batches["opaque6"].tolist() == [0]
    assert LIGHT_PROBE.view(made.tables[LIGHT_PROBES])["node"].tolist() == [1, 0]
    assert PATH_NODE.view(made.tables[PATH_GRAPH])["node"].tolist() == [1, 0]
    assert len(made.losses) == 2
    assert tables_of(scene, SEED).batches["opaque6"].tolist() == [0]
    assert tables_of(replace(scene, nodes=nodes[::-1])).losses == ()


def test_rotations_are_stored_as_their_conjugates() -> None:
    rotation = (0.5, 0.5, -0.5, 0.5)
    for reading in (SEED, FIELD):
        made = tables_of(Scene("m", (Node("a", rotation=rotation),)), reading)
        stored = decode_quaternion(made.keys["quaternion"], reading.quaternion_order)
        np.testing.assert_allclose(conjugate(stored), [rotation], atol=1 / 32767)


def test_names_and_labels_are_where_their_reading_looks() -> None:
    scene = Scene("m", (Node("Base_TM", socket_tag="e_tur_bt", is_socket=True),))
    seed, field = (tables_of(scene, reading) for reading in (SEED, FIELD))
    assert (seed.names, seed.name_records) == ([b"Base_TM"], [b""])
    assert (field.names, field.name_records) == ([b"e_tur_bt"], [b"Base_TM"])
    assert len(seed.losses) == 1
    assert not field.losses


def test_letters_that_the_game_does_not_have_are_replaced() -> None:
    made = tables_of(Scene("m", (Node("Ствол"), Node("猫b"), Node("n" * 40))))
    assert made.name_records == ["Ствол".encode("cp1251"), b"_b", b"n" * 31]
    assert len(made.losses) == 1


def test_materials_are_words_of_the_reading() -> None:
    materials = (SceneMaterial("HULL"), SceneMaterial("ROOM", lightmap=0))
    lit = replace(square(), material=1, lightmap_uvs=np.full((4, 2), 0.5, np.float32))
    scene = still(replace(square(), material=0), lit)
    scene = replace(scene, materials=materials, images=())
    seed, field = (tables_of(scene, reading) for reading in (SEED, FIELD))
    assert seed.batches["material"].tolist() == [0, 1]
    assert seed.batches["opaque4"].tolist() == [0, 0]
    assert field.batches["opaque4"].tolist() == [0xFF00, 0x0001]
    assert field.batches["flags"].tolist() == [0, 0x2000]
    assert field.tables[STREAM18] == bytes(16) + (512).to_bytes(2, "little") * 8


def test_rows_of_materials_stay_and_others_are_added() -> None:
    materials = (
        SceneMaterial("a b", row=2),
        SceneMaterial("b", row=2),
        SceneMaterial("a_b", row=2),
        SceneMaterial("B"),
    )
    scene = Scene("m", materials=materials)
    assert wear_rows(scene).text.decode().splitlines()[1:] == ["0 b", "1 B_2", "2 a_b"]
    assert tables_of(scene).wear.rows == [2, 0, 2, 1]


def test_batches_without_a_material_get_the_game_s_substitute() -> None:
    scene = still(square())
    assert wear_rows(scene).text.decode().splitlines() == ["1", "0 DEFAULT"]


def test_a_material_beyond_the_field_is_refused() -> None:
    scene = replace(still(replace(square(), material=0)), materials=(SceneMaterial("x", row=256),))
    assert tables_of(scene, SEED).batches["material"].tolist() == [256]
    with pytest.raises(FormatError, match=r"batches\[0\]\.opaque4: 256 exceeds 255"):
        tables_of(scene, FIELD)


def test_a_large_primitive_becomes_several_batches() -> None:
    count = 50_000
    made = tables_of(still(triangle_fan(count)))
    assert made.batches["index_count"].tolist() == [65535, 65535, 3 * count - 2 * 65535]
    assert len(made.triangles) == count
    assert (made.batches["opaque14"] > 0).all()
    assert [it for it in check_model(made.model()) if it.severity is not Severity.INFO] == []
    inner = made.triangles["links"][21844:21846]
    assert inner[0, 2] == 21845
    assert inner[1, 0] == 21844


def test_more_triangles_than_descriptors_have_none() -> None:
    made = tables_of(still(triangle_fan(65_536)))
    assert len(made.triangles) == 0
    assert made.slots["tri_count"].tolist() == [0]
    assert len(made.losses) == 1


def test_vertices_that_no_triangle_uses_are_left_out_of_every_stream() -> None:
    shape = square()
    padded = replace(
        shape,
        positions=np.concatenate([np.full((1, 3), 99, np.float32), shape.positions]),
        normals=np.concatenate([np.zeros((1, 3), np.float32), np.asarray(shape.normals)]),
        uvs=None,
        triangles=shape.triangles + 1,
        vertices=np.array([7, 3, 2, 1, -1]),
    )
    rows = np.arange(8, dtype="<u8")
    made = tables_of(replace(still(padded), tables={STREAM15: rows.tobytes()}))
    assert made.positions.tolist() == shape.positions.tolist()
    assert made.indices.tolist() == shape.triangles.reshape(-1).tolist()
    assert np.frombuffer(made.tables[STREAM15], "<u8").tolist() == [3, 2, 1, 0]


def test_missing_normals_are_those_of_the_faces() -> None:
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], np.float32)
    bent = Primitive(corners, np.array([(0, 1, 2), (0, 3, 1)]))
    made = tables_of(still(bent))
    assert len(made.positions) == 6
    flat = tables_of(still(replace(square(), normals=None)))
    assert len(flat.positions) == 4
    assert flat.normals.tolist() == [[0, 0, 127, 0]] * 4


def test_scales_move_into_vertices_and_positions() -> None:
    child = Node("child", parent=0, position=(1, 0, 0), cells={(0, 0): 0}, scale=(1, 1, 3))
    scene = replace(still(square()), nodes=(Node("root", scale=(2, 2, 2)), child))
    made = tables_of(scene)
    assert made.keys["position"].tolist() == [[0, 0, 0], [2, 0, 0]]
    assert made.slots["aabb_max"].tolist() == [[2, 2, 0]]
    assert len(made.losses) == 1


def test_a_mirrored_mesh_winds_the_other_way_and_faces_where_it_did() -> None:
    scene = replace(still(square()), nodes=(Node("a", cells={(0, 0): 0}, scale=(-1, 1, 1)),))
    made = tables_of(scene)
    assert made.triangles["normal"].tolist() == [[0, 0, 32767]] * 2
    assert made.normals[:, 2].tolist() == [127] * 4


def test_a_mesh_in_two_scales_is_two_slots() -> None:
    nodes = (Node("a", cells={(0, 0): 0}, scale=(2, 2, 2)), Node("b", cells={(0, 0): 0, (1, 0): 0}))
    made = tables_of(replace(still(square()), nodes=nodes))
    assert made.slots["aabb_max"].tolist() == [[2, 2, 0], [1, 1, 0]]
    assert made.nodes["slots"][:, :2, 0].tolist() == [[0, NONE], [1, 1]]


def _moving(*keys: tuple[float, float]) -> ModelTables:
    """The tables of a node with some keys: time and x."""
    times, along = np.array(keys).T
    positions = np.stack([along, 0 * along, 0 * along], axis=1).astype(np.float32)
    track = Track(times, positions, np.tile(np.array([1, 0, 0, 0], np.float32), (len(keys), 1)))
    return tables_of(Scene("m", (Node("a", track=track),)))


def _keys(made: ModelTables) -> list[tuple[float, float]]:
    return [*zip(made.keys["time"].tolist(), made.keys["position"][:, 0].tolist(), strict=True)]


def test_keys_between_frames_are_sampled_at_whole_ones() -> None:
    bent = _moving((0, 0), (1.5, 3), (4, 8))
    assert _keys(bent) == [(0, 0), (1, 2), (2, 4), (4, 8)]
    assert bent.frame_count == 5
    assert not bent.losses
    assert len(_moving((0, 0), (1.5, 3), (4, 0)).losses) == 1


def test_a_movement_that_starts_late_is_held_and_one_that_starts_early_is_cut() -> None:
    late, early = _moving((2, 7), (5, 1)), _moving((-2, 0), (2, 8), (3, 1))
    assert _keys(late) == [(0, 7), (2, 7), (5, 1)]
    assert not late.losses
    assert _keys(early) == [(0, 4), (2, 8), (3, 1)]
    assert len(early.losses) == 1


def _many(count: int, *times: float) -> Scene:
    """Nodes that move at the same times, each somewhere else."""
    keys = len(times)
    rotations = np.tile(np.array([1, 0, 0, 0], np.float32), (keys, 1))
    positions = np.arange(count * keys * 3, dtype=np.float32).reshape(count, keys, 3)
    tracks = (Track(np.array(times, np.float64), it, rotations) for it in positions)
    return Scene("m", tuple(Node("a", track=track) for track in tracks))


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rotations each call of `interpolate` mixes."""
    counts: list[int] = []

    def counting(*given: Any) -> Any:
        counts.append(len(given[0]))
        return interpolate(*given)

    monkeypatch.setattr(motion, "interpolate", counting)
    return counts


def test_nodes_with_the_same_times_are_sampled_together(sampled: list[int]) -> None:
    scene = _many(50, 0, 1.5, 4)
    together = tables_of(scene)
    assert sampled == [50 * 4, 50 * 3]
    alone = [tables_of(replace(scene, nodes=(node,))).keys for node in scene.nodes]
    assert together.keys.tobytes() == np.concatenate(alone).tobytes()


def test_a_loss_of_movement_is_measured_against_its_own_node() -> None:
    bent = np.array([(0, 0, 0), (3, 0, 0), (0, 0, 0)], np.float32)
    far = np.tile(np.array([1e7, 0, 0], np.float32), (3, 1))
    still_turn = np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1))
    times = np.array([0, 1.5, 4])
    nodes = [Node(name, track=Track(times, it, still_turn)) for name, it in (("a", bent), ("b", far))]
    (loss,) = map(str, tables_of(Scene("m", tuple(nodes))).losses)
    # from 3 at 1.5 to 0 at 4 it is at 2 in frame 1 and at 2.4 in frame 2, so at 2.2 in between
    assert "between frames: 1;" in loss
    assert "off by up to 0.8 units and 0 degrees, most in a at frame 1.5" in loss


def test_too_many_keys_are_refused_before_any_is_sampled(sampled: list[int]) -> None:
    with pytest.raises(FormatError, match=re.escape("80000 keys, at most 65535")):
        tables_of(_many(20_000, 0, 1.5, 4))
    assert sampled == []


def test_texture_coordinates_far_away_are_moved_by_whole_textures() -> None:
    shape = square()
    far = replace(shape, uvs=np.asarray(shape.uvs) + np.array([100, -40], np.float32))
    made = tables_of(still(far))
    was = tables_of(still(shape))
    assert ((made.uvs.astype(np.int64) - was.uvs) % 1024 == 0).all()
    assert not made.losses
    wide = replace(shape, uvs=np.asarray(shape.uvs) * np.float32(100))
    assert len(tables_of(still(wide)).losses) == 1


def test_lightmap_coordinates_are_cut_at_the_ends_of_their_words() -> None:
    lightmap = np.array([(0, 1), (-1, 0), (64, 2), (100, 3)], np.float32)
    made = tables_of(still(replace(square(), lightmap_uvs=lightmap)))
    stored = np.frombuffer(made.tables[STREAM18], "<u2").reshape(-1, 2)
    assert stored.tolist() == [[0, 1024], [0, 0], [0xFFFF, 2048], [0xFFFF, 3072]]
    (loss,) = map(str, made.losses)
    assert "64: 3" in loss


def test_bounds_of_a_huge_model_are_finite() -> None:
    huge = replace(square(), positions=square().positions * np.float32(3e38))
    model = tables_of(still(huge)).model()
    assert [it for it in check_model(model) if it.severity is not Severity.INFO] == []
    assert np.isfinite(model.slots["opaque"][:, :2].copy().view("<f4")).all()


EMPTY = Primitive(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int64))
REFUSED = [
    (still(replace(square(), positions=np.full((4, 3), np.nan, np.float32))), "positions[0].position: "),
    (still(replace(square(), triangles=np.array([(0, 1, 9)]))), "batches[0].indices: 9 of 4 vertices"),
    (still(replace(square(), material=3)), "batches[0].material: 3 of 0 materials"),
    (still(replace(square(), fields={"flags": 1 << 16})), "batches[0].flags: 65536 exceeds 65535"),
    (still(replace(square(), fields={"flags": "x"})), "batches[0].flags: 'x' is not a whole number"),
    (Scene("m", (Node("a", cells={(0, 5): 0}),), (Mesh("m"),)), "nodes[0].slots: 5 exceeds 4"),
    (Scene("m", (Node("a", cells={(0, 0): 1}),), (Mesh("m"),)), "nodes[0].slots: 1 of 1 meshes"),
    (Scene("m", (Node("a", position=(np.inf, 0, 0)),)), "keys[0].position: "),
    (Scene("m", (Node(""),) * 65_536), "nodes[65535].parent: 65536 nodes, at most 65535"),
    (Scene("m", meshes=(Mesh(""),) * 65_536), "slots[65535]: 65536 slots, at most 65535"),
    (Scene("m", meshes=(Mesh("", (EMPTY,) * 65_536),)), "slots[0].batch_count: 65536 exceeds 65535"),
]


@pytest.mark.parametrize(("scene", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_no_model_can_hold_is_refused(scene: Scene, message: str) -> None:
    with pytest.raises(FormatError, match=re.escape(message)):
        tables_of(scene)


def test_tables_can_be_changed_until_they_are_built() -> None:
    made = tables_of(still(square()))
    made.batches["flags"] = 8
    made.missing.add(TRIANGLES)
    model = made.model()
    assert model.batches["flags"].tolist() == [8]
    assert not model.has(TRIANGLES)
    assert Bounds.of(model.positions) is not None


def test_long_names_that_begin_alike_stay_two() -> None:
    long = "a_very_long_name_of_a_part_that_goes_"
    names = (long + "left", long + "right", long + "left", long[:31], "x", "x")
    made = tables_of(Scene("a", tuple(map(Node, names))), FIELD)
    second, third = long[:29] + "_2", long[:29] + "_3"
    assert [it.decode() for it in made.name_records] == [second, third, second, long[:31], "x", "x"]
    rows = wear_rows(Scene("a", (), materials=(SceneMaterial(long + "one"), SceneMaterial(long + "two"))))
    assert [it.decode() for it in rows.names] == [long[:35], long[:33] + "_2"]
