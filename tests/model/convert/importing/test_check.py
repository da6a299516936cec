"""The check of an import: what is wrong is said with its node and size, what is right is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from tests.model.convert.importing.scenes import (
    SOURCE,
    added,
    cube,
    imported,
    moved,
    scene,
    with_node,
    with_primitive,
    without_node,
)
from tests.model.edit.drafts import draft_of
from viewer.diagnostics import Remark
from viewer.model.convert.importing.check.deviation import Deviation, DeviationKind, grouped
from viewer.model.convert.importing.check.deviations import deviations
from viewer.model.convert.importing.check.surfaces import within
from viewer.model.convert.importing.importer import Import
from viewer.model.convert.scene import Node, Scene
from viewer.model.edit.change import Change
from viewer.model.edit.plan import plan


def checked(given: Scene, changes: Sequence[Change] | None = None) -> tuple[Deviation, ...]:
    """What differs after the changes of a scene, or after others."""
    found = imported(given)
    return checked_import(found, found.changes if changes is None else changes)


def checked_import(found: Import, changes: Sequence[Change]) -> tuple[Deviation, ...]:
    made = plan(draft_of(bytes(SOURCE.data)), changes)
    return deviations(found, SOURCE.edited(made.after), made.moves)


def test_an_unedited_file_and_plain_edits_are_silent() -> None:
    given = scene()
    crate = Node("crate", 1, {(0, 0): len(given.meshes)}, position=(0.0, 0.0, 5.0))
    for edited in (
        given,
        with_primitive(given, 0, moved({0: (-3, -2.5, 0.25)})),
        with_node(given, 4, position=(1.0, 2.0, 3.0)),
        with_node(given, 4, parent=1),
        without_node(given, 2),
        added(given, crate, meshes=[cube()]),
    ):
        assert [it.words for it in checked(edited) if it.kind is not DeviationKind.NORMALS] == []


def test_a_vertex_that_was_not_moved_is_named_with_its_distance() -> None:
    given = scene()
    there = given.meshes[0].primitives[0].positions[0]
    edited = with_primitive(given, 0, moved({0: there + np.array([0, 0, -4.0])}))
    users = int((given.meshes[0].primitives[0].triangles == 0).sum())
    (found,) = checked(edited, changes=())
    assert (found.kind, found.name, found.count) == (DeviationKind.MOVED, "hull", users)
    assert found.size == pytest.approx(4.0)
    assert found.words == f"hull: {users} triangles are up to 4 units from where the file has them"


@pytest.mark.parametrize("most", [1, 5, 7])
def test_parts_that_are_compared_in_pieces_differ_in_the_same(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """One vertex, which triangles of several pieces have, and a material of one batch."""
    given = scene()
    there = given.meshes[0].primitives[0].positions[-1]
    edited = with_primitive(given, 0, moved({-1: there + np.array([0, 0, -4.0])}))
    painted = with_primitive(given, 0, lambda it: replace(it, material=1))
    whole = [checked(it, changes=()) for it in (edited, painted)]
    assert all(whole)
    monkeypatch.setattr("viewer.model.convert.importing.check.deviations.MOST_TRIANGLES", most)
    assert [checked(it, changes=()) for it in (edited, painted)] == whole
    assert checked(given, changes=()) == ()


@pytest.mark.parametrize(
    ("some", "first", "taken"),
    [
        (slice(None), [0, 0, 0, 0], [4, 0, 3, 2]),
        (slice(2, 6), [2, 0, 0, -3], [2, 0, 2, 0]),
        (slice(7, 99), [7, 3, 3, 0], [0, 0, 0, 2]),
    ],
)
def test_a_slice_of_runs_takes_some_of_each(some: slice, first: list[int], taken: list[int]) -> None:
    found_first, found_taken = within([4, 0, 3, 2], some)
    assert found_taken.tolist() == taken
    is_taken = found_taken > 0
    assert found_first[is_taken].tolist() == np.array(first)[is_taken].tolist()


def test_triangles_in_another_order_with_other_corners_first_and_split_vertices_are_the_same() -> None:
    given = scene()
    mesh = given.meshes[0]
    first = mesh.primitives[0]
    order = np.random.default_rng(1).permutation(len(first.triangles))
    corners = np.roll(first.triangles[order], 1, axis=1).reshape(-1)
    streams = {name: getattr(first, name)[corners] for name in ("positions", "normals", "uvs")}
    split = replace(first, triangles=np.arange(len(corners)).reshape(-1, 3), vertices=None, **streams)
    meshes = (replace(mesh, primitives=(split, *mesh.primitives[1:])), *given.meshes[1:])
    assert checked(replace(given, meshes=meshes), changes=()) == ()


def test_triangles_that_are_missing_and_those_that_are_too_many_are_counted() -> None:
    given = scene()
    cut = with_primitive(given, 0, lambda it: replace(it, triangles=it.triangles[2:]))
    assert checked(cut) == ()
    assert checked(cut, changes=()) == (Deviation(DeviationKind.EXTRA, "hull", 2),)
    with_more = with_primitive(
        given, 1, lambda it: replace(it, triangles=np.concatenate([it.triangles, it.triangles[:3] + 1]))
    )
    assert [(it.kind, it.name, it.count) for it in checked(with_more, changes=())] == [
        (DeviationKind.MISSING, "turret", 3)
    ]


def test_normals_and_texture_coordinates_are_measured() -> None:
    given = scene()
    tilted = np.array([np.sin(np.radians(30)), 0, np.cos(np.radians(30))], np.float32)

    flat = given.meshes[0].primitives[1]
    assert flat.normals is not None
    assert np.allclose(flat.normals, (0, 0, 1))
    leaning = with_primitive(
        given, 0, lambda it: replace(it, normals=np.tile(tilted, (len(it.positions), 1))), 1
    )
    (found,) = checked(leaning, changes=())
    assert (found.kind, found.count) == (DeviationKind.NORMALS, 3 * len(flat.triangles))
    assert found.size == pytest.approx(30, abs=0.5)
    assert flat.uvs is not None
    shifted = flat.uvs + np.float32(0.25)
    (found,) = checked(with_primitive(given, 0, lambda it: replace(it, uvs=shifted), 1), changes=())
    assert (found.kind, found.count) == (DeviationKind.UVS, 3 * len(flat.triangles))
    assert found.size == pytest.approx(0.25)


def test_places_are_measured_in_every_whole_frame_of_the_node_that_is_wrong() -> None:
    given = scene()
    assert checked(with_node(given, 4, position=(0.0, 3.0, 2.0)), changes=()) == (
        Deviation(DeviationKind.PLACE, "socket", 1, 3.0),
    )
    track = given.nodes[1].track
    assert track is not None
    rotations = track.rotations.copy()
    rotations[1] = (1, 0, 0, 0)
    (found,) = checked(with_node(given, 1, track=replace(track, rotations=rotations)), changes=())
    # Key 1 is at frame 4, so that all frames from 1 to 9 are turned, the key itself by all 40 degrees.
    assert (found.kind, found.name, found.count, found.frame) == (DeviationKind.MOVED_TURN, "turret", 9, 4.0)
    assert found.size == pytest.approx(40, abs=0.01)


def test_a_parent_and_a_new_node_that_are_left_out_are_named() -> None:
    given = scene()
    (found,) = checked(with_node(given, 4, parent=1), changes=())
    assert (found.kind, found.name, found.other) == (DeviationKind.PARENT, "socket", "hull")
    crate = Node("crate", 1, {(0, 0): len(given.meshes)})
    assert checked(added(given, crate, meshes=[cube()]), changes=()) == (
        Deviation(DeviationKind.NODE, "crate"),
    )


def test_an_origin_that_is_elsewhere_is_told_from_geometry_that_is() -> None:
    given = scene()
    step = np.array([0.0, 0.0, 0.5], np.float32)
    mesh = given.nodes[2].cells[0, 0]
    alone = with_node(given, 3, cells={})
    edited = with_node(
        with_primitive(alone, mesh, lambda it: replace(it, positions=it.positions - step)),
        2,
        position=(1.0, 0.0, 0.5),
    )
    found = [it for it in checked(edited, changes=()) if it.name == "gun_l"]
    assert [it.kind for it in found] == [DeviationKind.ORIGIN]
    assert found[0].size == pytest.approx(0.5)


def test_materials_are_compared_by_their_row() -> None:
    given = scene()
    painted = with_primitive(given, 0, lambda it: replace(it, material=1))
    (found,) = checked(painted, changes=())
    assert (found.kind, found.name) == (DeviationKind.MATERIAL, "hull")
    assert found.count == len(given.meshes[0].primitives[0].triangles)
    bare = with_primitive(given, 0, lambda it: replace(it, material=None))
    (found,) = checked(bare)
    assert (found.kind, found.count) == (
        DeviationKind.NO_MATERIAL,
        len(given.meshes[0].primitives[0].triangles),
    )


def test_triangles_that_went_to_another_node_are_named_with_both() -> None:
    given = scene()
    barrel = given.meshes[given.nodes[2].cells[0, 0]]
    # The left gun hangs on the turret at (1, 0, 0): its quad becomes a part of the turret there.
    first = barrel.primitives[0]
    turret = given.nodes[1].cells[0, 0]
    joined = replace(
        first, positions=first.positions + np.array([1, 0, 0], np.float32), vertices=None, batch=None
    )
    meshes = [*given.meshes]
    meshes[turret] = replace(meshes[turret], primitives=(*meshes[turret].primitives, joined))
    edited = without_node(replace(given, meshes=tuple(meshes)), 2)
    carried = [it for it in checked(edited) if it.kind is DeviationKind.CARRIED]
    assert carried == [Deviation(DeviationKind.CARRIED, "turret", 2, other="gun_l")]


def test_a_copy_takes_nothing_from_its_original() -> None:
    given = scene()
    copy = replace(given.nodes[1], name="second", number=None, position=(0.0, 0.0, 9.0))
    assert [it for it in checked(added(given, copy)) if it.kind is DeviationKind.CARRIED] == []


def test_many_nodes_that_differ_in_one_way_are_one_remark_with_details() -> None:
    few = [Deviation(DeviationKind.MISSING, f"node {it}", 2) for it in range(4)]
    assert [*grouped(few)] == [Remark(it.words) for it in few]
    many = [Deviation(DeviationKind.NORMALS, f"node {it}", 3, 10.0 + it) for it in range(6)]
    (found, *others) = grouped([*many, *few[:1]])
    assert found.details == tuple(it.words for it in many)
    words = "6 nodes, most node 5: 18 corner normals differ from the file, by up to 15 degrees"
    assert (found.words, others) == (words, [Remark(few[0].words)])


def test_second_texture_coordinates_that_no_table_holds_are_counted() -> None:
    given = scene()
    edited = with_primitive(given, 0, lambda it: replace(it, lightmap_uvs=it.uvs))
    corners = 3 * len(given.meshes[0].primitives[0].triangles)
    assert checked(edited) == (Deviation(DeviationKind.SECOND_UVS, "hull", corners),)


def test_a_place_at_rest_that_no_key_has_is_a_loss_with_its_size() -> None:
    """The turret moves from (0, 0, 0) by (1, 2, 3) to (0, 5, 0); the key in the middle is the nearest one."""
    found = imported(with_node(scene(), 1, position=(0.0, 5.0, 4.0)))
    (loss,) = found.losses
    assert "turret moves, so its place at rest is that of its keys" in loss
    assert ", 3.32 units from it, is left out" in loss
    assert found.changes == ()
