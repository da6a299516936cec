"""Several models in one picture: with one depth, in any order, all of it in sight."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.builders import ModelBuilder, Node, box
from tests.cli.console import Capture
from viewer.cli.main import main
from viewer.geometry.transforms import translation
from viewer.render.unit_renderer import PlacedModel, UnitRenderer, framed
from viewer.session.opened.document import Document
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import Shading, ViewState

SIZE = 90, 90
UNIT = "UNITS/UNITS/BATTLE/{}.dat"


def test_what_is_nearer_covers_what_is_drawn_before_and_after_it() -> None:
    model = ModelBuilder([Node("box", shapes={(0, 0): [box()]})]).model()
    parts = [
        PlacedModel(Document.of(f"{number}.msh", model), translation(place))
        for number, place in enumerate([(0, 0, 0), (0.3, 5, 0.2), (-0.4, -6, 0), (1, 40, 1)])
    ]
    view = ViewState(overlays=frozenset(), shading=Shading.NORMALS, samples=1)
    camera = framed(parts, view, Camera(yaw=0.4), SIZE[0] / SIZE[1])
    view = ViewState(overlays=frozenset(), shading=Shading.NORMALS, samples=1, camera=camera)
    drawn = UnitRenderer(parts).image(view, SIZE)
    np.testing.assert_array_equal(drawn, UnitRenderer(parts[::-1]).image(view, SIZE))
    rows, columns = np.nonzero((drawn != drawn[0, 0]).any(axis=2))
    extent = np.array([np.ptp(columns) + 1, np.ptp(rows) + 1]) / SIZE
    assert (extent / (0.9, 0.8)).max() == pytest.approx(1, abs=0.04)
    assert (extent <= (0.92, 0.82)).all()


def test_render_assembles_a_unit_and_inspect_says_where_its_parts_are(
    samples: Path, tmp_path: Path, capsys: Capture
) -> None:
    game, out = samples / "field" / "game", tmp_path / "unit.png"
    full, lost = (str(game / UNIT.format(name)) for name in ("w_test", "w_lost"))
    pictures = []
    for unit in (full, lost):
        assert main(["render", unit, "-o", str(out), "--size", "64x64"]) == 0
        pictures.append(np.asarray(Image.open(out)))
    assert "u_tel_def_a_03: its object leads to no model" in capsys.readouterr().err
    assert (pictures[0] != pictures[1]).any()  # the chassis alone is shown larger

    assert main(["inspect", full, "--json"]) == 0
    mounts = json.loads(capsys.readouterr().out)["mounts"]
    truth = json.loads((samples / "field" / "truth.json").read_text())["units"]
    expected = truth[f"game/{UNIT.format('w_test')}"]["components"]
    for mount, component in zip(mounts, expected, strict=True):
        if component["matrix"] is not None:
            np.testing.assert_allclose(np.ravel(mount["matrix"]), component["matrix"], atol=1e-3)

    assert main(["render", full, "-o", str(out), "--ids"]) != 0
    assert "--ids is for a model" in capsys.readouterr().err
    outside = tmp_path / "unit.dat"
    outside.write_bytes(Path(full).read_bytes())
    assert main(["render", str(outside), "-o", str(out)]) != 0
    assert "--game" in capsys.readouterr().err
