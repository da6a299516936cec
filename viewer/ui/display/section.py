"""The section plane of the Display panel: axis, place and side."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.session.view.camera import FAR
from viewer.session.view.options.section import OF_SECTION, SectionAxis, offset_of
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.display.option_controls import draw_options
from viewer.ui.widgets.controls import row_label
from viewer.ui.widgets.widgets import tooltip

DRAG_PIXELS: Final = 250.0
"""Pixels of a drag that move the plane by half of the height of what is seen."""


def draw_section(frame: UiContext) -> None:
    """Draw the Section section of the Display panel."""
    view = frame.view
    draw_options(frame, OF_SECTION)
    row_label(_("at"))
    imgui.set_next_item_width(-1)
    imgui.begin_disabled(view.section is SectionAxis.OFF)
    step = view.camera.half_height / DRAG_PIXELS
    words = f"{view.section.value} = %.4g" if view.section is not SectionAxis.OFF else ""
    changed, offset = imgui.drag_float("###section_offset", offset_of(view), step, -FAR, FAR, words)
    imgui.end_disabled()
    tooltip([_("Where the plane crosses the axis, model units"), _("Drag, or double click to type")])
    if changed:
        frame.change(lambda view: replace(view, section_offset=offset))
