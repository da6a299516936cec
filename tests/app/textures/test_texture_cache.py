"""What stands on the shelf, and what has to go for room."""

from __future__ import annotations

import moderngl
import numpy as np

from viewer.app.textures.texture_cache import TextureCache
from viewer.formats.texture.pixels import Image

SIZE = 4 * 2 * 4
"""Bytes of each picture in here."""


def image(value: int) -> Image:
    return np.full((2, 4, 4), value, np.uint8)


def shelf(ctx: moderngl.Context, room: int, *values: int) -> TextureCache[int]:
    """A shelf with room for some pictures beside those on screen, filled one by one."""
    result: TextureCache[int] = TextureCache(ctx, room * SIZE)
    for value in values:
        result.put(value, image(value))
    return result


def test_a_picture_is_found_as_it_was_put(ctx: moderngl.Context) -> None:
    texture = shelf(ctx, 1, 7).find(7)
    assert texture is not None
    assert texture.size == (4, 2)
    assert texture.read() == image(7).tobytes()
    assert shelf(ctx, 1).find(7) is None


def test_what_was_looked_up_longest_ago_goes_first(ctx: moderngl.Context) -> None:
    full = shelf(ctx, 2, 1, 2, 3)
    full.find(1)
    full.free_unused()
    full.free_unused()
    assert [key in full for key in (1, 2, 3)] == [True, False, True]
    assert full.size == 2 * SIZE


def test_what_is_on_screen_stays_however_much_it_is(ctx: moderngl.Context) -> None:
    full = shelf(ctx, 1, 1, 2, 3)
    for key in (1, 2, 3):
        full.find(key)
    full.free_unused()
    assert full.size == 3 * SIZE
    full.free_unused()
    assert full.size == SIZE


def test_a_picture_takes_the_place_of_the_one_before(ctx: moderngl.Context) -> None:
    changed = shelf(ctx, 1, 1)
    changed.put(1, image(9))
    texture = changed.find(1)
    assert texture is not None
    assert texture.read() == image(9).tobytes()
    assert changed.size == SIZE


def test_nothing_is_left_after_release(ctx: moderngl.Context) -> None:
    full = shelf(ctx, 2, 1, 2)
    full.release()
    assert full.size == 0
    assert full.find(1) is None
