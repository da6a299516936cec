"""Pictures made ready for upload."""

from __future__ import annotations

import numpy as np
import pytest

from tests.render.materials import picture, picture_of
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import WRITTEN, PixelFormat
from viewer.model.material.materials import Rectangle
from viewer.render.textures import texels
from viewer.session.view.textures import ByteOrder, TextureSwitches, toggle_byte_order

USUAL = TextureSwitches()
LIMIT = 1024


def _noise(width: int, height: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.random.default_rng(3).integers(0, 256, (height, width, 4), np.uint8)


def test_levels_go_down_to_one_pixel() -> None:
    decoded = texels.decode(picture(_noise(8, 2), mip_count=2), USUAL, LIMIT)
    assert [level.shape for level in decoded.levels] == [(2, 8, 4), (1, 4, 4), (1, 2, 4), (1, 1, 4)]
    assert decoded.size == 4 * (16 + 4 + 2 + 1)


def test_stored_levels_are_taken_as_they_are() -> None:
    made = picture(_noise(8, 8), mip_count=4)
    decoded = texels.decode(made, USUAL, LIMIT)
    for index in range(4):
        assert (decoded.levels[index] == made.texture.level(index)).all()


@pytest.mark.parametrize("mip_count", [1, 2, 4])
def test_no_side_is_longer_than_the_limit(mip_count: int) -> None:
    decoded = texels.decode(picture(_noise(16, 8), mip_count=mip_count), USUAL, 4)
    assert [level.shape[:2] for level in decoded.levels] == [(2, 4), (1, 2), (1, 1)]


def test_pages_of_a_texture_share_all_of_it() -> None:
    whole, page = (picture(_noise(16, 8), page=page) for page in (None, Rectangle(4, 2, 8, 4)))
    assert texels.key_of(page, USUAL) == texels.key_of(whole, USUAL)
    assert (texels.decode(page, USUAL, LIMIT).levels[0] == whole.texture.level(0)).all()


def test_a_budget_drops_the_largest_levels() -> None:
    decoded = texels.decode(picture(_noise(4, 4)), USUAL, LIMIT)
    assert [len(decoded.within(budget).levels) for budget in (84, 83, 20, 4, 0)] == [3, 2, 2, 1, 1]


def test_switches_count_only_where_they_make_a_difference() -> None:
    orders = TextureSwitches(byte_orders=frozenset(ByteOrder), is_16_bit=True, is_filtered=False)
    for stored in WRITTEN:
        made = picture(_noise(2, 2), stored)
        is_equal = texels.key_of(made, orders) == texels.key_of(made, USUAL)
        pixels = [texels.decode(made, switches, LIMIT).levels[0] for switches in (orders, USUAL)]
        assert is_equal == bool((pixels[0] == pixels[1]).all())


def test_byte_orders_are_toggled_one_by_one() -> None:
    once = toggle_byte_order(USUAL, ByteOrder.LA88)
    assert once.byte_orders == {ByteOrder.LA88}
    assert toggle_byte_order(once, ByteOrder.LA88) == USUAL


def test_levels_beyond_a_single_pixel_are_left_out() -> None:
    """Three more than halving gives, as a damaged texture has them; no card takes those."""
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 4, 2, 6, 0, 0, 0, int(PixelFormat.RGB565))
    decoded = texels.decode(picture_of(header.tobytes() + bytes(2 * (8 + 2 + 4))), USUAL, LIMIT)
    assert [level.shape for level in decoded.levels] == [(2, 4, 4), (1, 2, 4), (1, 1, 4)]
