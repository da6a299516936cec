"""Rows of the Display panel, with choices that continue in the next line where the panel is narrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, TypeVar

from imgui_bundle import imgui

from viewer.ui.widgets import controls
from viewer.ui.widgets.controls import row_label
from viewer.ui.widgets.names import name_of

SLIDER: Final = imgui.SliderFlags_.always_clamp | imgui.SliderFlags_.no_input
Choice = TypeVar("Choice", bound=Enum)


def continue_row(width: float) -> None:
    """Continue next to the item before if a width has room there, in pixels, else in the next line."""
    imgui.same_line()
    if imgui.get_content_region_avail().x < width:
        imgui.new_line()
        row_label("")


def choices(
    values: Iterable[Choice],
    chosen: Choice,
    hints: Mapping[Choice, str],
    of: str = "",
    obstacles: Mapping[Choice, str] = MappingProxyType({}),
) -> Iterator[Choice]:
    """Draw the choices of a row; yield the one that is clicked.

    Parameters
    ----------
    of
        Begins their ids.
    obstacles
        Why some cannot be chosen; empty for one that can.
    """
    for number, value in enumerate(values):
        words = name_of(value)
        if number:
            gap = imgui.get_style().item_inner_spacing.x
            continue_row(imgui.get_frame_height() + gap + imgui.calc_text_size(words).x)
        reason = obstacles.get(value, "")
        hint = [str(hints[value]), reason] if reason else hints[value]
        name, is_on = f"{of}{value.value}", value is chosen
        if controls.radio_button(words, name, hint, is_on=is_on, is_enabled=not reason):
            yield value
