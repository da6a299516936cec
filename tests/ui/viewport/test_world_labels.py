"""Texts at points of the world: where they are, and which of many are shown."""

from __future__ import annotations

from itertools import combinations
from math import isnan

import numpy as np
import pytest
from imgui_bundle import imgui

from viewer.session.view.camera import Camera
from viewer.ui.viewport.world_labels import PlacedText, WorldLabels, screen_points, spread
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Area

pytestmark = pytest.mark.usefixtures("imgui_frame")

AREA = Area(left=100, top=50, width=400, height=200)
CAMERA = Camera(yaw=0, pitch=0, distance=10)
TINT = theme.ACCENT


def texts(points: object, chosen: tuple[int, ...] = (), words: str = "{}") -> list[PlacedText]:
    labels = WorldLabels(CAMERA, AREA)
    labels.add(np.array(points, np.float64), words.format, TINT, chosen)
    return [*labels.texts()]


def overlaps(one: PlacedText, other: PlacedText) -> bool:
    across = one.corner.x < other.end.x and other.corner.x < one.end.x
    return across and one.corner.y < other.end.y and other.corner.y < one.end.y


def test_points_are_where_the_camera_shows_them() -> None:
    middle, behind = screen_points(CAMERA, AREA, [(0, 0, 0), CAMERA.axes[2] * 11])
    assert middle[:2].tolist() == [300, 150]
    assert isnan(behind[0])
    right, up = screen_points(CAMERA, AREA, CAMERA.axes[:2])
    assert right[0] > 300
    assert up[1] < 150


def test_nearer_points_come_first_and_chosen_ones_before_them() -> None:
    points = screen_points(CAMERA, AREA, [CAMERA.axes[0] * x + CAMERA.axes[2] * x for x in (-2, 1, 0, 2)])
    assert [index for index, _ in spread(points, AREA)] == [3, 1, 2, 0]
    assert [index for index, _ in spread(points, AREA, [0])] == [0, 3, 1, 2]


def test_what_is_behind_the_eye_or_outside_the_image_is_not_marked() -> None:
    points = screen_points(CAMERA, AREA, [CAMERA.axes[2] * 11, CAMERA.axes[0] * 99, (0, 0, 0)])
    assert [index for index, _ in spread(points, AREA)] == [2]


def test_as_many_points_as_are_useful_are_marked_and_texts_never_overlap() -> None:
    """The work for a text is done for a bounded number of points, however many there are."""
    crowd = np.random.default_rng(1).normal(0, 1, (20_000, 3))
    marked = [*spread(screen_points(CAMERA, AREA, crowd), AREA, most=150)]
    assert len(marked) == 150
    shown = texts(crowd, words="node {}")
    assert 20 < len(shown) <= 200
    assert not any(overlaps(one, other) for one, other in combinations(shown, 2))


def test_one_of_two_points_at_the_same_place_is_written_the_chosen_one() -> None:
    assert [text.words for text in texts([(0, 0, 0), (0, 0, 0)])] == ["0"]
    (text,) = texts([(0, 0, 0), (0, 0, 0)], (1,))
    assert (text.words, text.color) == ("1", theme.SELECTION)


def test_a_text_is_on_the_other_side_at_the_right_edge_and_never_outside() -> None:
    (left,) = texts([CAMERA.axes[0] * -3], words="words of some length {}")
    (right,) = texts([CAMERA.axes[0] * 7], words="words of some length {}")
    point = screen_points(CAMERA, AREA, [CAMERA.axes[0] * 7])[0]
    assert right.end.x < point[0] < AREA.left + AREA.width
    assert left.corner.x > AREA.left
    assert texts([(0, 0, 0)], words="x" * 200 + "{}") == []


def test_no_text_is_where_something_else_is() -> None:
    labels = WorldLabels(CAMERA, AREA)
    assert labels.take(imgui.ImVec2(250, 140), imgui.ImVec2(350, 160))
    labels.add([(0, 0, 0), CAMERA.axes[1] * 2], "{}".format, TINT)
    assert [text.words for text in labels.texts()] == ["1"]


def test_kinds_share_the_room_and_the_first_has_it() -> None:
    """There is room at both sides of a point, and for no third text."""
    labels = WorldLabels(CAMERA, AREA)
    for kind in ("socket {}", "name {}", "hidden {}"):
        labels.add([(0, 0, 0)], kind.format, TINT)
    labels.add([CAMERA.axes[1] * 2], lambda _: "above", theme.TEXT)
    assert [text.words for text in labels.texts()] == ["socket 0", "name 0", "above"]
