"""One texture as closely as anyone could want: levels, channels, pixels, values, rectangles."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats import pixels
from viewer.formats.pixels import PixelFormat
from viewer.model.materials import Picture
from viewer.session.picture_part import Channels, PicturePart
from viewer.ui import theme
from viewer.ui.panel import Frame, SaveTexture
from viewer.ui.widgets import icon_button, text, tooltip

NEAREST: Final = 64.0
FARTHEST: Final = 1 / 64
ZOOM_STEP: Final = 1.25
GRID_FROM: Final = 8.0
"""Magnification from which pixels are told apart by lines."""
CHECK: Final = 10.0
"""Side of a field of the board behind what is transparent, ImGui units."""
ITEM: Final = "picture"
_LIGHT, _DARK = (0.46, 0.46, 0.48, 1.0), (0.34, 0.34, 0.36, 1.0)
_BOARD = (0.09, 0.1, 0.11, 1.0)
_LINE = (0.0, 0.0, 0.0, 0.35)
_BUTTONS = imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_middle


@dataclass(frozen=True, slots=True)
class Sight:
    """Where a picture of some pixels lies on screen, and the frame that it is seen through."""

    left: float
    top: float
    zoom: float
    width: int
    height: int
    frame_min: ImVec2
    frame_max: ImVec2

    def pixel(self, point: ImVec2) -> tuple[int, int] | None:
        """Return the column and row at a place on screen, None beside the picture."""
        x, y = floor((point.x - self.left) / self.zoom), floor((point.y - self.top) / self.zoom)
        return (x, y) if 0 <= x < self.width and 0 <= y < self.height else None

    def place(self, x: float, y: float) -> ImVec2:
        """Return the place on screen of the corner of a pixel."""
        return ImVec2(self.left + x * self.zoom, self.top + y * self.zoom)

    @property
    def seen(self) -> tuple[ImVec2, ImVec2]:
        """The part of the frame that the picture covers: two corners on screen."""
        start, end = self.place(0, 0), self.place(self.width, self.height)
        return (
            ImVec2(max(start.x, self.frame_min.x), max(start.y, self.frame_min.y)),
            ImVec2(min(end.x, self.frame_max.x), min(end.y, self.frame_max.y)),
        )


class PictureView:
    """What is shown of a picture, and how near."""

    def __init__(self) -> None:
        self._picture: Picture | None = None
        self._level = 0
        self._channels = Channels.RGBA
        self._has_grid = True
        self._has_pages = True
        self._zoom = 0.0
        """ImGui units per pixel of the level; 0 fits the picture into the room."""
        self._middle = (0.0, 0.0)
        """What is in the middle of the room, pixels of the level."""

    def draw(self, frame: Frame, picture: Picture) -> None:
        """Draw the switches, the picture, and the value under the cursor."""
        if picture != self._picture:
            self._picture, self._level, self._zoom = picture, 0, 0.0
        self._draw_switches(frame, picture)
        room, corner = imgui.get_content_region_avail(), imgui.get_cursor_screen_pos()
        height = max(room.y - imgui.get_text_line_height_with_spacing(), theme.em(4))
        imgui.invisible_button(ITEM, ImVec2(max(room.x, 1.0), height), _BUTTONS)
        sight = self._moved(picture, corner, ImVec2(corner.x + max(room.x, 1.0), corner.y + height))
        self._draw_picture(frame, picture, sight)
        pixel = sight.pixel(imgui.get_mouse_pos()) if imgui.is_item_hovered() else None
        words = value_text(picture, self._level, pixel) if pixel else _summary(picture, self._level)
        text(words, theme.TEXT if pixel else theme.DIM)

    def _draw_switches(self, frame: Frame, picture: Picture) -> None:
        gap = imgui.get_style().item_spacing.x
        width = min(theme.em(12), (imgui.get_content_region_avail().x - gap) / 2)
        self._choose_level(picture, width)
        imgui.same_line()
        self._choose_channels(width)
        if icon_button(fa.ICON_FA_EXPAND, "fit", "Fit the picture into the panel", is_on=self._zoom == 0.0):
            self._zoom = 0.0
        imgui.same_line(0, theme.em(0.15))
        if icon_button(fa.ICON_FA_1, "actual", "One pixel to one unit of the screen"):
            level = picture.texture.levels[self._level]
            self._zoom, self._middle = 1.0, (level.width / 2, level.height / 2)
        imgui.same_line(0, theme.em(0.15))
        hint = f"Lines between pixels\nfrom {GRID_FROM:.0f} times the size on"
        if icon_button(fa.ICON_FA_TABLE_CELLS, "pixel grid", hint, is_on=self._has_grid):
            self._has_grid = not self._has_grid
        if len(picture.texture.pages):
            imgui.same_line(0, theme.em(0.15))
            if icon_button(fa.ICON_FA_OBJECT_GROUP, "pages", "Rectangles of the page", is_on=self._has_pages):
                self._has_pages = not self._has_pages
        imgui.same_line(0, theme.em(0.6))
        if icon_button(fa.ICON_FA_FLOPPY_DISK, "save", "Save as PNG\nthis level with these channels"):
            frame.request(SaveTexture(PicturePart(picture, self._level, self._channels)))

    def _choose_level(self, picture: Picture, width: float) -> None:
        imgui.set_next_item_width(width)
        if imgui.begin_combo("###level", level_text(picture, self._level)):
            for level in range(len(picture.texture.levels)):
                if imgui.selectable(level_text(picture, level), level == self._level)[0]:
                    self._show_level(level)
            imgui.end_combo()
        tooltip("Mip level")

    def _show_level(self, level: int) -> None:
        """Show another level of the same part of the picture at the same size on screen."""
        factor = 2.0 ** (level - self._level)
        self._zoom = min(self._zoom * factor, NEAREST)
        self._middle = self._middle[0] / factor, self._middle[1] / factor
        self._level = level

    def _choose_channels(self, width: float) -> None:
        imgui.set_next_item_width(width)
        if imgui.begin_combo("###channels", self._channels.capitalize()):
            for channels in Channels:
                if imgui.selectable(channels.capitalize(), channels is self._channels)[0]:
                    self._channels = channels
            imgui.end_combo()
        tooltip("Channels")

    def _moved(self, picture: Picture, start: ImVec2, end: ImVec2) -> Sight:
        """Follow the wheel and the mouse over the item just drawn; return where the picture lies now."""
        io = imgui.get_io()
        sight = self._sight(picture, start, end)
        if imgui.is_item_hovered() and io.mouse_wheel:
            self._zoom_at(sight, io.mouse_pos, ZOOM_STEP**io.mouse_wheel)
        elif imgui.is_item_active() and (io.mouse_delta.x or io.mouse_delta.y):
            self._fix(sight)
            x, y = self._middle
            self._middle = x - io.mouse_delta.x / self._zoom, y - io.mouse_delta.y / self._zoom
        return self._sight(picture, start, end)

    def _zoom_at(self, sight: Sight, point: ImVec2, factor: float) -> None:
        """Come nearer by a factor; what lies under the cursor stays there."""
        self._fix(sight)
        zoom = min(max(self._zoom * factor, FARTHEST), NEAREST)
        share = 1 - self._zoom / zoom
        x, y = (point.x - sight.left) / sight.zoom, (point.y - sight.top) / sight.zoom
        self._middle = (
            self._middle[0] + (x - self._middle[0]) * share,
            self._middle[1] + (y - self._middle[1]) * share,
        )
        self._zoom = zoom

    def _fix(self, sight: Sight) -> None:
        """Stop fitting the picture into the room."""
        if self._zoom == 0.0:
            self._zoom, self._middle = sight.zoom, (sight.width / 2, sight.height / 2)

    def _sight(self, picture: Picture, start: ImVec2, end: ImVec2) -> Sight:
        level = picture.texture.levels[self._level]
        zoom, middle = self._zoom, self._middle
        if zoom == 0.0:
            zoom = min((end.x - start.x) / level.width, (end.y - start.y) / level.height, NEAREST)
            middle = level.width / 2, level.height / 2
        left = (start.x + end.x) / 2 - middle[0] * zoom
        top = (start.y + end.y) / 2 - middle[1] * zoom
        return Sight(left, top, zoom, level.width, level.height, start, end)

    def _draw_picture(self, frame: Frame, picture: Picture, sight: Sight) -> None:
        paper = imgui.get_window_draw_list()
        paper.add_rect_filled(sight.frame_min, sight.frame_max, theme.packed(_BOARD))
        paper.push_clip_rect(sight.frame_min, sight.frame_max, True)
        if self._channels is Channels.RGBA and picture.texture.format.has_alpha:
            _draw_checks(paper, *sight.seen)
        texture = frame.gallery(PicturePart(picture, self._level, self._channels))
        if texture is not None:
            ends = sight.place(0, 0), sight.place(sight.width, sight.height)
            paper.add_image(imgui.ImTextureRef(texture), *ends)
        if self._has_grid and sight.zoom >= GRID_FROM:
            _draw_grid(paper, sight)
        if self._has_pages:
            _draw_pages(paper, picture, self._level, sight)
        paper.pop_clip_rect()


def level_text(picture: Picture, level: int) -> str:
    """Return what a mip level is called: its number and its size."""
    chosen = picture.texture.levels[level]
    return f"{level}:  {chosen.width} x {chosen.height}"


def value_text(picture: Picture, level: int, pixel: tuple[int, int]) -> str:
    """Return where a pixel of a level is, its bytes as they are stored, and what they mean."""
    texture = picture.texture
    place, (x, y) = texture.levels[level], pixel
    offset = place.offset + (y * place.width + x) * texture.format.size
    stored = bytes(texture.data[offset : offset + texture.format.size])
    red, green, blue, alpha = pixels.decode(stored, texture.format, texture.palette)[0].tolist()
    entry = f"palette {stored[0]}  " if texture.format is PixelFormat.INDEXED else ""
    inside = [str(number) for number in pages_at(picture, level, x, y)]
    page = f"  page {', '.join(inside)}" if inside else ""
    return (
        f"({x}, {y})  at {offset:#x}: {stored.hex(' ')}  {entry}R {red}  G {green}  B {blue}  A {alpha}{page}"
    )


def pages_at(picture: Picture, level: int, x: int, y: int) -> list[int]:
    """Return the rectangles of the page that a pixel of a level lies in."""
    pages = picture.texture.pages
    left, top = pages["x"].astype(np.int64), pages["y"].astype(np.int64)
    x, y = x << level, y << level
    is_inside = (left <= x) & (x < left + pages["w"]) & (top <= y) & (y < top + pages["h"])
    return np.flatnonzero(is_inside).tolist()


def _summary(picture: Picture, level: int) -> str:
    texture = picture.texture
    parts = [f"format {int(texture.format)}", f"level {level} at {texture.levels[level].offset:#x}"]
    if len(texture.pages):
        parts.append(f"{len(texture.pages)} rectangles")
    return ", ".join(parts)


def _draw_checks(paper: imgui.ImDrawList, start: ImVec2, end: ImVec2) -> None:
    """The board that shows through: a dark ground with light fields on it."""
    paper.add_rect_filled(start, end, theme.packed(_DARK))
    light = theme.packed(_LIGHT)
    for row in range(max(0, ceil((end.y - start.y) / CHECK))):
        top = start.y + row * CHECK
        for column in range(row % 2, max(0, ceil((end.x - start.x) / CHECK)), 2):
            left = start.x + column * CHECK
            corner = ImVec2(min(left + CHECK, end.x), min(top + CHECK, end.y))
            paper.add_rect_filled(ImVec2(left, top), corner, light)


def _draw_grid(paper: imgui.ImDrawList, sight: Sight) -> None:
    start, end = sight.seen
    line = theme.packed(_LINE)
    for column in range(
        ceil((start.x - sight.left) / sight.zoom), floor((end.x - sight.left) / sight.zoom) + 1
    ):
        x = sight.left + column * sight.zoom
        paper.add_line(ImVec2(x, start.y), ImVec2(x, end.y), line)
    for row in range(ceil((start.y - sight.top) / sight.zoom), floor((end.y - sight.top) / sight.zoom) + 1):
        y = sight.top + row * sight.zoom
        paper.add_line(ImVec2(start.x, y), ImVec2(end.x, y), line)


def _draw_pages(paper: imgui.ImDrawList, picture: Picture, level: int, sight: Sight) -> None:
    scale = 2.0**-level
    for number, page in enumerate(picture.texture.pages):
        x, y, w, h = (int(page[name]) * scale for name in "xywh")
        corner = sight.place(x, y)
        paper.add_rect(corner, sight.place(x + w, y + h), theme.packed(theme.SELECTION))
        size = imgui.calc_text_size(str(number))
        label = ImVec2(corner.x + size.x + theme.em(0.4), corner.y + size.y)
        paper.add_rect_filled(corner, label, theme.packed(theme.SELECTION))
        paper.add_text(ImVec2(corner.x + theme.em(0.2), corner.y), theme.packed(theme.INK), str(number))
