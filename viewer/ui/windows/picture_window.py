"""The window for saving and copying a picture: its size, and whether it has a background."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.model.store.address import Address
from viewer.session.opened.document import Document
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.widgets import labeled, text, tooltip, wrapped

Size = tuple[int, int]
PRESETS: Final[tuple[Size, ...]] = (
    (1280, 720),
    (1920, 1080),
    (2560, 1440),
    (3840, 2160),
    (512, 512),
    (1024, 1024),
    (2048, 2048),
)
LEAST: Final = 16
MOST: Final = 8192
"""Bounds of a side, pixels."""
LABELS: Final = 7.0
"""Width of the labels, in font heights."""


class PictureWindow(Floating):
    """Asks for the size of a picture, then saves or copies it; owner: the shell."""

    id = "picture"
    title = _("Save picture")
    size = 26, 13

    def __init__(self) -> None:
        super().__init__()
        self._chosen: Size | None = None
        self._is_custom = False
        self._is_transparent = False

    def draw(self, frame: UiContext, viewport: Size) -> None:
        """Draw the window if it is open; `viewport` is the size of the viewport in pixels."""
        with self.window() as is_shown:
            if not is_shown:
                return
            if frame.document is None:
                wrapped(_("Open a model to save a picture of it."), theme.DIM)
                return
            self._draw_size(viewport)
            _label(_("Background"))
            _changed, self._is_transparent = imgui.checkbox(
                labeled(_("Transparent"), "transparent"), self._is_transparent
            )
            tooltip(_("Also without grid and axes."))
            imgui.spacing()
            self._draw_buttons(frame, frame.document, self._chosen or viewport)

    def _draw_size(self, viewport: Size) -> None:
        _label(_("Size"))
        imgui.set_next_item_width(-1)
        if imgui.begin_combo("##size", self._name(viewport)):
            if imgui.selectable(labeled(_of_viewport(viewport), "viewport"), self._chosen is None)[0]:
                self._chosen, self._is_custom = None, False
            for size in PRESETS:
                is_chosen = size == self._chosen and not self._is_custom
                if imgui.selectable(f"{size[0]} x {size[1]}##{size}", is_chosen)[0]:
                    self._chosen, self._is_custom = size, False
            if imgui.selectable(labeled(_("Custom"), "custom"), self._is_custom)[0]:
                self._chosen, self._is_custom = self._chosen or viewport, True
            imgui.end_combo()
        if self._is_custom:
            self._draw_custom(self._chosen or viewport)

    def _name(self, viewport: Size) -> str:
        if self._is_custom:
            return _("Custom")
        return _of_viewport(viewport) if self._chosen is None else f"{self._chosen[0]} x {self._chosen[1]}"

    def _draw_custom(self, size: Size) -> None:
        _label(_("Pixels"))
        sides = []
        for name, side in zip(("width", "height"), size, strict=True):
            imgui.set_next_item_width(theme.em(5))
            _changed, entered = imgui.input_int(f"##{name}", side, 0)
            sides.append(min(max(entered, LEAST), MOST))
            imgui.same_line()
        self._chosen = sides[0], sides[1]
        text(_("{least} to {most}", least=LEAST, most=MOST), theme.DIM)

    def _draw_buttons(self, frame: UiContext, document: Document, size: Size) -> None:
        is_transparent = self._is_transparent
        width = ImVec2(theme.em(7), 0)
        if imgui.button(labeled(_("Save…"), "save"), width):
            stem = Path(Address.parse(document.address).name.lstrip("#")).stem
            save = partial(frame.commands.files.save_screenshot, is_transparent=is_transparent, size=size)
            frame.commands.dialogs.choose_new(_("Save picture"), f"{stem or 'picture'}.png", save)
            self.is_open = False
        imgui.same_line()
        if imgui.button(labeled(_("Copy"), "copy"), width):
            frame.commands.files.copy_screenshot(size, is_transparent=is_transparent)


def _of_viewport(size: Size) -> str:
    return _("As the viewport ({width} x {height})", width=size[0], height=size[1])


def _label(words: str) -> None:
    imgui.align_text_to_frame_padding()
    text(words, theme.DIM)
    imgui.same_line(theme.em(LABELS))
