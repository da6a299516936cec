"""A texture as a small image that opens it."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.material.materials import MissingResource, TextureRef
from viewer.model.store.place import Place
from viewer.session.view.textures import TextureView
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import tooltip

SHARPEST: Final = 96
"""Least pixels of the longer side of a thumbnail, if the texture has as many."""
LARGE: Final = 12.0
"""Longest side of the image in a tooltip, in font heights."""


def draw_thumbnail(
    frame: UiContext, picture: TextureRef | None, missing: MissingResource | None, side: float
) -> None:
    """Draw a thumbnail that opens its texture, or a placeholder."""
    if imgui.button(f"{fa.ICON_FA_QUESTION if missing else ''}###texture", ImVec2(side, side)) and picture:
        frame.commands.opening.go_to(Place(picture.address))
    if picture is None:
        tooltip(str(missing) if missing else _("no texture"))
        return
    _draw_over_item(frame, picture)
    tooltip([picture.name, _("Click to open")])


def draw_small_thumbnail(frame: UiContext, picture: TextureRef | None) -> None:
    """Draw a thumbnail as high as a line; its tooltip shows it larger."""
    side = imgui.get_text_line_height()
    imgui.dummy(ImVec2(side, side))
    if picture is not None:
        _draw_over_item(frame, picture)
        tooltip(picture.name, lambda: _draw_large(frame, picture))


def _draw_over_item(frame: UiContext, picture: TextureRef) -> None:
    texture = frame.lookups.texture(TextureView.seen(picture, frame.view.textures, small_level(picture)))
    if texture is not None:
        corners = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        imgui.get_window_draw_list().add_image(imgui.ImTextureRef(texture), *corners, *shown_part(picture))


def _draw_large(frame: UiContext, picture: TextureRef) -> None:
    texture = frame.lookups.texture(TextureView.seen(picture, frame.view.textures, small_level(picture)))
    if texture is not None:
        level = picture.texture.levels[0]
        width, height = picture.page[2:] if picture.page else (level.width, level.height)
        scale = theme.em(LARGE) / max(width, height)
        size = ImVec2(width * scale, height * scale)
        imgui.image(imgui.ImTextureRef(texture), size, *shown_part(picture))


def shown_part(picture: TextureRef) -> tuple[ImVec2, ImVec2]:
    """Return the corners of the page of a texture, 0 to 1."""
    if picture.page is None:
        return ImVec2(0, 0), ImVec2(1, 1)
    level, (x, y, w, h) = picture.texture.levels[0], picture.page
    left, top = x / level.width, y / level.height
    return ImVec2(left, top), ImVec2(left + w / level.width, top + h / level.height)


def small_level(picture: TextureRef) -> int:
    """Return the smallest mip level that is sharp as a thumbnail."""
    levels, page = picture.texture.levels, picture.page
    sides = [max(level.width, level.height) for level in levels]
    share = 1.0 if page is None else max(page.w, page.h) / sides[0]
    return max((index for index, side in enumerate(sides) if side * share >= SHARPEST), default=0)
