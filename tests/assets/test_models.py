"""What must hold for every model of the sample, table by table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.assets.conftest import BundledModel
from viewer.formats.archive.nres import Archive
from viewer.formats.msh import tables, triangles, vertices
from viewer.formats.msh.nodes import NONE
from viewer.model.checks.models import check_model
from viewer.model.mesh.reading import MaterialField
from viewer.model.mesh.shown import PartChoice, PartChooser

ORDER = [1, 2, 3, 4, 5, 15, 13, 6, 7, 8, 19, 9, 10, 17]
ORDER_OF_THE_FIELD = [type_id for type_id in ORDER if type_id != tables.STREAM15]
ORDER_WITH_LIGHTMAP = [1, 2, 3, 4, 5, 18, 13, 6, 7, 8, 19, 9, 10, 17, 20]


def _face_normals(corners: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    wide = corners.astype(np.float64)
    cross = np.cross(wide[:, 1] - wide[:, 0], wide[:, 2] - wide[:, 0])
    unit: npt.NDArray[np.float64] = cross / np.linalg.norm(cross, axis=1, keepdims=True)
    return unit


def _corners(subject: BundledModel) -> npt.NDArray[np.float32]:
    return subject.model.positions[subject.draws.corners]


def test_nothing_is_wrong_with_it(any_model: BundledModel) -> None:
    found = [it for it in check_model(any_model.model) if it.rule not in {"A13", "V27"}]
    assert [*found, *any_model.wear.diagnostics] == []


def test_tables_stand_in_the_order_of_retail_files(any_model: BundledModel) -> None:
    types = [entry.type_id for entry in any_model.model.archive.entries]
    if any_model.choice.reading.material_field is MaterialField.FIELD:
        assert types == (ORDER_WITH_LIGHTMAP if any_model.wear.lightmaps else ORDER_OF_THE_FIELD)
    else:
        assert types == ORDER


def test_attributes_are_those_of_the_specification(any_model: BundledModel) -> None:
    model = any_model.model
    for entry in model.archive.entries:
        if entry.type_id != tables.PATH_GRAPH:
            requested = tables.attributes(
                entry.type_id, entry.size, node_count=len(model.nodes), frame_count=model.frame_count
            )
            assert (entry.attr1, entry.attr2, entry.attr3) == requested


def test_parents_come_first(any_model: BundledModel) -> None:
    parents = any_model.model.nodes["parent"].astype(int)
    assert all(parent == NONE or parent < node for node, parent in enumerate(parents))


def test_tracks_are_canonical(any_model: BundledModel) -> None:
    """spec/animation.md 6: one track after the other, whole times from 0, more than one key where mapped."""
    model = any_model.model
    last = model.nodes["fallback_key"].astype(int)
    assert (np.diff(last) > 0).all()
    assert last[-1] == len(model.keys) - 1
    for first, end, start in zip([0, *(last[:-1] + 1)], last, model.nodes["map_start"], strict=True):
        times = model.keys["time"][first : end + 1]
        assert times[0] == 0
        assert (np.diff(times) > 0).all()
        assert (times == np.rint(times)).all()
        assert (start != NONE) == (len(times) > 1)


def test_frame_map_is_canonical(any_model: BundledModel) -> None:
    model, frames = any_model.model, any_model.model.frame_count
    last = model.nodes["fallback_key"].astype(int)
    assert frames == int(model.keys["time"][last].max()) + 1
    animated = np.flatnonzero(model.nodes["map_start"] != NONE)
    assert model.nodes["map_start"][animated].tolist() == [row * frames for row in range(len(animated))]
    assert len(model.frame_map) == len(animated) * frames
    for row, node in enumerate(animated):
        first = 0 if node == 0 else last[node - 1] + 1
        times = model.keys["time"][first : last[node] + 1]
        for frame, word in enumerate(model.frame_map[row * frames : (row + 1) * frames].tolist()):
            inside = frame < times[-1]
            assert word == (first + int(np.sum(times <= frame)) - 1 if inside else last[node])


def test_quaternions_have_unit_length(any_model: BundledModel) -> None:
    length = np.linalg.norm(any_model.model.keys["quaternion"] / 32767, axis=1)
    assert np.abs(length - 1).max() < 1e-4


def test_slot_bounds_are_exact(any_model: BundledModel) -> None:
    model, draws = any_model.model, any_model.draws
    corners = _corners(any_model)
    slots = np.repeat(draws.slot, draws.triangle_count)
    for index, slot in enumerate(model.slots):
        points = corners[slots == index].reshape(-1, 3)
        assert (points.min(axis=0) == slot["aabb_min"]).all()
        assert (points.max(axis=0) == slot["aabb_max"]).all()
        distance = np.linalg.norm(points.astype(np.float64) - slot["sphere_center"], axis=1)
        assert distance.max() <= slot["sphere_radius"] <= distance.max() + 1e-4


def test_slots_state_their_area_and_volume(any_model: BundledModel) -> None:
    model, draws = any_model.model, any_model.draws
    wide = _corners(any_model).astype(np.float64)
    area = np.linalg.norm(np.cross(wide[:, 1] - wide[:, 0], wide[:, 2] - wide[:, 0]), axis=1) / 2
    slots = np.repeat(draws.slot, draws.triangle_count)
    stated = model.slots["opaque"][:, :2].copy().view("<f4")
    for index, slot in enumerate(model.slots):
        own, size = area[slots == index], slot["aabb_max"].astype(float) - slot["aabb_min"]
        shared = len(np.unique(draws.parts.node[draws.parts.slot == index]))
        assert np.isclose(stated[index, 0], own.sum() / shared, rtol=1e-4)
        assert np.isclose(stated[index, 1], np.prod(size), rtol=1e-4, atol=1e-4)


def test_header_box_is_the_posed_box_at_time_0(any_model: BundledModel) -> None:
    model, draws = any_model.model, any_model.draws
    world = any_model.animation.pose(0.0).world
    box = draws.posed_bounds(
        model, world, draws.draws_of(PartChooser(model, draws).shown(PartChoice()).parts)
    )
    assert box is not None
    assert model.header is not None
    hull = model.header["hull"]
    assert np.abs(hull.min(axis=0) - box.low).max() < 1e-4
    assert np.abs(hull.max(axis=0) - box.high).max() < 1e-4
    assert hull[0].tolist() == hull.min(axis=0).tolist()
    assert hull[6].tolist() == hull.max(axis=0).tolist()


def test_index_ranges_tile_the_indices(any_model: BundledModel) -> None:
    batches = any_model.model.batches
    ends = batches["index_start"].astype(int) + batches["index_count"]
    assert batches["index_start"][0] == 0
    assert ends[:-1].tolist() == batches["index_start"][1:].tolist()
    assert ends[-1] == len(any_model.model.indices)


def test_batches_state_how_many_vertices_they_span(any_model: BundledModel) -> None:
    model = any_model.model
    for batch in model.batches:
        start, count = int(batch["index_start"]), int(batch["index_count"])
        assert batch["opaque14"] == model.indices[start : start + count].max() + 1


def test_every_vertex_is_drawn(any_model: BundledModel) -> None:
    drawn = np.unique(any_model.draws.corners)
    assert len(drawn) == any_model.model.vertex_count


def test_no_vertex_belongs_to_two_nodes(any_model: BundledModel) -> None:
    draws = any_model.draws
    nodes = np.repeat(np.repeat(draws.node, draws.triangle_count), 3)
    pairs = np.unique(np.stack([draws.corners.reshape(-1), nodes]), axis=1)
    assert len(np.unique(pairs[0])) == pairs.shape[1]


def test_descriptors_hold_the_normals_of_their_triangles(any_model: BundledModel) -> None:
    draws = any_model.draws
    stored = triangles.decode_normal(any_model.model.tri_descriptors["normal"][draws.descriptor])
    assert np.abs(np.linalg.norm(stored, axis=1) - 1).max() < 1e-3
    assert np.abs(stored - _face_normals(_corners(any_model))).max() < 1e-4


def test_neighbours_share_two_places_and_name_each_other(any_model: BundledModel) -> None:
    draws, rows = any_model.draws, any_model.model.tri_descriptors
    corners = np.empty((len(rows), 3, 3), np.float32)
    corners[draws.descriptor] = _corners(any_model)
    selectors = triangles.decode_selectors(rows["selectors"])
    linked = 0
    for number, (links, edges) in enumerate(zip(rows["links"].tolist(), selectors.tolist(), strict=True)):
        for edge, (other, other_edge) in enumerate(zip(links, edges, strict=True)):
            if other == triangles.NONE:
                assert other_edge == triangles.NO_SELECTOR
                continue
            own = corners[number][[edge, (edge + 1) % 3]]
            assert (corners[other][[(other_edge + 1) % 3, other_edge]] == own).all()
            assert rows["links"][other][other_edge] == number
            linked += 1
    assert linked > 1.5 * len(rows)


def test_vertex_normals_are_unit_and_agree_with_the_winding(any_model: BundledModel) -> None:
    raw = any_model.model.normals_raw
    assert raw is not None
    unit = vertices.decode_normals(raw)
    assert np.abs(np.linalg.norm(unit, axis=1) - 1).max() < 0.02
    faces = np.repeat(_face_normals(_corners(any_model)), 3, axis=0)
    cosine = (unit[any_model.draws.corners.reshape(-1)] * faces).sum(axis=1)
    assert cosine.min() > 0
    assert np.mean(cosine > 0.7) > 0.8


def test_material_rows_exist(any_model: BundledModel) -> None:
    field = any_model.choice.reading.material_field
    batches = any_model.model.batches
    rows = batches["material"] if field == "seed" else batches["opaque4"] & 0xFF
    assert rows.max() < len(any_model.wear.materials)
    assert len(np.unique(rows)) == len(any_model.wear.materials)


def test_keys_return_to_where_they_began(any_model: BundledModel) -> None:
    """A loop that wraps at its last frame has no seam, but for a root that has travelled."""
    first = any_model.animation.pose(0.0).local
    last = any_model.animation.pose(float(any_model.animation.frame_count - 1)).local
    still = [node for node, name in enumerate(any_model.names) if name != "root"]
    assert np.abs(first - last)[still].max() < 2e-3


def test_the_right_kind_of_record_names_the_nodes(subject: Callable[[str, str], BundledModel]) -> None:
    seed, field = subject("seed.rlb", "drone_seed"), subject("models.rlb", "drone")
    assert all(seed.model.strings)
    assert not any(seed.model.name_records)
    assert all(field.model.name_records)
    assert seed.names == field.names


def test_only_sockets_have_labels(any_model: BundledModel) -> None:
    """What they take; a socket is a node called Base_* without geometry."""
    if not any_model.choice.reading.has_name_records:
        return
    is_empty = (any_model.model.nodes["slots"] == NONE).all(axis=(1, 2))
    sockets = [is_empty[row] and name.startswith("Base_") for row, name in enumerate(any_model.names)]
    labelled = [bool(text) for text in any_model.model.strings]
    assert labelled == [is_socket and row > 0 for row, is_socket in enumerate(sockets)]


def test_portals_alone_name_a_room(any_model: BundledModel) -> None:
    batches = any_model.model.batches
    if any_model.choice.reading.material_field is MaterialField.FIELD:
        is_portal = batches["flags"] & 0x0008 != 0
        assert ((batches["opaque6"] != NONE) == is_portal).all()


def test_what_blends_is_in_the_see_through_layer_but_for_leaves(any_model: BundledModel, game: Path) -> None:
    """Leaves blend and write depth; portals have the flag whatever their material (field-notes.md 2)."""
    if any_model.choice.reading.material_field is not MaterialField.FIELD:
        return
    library = Archive.read((game / "Material.lib").read_bytes())
    kinds = [library.entries[library.find(row.name) or 0].attr1 for row in any_model.wear.materials]
    for batch in any_model.model.batches:
        row = int(batch["opaque4"]) & 0xFF
        is_blended = kinds[row] >= 4 and any_model.wear.materials[row].name != b"LEAVES"
        assert bool(batch["flags"] & 0x0100) == (is_blended or bool(batch["flags"] & 0x0008))
        assert bool(batch["flags"] & 0x2000) == (batch["opaque4"] >> 8 == 0)
