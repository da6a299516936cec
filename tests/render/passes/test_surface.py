"""Shading modes and edges."""

from __future__ import annotations

from math import cos, radians

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from tests.render.canvas import BACKGROUND, Canvas, Image, area, drawn, pixel
from viewer.formats.msh.tables import NORMALS, TRIANGLES
from viewer.render.buffers import draw_list
from viewer.session.view.coloring import color
from viewer.session.view.options.background import Background
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading

FULL = [199, 199, 194, 255]
LEFT, RIGHT = (-2, 0), (2, 0)


def _tilted(degrees: float) -> list[Node]:
    """A quad that faces up, and one turned about Y."""
    key = Key(position=(2, 0, 0), quaternion=turn((0, 1, 0), degrees))
    return [
        Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(-2, 0, 0))]),
        Node(shapes={(0, 0): [quad(2, material=1)]}, keys=[key]),
    ]


def test_a_surface_that_faces_the_eye_has_the_full_light(canvas: Canvas) -> None:
    canvas.load(_tilted(0))
    assert canvas.image()[pixel(*LEFT)].tolist() == pytest.approx(FULL, abs=1)


def test_light_falls_off_with_the_angle_to_the_ambient(canvas: Canvas) -> None:
    canvas.load(_tilted(60))
    expected = (0.65 + 0.35 * cos(radians(60))) * FULL[0]
    assert canvas.image()[pixel(*RIGHT)][0] == pytest.approx(expected, abs=2)


def test_both_sides_are_lit_alike(canvas: Canvas) -> None:
    canvas.load(_tilted(180))
    image = canvas.image()
    assert image[pixel(*RIGHT)].tolist() == image[pixel(*LEFT)].tolist()


def test_missing_normals_are_those_of_the_faces(canvas: Canvas) -> None:
    builder = ModelBuilder.of(_tilted(60))
    canvas.load_model(builder.model())
    with_normals = canvas.image()
    builder.missing.add(NORMALS)
    canvas.load_model(builder.model())
    assert np.abs(canvas.image().astype(int) - with_normals).max() <= 2


def test_unlit_ignores_the_angle(canvas: Canvas) -> None:
    canvas.load(_tilted(60))
    image = canvas.image(shading=Shading.UNLIT)
    assert image[pixel(*RIGHT)].tolist() == image[pixel(*LEFT)].tolist()


def test_normals_are_shown_as_colors_in_world_space(canvas: Canvas) -> None:
    canvas.load(_tilted(90))
    camera = replace(canvas.view.camera, pitch=0.0, yaw=np.pi / 2)
    image = canvas.image(shading=Shading.NORMALS, camera=camera)
    colors = {tuple(color) for color in image.reshape(-1, 4).tolist()} - {tuple(BACKGROUND)}
    assert len(colors) == 1
    red, green, blue, _ = colors.pop()
    assert (abs(red - 127.5), green, blue) == pytest.approx((127.5, 127.5, 127.5), abs=1)


def _colors(image: Image) -> set[tuple[int, ...]]:
    return {tuple(color) for color in image[drawn(image)].tolist()}


@pytest.mark.parametrize(
    ("shading", "expected"), [(Shading.NODE, 2), (Shading.BATCH, 3), (Shading.MATERIAL, 2), (Shading.LIT, 1)]
)
def test_flat_shading_has_one_color_per_thing(canvas: Canvas, shading: Shading, expected: int) -> None:
    shapes = [quad(1, center=(-1, 0, 0)), quad(1, center=(1, 0, 0), material=1)]
    canvas.load([Node(shapes={(0, 0): shapes}), Node(shapes={(0, 0): [quad(1, center=(0, 2, 0))]})])
    assert len(_colors(canvas.image(shading=shading))) == expected


def test_a_slot_that_two_nodes_share_is_colored_by_node(canvas: Canvas) -> None:
    shared = [quad(2)]
    nodes = [Node(shapes={(0, 0): shared}, keys=[Key(position=(x, 0, 0))]) for x in (-2, 2)]
    canvas.load(nodes)
    assert len(_colors(canvas.image(shading=Shading.NODE))) == 2
    assert len(_colors(canvas.image(shading=Shading.BATCH))) == 1


