"""Texts about a texture: its levels, the pixel under the cursor, the colors of its palette."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.formats.record import Rows
from viewer.formats.texture import pixels
from viewer.formats.texture.pixels import PALETTE_SIZE, Image, PixelFormat
from viewer.formats.texture.texm import HEADER, PALETTE, Texture
from viewer.session.field_text import counted
from viewer.session.view.options.textures import LONGEST, TextureSwitches, halvings, reordered
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import text

READINGS: Final = {
    PixelFormat.INDEXED: (_("palette: B G R x"), _("palette: R G B x")),
    PixelFormat.EXTERNAL: (_("palette: B G R x"), _("palette: R G B x")),
    PixelFormat.RGB888: (_("B G R x"), _("R G B x")),
    PixelFormat.ARGB8888: (_("B G R A"), _("A R G B")),
    PixelFormat.LA88: (_("A L"), _("L A")),
}
"""The bytes of a pixel in file order, in the usual reading and in the alternative one."""
MOST_PAGES: Final = 6
"""Rectangles under the cursor that are named."""


def level_text(texture: Texture, level: int) -> str:
    """Return the number and the size of a mip level."""
    chosen = texture.levels[level]
    return f"{level}:  {chosen.width} x {chosen.height}"


def place_text(texture: Texture, level: int, pixel: tuple[int, int]) -> str:
    """Return the position of a pixel of a level, its offset and its bytes."""
    offset, stored = _stored(texture, level, pixel)
    where = _("at {offset:#x}: {bytes}", offset=offset, bytes=stored.hex(" "))
    return f"{pixel[0]}, {pixel[1]}  {where}"


def color_of(texture: Texture, level: int, pixel: tuple[int, int], switches: TextureSwitches) -> list[int]:
    """Return red, green, blue and alpha of a pixel of a level."""
    rgba = pixels.decode(_stored(texture, level, pixel)[1], texture.format, texture.palette)
    if switches.reorders(texture.format):
        rgba = reordered(rgba, texture.format)
    color: list[int] = rgba[0].tolist()
    return color


def value_text(texture: Texture, level: int, pixel: tuple[int, int], switches: TextureSwitches) -> str:
    """Return what a pixel of a level means, and the rectangles that it lies in."""
    red, green, blue, alpha = color_of(texture, level, pixel, switches)
    parts = [f"R {red}  G {green}  B {blue}  A {alpha}"]
    if texture.format.size == 1:
        parts.insert(0, _("palette {index}", index=_stored(texture, level, pixel)[1][0]))
    if switches.ignores_alpha and texture.format.has_alpha:
        parts.append(_("(ignored)"))
    inside = pages_at(texture.pages, level, pixel)
    if inside:
        parts.append(_pages_text(inside))
    return "  ".join(parts)


def pages_at(pages: Rows, level: int, pixel: tuple[int, int]) -> list[int]:
    """Return the rectangles of the page that a pixel of a level lies in."""
    left, top = pages["x"].astype(np.int64), pages["y"].astype(np.int64)
    # A pixel of level 2 covers 4 x 4 of level 0, in which pages are stated; its first one counts.
    x, y = (place << level for place in pixel)
    is_inside = (left <= x) & (x < left + pages["w"]) & (top <= y) & (y < top + pages["h"])
    return np.flatnonzero(is_inside).tolist()


def summary(texture: Texture, level: int, switches: TextureSwitches) -> tuple[str, str]:
    """Return two lines on a texture and one of its levels."""
    words = _("format {format}, level {level} at 0x{offset:X}")
    parts = [words.format(format=texture.format.label, level=level, offset=texture.levels[level].offset)]
    if len(texture.pages):
        parts.append(counted(len(texture.pages), "{count} rectangle", "{count} rectangles"))
    return ", ".join(parts), ", ".join(_remarks(texture, level, switches))


def _remarks(texture: Texture, level: int, switches: TextureSwitches) -> Iterator[str]:
    halved = halvings(texture.levels[level], LONGEST)
    if halved:
        yield _("shown at 1/{factor} of its size", factor=1 << halved)
    if switches.is_16_bit:
        yield _("rounded to 16 bits on the model only")


def _pages_text(numbers: Sequence[int]) -> str:
    pages = ", ".join(map(str, numbers[:MOST_PAGES]))
    if len(numbers) <= MOST_PAGES:
        return _("page {pages}", pages=pages)
    return _("page {pages} and {count} more", pages=pages, count=len(numbers) - MOST_PAGES)


def _stored(texture: Texture, level: int, pixel: tuple[int, int]) -> tuple[int, bytes]:
    """Offset of the bytes of a pixel in the payload, and those bytes."""
    place, (x, y) = texture.levels[level], pixel
    size = texture.format.size
    inside = (y * place.width + x) * size
    return place.offset + inside, bytes(place.data[inside : inside + size])


ACROSS: Final = 16
ITEM: Final = "palette"
_LARGEST: Final = 1.7
"""Side of a field, font heights."""


def colors_of(texture: Texture, switches: TextureSwitches) -> Image | None:
    """Return the colors as they are read, RGBA (256, 4); None without a palette."""
    palette = texture.palette
    if palette is None or not switches.reorders(texture.format):
        return palette
    return reordered(palette, texture.format)


def draw_palette(texture: Texture, colors: Image) -> None:
    """Draw a square per color, and the value of the one under the cursor."""
    room, corner = imgui.get_content_region_avail(), imgui.get_cursor_screen_pos()
    height = room.y - imgui.get_text_line_height_with_spacing()
    side = max(floor(min(room.x / ACROSS, height / ACROSS, theme.em(_LARGEST))), 2)
    imgui.invisible_button(ITEM, ImVec2(side * ACROSS, side * ACROSS))
    paper = imgui.get_window_draw_list()
    for index, color in enumerate((colors / 255).tolist()):
        start = ImVec2(corner.x + index % ACROSS * side, corner.y + index // ACROSS * side)
        paper.add_rect_filled(
            start, ImVec2(start.x + side - 1, start.y + side - 1), theme.exact(tuple(color))
        )
    mouse = imgui.get_mouse_pos()
    column, row = (floor(way / side) for way in (mouse.x - corner.x, mouse.y - corner.y))
    index = row * ACROSS + column
    if imgui.is_item_hovered() and 0 <= column < ACROSS and 0 <= index < PALETTE_SIZE:
        text(entry_text(texture, colors, index))
    else:
        text(_("{count} colors", count=PALETTE_SIZE), theme.DIM)


def entry_text(texture: Texture, colors: Image, index: int) -> str:
    """Return a color as text, with its offset and bytes if it is stored in the texture itself."""
    red, green, blue = colors[index].tolist()[:3]
    words = f"{index}:  R {red}  G {green}  B {blue}"
    if texture.format is not PixelFormat.INDEXED:
        return words
    offset = HEADER.size + PALETTE.size * index
    stored = texture.colors[index].tobytes().hex(" ")
    return words + "  " + _("at {offset:#x}: {bytes}", offset=offset, bytes=stored)
