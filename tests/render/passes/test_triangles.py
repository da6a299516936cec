"""The triangle lab in the image: masks, odd edges, neighbors and normals, in models and in terrains."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, quad
from tests.render.canvas import Canvas, Image, area, pixel
from tests.terrains import terrain
from viewer.formats.msh.triangles import encode_normal
from viewer.model.mesh.model import Model
from viewer.model.mesh.triangle_query import Masks
from viewer.session.selection import Selection
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.triangle_lab import TriangleLab

INSIDE = area((0.6, 0.6, 1.4, 1.4))
"""A part of the triangle below the diagonal of the square from -2 or 0 to 3 or 2."""


def load(canvas: Canvas, *, is_terrain: bool) -> Selection:
    """Show a flat square of two triangles without neighbors; return the selection of the first one."""
    if is_terrain:
        canvas.load_model(Model.read(terrain(1, 1, tile=3.0, is_coarse=False)))
        return Selection((0,), triangle=0)
    canvas.load([Node(shapes={(0, 0): [quad(4)]})])
    return Selection((0,), triangle=0, descriptor=0)


def is_red(image: Image) -> np.ndarray:
    red, green, blue = (image[..., channel].astype(int) for channel in range(3))
    return (red > green + 60) & (red > blue + 60)


@pytest.mark.parametrize("is_terrain", [False, True])
@pytest.mark.parametrize(
    "lab",
    [TriangleLab(is_marked=True), TriangleLab(has_edges=True), TriangleLab(has_links=True)],
    ids=["mark", "edges", "links"],
)
def test_the_image_shows_what_is_switched_on(canvas: Canvas, lab: TriangleLab, *, is_terrain: bool) -> None:
    chosen = load(canvas, is_terrain=is_terrain)
    before, after = canvas.image(selection=chosen), canvas.image(selection=chosen, lab=lab)
    if lab.is_marked:
        assert (before != after).any(axis=2)[INSIDE].all()
    else:
        assert is_red(after).sum() > is_red(before).sum() + 40
        assert (before == after)[area((1.6, 0.7, 1.8, 0.9))].all()


@pytest.mark.parametrize("is_terrain", [False, True])
def test_what_a_mask_forbids_is_not_marked(canvas: Canvas, *, is_terrain: bool) -> None:
    load(canvas, is_terrain=is_terrain)
    before, after = (
        canvas.image(lab=lab)
        for lab in (TriangleLab(), TriangleLab(masks=Masks(required=0x8000), is_marked=True))
    )
    assert (before == after).all()


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(0, (0.20, 0.50, 0.85)), (10, (0.95, 0.85, 0.25)), (180, (0.95, 0.20, 0.15))],
)
def test_the_heat_map_goes_from_blue_to_red_with_the_angle(
    canvas: Canvas, degrees: float, expected: tuple[float, float, float]
) -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(4)]})])
    angle = np.radians(degrees)
    builder.triangles["normal"] = encode_normal((np.sin(angle), 0.0, np.cos(angle)))
    canvas.load_model(builder.model())
    shown = canvas.image(shading=Shading.NORMAL_ERROR)[pixel(0.5, 0)]
    assert shown[:3].tolist() == pytest.approx([255 * part for part in expected], abs=2)
