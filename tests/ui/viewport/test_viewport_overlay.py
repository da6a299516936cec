"""What is written over the picture."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import pytest

from viewer.session.view.camera import Camera
from viewer.ui.viewport.viewport_overlay import axis_tips
from viewer.ui.widgets.card import Area

AREA = Area(left=100, top=50, width=400, height=200)


def test_axes_end_where_they_are_drawn() -> None:
    camera = Camera(yaw=pi, pitch=0, distance=10, is_orthographic=True)
    x, y, z = axis_tips(camera, AREA)
    assert x is not None
    assert y is not None
    assert z is not None
    assert (x.x - 300, x.y - 150) == pytest.approx((0.28 * 100, 0), abs=1e-3)
    assert (y.x, y.y) == pytest.approx((300, 150))
    assert (z.x, z.y) == pytest.approx((300, 150 - 0.28 * 100))


def test_axis_behind_the_eye_has_no_label() -> None:
    camera = replace(Camera(yaw=pi, pitch=0, distance=1, field_of_view=pi / 2), target=(0.0, 1.2, 0.0))
    assert axis_tips(camera, AREA)[1] is not None
    behind = replace(camera, target=(0.0, 9.0, 0.0))
    assert axis_tips(behind, AREA) == [None, None, None]
