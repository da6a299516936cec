"""What is said of a pixel, and where a picture lies on screen."""

from __future__ import annotations

import numpy as np
from imgui_bundle import ImVec2

from viewer.formats import texm
from viewer.formats.pixels import PixelFormat
from viewer.model.materials import Picture
from viewer.ui.picture_view import Sight, level_text, pages_at, value_text


def picture(pixel_format: PixelFormat) -> Picture:
    image = np.zeros((4, 8, 4), np.uint8)
    image[1, 2] = (255, 136, 17, 51)
    data = texm.build(image, pixel_format, mip_count=2, pages=[(0, 0, 4, 2), (2, 0, 6, 4)])
    return Picture.of("here", "name", texm.decode(data))


def test_a_pixel_is_told_as_stored_and_as_meant() -> None:
    words = value_text(picture(PixelFormat.ARGB4444), 0, (2, 1))
    assert words == "(2, 1)  at 0x34: 81 3f  R 255  G 136  B 17  A 51  page 0, 1"


def test_an_indexed_pixel_names_its_row_of_the_palette() -> None:
    chosen = picture(PixelFormat.INDEXED)
    words = value_text(chosen, 0, (2, 1))
    row = chosen.texture.data[32 + 1024 + 10]
    assert f"palette {row}" in words
    assert "R 255  G 136  B 17  A 255" in words


def test_rectangles_count_in_pixels_of_the_largest_level() -> None:
    chosen = picture(PixelFormat.RGB888)
    assert pages_at(chosen, 0, 7, 3) == [1]
    assert pages_at(chosen, 1, 1, 0) == [0, 1]
    assert pages_at(chosen, 1, 0, 1) == []


def test_a_level_is_called_by_its_number_and_size() -> None:
    assert level_text(picture(PixelFormat.RGB888), 1) == "1:  4 x 2"


def test_only_places_on_the_picture_have_a_pixel() -> None:
    sight = Sight(10, 20, 2.0, 4, 4, ImVec2(0, 0), ImVec2(100, 100))
    assert sight.pixel(ImVec2(10, 20)) == (0, 0)
    assert sight.pixel(ImVec2(17.9, 23)) == (3, 1)
    assert sight.pixel(ImVec2(18, 23)) is None
    assert sight.pixel(ImVec2(9, 23)) is None
