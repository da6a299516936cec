"""What scenes cannot have, as sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.model.convert.test_from_model import source_of
from viewer.cli.main import main
from viewer.formats.msh import tables
from viewer.formats.msh.nodes import NONE
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.scene import Clips, Options
from viewer.model.convert.scene_parts import curves
from viewer.model.mesh.model import Model

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
    monkeypatch.setattr(curves, "ALLOWANCE", -(1 << 30))
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
    monkeypatch.setattr(curves, "ALLOWANCE", -(1 << 30))
    assert main(["export", str(path), "-o", str(tmp_path / "a.glb")]) == 0
    assert "a.glb: nodes that stand still" in capsys.readouterr().err
