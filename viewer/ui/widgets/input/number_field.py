"""The field of a number as it is declared: its bounds, and None as an empty field."""

from __future__ import annotations

from math import isfinite
from typing import Any

from imgui_bundle import imgui

from viewer.options import Declared
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import Hint, tooltip


def draw_number(option: Declared, value: Any, hint: Hint, width: float, *, is_enabled: bool = True) -> Any:
    """Draw the field of an option that is a number; return the value then.

    Parameters
    ----------
    width
        In font heights.
    """
    is_whole = option.value_kind is int
    flags = imgui.InputTextFlags_.chars_decimal if is_whole else imgui.InputTextFlags_.chars_scientific
    before = "" if value is None else str(value) if is_whole else f"{value:.9g}"
    if not is_enabled:
        imgui.begin_disabled()
    imgui.set_next_item_width(theme.em(width))
    empty = _("as usual") if option.is_optional else ""
    is_changed, words = imgui.input_text_with_hint(f"##{option.key}", empty, before, flags)
    if not is_enabled:
        imgui.end_disabled()
    if hint:
        tooltip(hint)
    return entered(option, words, value) if is_changed else value


def entered(option: Declared, words: str, before: Any) -> Any:
    """The number that a text stands for within the bounds of an option; the one before for any other text."""
    if not words:
        return None if option.is_optional else before
    try:
        number = option.value_kind(words)
    except ValueError:
        return before
    if not isfinite(number):
        return before
    limits = option.limits
    return number if limits is None else option.value_kind(min(max(number, limits.least), limits.most))
