"""Files of selected objects, and files with other directions: nothing changes that nobody edited."""

from __future__ import annotations

import json
import struct
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.corpora import GAME
from tests.model.convert.gltf.making import glb
from tests.model.convert.importing.scenes import model_after, moved, with_node, with_primitive
from viewer.geometry.quaternions import product
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.findings import KEPT, ImportChoices, Missing
from viewer.model.convert.importing.importer import Import, changes_of
from viewer.model.convert.motion.curve import Curve, at_rest
from viewer.model.convert.motion.rotations import turn_matrix
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import Node, Scene, Track
from viewer.model.edit.nodes.node_count import RemoveNode, SetCell
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.plan import plan_import
from viewer.operations.opening import Source, model_of
from viewer.translation import Text

WALKER = model_of(FileStore(), Source(Address(GAME / "models.rlb", ("walker.msh",))))
WHOLE = scene_of(WALKER, Options(has_textures=False))
NAMES = [node.name for node in WHOLE.nodes]


def part_of(names: Collection[str], given: Scene = WHOLE) -> bytes:
    """An export of selected objects: each below the nearest selected one, at its place."""
    kept = [index for index, node in enumerate(given.nodes) if node.name in names]
    nodes = []
    for index in kept:
        node = given.nodes[index]
        place, rotation, up = np.array(node.position, np.float64), np.array(node.rotation), node.parent
        while up is not None and up not in kept:
            above = given.nodes[up]
            place = np.array(above.position) + turn_matrix(above.rotation) @ place
            rotation, up = product(above.rotation, rotation), above.parent
        parent = None if up is None else kept.index(up)
        values: Any = {"position": tuple(place.tolist()), "rotation": tuple(rotation.tolist())}
        nodes.append(replace(node, parent=parent, **values))
    meshes = {mesh for node in nodes for mesh in node.cells.values()}
    numbers = {mesh: at for at, mesh in enumerate(sorted(meshes))}
    shown = [replace(it, cells={cell: numbers[mesh] for cell, mesh in it.cells.items()}) for it in nodes]
    left = tuple(given.meshes[it] for it in sorted(meshes))
    clips = (
        replace(it, tracks={kept.index(node): track for node, track in it.tracks.items() if node in kept})
        for it in given.clips
    )
    return glb_of(replace(given, nodes=tuple(shown), meshes=left, clips=tuple(clips), views=()))


def selected(names: Collection[str], given: Scene = WHOLE, *, has_extras: bool = True) -> Scene:
    """What is read of an export of selected objects."""
    data = part_of(names, given)
    return read(data if has_extras else _bare(data))


def _bare(data: bytes) -> bytes:
    """A file without custom properties, as Blender writes it by default."""
    size = struct.unpack("<I", data[12:16])[0]
    root = json.loads(data[20 : 20 + size])
    for items in root.values():
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict):
                item.pop("extras", None)
    return glb(root, data[28 + size :])


def compared(given: Scene, missing: Missing | None = None) -> Import:
    return changes_of(WALKER, given, WALKER.wear_names, ImportChoices(missing=missing))


@pytest.mark.parametrize("has_extras", [False, True])
@pytest.mark.parametrize(
    "names",
    [
        ["turret"],
        ["antenna", "dish", "gun_l", "foot_r"],
        [it for it in NAMES if it not in ("turret", "root")],
    ],
)
def test_selected_objects_change_nothing(names: list[str], *, has_extras: bool) -> None:
    """One, few below others, and all but two that the others are below: the model stays as it is."""
    found = compared(selected(names, has_extras=has_extras))
    assert found.missing is Missing.KEEP
    assert (found.changes, found.wear, found.libraries, found.losses) == ((), (), (), ())
    assert any(Text.of(note).template == KEPT for note in found.notes)


DIVIDED = scene_of(WALKER, Options(has_textures=False, clips=Clips.CLIPS))


def sampled_in_the_world(scene: Scene) -> Scene:
    """Clips of the gun as Blender samples them while what is above it plays the first one."""
    gun = NAMES.index("gun_l")
    first = scene.clips[0].tracks
    clips = []
    for clip in scene.clips:
        own = clip.tracks[gun]
        times = np.arange(np.floor(own.times[-1] * 24 + 1e-4) + 1) / 24
        moved = Curve(own).at(times, is_mixed=True)
        places, turns = moved.positions.astype(np.float64), moved.rotations.astype(np.float64)
        up = scene.nodes[gun].parent
        while up is not None:
            above = Curve(first[up] if up in first else at_rest(scene.nodes[up])).at(times, is_mixed=True)
            places = above.positions + np.einsum("nij,nj->ni", turn_matrix(above.rotations), places)
            turns, up = product(above.rotations, turns), scene.nodes[up].parent
        track = Track(times, places.astype(np.float32), turns.astype(np.float32))
        clips.append(replace(clip, tracks={gun: track}))
    return replace(scene, clips=tuple(clips))