def test_wireframe_shows_edges_and_what_lies_between_them_is_empty(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(4)]})])
    is_drawn = drawn(canvas.image(shading=Shading.WIREFRAME))
    assert is_drawn.any()
    assert not is_drawn[~area((-2.25, -2.25, 2.25, 2.25))].any()
    assert not is_drawn[area((-1.5, 0.75, 0.5, 1.75))].any()


def test_wireframe_stands_out_from_a_light_background(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(4)]})])
    image = canvas.image(shading=Shading.WIREFRAME, background=Background.LIGHT)
    assert image[..., 0].min() < 60


def test_edges_lie_over_the_surface_and_not_beside_it(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [box((4, 4, 1))]})])
    plain, edged = canvas.image(), canvas.image(overlays=frozenset({Overlay.EDGES}))
    darker = edged[..., 0] < plain[..., 0]
    assert darker[area((-2, -2, 2, 2))].any()
    assert (edged == plain)[area((-1.5, 0.75, 0.5, 1.75))].all()
    assert not (edged != plain).any(axis=2)[~area((-2.25, -2.25, 2.25, 2.25))].any()


def test_edges_behind_a_surface_stay_hidden(canvas: Canvas) -> None:
    lower = Node(shapes={(0, 0): [quad(1)]}, keys=[Key(position=(0.6, 1.2, -1))])
    canvas.load([Node(shapes={(0, 0): [quad(4)]}), lower])
    hidden = canvas.image(overlays=frozenset({Overlay.EDGES}), hidden=frozenset({1}))
    assert (canvas.image(overlays=frozenset({Overlay.EDGES})) == hidden).all()


@pytest.mark.parametrize("number", [0, 1, 7, 255, 4095, 65534])
def test_a_group_has_the_color_that_the_legend_gives_it(canvas: Canvas, number: int) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(4, material=number)]})])
    shown = canvas.image(shading=Shading.MATERIAL)[pixel(0.5, 0)]
    assert shown[:3].tolist() == pytest.approx([255 * part for part in color(number)], abs=2)


def test_triangles_without_a_group_are_gray(canvas: Canvas) -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(4)]})])
    builder.missing.add(TRIANGLES)
    canvas.load_model(builder.model())
    assert canvas.image(shading=Shading.FLAG)[pixel(0.5, 0)].tolist() == pytest.approx(FULL, abs=1)


@pytest.mark.parametrize("most_runs", [0, 200])
def test_colors_stay_with_their_triangles_when_others_are_hidden(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch, most_runs: int
) -> None:
    """Also where what is shown is copied to an index buffer of its own."""
    monkeypatch.setattr(draw_list, "MOST_RUNS", most_runs)
    canvas.load([Node(shapes={(0, 0): [quad(1)]}, keys=[Key(position=(x, 0, 0))]) for x in (-3, -1, 1, 3)])
    everything = canvas.image(shading=Shading.NODE)
    some = canvas.image(shading=Shading.NODE, hidden=frozenset({0, 2}))
    assert some[pixel(-1, 0)].tolist() == everything[pixel(-1, 0)].tolist()
    assert some[pixel(3, 0)].tolist() == everything[pixel(3, 0)].tolist()
    assert some[pixel(-3, 0)].tolist() == BACKGROUND


def test_the_color_of_a_cell_follows_an_override(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(4)], (1, 0): [quad(4)]})])
    first = canvas.image(shading=Shading.LOD)[pixel(0.5, 0)]
    other = canvas.image(shading=Shading.LOD, overrides={0: (1, 0)})[pixel(0.5, 0)]
    assert first[:3].tolist() == pytest.approx([255 * part for part in color(0)], abs=2)
    assert other[:3].tolist() == pytest.approx([255 * part for part in color(5)], abs=2)


def test_an_own_color_lies_behind_everything(canvas: Canvas) -> None:
    canvas.load([])
    image = canvas.image(background=Background.OWN, background_color=(0.2, 0.4, 0.6))
    assert (image == [51, 102, 153, 255]).all()
    light, dark = ((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    grid = frozenset({Overlay.GRID})
    on_light = canvas.image(background=Background.OWN, background_color=light, overlays=grid)
    on_dark = canvas.image(background=Background.OWN, background_color=dark, overlays=grid)
    assert on_light.min() < 255
    assert on_dark[..., :3].max() > 0
    transparent = canvas.image(background=Background.OWN, is_transparent=True)
    assert not transparent[..., 3].any()
