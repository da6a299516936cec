"""Where a picture and the rectangles of its page lie on screen."""

from __future__ import annotations

import numpy as np
from imgui_bundle import ImVec2

from viewer.formats.texture.texm import PAGE
from viewer.ui.material.texture_viewer import MOST_PAGES, TextureViewport, in_sight, page_corners

SIGHT = TextureViewport(10, 20, 2.0, 4, 4, ImVec2(0, 0), ImVec2(100, 100))


def test_only_places_on_the_picture_have_a_pixel() -> None:
    assert SIGHT.pixel(ImVec2(10, 20)) == (0, 0)
    assert SIGHT.pixel(ImVec2(17.9, 23)) == (3, 1)
    assert SIGHT.pixel(ImVec2(18, 23)) is None
    assert SIGHT.pixel(ImVec2(9, 23)) is None


def test_rectangles_lie_where_their_pixels_are_in_every_level() -> None:
    pages = PAGE.new(2)
    pages[0] = (2, 4, 6, 8)
    pages[1] = (-3, 1, 0, 1)
    assert page_corners(pages, 0, SIGHT).tolist() == [[14, 32, 22, 48], [4, 20, 6, 22]]
    assert page_corners(pages, 1, SIGHT)[0].tolist() == [12, 26, 16, 34]


def test_rectangles_out_of_sight_are_not_drawn() -> None:
    inside, above, turned, beyond = [10, 10, 20, 20], [10, -20, 20, -10], [120, 50, 90, 40], [101, 0, 110, 9]
    assert in_sight(np.array([inside, above, turned, beyond], np.float64), SIGHT) == [0, 2]


def test_of_very_many_rectangles_some_are_drawn() -> None:
    assert in_sight(np.tile([10.0, 10.0, 20.0, 20.0], (100_000, 1)), SIGHT) == list(range(MOST_PAGES))
