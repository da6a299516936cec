"""Texture viewer: levels, channels, pixels, values, page rectangles; and textures as thumbnails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.model.material.materials import MissingResource, TextureRef
from viewer.model.store.place import Place
from viewer.session.view.options.textures import (
    Channels,
    TextureSwitches,
    TextureView,
    UvMarks,
    order_of,
    toggle_byte_order,
    usual_channels,
)
from viewer.session.view.uv_subject import UvSubject, subjects_of
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.material.texture_info import (
    READINGS,
    color_of,
    level_text,
    pages_at,
    place_text,
    summary,
    value_text,
)
from viewer.ui.material.texture_viewport import TextureViewport, draw_board, draw_grid, draw_pages
from viewer.ui.material.uv_layer import Reach, UvLayer, choose_marks
from viewer.ui.panels.entry_menu import ask_for_picture
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.names import message_of
from viewer.ui.widgets.widgets import icon_button, labeled, swatch, text, tooltip

NEAREST: Final = 64.0
FARTHEST: Final = 1 / 64
ZOOM_STEP: Final = 1.25
GRID_FROM: Final = 8.0
"""Magnification from which lines separate pixels."""
_BUTTONS_ROOM, _ORDER_ROOM, _ALPHA_ROOM = 11.0, 11.0, 8.0
"""Widths of the controls, font heights."""
ITEM: Final = "picture"
WHOLE: Final[Reach] = ((0.0, 0.0), (1.0, 1.0))
"""The texture itself, in shares of it: what is fitted into the panel without texture coordinates."""
_CHANNELS: Final = {it: message_of(it) for it in Channels}
_BOARD: Final = (0.09, 0.1, 0.11, 1.0)
_BUTTONS: Final = imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_middle


class TextureViewer:
    """The visible part of a texture, and its zoom."""

    def __init__(self) -> None:
        self._picture: TextureRef | None = None
        self._level = 0
        self._channels = Channels.RGB
        self._has_chosen = False
        self._has_grid = True
        self._has_pages = True
        self._uv, self._reach = UvLayer(), WHOLE
        self._zoom = 0.0
        """ImGui units per pixel of the level; 0 fits the texture into the panel."""
        self._middle = (0.0, 0.0)
        """The center of the view, pixels of the level."""

    def draw(self, frame: UiContext, picture: TextureRef) -> None:
        """Draw the switches, the texture, and the value under the cursor."""
        if picture != self._picture:
            self._picture, self._level, self._zoom = picture, 0, 0.0
            self._channels, self._has_chosen = usual_channels(picture.texture), False
        self._draw_switches(frame, picture)
        _draw_reading(frame, picture.texture.format)
        uv = self._choose_uv(frame, picture)
        self._reach = WHOLE if uv is None else self._uv.reach(uv)
        room, corner = imgui.get_content_region_avail(), imgui.get_cursor_screen_pos()
        height = max(room.y - 2 * imgui.get_text_line_height_with_spacing(), theme.em(4))
        imgui.invisible_button(ITEM, ImVec2(max(room.x, 1.0), height), _BUTTONS)
        sight = self._moved(picture, corner, ImVec2(corner.x + max(room.x, 1.0), corner.y + height))
        pixel = sight.pixel(imgui.get_mouse_pos()) if imgui.is_item_hovered() else None
        self._draw_picture(frame, picture, sight, pixel)
        if uv is not None:
            self._uv.draw(uv, frame.view.textures.uv_marks, sight)
        self._draw_facts(picture.texture, pixel, frame.view.textures)

    def _choose_uv(self, frame: UiContext, picture: TextureRef) -> UvSubject | None:
        """Draw the choice of texture coordinates and words about them, if an open model shows the texture."""
        subjects = subjects_of(frame.state.tabs, picture)
        if not subjects:
            return None
        marks = choose_marks(frame)
        if marks is UvMarks.NONE:
            return None
        subject = self._uv.choose(subjects)
        self._uv.draw_words(subject, marks)
        return subject

    def _draw_facts(self, texture: Texture, pixel: tuple[int, int] | None, switches: TextureSwitches) -> None:
        """Draw two lines about the pixel under the cursor, else about the texture."""
        if pixel is None:
            for line in summary(texture, self._level, switches):
                text(line, theme.DIM)
            return
        text(place_text(texture, self._level, pixel))
        red, green, blue, _ignored = color_of(texture, self._level, pixel, switches)
        swatch("value", (red / 255, green / 255, blue / 255, 1.0))
        imgui.same_line()
        text(value_text(texture, self._level, pixel, switches))

    def _part(self, frame: UiContext, picture: TextureRef, *, is_saved: bool = False) -> TextureView:
        """The level and the channels that are shown; a file has all of them unless some were chosen."""
        channels = Channels.RGBA if is_saved and not self._has_chosen else self._channels
        return TextureView.seen(picture, frame.view.textures, self._level, channels)

    def _save_hint(self) -> str:
        if self._has_chosen:
            return _("Save as PNG\nthis level with these channels")
        return _("Save as PNG\nthis level with color and alpha")

    def _draw_switches(self, frame: UiContext, picture: TextureRef) -> None:
        gap = imgui.get_style().item_spacing.x
        width = min(theme.em(12), (imgui.get_content_region_avail().x - gap) / 2)
        self._choose_level(picture, width)
        imgui.same_line()
        self._choose_channels(width)
        controls.continue_line(_BUTTONS_ROOM)
        if icon_button(fa.ICON_FA_EXPAND, "fit", _("Fit to the panel"), is_on=self._zoom == 0.0):
            self._zoom = 0.0
        imgui.same_line(0, theme.em(0.15))
        if icon_button(fa.ICON_FA_1, "actual", _("Actual size")):
            level = picture.texture.levels[self._level]
            self._zoom, self._middle = 1.0, (level.width / 2, level.height / 2)
        imgui.same_line(0, theme.em(0.15))
        hint = _("Pixel grid\nfrom {zoom:.0f}x magnification", zoom=GRID_FROM)
        if icon_button(fa.ICON_FA_TABLE_CELLS, "pixel_grid", hint, is_on=self._has_grid):
            self._has_grid = not self._has_grid
        if len(picture.texture.pages):
            imgui.same_line(0, theme.em(0.15))
            if icon_button(fa.ICON_FA_OBJECT_GROUP, "pages", _("Page rectangles"), is_on=self._has_pages):
                self._has_pages = not self._has_pages
        imgui.same_line(0, theme.em(0.6))
        if icon_button(fa.ICON_FA_FLOPPY_DISK, "save", self._save_hint()):
            frame.later(frame.control.files.save_texture, self._part(frame, picture, is_saved=True))
        resource = frame.state.resource
        if resource is not None and resource.texture is picture:  # not one that a model refers to
            imgui.same_line(0, theme.em(0.15))
            hint = _("Replace the picture…\nby that of a file, stored like this one")
            if icon_button(fa.ICON_FA_FILE_IMPORT, "replace_picture", hint):
                ask_for_picture(resource.address, frame)

    def _choose_level(self, picture: TextureRef, width: float) -> None:
        imgui.set_next_item_width(width)
        if imgui.begin_combo("###level", level_text(picture.texture, self._level)):
            for level in range(len(picture.texture.levels)):
                if imgui.selectable(
                    labeled(level_text(picture.texture, level), f"level{level}"), level == self._level
                )[0]:
                    self._show_level(level)
            imgui.end_combo()
        tooltip(_("Mip level"))

    def _show_level(self, level: int) -> None:
        """Show another level with the same part of the texture at the same size on screen."""
        factor = 2.0 ** (level - self._level)
        self._zoom = min(self._zoom * factor, NEAREST)
        self._middle = self._middle[0] / factor, self._middle[1] / factor
        self._level = level

    def _choose_channels(self, width: float) -> None:
        imgui.set_next_item_width(width)
        chosen = controls.choose("###channels", _CHANNELS, self._channels)
        self._has_chosen |= chosen is not self._channels
        self._channels = chosen
        tooltip([_("Channels"), _("Alpha is transparency or gloss: the materials tell.")])

    def _moved(self, picture: TextureRef, start: ImVec2, end: ImVec2) -> TextureViewport:
        """Handle the mouse over the item just drawn; return the new viewport."""
        io = imgui.get_io()
        sight = self._sight(picture, start, end)
        if imgui.is_item_hovered() and io.mouse_wheel:
            self._zoom_at(sight, io.mouse_pos, ZOOM_STEP**io.mouse_wheel)
        elif imgui.is_item_active() and (io.mouse_delta.x or io.mouse_delta.y):
            self._fix(sight)
            x, y = self._middle
            self._middle = x - io.mouse_delta.x / self._zoom, y - io.mouse_delta.y / self._zoom
        return self._sight(picture, start, end)

    def _zoom_at(self, sight: TextureViewport, point: ImVec2, factor: float) -> None:
        """Zoom by a factor; the point under the cursor stays."""
        self._fix(sight)
        zoom = min(max(self._zoom * factor, FARTHEST), NEAREST)
        share = 1 - self._zoom / zoom
        x, y = (point.x - sight.left) / sight.zoom, (point.y - sight.top) / sight.zoom
        self._middle = (
            self._middle[0] + (x - self._middle[0]) * share,
            self._middle[1] + (y - self._middle[1]) * share,
        )
        self._zoom = zoom

    def _fix(self, sight: TextureViewport) -> None:
        """Stop fitting the texture into the panel."""
        if self._zoom == 0.0:
            x, y = ((low + high) / 2 for low, high in zip(*self._reach, strict=True))
            self._zoom, self._middle = sight.zoom, (x * sight.width, y * sight.height)

    def _sight(self, picture: TextureRef, start: ImVec2, end: ImVec2) -> TextureViewport:
        level = picture.texture.levels[self._level]
        zoom, middle = self._zoom, self._middle
        if zoom == 0.0:
            (x0, y0), (x1, y1) = self._reach
            width, height = (x1 - x0) * level.width, (y1 - y0) * level.height
            zoom = min((end.x - start.x) / width, (end.y - start.y) / height, NEAREST)
            middle = (x0 + x1) / 2 * level.width, (y0 + y1) / 2 * level.height
        left = (start.x + end.x) / 2 - middle[0] * zoom
        top = (start.y + end.y) / 2 - middle[1] * zoom
        return TextureViewport(left, top, zoom, level.width, level.height, start, end)

    def _draw_picture(
        self, frame: UiContext, picture: TextureRef, sight: TextureViewport, pixel: tuple[int, int] | None
    ) -> None:
        paper = imgui.get_window_draw_list()
        paper.add_rect_filled(sight.frame_min, sight.frame_max, theme.packed(_BOARD))
        paper.push_clip_rect(sight.frame_min, sight.frame_max, True)
        part, pages = self._part(frame, picture), picture.texture.pages
        if part.channels is Channels.RGBA and picture.texture.format.has_alpha:
            draw_board(paper, *sight.seen)
        texture = frame.lookups.texture(part)
        if texture is not None:
            ends = sight.place(0, 0), sight.place(sight.width, sight.height)
            paper.add_image(imgui.ImTextureRef(texture), *ends)
        if self._has_grid and sight.zoom >= GRID_FROM:
            draw_grid(paper, sight)
        if self._has_pages:
            pointed = pages_at(pages, self._level, pixel) if pixel else []
            draw_pages(paper, pages, self._level, sight, frozenset(pointed))
        paper.pop_clip_rect()


def _draw_reading(frame: UiContext, stored: PixelFormat) -> None:
    """Draw the choice of how stored pixels are read, here and on the model, if there is one."""
    switches, order = frame.view.textures, order_of(stored)
    if order is not None:
        now = switches.reorders(stored)
        controls.continue_line(_ORDER_ROOM)
        readings = dict(enumerate(READINGS[stored]))
        if controls.choose("###order", readings, int(now), _ORDER_ROOM, prefix="order") != now:
            _switch(frame, lambda switches: toggle_byte_order(switches, order))
        tooltip([_("Byte order"), _("The first is the usual one. Also applies to the model.")])
    if stored.has_alpha:
        controls.continue_line(_ALPHA_ROOM)
        hints = [_("Every pixel is opaque"), _("Many alphas are unused. Also applies to the model.")]
        if controls.checkbox(_("Ignore alpha"), "ignore_alpha", hints, is_on=switches.ignores_alpha):
            _switch(frame, lambda switches: replace(switches, ignores_alpha=not switches.ignores_alpha))


def _switch(frame: UiContext, change: Callable[[TextureSwitches], TextureSwitches]) -> None:
    frame.change(lambda view: replace(view, textures=change(view.textures)))


SHARPEST: Final = 96
"""Least pixels of the longer side of a thumbnail, if the texture has as many."""
LARGE: Final = 12.0
"""Longest side of the image in a tooltip, in font heights."""


def draw_thumbnail(
    frame: UiContext, picture: TextureRef | None, missing: MissingResource | None, side: float
) -> None:
    """Draw a thumbnail that opens its texture, or a placeholder."""
    if imgui.button(f"{fa.ICON_FA_QUESTION if missing else ''}###texture", ImVec2(side, side)) and picture:
        frame.later(frame.control.opening.go_to, Place(picture.address))
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
