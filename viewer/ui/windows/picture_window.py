"""The windows for saving a picture and an animation: what they show, their size and background."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.pictures.films import FILM_SUFFIXES, IMAGE_SUFFIXES, fitting
from viewer.session.play.filming import FilmOptions, FilmPreview
from viewer.session.play.stage import EffectStage, Stage, UnitStage, file_stem
from viewer.session.view.camera import Size
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.widgets import text, wrapped

PRESETS: Final[tuple[Size, ...]] = (
    (1280, 720),
    (1920, 1080),
    (2560, 1440),
    (3840, 2160),
    (512, 512),
    (1024, 1024),
    (2048, 2048),
)
_PRESETS: Final[dict[Size | str, str]] = {size: f"{size[0]} x {size[1]}" for size in PRESETS}
LEAST: Final = 16
MOST: Final = 8192
"""Bounds of a side, pixels."""
LABELS: Final = 7.0
"""Width of the labels, in font heights."""
FORMATS: Final = {
    ".webp": _("WebP, animated"),
    ".png": _("PNG, animated"),
    ".gif": _("GIF"),
    ".mp4": _("MP4, video"),
    ".webm": _("WebM, video"),
}
RATES: Final = (10, 15, 20, 25, 30, 50, 60)
TURNS: Final = 1.0, 60.0
"""Shortest and longest turn, seconds."""
PREVIEW: Final = 16.0, 9.0
"""Room for the preview, in font heights."""


class _Appearance:
    """The size and the background of what is saved, as the user chose them."""

    def __init__(self) -> None:
        self.is_transparent = False
        self._choice: Size | str = "viewport"
        self._size: Size = 0, 0

    def draw(self, viewport: Size, width: float = -1.0) -> Size:
        """Draw the choices and return the chosen size.

        Parameters
        ----------
        viewport
            The size of the viewport, pixels.
        width
            Of the choices without their labels, pixels; -1 for all there is.
        """
        controls.label(_("Size"), LABELS)
        imgui.set_next_item_width(width)
        as_viewport = _("As the viewport ({width} x {height})", width=viewport[0], height=viewport[1])
        names: dict[Size | str, str] = {"viewport": as_viewport, **_PRESETS, "custom": _("Custom")}
        self._choice = controls.choose("##size", names, self._choice)
        if self._choice == "custom":
            self._size = _draw_custom(self._size)
        else:
            self._size = viewport if isinstance(self._choice, str) else self._choice
        controls.label(_("Background"), LABELS)
        hint = _("Also without grid and axes.")
        self.is_transparent ^= controls.checkbox(
            _("Transparent"), "transparent", hint, is_on=self.is_transparent
        )
        return self._size


def _draw_custom(size: Size) -> Size:
    """Draw the fields of a size; return what they say."""
    controls.label(_("Pixels"), LABELS)
    sides = []
    for name, side in zip(("width", "height"), size, strict=True):
        imgui.set_next_item_width(theme.em(5))
        _changed, entered = imgui.input_int(f"##{name}", side, 0)
        sides.append(min(max(entered, LEAST), MOST))
        imgui.same_line()
    text(_("{least} to {most}", least=LEAST, most=MOST), theme.DIM)
    return sides[0], sides[1]


class PictureWindow(Floating):
    """Asks for the size of a picture, then saves or copies it; owner: the shell."""

    id = "picture"
    title = _("Save picture")
    size = 26, 13

    def __init__(self) -> None:
        super().__init__()
        self._appearance = _Appearance()

    def draw(self, frame: UiContext, viewport: Size) -> None:
        """Draw the window if it is open; `viewport` is the size of the viewport in pixels."""
        with self.window() as is_shown:
            if not is_shown:
                return
            if frame.state.stage is None:
                wrapped(_("Open a model, a unit or an effect to save a picture of it."), theme.DIM)
                return
            size = self._appearance.draw(viewport)
            imgui.spacing()
            self._draw_buttons(frame, frame.state.stage, size)

    def _draw_buttons(self, frame: UiContext, stage: Stage, size: Size) -> None:
        is_transparent = self._appearance.is_transparent
        if answer(_("Save…"), "save", is_main=True):
            frame.later(
                frame.control.dialogs.choose_new,
                _("Save picture"),
                f"{file_stem(stage)}.png",
                partial(frame.control.pictures.save_screenshot, is_transparent=is_transparent, size=size),
                suffixes=IMAGE_SUFFIXES,
            )
            self.is_open = False
        if answer(_("Copy"), "copy"):
            frame.later(frame.control.pictures.copy_screenshot, size, is_transparent=is_transparent)


class FilmWindow(Floating):
    """Asks what an animation shows and how it is written, and shows it; owner: the shell."""

    id = "film"
    title = _("Save animation")
    size = 42, 17

    def __init__(self) -> None:
        super().__init__()
        self._appearance = _Appearance()
        self._suffix = ".webp"
        self._rate = 25
        self._turn = 6.0
        self._turns_around = False

    def draw(self, frame: UiContext, viewport: Size) -> None:
        """Draw the window if it is open; `viewport` is the size of the viewport in pixels."""
        with self.window() as is_shown:
            if not is_shown:
                return
            if frame.state.stage is None:
                wrapped(_("Open a model, a unit or an effect to save an animation of it."), theme.DIM)
                return
            left = imgui.get_content_region_avail().x - theme.em(PREVIEW[0] + 1)
            imgui.begin_group()
            options = self._draw_choices(frame, frame.state.stage, viewport, left - theme.em(LABELS))
            imgui.end_group()
            imgui.same_line(left + theme.em(1))
            imgui.begin_group()
            preview = frame.lookups.film(options)
            _draw_preview(preview, options)
            self._draw_button(frame, frame.state.stage, options, preview)
            imgui.end_group()

    def _draw_choices(self, frame: UiContext, stage: Stage, viewport: Size, width: float) -> FilmOptions:
        """Draw the choices, `width` pixels wide without their labels, and return them."""
        controls.label(_("Shows"), LABELS)
        if controls.radio_button(_played(frame, stage), "played", is_on=not self._turns_around):
            self._turns_around = False
        imgui.dummy(ImVec2(0, 0))
        imgui.same_line(theme.em(LABELS))
        if controls.radio_button(_("A turn around it"), "turn", is_on=self._turns_around):
            self._turns_around = True
        if self._turns_around:
            controls.label(_("Seconds"), LABELS)
            imgui.set_next_item_width(width)
            _changed, self._turn = imgui.slider_float("##seconds", self._turn, *TURNS, "%.1f")
        controls.label(_("Format"), LABELS)
        imgui.set_next_item_width(width)
        self._suffix = controls.choose("##format", FORMATS, self._suffix)
        controls.label(_("Images a second"), LABELS)
        imgui.set_next_item_width(width)
        self._rate = controls.choose("##rate", {rate: str(rate) for rate in RATES}, self._rate)
        size = fitting(self._appearance.draw(viewport, width), self._suffix)
        seconds = self._turn if self._turns_around else None
        return FilmOptions(self._suffix, size, self._rate, seconds, self._appearance.is_transparent)

    def _draw_button(
        self, frame: UiContext, stage: Stage, options: FilmOptions, preview: FilmPreview
    ) -> None:
        is_ready = preview.count > 0 and not preview.problem
        if answer(_("Save…"), "save", is_enabled=is_ready, is_main=True):
            frame.later(
                frame.control.dialogs.choose_new,
                _("Save animation"),
                f"{file_stem(stage)}{options.suffix}",
                lambda path: frame.control.pictures.save_film(path, _named(path, options)),
                suffixes=FILM_SUFFIXES,
            )
            self.is_open = False


def _named(path: Path, options: FilmOptions) -> FilmOptions:
    """The options of a film with the chosen name, whose ending says its format."""
    suffix = path.suffix.lower()
    return replace(options, suffix=suffix, size=fitting(options.size, suffix))


def _played(frame: UiContext, stage: Stage) -> str:
    """The name and the length of the playback: a clip, a marked range, all frames, a round of an effect."""
    axis = frame.state.axis
    seconds = (axis.last - axis.first) / FRAME_RATE
    if isinstance(stage, EffectStage):
        return _("one round, {seconds:.2f} s", seconds=seconds)
    model = stage.unit.chassis if isinstance(stage, UnitStage) else frame.document
    clip = None if model is None else model.controller.clip(frame.view.playback.clip)
    if clip is not None:
        return _("{clip}, {seconds:.2f} s", clip=clip.name, seconds=seconds)
    if frame.view.frames is not None:
        first, last = frame.view.frames.first, frame.view.frames.last
        return _("frames {first} to {last}, {seconds:.2f} s", first=first, last=last, seconds=seconds)
    return _("all frames, {seconds:.2f} s", seconds=seconds)


def _draw_preview(preview: FilmPreview, options: FilmOptions) -> None:
    """Draw the image of this moment as large as there is room, and how many there are."""
    room = ImVec2(theme.em(PREVIEW[0]), theme.em(PREVIEW[1]))
    corner = imgui.get_cursor_screen_pos()
    imgui.dummy(room)
    painter = imgui.get_window_draw_list()
    painter.add_rect_filled(corner, corner + room, imgui.get_color_u32(imgui.Col_.frame_bg))
    if preview.texture:
        width, height = preview.size
        scale = min(room.x / width, room.y / height)
        size = ImVec2(width * scale, height * scale)
        start = corner + (room - size) * 0.5
        painter.add_image(imgui.ImTextureRef(preview.texture), start, start + size)
    if preview.problem:
        wrapped(preview.problem, theme.ERROR)
    elif preview.count:
        seconds = preview.count / options.rate
        text(_("{count} images, {seconds:.2f} s", count=preview.count, seconds=seconds), theme.DIM)
    else:
        text("", theme.DIM)
