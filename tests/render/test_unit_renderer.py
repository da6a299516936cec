"""Several models in one picture: with one depth, in any order, all of it in sight."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from tests.builders import ModelBuilder, Node, box
from tests.cli.console import Capture
from viewer.cli.main import main
from viewer.model.game.assembly import MountedPart
from viewer.model.game.registry import Outcome
from viewer.model.store.address import Address
from viewer.render.offscreen import create_context
from viewer.render.unit_renderer import UnitRenderer
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.document import Document
from viewer.session.play.unit_posing import UnitLook, framed, placed
from viewer.session.view.camera import Camera
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState

SIZE = 90, 90
UNIT = "UNITS/UNITS/BATTLE/{}.dat"


PLACES = [(0, 0, 0), (0.3, 5, 0.2), (-0.4, -6, 0), (1, 40, 1)]


def unit_of(places: Sequence[tuple[float, float, float]]) -> AssembledUnit:
    """A unit of boxes in some places, none of which hangs on another."""
    part = MountedPart(-1, -1, "box", Outcome.MODEL, Address(Path("a.msh")), matrix=np.eye(4), is_drawn=True)
    models = [ModelBuilder.of([Node("box", shapes={(0, 0): [box(center=it)]})]).model() for it in places]
    documents = {at: Document.of(Address.parse(f"{at}.msh"), model) for at, model in enumerate(models)}
    return AssembledUnit(tuple(replace(part, component=at) for at in documents), documents)


def test_what_is_nearer_covers_what_is_drawn_before_and_after_it() -> None:
    plain = ViewState(overlays=frozenset(), shading=Shading.NORMALS, samples=1)
    pictures = []
    for order in (PLACES, PLACES[::-1]):
        unit = unit_of(order)
        camera = framed(placed(unit, plain), Camera(yaw=0.4), SIZE[0] / SIZE[1])
        look = UnitLook(unit, replace(plain, camera=camera), SIZE)
        renderer = UnitRenderer(create_context())
        pictures.append(renderer.image(look))
        # Each center is seen, or covered by a box nearer to the eye.
        for at, place in enumerate(order):
            x, y, _z, w = camera.clip_from_world(1.0) @ [*place, 1]
            pixel = int((x / w + 1) / 2 * SIZE[0]), int((1 - y / w) / 2 * SIZE[1])
            found = renderer.hits(look, *pixel)[0][0].component
            away = [np.linalg.norm(np.array(order[it]) - camera.eye) for it in (found, at)]
            assert found == at or away[0] < away[1]
        assert not renderer.hits(look, 0, 0)
    drawn = pictures[0]
    np.testing.assert_array_equal(drawn, pictures[1])
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
