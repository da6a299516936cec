"""What is said of a texture and of its pixels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.session.view.textures import LONGEST, ByteOrder, TextureSwitches
from viewer.ui.material.texture_info import (
    READINGS,
    color_of,
    colors_of,
    entry_text,
    level_text,
    pages_at,
    place_text,
    summary,
    value_text,
)

USUAL = TextureSwitches()


def texture(pixel_format: PixelFormat) -> Texture:
    image = np.zeros((4, 8, 4), np.uint8)
    image[1, 2] = (255, 136, 17, 51)
    pages = [(0, 0, 4, 2), (2, 0, 6, 4)]
    return texm.decode(texm.build(image, pixel_format, mip_count=2, pages=pages))


def test_a_pixel_is_told_as_stored_and_as_meant() -> None:
    chosen = texture(PixelFormat.ARGB4444)
    assert place_text(chosen, 0, (2, 1)) == "2, 1  at 0x34: 81 3f"
    assert value_text(chosen, 0, (2, 1), USUAL) == "R 255  G 136  B 17  A 51  page 0, 1"


def test_bytes_stay_while_their_meaning_changes_with_their_order() -> None:
    chosen = texture(PixelFormat.ARGB8888)
    other = TextureSwitches(byte_orders=frozenset({ByteOrder.ARGB8888}))
    assert place_text(chosen, 0, (2, 1)).endswith("11 88 ff 33")
    assert color_of(chosen, 0, (2, 1), USUAL) == [255, 136, 17, 51]
    assert color_of(chosen, 0, (2, 1), other) == [136, 255, 51, 17]
    assert "A 51  (ignored)" in value_text(chosen, 0, (2, 1), TextureSwitches(ignores_alpha=True))


def test_the_readings_are_written_as_their_bytes_lie() -> None:
    stored = dict(zip("BGRA", (0x33, 0x22, 0x11, 0x40), strict=True))
    for pixel_format in (PixelFormat.ARGB8888, PixelFormat.RGB888):
        data = texm.build(np.zeros((1, 1, 4), np.uint8), pixel_format)[: texm.HEADER.size]
        chosen = texm.decode(data + bytes(stored.values()))
        for is_other, words in enumerate(READINGS[pixel_format]):
            switches = TextureSwitches(byte_orders=frozenset(ByteOrder) if is_other else frozenset())
            named = dict(zip(str(words).split(), stored.values(), strict=True))
            expected = [named[name] for name in "RGB"] + [named.get("A", 255)]
            assert color_of(chosen, 0, (0, 0), switches) == expected


def test_an_indexed_pixel_names_its_row_of_the_palette() -> None:
    chosen = texture(PixelFormat.INDEXED)
    row = chosen.levels[0].data[10]
    words = value_text(chosen, 0, (2, 1), USUAL)
    assert words.startswith(f"palette {row}  R 255  G 136  B 17  A 255")


def test_rectangles_count_in_pixels_of_the_largest_level() -> None:
    pages = texture(PixelFormat.RGB888).pages
    assert pages_at(pages, 0, (7, 3)) == [1]
    assert pages_at(pages, 1, (1, 0)) == [0, 1]
    assert pages_at(pages, 1, (0, 1)) == []


def test_of_very_many_rectangles_a_few_are_named() -> None:
    data = texm.build(np.zeros((4, 4, 4), np.uint8), PixelFormat.RGB565, pages=[(0, 0, 4, 4)] * 1000)
    assert value_text(texm.decode(data), 0, (1, 1), USUAL).endswith("page 0, 1, 2, 3, 4, 5 and 994 more")


def test_a_level_is_called_by_its_number_and_size() -> None:
    assert level_text(texture(PixelFormat.RGB888), 1) == "1:  4 x 2"


def test_a_texture_is_summed_up() -> None:
    chosen = texture(PixelFormat.RGB565)
    assert summary(chosen, 1, USUAL) == ("format 565, level 1 at 0x60, 2 rectangles", "")
    wide = texm.decode(texm.build(np.zeros((1, LONGEST + 2, 4), np.uint8), PixelFormat.RGB565, mip_count=2))
    assert [summary(wide, level, USUAL)[1] for level in range(2)] == ["shown at 1/2 of its size", ""]
    assert "on the model only" in summary(chosen, 0, TextureSwitches(is_16_bit=True))[1]


def bare(pixel_format: PixelFormat, behind: bytes) -> Texture:
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 1, 1, 1, 0, 0, 0, pixel_format)
    return texm.decode(header.tobytes() + behind)


INDEXED = bare(PixelFormat.INDEXED, bytes(28) + bytes([1, 2, 3, 9]) + bytes(992) + b"\x07")


def test_colors_are_listed_with_their_bytes() -> None:
    colors = colors_of(INDEXED, USUAL)
    assert colors is not None
    assert entry_text(INDEXED, colors, 7) == "7:  R 3  G 2  B 1  at 0x3c: 01 02 03 09"
    colors = colors_of(INDEXED, TextureSwitches(byte_orders=frozenset({ByteOrder.PALETTE_RGB})))
    assert colors is not None
    assert entry_text(INDEXED, colors, 7) == "7:  R 1  G 2  B 3  at 0x3c: 01 02 03 09"


def test_a_palette_from_elsewhere_has_no_bytes_in_the_texture() -> None:
    without = bare(PixelFormat.EXTERNAL, b"\x07")
    assert colors_of(without, USUAL) is None
    lent = replace(without, external=np.full((256, 4), 5, np.uint8))
    colors = colors_of(lent, USUAL)
    assert colors is not None
    assert entry_text(lent, colors, 255) == "255:  R 5  G 5  B 5"


def test_other_textures_have_no_palette() -> None:
    assert colors_of(bare(PixelFormat.RGB565, b"\x07\x07"), USUAL) is None
