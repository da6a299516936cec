"""The 256 colors of a texture with a palette."""

from __future__ import annotations

from math import floor
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.formats.texture.pixels import PALETTE_SIZE, Image, PixelFormat
from viewer.formats.texture.texm import HEADER, PALETTE, Texture
from viewer.session.view.texture_switches import TextureSwitches, reordered
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import text

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
            start, ImVec2(start.x + side - 1, start.y + side - 1), theme.packed(tuple(color))
        )
    mouse = imgui.get_mouse_pos()
    column, row = (floor(way / side) for way in (mouse.x - corner.x, mouse.y - corner.y))
    index = row * ACROSS + column
    if imgui.is_item_hovered() and 0 <= column < ACROSS and 0 <= index < PALETTE_SIZE:
        text(entry_text(texture, colors, index))
    else:
        text(_("{count} colors").format(count=PALETTE_SIZE), theme.DIM)


def entry_text(texture: Texture, colors: Image, index: int) -> str:
    """Return a color as text, with its offset and bytes if it is stored in the texture itself."""
    red, green, blue = colors[index].tolist()[:3]
    words = f"{index}:  R {red}  G {green}  B {blue}"
    if texture.format is not PixelFormat.INDEXED:
        return words
    offset = HEADER.size + PALETTE.size * index
    stored = texture.colors[index].tobytes().hex(" ")
    return words + "  " + _("at {offset:#x}: {bytes}").format(offset=offset, bytes=stored)
