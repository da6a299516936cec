"""Vertex normals as lines."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import ModelBuilder, Node, quad
from tests.render.canvas import Canvas, pixel
from viewer.formats.msh.tables import NORMALS
from viewer.session.view.view_state import Overlay

SHOWN = frozenset({Overlay.NORMALS})


def test_normals_stand_on_the_vertices(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(4)]})])
    camera = replace(canvas.view.camera, pitch=0.0)
    changed = (canvas.image(camera=camera) != canvas.image(camera=camera, overlays=SHOWN)).any(axis=2)
    row = pixel(0, 0)[0] - 1
    for x in (-2, 2):
        column = pixel(x, 0)[1]
        assert changed[row, column - 1 : column + 1].any()
    assert not changed[: pixel(0, 0.5)[0]].any()
    assert not changed[pixel(0, -0.5)[0] :].any()
    assert not changed[:, pixel(-1.5, 0)[1] : pixel(1.5, 0)[1]].any()


def test_a_file_without_normals_shows_none(canvas: Canvas) -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): [quad(4)]})])
    builder.missing.add(NORMALS)
    canvas.load_model(builder.model())
    assert (canvas.image(overlays=SHOWN) == canvas.image()).all()
