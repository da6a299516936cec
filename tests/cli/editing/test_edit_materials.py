"""``edit`` of materials and geometry: the reading that the wear table gives, and what should be known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of, quad
from tests.cli.console import Capture, success
from tests.game_folders import MAT0, MATERIALS, archive
from viewer.cli.main import main
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.model.mesh.model import Model


def test_the_material_is_set_where_the_wear_table_has_it_read(tmp_path: Path, capsys: Capture) -> None:
    shapes = [quad(), quad()]
    builder = ModelBuilder([Node("a", shapes={(0, 0): shapes}), Node("b", shapes={(0, 0): shapes})])
    builder.batches["material"] = 500
    builder.batches["opaque4"] = (0xFF00, 0xFF01)
    path, script = tmp_path / "a.rlb", tmp_path / "script.json"
    path.write_bytes(archive_of({"m.msh": builder.build(), "m.wea": wear.build([b"A", b"B"])}))
    changes = [{"do": "material", "rows": "0", "material": 1}, {"do": "move", "node": "a", "by": [0, 0, 1]}]
    script.write_text(json.dumps(changes))
    assert main(["edit", f"{path}::m.msh", "--script", str(script), "-o", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["notes"] == [
        "nodes 1 use vertices of node 0; they move too",
    ]
    model = Model.read(nres.Archive.read(path.read_bytes()).payload(0))
    assert model.batches["opaque4"].tolist() == [0xFF01, 0xFF01]
    assert model.batches["material"].tolist() == [500, 500]


@pytest.mark.parametrize("place", ["", "units"])
def test_a_material_that_the_game_around_the_file_does_not_have_is_said(
    place: str, tmp_path: Path, capsys: Capture
) -> None:
    """As in the window, which needs no --game for it either."""
    path = tmp_path / place / "a.rlb"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(archive_of({"m.wea": wear.build([b"SKIN", b"GLASS"])}))
    arguments = ("edit", f"{path}::m.wea", "--set", "materials[1].name=NOWHERE", "--dry-run", "--json")
    assert json.loads(success(capsys, *arguments)[0])["diagnostics"] == [], "no game, no names to look up"
    (tmp_path / "Material.lib").write_bytes(archive(MAT0, MATERIALS))
    (found,) = json.loads(success(capsys, *arguments)[0])["diagnostics"]
    assert (found["rule"], found["table"], found["index"]) == ("W06", "materials", 1)
    assert found["source"] == f"{path}::m.wea"
    known = ("edit", f"{path}::m.wea", "--set", "materials[1].name=LEAVES", "--dry-run", "--json")
    assert json.loads(success(capsys, *known)[0])["diagnostics"] == []
