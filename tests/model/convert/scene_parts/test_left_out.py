"""What scenes cannot have, as sentences."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.corpora import ABSENT, SAMPLES
from tests.model.convert.test_from_model import source_of
from viewer.cli.main import main
from viewer.formats.msh import tables
from viewer.formats.msh.nodes import NONE
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.movement.curves import Curve
from viewer.model.convert.obj import placing
from viewer.model.convert.scene import Clips, Options
from viewer.model.convert.scene import Node as SceneNode
from viewer.model.convert.scene_parts import animation
from viewer.model.convert.scene_parts.left_out import notes_of
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source, model_of

NODES = [
    Node("hull", shapes={(0, 0): [box()], (1, 0): [box()]}, keys=[Key(0), Key(4, (1, 0, 0))]),
    Node("gun", parent=0, shapes={(0, 0): [box()]}, keys=[Key(0), Key(4, (2, 0, 0))]),
]


def test_models_have_no_losses_even_if_one_cell_is_exported() -> None:
    source = source_of(ModelBuilder(NODES).model())
    assert scene_of(source).losses == scene_of(source, Options(has_all_cells=True)).losses == ()


def without_a_cell() -> Model:
    """A model in which no node shows the last slot."""
    data = bytearray(ModelBuilder(NODES).build())
    model = Model.read(bytes(data))
    nodes = model.nodes.copy()
    nodes["slots"][nodes["slots"] == len(model.slots) - 1] = NONE
    entry = model.archive.entries[model.archive.find_type(tables.NODES) or 0]
    data[entry.offset : entry.offset + nodes.nbytes] = nodes.tobytes()
    return Model.read(bytes(data))


def test_slots_and_batches_of_no_cell_are_named() -> None:
    model = without_a_cell()
    last, batch = len(model.slots) - 1, len(model.batches) - 1
    assert scene_of(source_of(model)).losses == (
        f"slots that no node shows in any cell: 1 ({last})",
        f"batches that no node shows in any cell: 1 ({batch})",
    )


def test_nodes_beyond_the_limit_of_keys_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of(ModelBuilder(NODES).model())
    monkeypatch.setattr(animation, "ALLOWANCE", -(1 << 30))
    found = scene_of(source)
    told = "nodes that stand still, as the frame map asks for too many keys: 2 (0, 1)"
    assert found.losses == (told,)
    assert [node.track for node in found.nodes] == [None, None]
    assert scene_of(source, Options(clips=Clips.NONE)).losses == ()


def test_export_warns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.msh"
    path.write_bytes(ModelBuilder(NODES).build())
    monkeypatch.setattr(animation, "ALLOWANCE", -(1 << 30))
    assert main(["export", str(path), "-o", str(tmp_path / "a.glb")]) == 0
    assert "a.glb: nodes that stand still" in capsys.readouterr().err
    path.write_bytes(chain(1 - 1e-4).build())
    assert main(["export", str(path), "-o", str(tmp_path / "b.glb")]) == 0
    assert "b.glb: at frame 0 vertices are up to" in capsys.readouterr().err


def chain(length: float, count: int = 40) -> ModelBuilder:
    """Nodes, each turned against the one below it by a rotation of a length."""
    turn = tuple((np.array([0.96, 0.0, 0.0, 0.28]) * length).tolist())
    keys, shapes = [Key(0, (1, 0, 0), turn)], {(0, 0): [box()]}
    return ModelBuilder(
        [Node(f"n{at}", parent=at - 1 if at else None, shapes=shapes, keys=keys) for at in range(count)]
    )


@pytest.mark.parametrize("model", ["chain", "h_nodes200"])
def test_vertices_that_are_not_where_the_game_shows_them_are_named(model: str) -> None:
    """As a reader of the file sees them at the frame that is named; what is exact is not mentioned."""
    source = (
        source_of(chain(1 - 1e-4).model()) if model == "chain" else of_corpus("robots.rlb", f"{model}.msh")
    )
    scene = scene_of(source)
    (note,) = notes_of(source, scene)
    frame, distance = map(float, re.findall(r"frame (\S+) vertices are up to (\S+) away", str(note))[0])
    pose = source.animation.pose(frame)
    worlds = placing.worlds(replace(scene, nodes=tuple(with_pose(node, frame) for node in scene.nodes)))
    away = []
    for at, node in enumerate(scene.nodes):
        shown = [it.positions for mesh in node.cells.values() for it in scene.meshes[mesh].primitives]
        points = np.vstack([np.zeros((1, 3)), *shown])
        there = [points @ it[:3, :3].T + it[:3, 3] for it in (worlds[at], pose.world[at].astype(np.float64))]
        away.append(np.linalg.norm(there[0] - there[1], axis=1).max())
    assert 0.8 * distance <= max(away) <= 1.06 * distance
    assert max(away) > 1e-3
    exact = source_of(chain(1, count=3).model())
    assert not [*notes_of(exact, scene_of(exact))]


def with_pose(node: SceneNode, frame: float) -> SceneNode:
    if node.track is None:
        return node
    point = Curve(node.track).at(np.array([frame]))
    (x, y, z), (w, i, j, k) = point.positions[0].tolist(), point.rotations[0].tolist()
    return replace(node, position=(x, y, z), rotation=(w, i, j, k))


def of_corpus(archive: str, name: str) -> ModelSource:
    if not SAMPLES.is_dir():
        pytest.skip(ABSENT)
    return model_of(FileStore(), Source(Address(SAMPLES / "field/game" / archive, (name,))))
