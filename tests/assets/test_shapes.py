"""Shapes, places and pages that the models are made of."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from assets.sample.motion import Transform, ease, quaternion, through, transform
from assets.sample.shapes import solids
from assets.sample.shapes.facets import batches
from assets.sample.shapes.finish import Finish, across, fitted
from assets.sample.shapes.solids import Solid
from assets.sample.surfaces import lights, paint
from assets.sample.surfaces.lightmap import SIZE, Lamp, Lightmap
from viewer.model.mesh.pose.interpolation import rotations

PLAIN = Finish("PLAIN", across(1.0))

SHAPES = {
    "box": solids.box(2, 3, 4),
    "slab": solids.slab((2, 3), 1, (1, 2), bevel=0.2, shift=(0.1, 0)),
    "cylinder": solids.cylinder(1, 2, 9, bevel=0.1),
    "pipe": solids.pipe(1, 0.5, 2, 8),
    "ball": solids.ball(1, 10),
    "tube": solids.tube([(0, 0, 0), (0, 0, 1), (1, 0, 2)], [0.2, 0.2, 0.1], 6),
    "prism": solids.prism([(-1, 0), (1, 0), (0, 1)], 0.5, bevel=0.1),
}


def _volume(solid: Solid) -> float:
    total = 0.0
    for face in solid.faces:
        points = solid.points[list(face)]
        for index in range(1, len(face) - 1):
            total += float(np.dot(points[0], np.cross(points[index], points[index + 1]))) / 6
    return total


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_closed_and_looks_outwards(name: str) -> None:
    for solid in (SHAPES[name], SHAPES[name].mirrored(), SHAPES[name].turned("y", 40)):
        edges = Counter(edge for face in solid.faces for edge in zip(face, face[1:] + face[:1], strict=True))
        assert all(edges[end, start] == count for (start, end), count in edges.items())
        assert _volume(solid) > 0


def test_a_mirrored_box_keeps_its_volume() -> None:
    assert np.isclose(_volume(solids.box(2, 3, 4).moved(5).mirrored()), 24)


def test_a_bevelled_edge_is_smooth_and_the_faces_beside_it_stay_flat() -> None:
    (batch,) = batches(Finish("PLAIN", across(1.0), 60).on(solids.slab((2, 2), 2, bevel=0.1)))
    flat = np.abs(batch.normals[:, :3]).max(axis=1) > 120
    assert flat.mean() > 0.5


def test_a_hard_edge_has_its_own_normals() -> None:
    (batch,) = batches(PLAIN.on(solids.box(2, 2, 2)))
    assert len(batch.positions) == 24
    assert set(np.abs(batch.normals).max(axis=1).tolist()) == {127}


def test_texture_stands_upright_on_every_side() -> None:
    """Seen from outside u grows to the right and v downwards, so nothing is mirrored."""
    (batch,) = batches(Finish("PLAIN", fitted((0, 0, 1, 1))).on(solids.box(2, 2, 2)))
    for triangle in batch.triangles:
        normal, corners = batch.normals[triangle[0], :3] / 127, batch.positions[triangle].astype(float)
        if abs(normal[2]) > 0.5:
            continue
        right = np.cross((0, 0, 1), normal)
        u, v = batch.uvs[triangle].T / 1024
        assert np.allclose(u, (corners @ right + 1) / 2)
        assert np.allclose(v, (1 - corners[:, 2]) / 2)


def test_one_picture_lies_over_a_whole_solid() -> None:
    """A ball seen from the front shows the middle of the picture in its middle, however it is then turned."""
    ball = solids.ball(1, 10).textured("y", 0.1).turned("z", 70).moved(x=5)
    (batch,) = batches(Finish("PLAIN", fitted((0, 0, 1, 1))).on(ball))
    back = solids.rotate(batch.positions.astype(float) - (5, 0, 0), "z", -70)
    expected = np.stack([0.5 + 0.4 * back[:, 0] / np.ptp(back[:, 0]) * 2, 0.5 - 0.4 * back[:, 2]], axis=1)
    assert np.abs(batch.uvs / 1024 - expected).max() < 2e-3


def test_a_disc_faces_up() -> None:
    (batch,) = batches(PLAIN.on(solids.disc(2, 8)))
    assert (batch.normals[:, :3] == (0, 0, 127)).all()
    assert len(batch.triangles) == 6


def test_seams_keep_their_distance() -> None:
    for seed in range(20):
        _, tone = paint.plates(seed, (16, 128), (16,), 6)
        ends = np.flatnonzero(np.diff(np.append(tone[8], tone[8, 0])))
        gaps = np.diff(np.append(ends, ends[0] + 128)) if len(ends) else np.array([128])
        assert gaps.min() >= 16


def test_batches_part_by_material_and_flags() -> None:
    leaf = solids.sheet([(0, 0, 0), (1, 0, 0), (0, 1, 0)], ((0, 0), (1, 0), (0, 1)))
    pieces = PLAIN.on(solids.box(1, 1, 1)) + Finish("LEAF", across(1.0), flags=2).on(leaf)
    found = [(batch.material, batch.flags, len(batch.triangles)) for batch in batches(pieces)]
    assert found == [("PLAIN", 0, 12), ("LEAF", 2, 1)]


@pytest.mark.parametrize("turn", [("x", 30.0), ("y", -100.0), ("z", 179.0), ("z", 270.0)])
def test_the_engine_turns_by_the_conjugate(turn: tuple[str, float]) -> None:
    rotation = transform(0, 0, 0, turn).rotation
    assert np.allclose(rotations(quaternion(rotation.T)[None])[0], rotation)
    assert np.isclose(np.linalg.norm(quaternion(rotation)), 1)


def test_a_place_and_its_inverse() -> None:
    there = transform(1, 2, 3, ("z", 30), ("x", -50))
    back = there @ there.inverse
    assert np.allclose(back.rotation, np.eye(3))
    assert np.allclose(back.position, 0)
    assert np.allclose((there @ Transform(np.array([1.0, 0, 0]))).position, there.at(np.array([1.0, 0, 0])))


def test_curves_rest_at_their_stops() -> None:
    curve = through([(0, 5), (10, 7), (20, -1)])
    assert [curve(time) for time in (-1, 0, 10, 20, 30)] == [5, 5, 7, -1, -1]
    assert curve(5) == 6
    assert ease(0.01) < 0.001


def test_patches_do_not_share_texels() -> None:
    lightmap = Lightmap([[]])
    taken = np.zeros((SIZE, SIZE), int)
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], np.float64)
    for size in (1, 9, 3, 20, 9, 14, 2, 6):
        uvs = lightmap.patch(0, square * size, np.array([0.0, -1.0, 0.0])) / 1024 * SIZE
        (left, top), (right, bottom) = uvs.min(axis=0).astype(int), uvs.max(axis=0).astype(int)
        taken[top : bottom + 1, left : right + 1] += 1
    assert taken.max() == 1


def test_a_lamp_too_near_keeps_its_color() -> None:
    lightmap = Lightmap([[]], (Lamp((0.0, 0.0, 1.0), (3.0, 1.5, 0.5), 4.0),))
    floor = np.array([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], np.float64)
    uvs = lightmap.patch(0, floor, np.array([0.0, 0.0, 1.0])) / 1024 * SIZE
    x, y = uvs.mean(axis=0).astype(int)
    red, _, blue = lightmap.page()[y, x]
    assert red == 1
    assert blue < 0.7


@pytest.mark.parametrize(
    ("image", "pages"), [(lights.sign(), lights.sign_pages()), (lights.flames(), lights.flame_pages())]
)
def test_pages_tile_their_texture_with_different_pictures(
    image: paint.Pixels, pages: list[tuple[int, int, int, int]]
) -> None:
    parts = [image[y : y + h, x : x + w] for x, y, w, h in pages]
    assert sum(part[..., 0].size for part in parts) == image[..., 0].size
    assert len({part.tobytes() for part in parts}) == len(pages)


def test_a_lightmap_knows_shadow_from_sun() -> None:
    roof = solids.box(8, 8, 0.5).moved(z=6)
    floor = np.array([(-20, -20, 0), (20, -20, 0), (20, 20, 0), (-20, 20, 0)], np.float64)
    lightmap = Lightmap([[roof]])
    uvs = lightmap.patch(0, floor, np.array([0.0, 0.0, 1.0])) / 1024 * SIZE
    (left, top), (right, bottom) = uvs.min(axis=0).astype(int), uvs.max(axis=0).astype(int)
    light = lightmap.page()[top : bottom + 1, left : right + 1].sum(axis=2)
    assert light.min() < 0.6 * light.max()
    assert light[0, 0] > 0.95 * light.max()