@pytest.mark.parametrize("has_extras", [False, True])
def test_clips_of_selected_objects_change_nothing(*, has_extras: bool) -> None:
    """Each below what is not in the file, which moves in clips too."""
    names = ["gun_l", "foot_r"]
    found = compared(selected(names if has_extras else ["gun_l"], DIVIDED, has_extras=has_extras))
    assert found.missing is Missing.KEEP
    assert (found.changes, found.losses, found.new_clips) == ((), (), ())
    found = compared(selected(["gun_l"], sampled_in_the_world(DIVIDED), has_extras=has_extras))
    assert (found.missing, found.changes, found.losses) == (Missing.KEEP, (), ())


def test_a_file_of_all_cells_without_the_copies_leaves_the_other_cells() -> None:
    """As of selected objects: Blender has an object for each cell that a node shows."""
    whole = read(glb_of(scene_of(WALKER, Options(has_textures=False, has_all_cells=True))))
    shown = whole.chosen.shown
    bare = replace(
        whole,
        nodes=tuple(
            replace(node, cells={it: mesh for it, mesh in node.cells.items() if it == cell})
            for node, cell in zip(whole.nodes, shown, strict=True)
        ),
        views=whole.views[:1],
    )
    found = compared(bare)
    assert (found.missing, found.changes, found.losses) == (Missing.KEEP, (), ())
    assert any("LODs and groups that are not in the file stay" in it for it in found.notes)
    removed = compared(bare, Missing.REMOVE)
    assert {type(it) for it in removed.changes} == {SetCell}
    # one copy that was deleted is an edit, unless it is left too
    turret = NAMES.index("turret")
    other = next(it for it in whole.nodes[turret].cells if it != shown[turret])
    cells = {it: mesh for it, mesh in whole.nodes[turret].cells.items() if it != other}
    cut = with_node(whole, turret, cells=cells)
    assert compared(cut).changes == (SetCell(turret, *other, None),)
    assert compared(cut, Missing.KEEP).changes == ()


def test_an_edited_object_among_the_selected_ones_is_the_only_change() -> None:
    """A vertex of the turret, which is below others that are not in the file."""
    at = next(iter(WHOLE.nodes[NAMES.index("turret")].cells.values()))
    part = selected(["turret"], with_primitive(WHOLE, at, moved({0: (0.25, 0.5, 0.75)})))
    found = compared(part)
    assert found.missing is Missing.KEEP
    assert not any(isinstance(it, RemoveNode) for it in found.changes)
    after = model_after(part, WALKER).positions
    rows = np.flatnonzero((after != WALKER.model.positions).any(axis=1))
    assert len(rows) == 1
    np.testing.assert_array_equal(after[rows[0]], (0.25, 0.5, 0.75))


def test_what_is_left_is_no_loss(tmp_path: Path) -> None:
    """The check of the program's own compares what is in the file, not what was not selected."""
    path = tmp_path / "part.glb"
    source = Source(Address(GAME / "models.rlb", ("walker.msh",)))
    for names in (["turret"], ["antenna", "foot_r"], NAMES[:-1]):
        path.write_bytes(part_of(names))
        found = plan_import(FileStore(), path, source, ImportChoices(missing=Missing.KEEP))
        assert (found.changes, found.losses, found.byte_count) == ((), (), 0), names


def test_missing_nodes_are_removed_if_that_is_asked() -> None:
    tips = [it for it in NAMES if it != "antenna_tip"]
    for missing in (None, Missing.REMOVE):
        found = compared(selected(tips), missing)
        assert found.missing is Missing.REMOVE
        assert found.changes == (RemoveNode(NAMES.index("antenna_tip")),)
    kept = compared(selected(tips), Missing.KEEP)
    assert (kept.missing, kept.changes) == (Missing.KEEP, ())


def turned(*, is_y_up: bool) -> bytes:
    """A file of the walker with its vectors in the directions of another one."""
    return _bare(glb_of(replace(WHOLE, options=replace(WHOLE.options, is_y_up=is_y_up))))


def test_a_file_with_z_up_is_recognised_and_said() -> None:
    """Without a word in the file, as Blender writes it: every node is turned, none is an edit."""
    given = read(turned(is_y_up=False))
    assert given.options.is_y_up
    found = compared(given)
    assert found.is_turned
    assert not found.is_y_up
    assert (found.changes, found.losses) == ((), ())
    assert [str(it) for it in found.notes if "Z is up in the file" in it]
    as_asked = changes_of(WALKER, given, WALKER.wear_names, ImportChoices(is_y_up=True))
    assert len(as_asked.changes) > 30
    assert not as_asked.is_turned


@pytest.mark.parametrize("is_y_up", [False, True])
def test_the_said_directions_are_those_of_gltf_too(*, is_y_up: bool) -> None:
    """A file of another program without a template: its places are read as the user says."""
    given = read(turned(is_y_up=is_y_up), is_y_up=is_y_up)
    by_name: dict[str, Node] = {it.name: it for it in given.nodes}
    for node in WHOLE.nodes:
        if NAMES.count(node.name) == 1:
            np.testing.assert_allclose(by_name[node.name].position, node.position, atol=1e-6)
