"""The bits of a word as boxes to tick, and its groups of bits as numbers or names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

import numpy as np
from imgui_bundle import imgui

from viewer.formats.record import Bits, Field
from viewer.translation import _
from viewer.ui.editing.choices import Choices
from viewer.ui.editing.edit_spot import Element
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import identified, labeled, text, tooltip

WIDTH: Final = 9.0
"""Width of the number of a group of bits, font heights."""


def has_bits(field: Field, element: Element, readings: Collection[str]) -> bool:
    """Tell whether an element of a field has bits with a meaning."""
    return bool(field.flags) or any(True for _ in groups(field, element, readings))


def groups(field: Field, element: Element, readings: Collection[str]) -> Iterator[Bits]:
    """Yield the groups of bits of an element that are used in the readings in effect."""
    index = int(np.ravel_multi_index(element, field.shape)) if element else 0
    for bits in field.bits:
        if bits.element == index and bits.reading in ("", *readings) and not bits.is_float:
            yield bits


def draw_bits(
    field: Field, value: Any, element: Element, readings: Collection[str], choices: Choices
) -> int | None:
    """Draw the bits of an element; return the word that the user made of it in this frame."""
    width = 8 * np.dtype(field.dtype).itemsize
    word = int(value) & (1 << width) - 1
    after = word
    for mask, name in field.flags.items():
        is_set = word & mask == mask
        label = labeled(f"{name}  0x{mask:X}", f"bit{mask:X}")
        if imgui.checkbox(label, is_set)[0]:
            after = word & ~mask if is_set else word | mask
    for bits in groups(field, element, readings):
        with identified(bits.name):
            after = _draw_group(bits, word, choices) if after == word else after
    return None if after == word else _signed(after, field)


def _signed(word: int, field: Field) -> int:
    """The number whose bits are those of a word."""
    dtype = np.dtype(field.dtype)
    return int(np.array(word, dtype.str.replace("i", "u")).view(dtype))


def _draw_group(bits: Bits, word: int, choices: Choices) -> int:
    """Draw a group of bits; return the word after what the user did."""
    most = (1 << bits.width) - 1
    held = word >> bits.shift & most
    if bits.width == 1 and not bits.values:
        wanted = int(imgui.checkbox(labeled(bits.name, "bit"), bool(held))[1])
    else:
        wanted = _draw_number(bits, held, most, choices)
    tooltip([bits.name, bits.doc])
    return word & ~(most << bits.shift) | wanted << bits.shift


def _draw_number(bits: Bits, held: int, most: int, choices: Choices) -> int:
    named = {it.value: it.words for it in choices(_as_field(bits))} or bits.values
    text(bits.name, theme.DIM)
    imgui.set_next_item_width(theme.em(WIDTH))
    if not named:
        flags = imgui.InputTextFlags_.enter_returns_true
        is_entered, number = imgui.input_int("##number", held, 1, 16, flags)
        return min(max(number, 0), most) if is_entered else held
    words = _("none") if held == bits.none else f"{named.get(held, held)}"
    chosen = held
    if imgui.begin_combo("##number", words, imgui.ComboFlags_.height_large):
        none = {} if bits.none is None else {bits.none: _("none")}
        for number, name in {**none, **named}.items():
            if imgui.selectable(labeled(name, f"value{number}"), number == held)[0]:
                chosen = number
        imgui.end_combo()
    return chosen


def _as_field(bits: Bits) -> Field:
    """A group of bits as a field, to look up the names of its values."""
    return Field(bits.name, "<u4", bits.doc, refers_to=bits.refers_to, none=bits.none)
