"""Boxes that show a value: clicked or dragged sideways, bits that are ticked, swatches that open a picker."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

import numpy as np
from imgui_bundle import ImVec2, ImVec4, imgui

from viewer.formats.record import Bits, Field
from viewer.translation import _
from viewer.ui.editing.choices import Choices
from viewer.ui.editing.edit_spot import Element
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import cell_text
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import identified, labeled, readable, text, tooltip

LEAST_WIDTH: Final = 0.9
"""Width of a value without text, font heights."""
_MARGIN: Final = 0.2
"""How much wider the frame is than the text on either side, font heights."""


class Touch(Enum):
    """What is being done to a value."""

    NONE = auto()
    CLICKED = auto()
    HELD = auto()
    DRAGGED = auto()


def value_box(
    name: str, words: str, color: Color, *, width: float = LEAST_WIDTH, is_scrubbable: bool = False
) -> Touch:
    """Draw a value; tell what is done to it.

    Parameters
    ----------
    name
        Its id, also for tests: it is found as ``###name``.
    width
        The least width, font heights.
    is_scrubbable
        Whether it shows that it can be dragged.
    """
    shown = readable(words)
    corner = imgui.get_cursor_screen_pos()
    size = ImVec2(max(imgui.calc_text_size(shown).x, theme.em(width)), imgui.get_text_line_height())
    base = imgui.internal.get_current_window().dc.curr_line_text_base_offset
    imgui.invisible_button(f"###{name}", size)
    # The button was moved down to the base line of the text before it.
    if base:
        corner = imgui.get_item_rect_min()
    is_active = imgui.is_item_active()
    if is_active or imgui.is_item_hovered():
        _draw_frame(corner, size, is_active=is_active)
        cursor = imgui.MouseCursor_.resize_ew if is_scrubbable else imgui.MouseCursor_.hand
        imgui.set_mouse_cursor(cursor)
    imgui.get_window_draw_list().add_text(corner, theme.packed(color), shown)
    return _touch()


def _draw_frame(corner: ImVec2, size: ImVec2, *, is_active: bool) -> None:
    margin = ImVec2(theme.em(_MARGIN), 1.0)
    color = imgui.get_color_u32(imgui.Col_.frame_bg_active if is_active else imgui.Col_.frame_bg_hovered)
    rounding = imgui.get_style().frame_rounding
    imgui.get_window_draw_list().add_rect_filled(corner - margin, corner + size + margin, color, rounding)


def _touch() -> Touch:
    is_dragged = imgui.is_mouse_dragging(imgui.MouseButton_.left)
    if imgui.is_item_active():
        return Touch.DRAGGED if is_dragged else Touch.HELD
    released = imgui.is_item_deactivated() and imgui.is_item_hovered()
    # Dragged away and back again is not a click.
    was_dragged = imgui.get_io().mouse_drag_max_distance_sqr[0] >= imgui.get_io().mouse_drag_threshold ** 2
    return Touch.CLICKED if released and not was_dragged else Touch.NONE


BIT_WIDTH: Final = 9.0
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
    # The bits of a negative number too: -1 of 16 bits is 0xFFFF.
    word = int(value) & (1 << width) - 1
    after = word
    for mask, name in field.flags.items():
        is_set = word & mask == mask
        label = labeled(f"{name}  0x{mask:X}", f"bit{mask:X}")
        if imgui.checkbox(label, is_set)[0]:
            after = word & ~mask if is_set else word | mask
    for bits in groups(field, element, readings):
        with identified(bits.name):
            # One change in a frame: a second one would start from the word before the first.
            after = _draw_group(bits, word, choices) if after == word else after
    return None if after == word else _signed(after, field)


def _signed(word: int, field: Field) -> int:
    """The number whose bits are those of a word."""
    dtype = np.dtype(field.dtype)
    # <i2 as <u2, and read as <i2: 0xFFFF becomes -1.
    return int(np.array(word, dtype.str.replace("i", "u")).view(dtype))


def _draw_group(bits: Bits, word: int, choices: Choices) -> int:
    """Draw a group of bits; return the word after what the user did."""
    most = (1 << bits.width) - 1
    # Shifts bind tighter than &: (word >> shift) & most.
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
    imgui.set_next_item_width(theme.em(BIT_WIDTH))
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


SCALE: Final = 255
POPUP: Final = "##color"
PICKER_WIDTH: Final = 13.0
"""Width of the picker, font heights."""


def is_color(field: Field) -> bool:
    """Tell whether a field is red, green and blue, a byte each."""
    return field.shape == (3,) and field.scale == SCALE


def color_of(value: Any) -> Color:
    """Return the color of a stored value."""
    red, green, blue = (np.asarray(value, np.float64) / SCALE).tolist()
    return red, green, blue, 1.0


def draw_swatch(name: str, color: Color) -> None:
    """Draw the color; a click opens the picker, which `draw_picker` draws."""
    side = imgui.get_text_line_height()
    flags = imgui.ColorEditFlags_.no_tooltip | imgui.ColorEditFlags_.no_drag_drop
    if imgui.color_button(f"##{name}", ImVec4(*color), int(flags), ImVec2(side * 1.4, side)):
        imgui.open_popup(POPUP)
    tooltip(_("Choose a color"))


def draw_picker(color: Color) -> tuple[int, int, int] | None:
    """Draw the picker while it is open; return the stored color that was chosen in this frame."""
    if not imgui.begin_popup(POPUP):
        return None
    imgui.set_next_item_width(theme.em(PICKER_WIDTH))
    flags = imgui.ColorEditFlags_.no_side_preview | imgui.ColorEditFlags_.no_alpha
    is_changed, chosen = imgui.color_picker3("##picker", [*color[:3]], int(flags))
    imgui.end_popup()
    red, green, blue = (round(min(max(float(part), 0.0), 1.0) * SCALE) for part in chosen)
    return (red, green, blue) if is_changed else None


@dataclass(frozen=True, slots=True)
class ValueStyle:
    """How a value is shown.

    Parameters
    ----------
    color
        Of its text.
    is_wrapping
        Whether the elements of an array continue in the next line.
    text_of
        The text of a stored value.
    link
        Draws the value of a number, a text or bytes in place of the editor, which then has a button.
    width
        Least width of each element, font heights.
    """

    color: Color = theme.TEXT
    is_wrapping: bool = False
    text_of: Callable[[Field, Any], str] = cell_text
    link: Callable[[], None] | None = None
    width: float = LEAST_WIDTH


PLAIN: Final = ValueStyle()
"""Text on one line."""
