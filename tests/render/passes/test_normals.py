"""Vertex normals as lines."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import ModelBuilder, Node, quad
from tests.render.stage import Stage, pixel
from viewer.formats.msh.tables import NORMALS
from viewer.session.view.view_state import Overlay

SHOWN = frozenset({Overlay.NORMALS})


def test_normals_stand_on_the_vertices(stage: Stage) -> None:
    stage.load([Node(shapes={(0, 0): [quad(4)]})])
    camera = replace(stage.view.camera, pitch=0.0)
    changed = (stage.image(camera=camera) != stage.image(camera=camera, overlays=SHOWN)).any(axis=2)
    row = pixel(0, 0)[0] - 1
    for x in (-2, 2):
        column = pixel(x, 0)[1]
        assert changed[row, column - 1 : column + 1].any()
    assert not changed[: pixel(0, 0.5)[0]].any()
    assert not changed[pixel(0, -0.5)[0] :].any()
    assert not changed[:, pixel(-1.5, 0)[1] : pixel(1.5, 0)[1]].any()


def test_a_file_without_normals_shows_none(stage: Stage) -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): [quad(4)]})])
    builder.missing.add(NORMALS)
    stage.load_model(builder.model())
    assert (stage.image(overlays=SHOWN) == stage.image()).all()
