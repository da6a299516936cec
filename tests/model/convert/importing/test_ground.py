"""Terrain: texture coordinates that start over after 64 turns."""

from __future__ import annotations

import re
import struct

import numpy as np
import pytest
from msgspec.structs import replace

from tests.corpora import ABSENT, GAME, SAMPLES
from tests.model.convert.importing.scenes import PLAIN, imported, scene, source_of
from tests.model.edit.drafts import draft_of
from tests.terrains import terrain
from viewer.formats.archive import nres
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.msh.tables import STREAM18, UVS
from viewer.model.convert.building.tables import made_of
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf import read as gltf
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.check.deviation import DeviationKind
from viewer.model.convert.importing.check.deviations import deviations
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import nothing
from viewer.model.convert.source import ModelSource
from viewer.model.edit.geometry.slot_changes import AssignMaterial
from viewer.model.edit.plan import plan
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source, model_of

ACROSS = {0: (-0.5, 0.5), 32: (31.5, 32.5)}
"""Turns on the two sides of a tile, by the turn at which words of 1/1024 start over."""


def ground(turns: int) -> ModelSource:
    """A tile with a seam between its vertices, x before y, in both pairs of coordinates along u."""
    container = nres.Archive.read(terrain(1, 1))
    low, high = ((int(it * 1024) & 0xFFFF, 0) for it in ACROSS[turns])
    words = np.array([low, low, high, high], "<u2").tobytes()
    at = {type_id: container.find_type(type_id) or 0 for type_id in (UVS, STREAM18)}
    return source_of(rewrite(container, dict.fromkeys(at.values(), words)))


def _turns(given: Scene, name: str) -> list[float]:
    (primitive,) = given.meshes[0].primitives
    values = getattr(primitive, name)[:, 0]
    assert primitive.vertices is not None
    return [float(it) for it in values[np.argsort(primitive.vertices)]]


@pytest.mark.parametrize("turns", [0, 32])
@pytest.mark.parametrize("name", ["uvs", "lightmap_uvs"])
def test_no_seam_runs_through_an_exported_tile(turns: int, name: str) -> None:
    low, high = ACROSS[turns]
    assert _turns(scene(source=ground(turns)), name) == [low, low, high, high]


@pytest.mark.parametrize("turns", [0, 32])
def test_unedited_ground_changes_nothing_and_edited_coordinates_start_over(turns: int) -> None:
    source = ground(turns)
    given = scene(source=source)
    assert not imported(given, source).changes
    (primitive,) = given.meshes[0].primitives
    assert primitive.uvs is not None
    assert primitive.lightmap_uvs is not None
    step = np.array([(1 / 1024, 0)] * 4, np.float32)
    edited = replace(primitive, uvs=primitive.uvs + step, lightmap_uvs=primitive.lightmap_uvs - step)
    meshes = tuple(replace(it, primitives=(edited,)) for it in given.meshes)
    found = imported(replace(given, meshes=meshes), source)
    made = plan(draft_of(bytes(source.data)), found.changes)
    changed = source.edited(made.after)
    for name, move in (("uvs_raw", 1), ("lightmap_uvs_raw", -1)):
        before, after = (np.asarray(getattr(it.model, name)).astype(np.uint16) for it in (source, changed))
        assert (after[:, 0] - before[:, 0]).tolist() == [move & 0xFFFF] * 4
    assert not deviations(found, changed, made.moves)


def _without_extras(data: bytes) -> bytes:
    """A GLB file of which a program has kept the attributes of vertices, but no custom properties."""
    (size,) = struct.unpack_from("<I", data, 12)
    text = re.sub(rb'"extras": ?\{"mshview": ?"(?:[^"\\]|\\.)*"\},?', b"", data[20 : 20 + size])
    text = text.replace(b",}", b"}")
    return data[:20] + text.ljust(size) + data[20 + size :]


def test_rows_of_another_model_say_nothing_of_the_one_that_was_made_of_the_file() -> None:
    """A terrain has vertices that several batches share, the new model has them for each: other rows."""
    address = Address(GAME / "DATA" / "MAPS" / "SAMPLE" / "Land.msh")
    own = model_of(FileStore(), Source(address))
    given = gltf.read(_without_extras(glb_of(scene_of(own, PLAIN))), nothing)
    assert given.origin is None
    assert {it.slot for it in given.meshes} == {None}
    assert all(it.vertices is not None for mesh in given.meshes for it in mesh.primitives)
    made = source_of(made_of(given).data)
    assert made.model.vertex_count != own.model.vertex_count
    found = imported(given, made)
    # read without its wear table its materials are others
    assert {type(it) for it in found.changes} <= {AssignMaterial}
    assert {it.kind for it in deviations(found, made)} <= {DeviationKind.MATERIAL}


@pytest.mark.parametrize("corpus", ["seed", "field"])
def test_a_terrain_that_nobody_edited_loses_nothing(corpus: str) -> None:
    """Tiles share vertices of which their coordinates are whole turns apart, as they start over after 64."""
    if not SAMPLES.exists():
        pytest.skip(ABSENT)
    own = model_of(
        FileStore(), Source(Address(SAMPLES / corpus / "game" / "DATA" / "MAPS" / "SYN_1" / "Land.msh"))
    )
    given = gltf.read(glb_of(scene_of(own, PLAIN)), nothing)
    found = imported(given, own)
    assert (found.changes, found.losses, deviations(found, own)) == ((), (), ())
