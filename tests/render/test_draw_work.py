"""The work of triangles, against the pixels that they fill."""

from __future__ import annotations

from dataclasses import replace
from math import radians

import numpy as np
import numpy.typing as npt
import pytest

from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from viewer.formats.msh.keys import QuaternionOrder
from viewer.geometry.transforms import project_points, transform_points
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.skeleton import Skeleton
from viewer.render import frame_limit
from viewer.render.buffers.merge import merge
from viewer.render.frame_limit import CALL, TRIANGLE, DrawWork
from viewer.render.programs import Projection
from viewer.session.view.camera import Camera

Floats = npt.NDArray[np.floating]

SIZE = (400, 300)
SCREEN = SIZE[0] * SIZE[1]


class Measured:
    """The work of everything in a scene at time 0."""

    def __init__(self, nodes: list[Node], camera: Camera) -> None:
        self.model = ModelBuilder(nodes).model()
        self.draws = build(self.model)
        self.merged = merge(self.model, self.draws)
        self.world = Animation(self.model, Skeleton(self.model), QuaternionOrder.XYZW).pose(0).world
        self.projection = Projection.of(camera, SIZE)
        self.work = DrawWork(self.merged)
        self.every = np.arange(len(self.merged.draw))
        self.none = np.zeros(len(self.every), np.bool_)

    def triangles(self) -> Floats:
        """Pixels of each triangle."""
        work: Floats = self.work.of_triangles(self.every, self.none, self.world, self.projection)
        return work - TRIANGLE

    def areas(self) -> Floats:
        """The true areas of the triangles on the screen, none of which leaves it."""
        world = self.world[self.merged.node]
        pairs = zip(world, self.merged.positions, strict=True)
        points = np.stack([transform_points(matrix, point[None])[0] for matrix, point in pairs])
        clip = project_points(self.projection.clip_from_world, points)
        corners = (clip[:, :2] / clip[:, 3:] * SIZE / 2)[self.merged.corners]
        (ax, ay), (bx, by) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
        area: Floats = np.abs(ax * by - bx * ay) / 2
        return area

    def most(self) -> float:
        """The quick bound."""
        matrix = np.ascontiguousarray(self.world[self.draws.node[self.merged.draw], :3].transpose(1, 2, 0))
        middle = (self.merged.box_low + self.merged.box_high).T / 2
        half = (self.merged.box_high - self.merged.box_low).T / 2
        center = np.einsum("ijp,jp->ip", matrix[:, :3], middle) + matrix[:, 3]
        extent = np.einsum("ijp,jp->ip", np.abs(matrix[:, :3]), half)
        return self.work.most(self.every, self.none, matrix, center, extent, self.projection)


NODES = [
    Node("a", shapes={(0, 0): [box((1, 2, 1)), quad(2)]}),
    Node("b", shapes={(0, 0): [box()]}, keys=[Key(0, (1, 2, 0), turn((0, 0, 1), 30))]),
]
CAMERA = replace(Camera(), distance=8.0)


@pytest.mark.parametrize("at_once", [1, 1 << 15])
@pytest.mark.parametrize("is_orthographic", [False, True])
def test_work_is_at_least_the_area_and_about_as_large(
    is_orthographic: bool, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_limit, "AT_ONCE", at_once)
    scene = Measured(NODES, replace(CAMERA, is_orthographic=is_orthographic))
    work, area = scene.triangles(), scene.areas()
    assert (work >= area * 0.999).all()
    assert work.sum() < 3 * area.sum()


@pytest.mark.parametrize("is_orthographic", [False, True])
@pytest.mark.parametrize("pitch", [0, 40, 90])
def test_the_quick_bound_is_never_below_the_area(pitch: float, is_orthographic: bool) -> None:
    scene = Measured(NODES, replace(CAMERA, pitch=radians(pitch), is_orthographic=is_orthographic))
    assert scene.areas().sum() <= scene.most() <= len(scene.areas()) * (SCREEN + TRIANGLE)


def test_a_triangle_behind_the_eye_costs_nothing() -> None:
    behind = Node(shapes={(0, 0): [quad()]}, keys=[Key(0, tuple(3 * CAMERA.eye))])
    assert Measured([behind], CAMERA).triangles().tolist() == [0, 0]


def test_a_triangle_that_passes_the_eye_costs_its_visible_part() -> None:
    """A floor below the eye, which begins behind it, fills the lower half of the screen."""
    floor = Node(shapes={(0, 0): [quad(1000, center=(0, 0, -1))]})
    level = replace(CAMERA, yaw=radians(145), pitch=0.0, distance=1.0)
    scene = Measured([floor], level)
    work = scene.triangles().sum()
    assert scene.most() >= 2 * SCREEN
    assert SCREEN / 2 * 0.9 < work < SCREEN * 1.1


def test_a_triangle_beside_the_screen_costs_little() -> None:
    beside = Node(shapes={(0, 0): [quad()]}, keys=[Key(0, tuple(50 * CAMERA.axes[0]))])
    assert Measured([beside], CAMERA).triangles().max() <= max(SIZE) * 2


def test_calls_cost_work() -> None:
    scene = Measured(NODES, CAMERA)
    begins = np.array([True, False, True])
    plain = scene.work.of_triangles(scene.every, scene.none, scene.world, scene.projection)
    dear = scene.work.of_triangles(scene.every, begins, scene.world, scene.projection)
    start = scene.merged.triangle_start[:-1][begins]
    assert np.flatnonzero(dear - plain).tolist() == start.tolist()
    assert (dear - plain)[start] == pytest.approx(CALL)
