"""The picture of a texture replaced: stored like the old one, everything else kept."""

from __future__ import annotations

import numpy as np
import pytest

from tests.formats.payloads import payloads
from viewer.errors import EditError, FormatError
from viewer.formats import splice
from viewer.formats.texture import font, texm
from viewer.formats.texture.pixels import WRITTEN, Image, PixelFormat
from viewer.model.edit.draft import Draft
from viewer.model.edit.replace_texture import ReplaceTexture
from viewer.model.kinds.registry import by_id


def noise(width: int, height: int, seed: int = 0) -> Image:
    """A picture in which no two pixels need be alike."""
    picture: Image = np.random.default_rng(seed).integers(0, 256, (height, width, 4), np.uint8)
    return picture


def edited(data: bytes, change: ReplaceTexture, kind: str = "texm") -> bytes:
    """The payload after the change, which can be undone."""
    draft = Draft(by_id(kind), data)
    change.apply(draft)
    assert splice.applied(draft.data, splice.reverse(draft.splices)) == data
    return bytes(draft.data)


def refusal(data: bytes, change: ReplaceTexture) -> str:
    """Why the change is refused."""
    with pytest.raises(EditError) as refused:
        edited(data, change)
    return str(refused.value)


@pytest.mark.parametrize("stored", WRITTEN, ids=str)
def test_a_picture_is_stored_like_the_old_one(stored: PixelFormat) -> None:
    pages = [(0, 0, 4, 4), (4, 0, 4, 4)]
    data = texm.build(noise(8, 8), stored, mip_count=3, pages=pages, flags4=32, flags5=0x123)
    after = texm.decode(edited(data, ReplaceTexture.of(noise(8, 8, 1))))
    expected = texm.decode(texm.build(noise(8, 8, 1), stored, mip_count=3))
    if stored is not PixelFormat.INDEXED:
        assert np.array_equal(after.level(0), expected.level(0))
    assert (len(after.levels), after.header["flags4"], after.header["flags5"]) == (3, 32, 0x123)
    assert after.pages.tolist() == texm.decode(data).pages.tolist()
    assert edited(data, ReplaceTexture.of(texm.decode(data).level(0))) == data


def test_size_format_and_levels_may_change() -> None:
    data = texm.build(noise(8, 8), PixelFormat.RGB565, mip_count=2, pages=[(0, 0, 4, 4)])
    after = texm.decode(edited(data, ReplaceTexture.of(noise(16, 4), 8888, 1)))
    assert np.array_equal(after.level(0), noise(16, 4))
    assert (after.format, len(after.levels), len(after.pages), after.diagnostics) == (8888, 1, 0, ())


def test_levels_of_a_smaller_picture_end_at_one_pixel() -> None:
    """32 x 16 has six levels, 8 x 4 has four; more would be a problem of its own (T08)."""
    data = texm.build(noise(32, 16), PixelFormat.RGB565, mip_count=6)
    after = texm.decode(edited(data, ReplaceTexture.of(noise(8, 4))))
    assert [(it.width, it.height) for it in after.levels] == [(8, 4), (4, 2), (2, 1), (1, 1)]
    assert after.diagnostics == ()
    many = texm.build(noise(8, 4), PixelFormat.RGB565, mip_count=6)
    assert edited(many, ReplaceTexture.of(texm.decode(many).level(0))) == many, "nothing was replaced"


def test_rectangles_that_are_removed_are_noted() -> None:
    data = texm.build(noise(8, 8), PixelFormat.ARGB8888, pages=[(0, 0, 4, 4)])
    for side, expected in ((8, []), (4, ["rectangles of the former size are removed: 1"])):
        draft = Draft(by_id("texm"), data)
        ReplaceTexture.of(noise(side, side, 1)).apply(draft)
        assert draft.notes == expected


def test_only_pixels_that_differ_are_replaced() -> None:
    picture = noise(64, 64)
    data = texm.build(picture, PixelFormat.ARGB8888)
    changed = picture.copy()
    changed[10, 20, :3] ^= 0xFF
    draft = Draft(by_id("texm"), data)
    ReplaceTexture.of(changed).apply(draft)
    assert [(it.offset, len(it.before)) for it in draft.splices] == [(32 + 4 * (10 * 64 + 20), 3)]
    draft = Draft(by_id("texm"), data)
    ReplaceTexture.of(noise(64, 64, 9)).apply(draft)
    assert len(draft.splices) == 1


def test_bytes_after_the_pixels_are_kept() -> None:
    data = texm.build(noise(4, 4), PixelFormat.RGB565) + b"left over"
    assert edited(data, ReplaceTexture.of(noise(4, 4, 1))).endswith(b"left over")
    data = texm.build(noise(4, 4), PixelFormat.RGB565, pages=[(0, 0, 4, 4)]) + b"left over"
    assert edited(data, ReplaceTexture.of(noise(4, 4, 1)))[-25:] == data[-25:]


def test_the_picture_of_a_font_is_replaced() -> None:
    header = font.HEADER.new()
    header["magic"] = font.MAGIC
    start = header.tobytes() + font.GLYPH.new(font.GLYPH_COUNT).tobytes()
    data = start + texm.build(noise(8, 8), PixelFormat.ARGB4444)
    after = edited(data, ReplaceTexture.of(noise(8, 8, 1)), "font")
    assert after == start + texm.build(noise(8, 8, 1), PixelFormat.ARGB4444)


def test_what_is_not_a_texture_is_refused() -> None:
    data = texm.build(noise(4, 4), PixelFormat.RGB565)
    assert "header.width: 0 exceeds 1..16384" in refusal(data, ReplaceTexture(0, 4, b""))
    assert "15 bytes of pixels, 16 are needed" in refusal(data, ReplaceTexture(2, 2, bytes(15)))
    assert "pixel_format: 2 cannot be written" in refusal(data, ReplaceTexture.of(noise(4, 4), 2))
    assert "mip_count: 16 exceeds 1..15" in refusal(data, ReplaceTexture.of(noise(4, 4), None, 16))


def test_all_textures_of_the_samples_take_a_picture() -> None:
    """Of every format, damaged or not, with palettes and pages."""
    seen = 0
    for payload in payloads("texm"):
        try:
            texture = texm.decode(payload.data)
        except FormatError:
            continue
        width, height = int(texture.header["width"]), int(texture.header["height"])
        if texture.format is PixelFormat.EXTERNAL or width * height > 1 << 16:
            continue
        after = texm.decode(edited(bytes(payload.data), ReplaceTexture.of(noise(width, height))))
        assert after.pages.tolist() == texture.pages.tolist()
        assert after.colors.tobytes() == texture.colors.tobytes() or not len(texture.colors)
        seen += 1
    assert seen


def test_colors_that_the_format_cannot_hold_are_noted() -> None:
    picture = np.full((4, 4, 4), 255, np.uint8)
    picture[0, 0, 0] = 250
    notes = []
    for stored in (PixelFormat.ARGB8888, PixelFormat.RGB565):
        draft = Draft(by_id("texm"), texm.build(noise(4, 4), stored))
        ReplaceTexture.of(picture).apply(draft)
        notes.append(draft.notes)
    exact, (words,) = notes
    assert exact == []
    assert words.startswith("1 of 16 pixels are not exact in format 565: off by up to ")
