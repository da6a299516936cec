"""The window that tells why a pixel looks as it does."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.kinds import json_text
from viewer.model.store.place import Place
from viewer.session.pixel.card_lines import CardLine, CardSection, text_of
from viewer.session.pixel.explained import ExplainedPixel
from viewer.session.pixel.explanation import PixelExplanation
from viewer.session.places import batches_at
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import MARGIN, Area, Floating
from viewer.ui.widgets.table_grid import table_rows
from viewer.ui.widgets.widgets import (
    copy_menu,
    empty,
    identified,
    labeled,
    section,
    tooltip,
    wrapped,
    wrapped_link,
)

TITLES: Final = 8.0
"""Width of the column of titles, font heights."""
LEAST: Final = 20.0
"""Least width, font heights."""


class PixelWindow(Floating):
    """The card of one pixel, which stays until it is closed; owner: the viewport."""

    id = "pixel"
    title = _("Why this pixel")
    size = 30, 36

    def __init__(self) -> None:
        super().__init__()
        self._shown: ExplainedPixel | None = None
        self._sections: tuple[CardSection, ...] = ()
        self._beside = Area(0, 0, 1, 1)

    def show(self, found: ExplainedPixel, beside: Area) -> None:
        """Show another pixel; `beside` is the image that it is in."""
        self._shown, self._beside, self.is_open = found, beside, True
        self._sections = found.sections()

    def place(self) -> None:
        """Place the window next to the image, over wide panels, else at the side away from it."""
        gap, area, least = theme.em(MARGIN), self._beside, theme.em(LEAST)
        room = imgui.get_main_viewport()
        left, right = area.left - room.pos.x - 2 * gap, room.pos.x + room.size.x - area.right - 2 * gap
        is_inside = max(left, right) < least <= area.width / 2
        is_left = left >= least or left > right
        height = min(theme.em(self.size[1]), room.pos.y + room.size.y - gap - area.top)
        if is_inside:
            pixel = self._shown
            is_left = pixel is None or 2 * pixel.found.x > pixel.found.size[0]
            x, width = area.left + gap if is_left else area.right - gap - least, least
            height = min(height, area.height - 2 * gap)
        else:
            width = min(theme.em(self.size[0]), max(left if is_left else right, least))
            x = area.left - gap - width if is_left else area.right + gap
        x = min(max(x, room.pos.x), room.pos.x + room.size.x - width)
        imgui.set_next_window_pos(ImVec2(x, area.top + gap * is_inside), imgui.Cond_.appearing)
        imgui.set_next_window_size(ImVec2(width, height), imgui.Cond_.appearing)

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if not is_shown:
                return
            if self._shown is None:
                empty(_("Y over the image explains the pixel under the pointer; so does Alt+click."))
                return
            self._draw_buttons(frame, self._shown)
            imgui.begin_child("lines")
            for part in self._sections:
                if section(labeled(part.title, part.id)):
                    _draw_section(frame, part)
            imgui.end_child()

    def _draw_buttons(self, frame: UiContext, shown: ExplainedPixel) -> None:
        if controls.button(f"{fa.ICON_FA_COPY}  {_('Text')}", "copy_text", _("Copy as text")):
            frame.later(frame.control.window.copy_text, text_of(self._sections))
        imgui.same_line()
        is_model = isinstance(shown.found, PixelExplanation)
        hint = _("Copy as mshview why --json prints it.") if is_model else _("Copy as JSON")
        if controls.button(f"{fa.ICON_FA_COPY}  {_('JSON')}", "copy_json", hint):
            frame.later(frame.control.window.copy_text, "".join(json_text.pieces(shown.as_json())))
        place = shown.place_of_bytes
        if place is not None:
            imgui.same_line()
            words = f"{fa.ICON_FA_ARROW_RIGHT}  {_('Bytes')}"
            hint = _("Show the bytes of the triangle") if is_model else _("Show the bytes of the block")
            if controls.button(words, "show_bytes", hint):
                _show_bytes(frame, place)
        if shown.is_outdated(frame.state.stage, frame.view):
            wrapped(_("What is shown has changed since; ask again: Y or Alt+click."), theme.WARNING)


def _draw_section(frame: UiContext, part: CardSection) -> None:
    flags = imgui.TableFlags_.no_saved_settings | imgui.TableFlags_.row_bg
    rows = enumerate(part.lines)
    for number, line in table_rows(f"##{part.id}", {"title": TITLES, "text": -1}, rows, flags):
        wrapped(line.title, theme.DIM)
        imgui.table_next_column()
        with identified(number):
            _draw_line(frame, line)


def _draw_line(frame: UiContext, line: CardLine) -> None:
    """Draw what a line says, as a link to the thing."""
    place, kind = line.place, "bytes" if line.is_bytes else "to"
    if place is None:
        if wrapped_link(f"panel_{line.panel}", line.text, theme.ACCENT):
            frame.later(frame.control.panels.bring, line.panel)
        tooltip(_("Show the panel with it"))
    elif wrapped_link(f"{kind}_{place.table}{place.row}{place.field}", line.text, theme.ACCENT):
        if line.is_bytes:
            _show_bytes(frame, place)
        else:
            frame.later(frame.control.opening.go_to, place, in_new_tab=imgui.get_io().key_ctrl)
    if place is not None and imgui.is_item_hovered():
        tooltip(lambda: [_("go to {place}", place=place), _("Ctrl+click: in another tab")])
        if frame.document is not None:
            frame.flash(batches_at(frame.document, place))
    copy_menu("copy_line", line.text)


def _show_bytes(frame: UiContext, place: Place) -> None:
    """Show the bytes of a place of what is open in their panel; another file is opened at the place."""
    if place.address == frame.state.tabs.active.address:
        frame.later(frame.control.panels.show_bytes, place)
    else:
        frame.later(frame.control.opening.go_to, place, in_new_tab=imgui.get_io().key_ctrl)
