"""The time axis of the timeline."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ui.scenes import TURRET, tank_document
from viewer.ui.widgets.ruler import Ruler, key_at, next_time


def test_places_and_times_agree() -> None:
    ruler = Ruler(left=10, width=200, last=50)
    assert ruler.x_of(0) == 10
    assert ruler.x_of(25) == 110
    assert ruler.time_of(110) == 25
    assert ruler.time_of(-5) == 0
    assert ruler.time_of(1000) == 50


def test_single_frame_has_no_length() -> None:
    ruler = Ruler(left=10, width=200, last=0)
    assert ruler.x_of(0) == 10
    assert ruler.time_of(100) == 0
    assert list(ruler.marks(40)) == [0]


@pytest.mark.parametrize(("last", "step"), [(10, 1), (50, 5), (90, 10), (1000, 100), (1001, 200)])
def test_marks_keep_their_distance(last: int, step: int) -> None:
    assert Ruler(left=0, width=500, last=last).step(50) == step


def test_next_time_goes_to_the_neighbour_and_stays_at_the_ends() -> None:
    times = np.array([0, 4, 9], "f4")
    assert next_time(times, 0, 1) == 4
    assert next_time(times, 5, 1) == 9
    assert next_time(times, 9, 1) == 9
    assert next_time(times, 5, -1) == 4
    assert next_time(times, 0, -1) == 0
    assert next_time(np.empty(0, "f4"), 3, 1) == 3


def test_places_are_pixels_each_once() -> None:
    ruler = Ruler(left=10, width=100, last=50)
    assert ruler.places_of(np.array([0, 0.1, 25, 60], "f4")).tolist() == [10, 60, 110]
    assert Ruler(left=10, width=100, last=0).places_of(np.array([0], "f4")).tolist() == [10]


def test_a_click_near_a_key_hits_it_and_the_nearest_of_several() -> None:
    document = tank_document()
    first, second, third = document.animation.track(TURRET)
    ruler = Ruler(0, 100, 10)
    assert key_at(document.animation, TURRET, ruler, 42, 5) == second
    assert key_at(document.animation, TURRET, ruler, 98, 5) == third
    assert key_at(document.animation, TURRET, ruler, 1, 5) == first
    assert key_at(document.animation, TURRET, ruler, 70, 5) is None
