"""The colors of a palette as they are listed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.session.view.texture_switches import ByteOrder, TextureSwitches
from viewer.ui.picture.palette_view import colors_of, entry_text

USUAL = TextureSwitches()


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
