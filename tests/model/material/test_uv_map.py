"""Maps of texture coordinates: edges, overlaps, what lies outside, texels per unit."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, Shape, quad
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.geometry.transforms import Doubles
from viewer.model.material.materials import Rectangle, TextureRef
from viewer.model.material.uv_map import UvMap, density_of, overlap_of, uv_map
from viewer.model.mesh.draw_builder import build
from viewer.model.store.address import Address

SQUARE = np.array([[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]], np.float64)
"""Two triangles that fill the texture."""


def map_of(corners: Doubles) -> UvMap:
    return UvMap(corners, np.ones(len(corners)))


def texture(width: int = 64, height: int = 32, page: Rectangle | None = None) -> TextureRef:
    stored = texm.build(np.zeros((height, width, 4), np.uint8), PixelFormat.ARGB8888)
    return TextureRef(Address.parse("skin.lib"), "skin", texm.decode(stored), page)


def test_an_edge_of_two_triangles_is_drawn_once() -> None:
    edges = map_of(SQUARE).edges()
    assert len(edges) == 5
    assert {frozenset(map(tuple, it)) for it in edges.tolist()} >= {frozenset({(0.0, 0.0), (1.0, 1.0)})}


def test_edges_of_some_triangles() -> None:
    assert len(map_of(SQUARE).edges(np.array([True, False]))) == 3


def test_neighbors_do_not_overlap() -> None:
    found = overlap_of(SQUARE)
    assert not found.triangles.any()
    assert not len(found.runs)


def test_edges_that_meet_in_between_do_not_overlap() -> None:
    halves = [[(0, 0), (1, 1), (0.5, 0.5 - 0.25)], [(0, 0), (0.5, 0.5), (0, 1)], [(0.5, 0.5), (1, 1), (0, 1)]]
    assert not overlap_of(np.array(halves, np.float64)).triangles.any()


def test_a_triangle_over_another_one_shares_its_area() -> None:
    found = overlap_of(np.concatenate((SQUARE, SQUARE[:1] / 2)))
    assert found.triangles.tolist() == [True, False, True]
    covered = (found.runs[:, 1] - found.runs[:, 0]).sum() * found.cell
    assert covered == pytest.approx(0.125, rel=0.02)
    assert (found.runs[:, 0].min(), found.runs[:, 1].max()) == pytest.approx((0.0, 0.5), abs=0.01)
    assert found.runs[:, 2].max() < 0.5


def test_a_mirrored_triangle_overlaps_too() -> None:
    assert overlap_of(np.concatenate((SQUARE[:1], SQUARE[:1, ::-1]))).triangles.all()


def test_a_turn_apart_is_outside_and_no_overlap() -> None:
    found = map_of(np.concatenate((SQUARE, SQUARE + np.array([1, 0]))))
    assert found.outside.tolist() == [False, False, True, True]
    assert not found.overlap.triangles.any()


def test_coordinates_that_reach_far_are_found_on_a_coarse_grid() -> None:
    far = np.concatenate((SQUARE * 60 - 30, SQUARE[:1] * 20))
    found = overlap_of(far)
    assert found.cell == 0.125
    assert found.triangles.tolist() == [True, False, True]


def test_nothing_has_no_overlaps() -> None:
    empty = map_of(np.zeros((0, 3, 2)))
    assert (len(empty.overlap.runs), len(empty.edges()), len(empty.bands)) == (0, 0, 0)
    assert np.isnan(empty.median)


def test_points_and_lines_cover_nothing() -> None:
    flat = np.array([[(0, 0), (0, 0), (0, 0)], [(0, 0), (1, 0), (0.5, 0)]], np.float64)
    assert not overlap_of(np.concatenate((SQUARE, flat))).triangles.any()


def test_the_density_is_that_of_the_texels_of_the_texture() -> None:
    model = ModelBuilder.of([Node(shapes={(0, 0): [quad(2.0)]})]).model()
    corners = build(model).corners
    found = uv_map(model, corners, texture())
    # 64 x 32 texels over 2 x 2 units: the root of 512 per unit in each direction.
    assert found.density == pytest.approx([np.sqrt(512)] * 2)
    assert found.corners.reshape(-1, 2).max(axis=0).tolist() == [1.0, 1.0]


def test_a_page_is_a_part_of_the_texture() -> None:
    model = ModelBuilder.of([Node(shapes={(0, 0): [quad(2.0)]})]).model()
    found = uv_map(model, build(model).corners, texture(page=Rectangle(32, 16, 16, 16)))
    assert found.density == pytest.approx([8.0] * 2)
    edges = found.edges().reshape(-1, 2)
    assert (edges.min(axis=0).tolist(), edges.max(axis=0).tolist()) == ([0.5, 0.5], [0.75, 1.0])
    assert not found.outside.any()


def test_a_triangle_without_an_area_has_no_density() -> None:
    positions = np.zeros((2, 3, 3), np.float32)
    positions[0, 1, 0] = positions[0, 2, 1] = 1
    found = density_of(positions, SQUARE, 64.0)
    assert found[0] == pytest.approx(8.0)
    assert np.isnan(found[1])


def test_bands_are_those_of_shares_of_the_median() -> None:
    found = UvMap(np.repeat(SQUARE[:1], 5, axis=0), np.array([10.0, 1.0, 10.0, 100.0, np.nan]))
    assert found.median == 10.0
    assert found.bands.tolist() == [3, 0, 3, 6, -1]


def test_a_model_without_coordinates_has_zeros() -> None:
    shape: Shape = quad()
    builder = ModelBuilder.of([Node(shapes={(0, 0): [replace(shape, uvs=shape.uvs * 2)]})])
    whole = builder.model()
    assert uv_map(whole, build(whole).corners, texture()).outside.all()
    found = uv_map(whole, build(whole).corners, texture(), is_lightmap=True)
    assert not found.corners.any()
