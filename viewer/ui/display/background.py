"""The background of the Display panel and of the settings: its kind, and the color of an own one."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import imgui

from viewer.options import option_at
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.display.option_controls import draw_option
from viewer.ui.widgets.controls import row_label
from viewer.ui.widgets.widgets import tooltip

COLOR: Final = option_at(ViewState, "background_color")
_FLAGS: Final = int(imgui.ColorEditFlags_.no_inputs | imgui.ColorEditFlags_.no_label)


def draw_background(frame: UiContext) -> None:
    """Draw the Background section of the Display panel."""
    row_label(_("show"))
    draw_option(frame, "background")
    row_label(_("color"))
    draw_color(frame)


def draw_color(frame: UiContext) -> None:
    """Draw the color of an own background; choosing one shows it."""
    changed, color = imgui.color_edit3("###background_color", list(frame.view.background_color), _FLAGS)
    tooltip(_("Click to choose a color: it is the background then"))
    if changed:
        red, green, blue = (min(max(it, 0.0), 1.0) for it in color)
        frame.change(partial(COLOR.chosen, found=(red, green, blue)))
