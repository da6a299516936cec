"""Boxes that show a value: clicked, dragged sideways, bits that are ticked, colors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum, auto
from itertools import islice
from typing import Any, Final

import numpy as np
from imgui_bundle import ImVec2, ImVec4, imgui
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import EditError, error_text
from viewer.formats.record import Bits, Field, Status
from viewer.session.field_text import cell_text
from viewer.translation import _, translated
from viewer.ui.editing.editable_field import Choices, EditableField, Element, can_scrub, text_of, value_of
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import CachedByKey
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import (
    copy_menu,
    fitting,
    identified,
    labeled,
    readable,
    text,
    tooltip,
    wrapped,
)

LEAST_WIDTH: Final = 0.9
"""Width of a value without text, font heights."""
_MARGIN: Final = 0.2
"""Margin between the frame and the text on either side, font heights."""


class Touch(Enum):
    """The state of the edit of a value."""

    NONE = auto()
    CLICKED = auto()
    HELD = auto()
    DRAGGED = auto()


def value_box(item: str, words: str, size: ImVec2, ink: int, *, is_scrubbable: bool) -> Touch:
    """Draw a value; tell what is done to it.

    Parameters
    ----------
    item
        Its id, also for tests.
    size
        Of its text, at least.
    is_scrubbable
        Whether it shows that it can be dragged.
    """
    imgui.invisible_button(item, size)
    # Not where the cursor was: the button was moved down to the base line of the text before it.
    corner = imgui.get_item_rect_min()
    is_active = imgui.is_item_active()
    is_touched = is_active or imgui.is_item_hovered()
    if is_touched:
        _draw_frame(corner, size, is_active=is_active)
        cursor = imgui.MouseCursor_.resize_ew if is_scrubbable else imgui.MouseCursor_.hand
        imgui.set_mouse_cursor(cursor)
    imgui.get_window_draw_list().add_text(corner, ink, words)
    return _touch() if is_touched else Touch.NONE


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
    return bool(field.flags) or any(True for _ignored in groups(field, element, readings))


def groups(field: Field, element: Element, readings: Collection[str]) -> Iterator[Bits]:
    """Yield the groups of bits of an element that are used in the readings in effect."""
    index = int(np.ravel_multi_index(element, field.shape)) if element else 0
    for bits in field.bits:
        if bits.element == index and bits.reading in ("", *readings) and not bits.is_float:
            yield bits


class WordField:
    """The bits of a value as one number, which can be typed at once; owner: a `FieldEditor`."""

    def __init__(self) -> None:
        self._words = self._problem = ""
        self._wants_cursor = False

    def draw(self, target: EditableField, element: Element) -> Any:
        """Draw it inside the popup of the bits; return the value in the frame of Enter, None in others."""
        if imgui.is_window_appearing():
            self._problem, self._wants_cursor = "", True
        if self._wants_cursor:
            imgui.set_keyboard_focus_here()
        if not self._problem and imgui.internal.get_active_id() != imgui.get_id("##word"):
            self._words = text_of(target.field, target.element(element))  # a bit may have been ticked
        flags = imgui.InputTextFlags_.auto_select_all | imgui.InputTextFlags_.enter_returns_true
        imgui.set_next_item_width(theme.em(BIT_WIDTH))
        is_entered, self._words = imgui.input_text("##word", self._words, flags)
        value, self._problem = None, ""
        try:
            value = value_of(target.field, self._words)
            target.check(value, element)
        except EditError as error:
            self._problem = error_text(error)
            wrapped(self._problem, theme.ERROR)
        # A wrong number stays, to be corrected.
        self._wants_cursor = is_entered and bool(self._problem)
        return value if is_entered and not self._problem else None


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
        label = labeled(f"{translated(name)}  0x{mask:X}", f"bit{mask:X}")
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
        wanted = int(imgui.checkbox(labeled(translated(bits.name), "bit"), bool(held))[1])
    else:
        wanted = _draw_number(bits, held, most, choices)
    tooltip([translated(bits.name), translated(bits.doc)])
    # & binds before |: the group is cleared, then set.
    return word & ~(most << bits.shift) | wanted << bits.shift


def _draw_number(bits: Bits, held: int, most: int, choices: Choices) -> int:
    named = {it.value: it.words for it in choices(_as_field(bits))} or bits.values
    text(translated(bits.name), theme.DIM)
    imgui.set_next_item_width(theme.em(BIT_WIDTH))
    if not named:
        flags = imgui.InputTextFlags_.enter_returns_true
        is_entered, number = imgui.input_int("##number", held, 1, 16, flags)
        return min(max(number, 0), most) if is_entered else held
    words = _("none") if held == bits.none else translated(str(named.get(held, held)))
    chosen = held
    if imgui.begin_combo("##number", words, imgui.ComboFlags_.height_large):
        none = {} if bits.none is None else {bits.none: _("none")}
        for number, name in {**none, **named}.items():
            if imgui.selectable(labeled(translated(name), f"value{number}"), number == held)[0]:
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


class ValueStyle(Struct, frozen=True):
    """Style of a value.

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


GAP: Final = 0.6
"""Between two elements, font heights."""
LONGEST_ROW: Final = 4
"""Elements of a vector that stand in one line."""
MOST_ELEMENTS: Final = 64
"""Elements of an array that can be edited where it is shown; the others are counted."""
MOST_TEXTS: Final = 512
"""Values whose texts are kept: more than are on screen."""


class ElementText(Struct, frozen=True):
    """An element of a value as it is shown: its text, its item, its size in pixels.

    `rounded` is what a place too narrow for the text shows of it.
    """

    element: Element
    words: str
    item: str
    size: ImVec2
    is_scrubbable: bool
    rounded: str = ""

    @classmethod
    def of(
        cls, element: Element, words: str, name: str, style: ValueStyle, *, is_scrubbable: bool
    ) -> ElementText:
        """The text of an element; `name` is the id of its item."""
        words = readable(words)
        width = max(imgui.calc_text_size(words).x, theme.em(style.width))
        size = ImVec2(width, imgui.get_text_line_height())
        return cls(element, words, f"###{name}", size, is_scrubbable)

    @property
    def starts_row(self) -> bool:
        """Whether it is the first of a row of a matrix."""
        return len(self.element) > 1 and self.element[-1] == 0

    @property
    def gap(self) -> float:
        """Distance from the element before in the same line, pixels."""
        return theme.em(1.1 if self.starts_row else GAP)

    def within(self, width: float) -> ElementText:
        """The text in at most `width` pixels, with as many digits as fit there."""
        if self.size.x <= width:
            return self
        value = float(self.words)
        # -0.0003 is -0.00 between numbers of two digits.
        shorter = *(f"{value:.{digits}g}" for digits in range(7, 1, -1)), f"{value:.2f}", f"{value:.1f}"
        rounded = fitting(shorter, width)
        return replace(self, rounded=rounded, size=ImVec2(width, self.size.y)) if rounded else self

    def draw(self, style: ValueStyle, draw_more: Callable[[], None] = lambda: None) -> Touch:
        """Draw it; tell what is done to it. `draw_more` draws further entries of its context menu."""
        words, ink = self.rounded or self.words, theme.packed(style.color)
        touch = value_box(self.item, words, self.size, ink, is_scrubbable=self.is_scrubbable)
        if self.rounded:
            tooltip(self.words)
        copy_menu(f"copy_{self.item.strip('#')}", self.words, draw_more)
        return touch

    def continue_line(self, style: ValueStyle, right: float) -> None:
        """Place it after the element before: in the same line, or in the next one."""
        if style.is_wrapping and self.starts_row:
            return
        imgui.same_line(0, self.gap)
        if style.is_wrapping and imgui.get_cursor_screen_pos().x + self.size.x > right:
            imgui.new_line()


class ElementTexts:
    """The values that were shown last, until they change; owner: a `FieldEditor`."""

    def __init__(self) -> None:
        self._kept: CachedByKey[tuple[ElementText, ...]] = CachedByKey(MOST_TEXTS)

    def of(self, target: EditableField, style: ValueStyle, room: float) -> tuple[ElementText, ...]:
        """The elements of a value; vectors of floats are rounded so that each is `room` wide."""
        value = np.asarray(target.value)
        width = room if style.is_wrapping and value.size > 1 else 0.0

        def make() -> tuple[ElementText, ...]:
            elements = islice(target.elements, MOST_ELEMENTS)
            texts = tuple(_text_of(target, element, style) for element in elements)
            if width and value.shape[-1] <= LONGEST_ROW and _is_decimal(target.field):
                texts = tuple(_in_rows(texts, value.shape[-1], room))
            return texts

        made_of = value.tobytes(), style.text_of, style.width, imgui.get_font_size(), width
        return self._kept.of(target.key, made_of, make)


def _is_decimal(field: Field) -> bool:
    """Whether a field is shown as decimal fractions; a float of unknown meaning is shown by its bits."""
    return field.is_float and field.status is not Status.OPEN


def _in_rows(texts: Sequence[ElementText], columns: int, room: float) -> Iterator[ElementText]:
    """Yield the elements of vectors, those of one too wide each in its share of `room`."""
    gaps = theme.em(GAP) * (columns - 1)
    for start in range(0, len(texts), columns):
        row = texts[start : start + columns]
        is_wide = sum(it.size.x for it in row) + gaps > room
        yield from (it.within((room - gaps) // columns - 1) if is_wide else it for it in row)


def _text_of(target: EditableField, element: Element, style: ValueStyle) -> ElementText:
    value = target.element(element)
    name = f"value_{target.field.name}{''.join(map(str, element))}"
    words, is_scrubbable = style.text_of(target.field, value), can_scrub(target.field, value)
    return ElementText.of(element, words, name, style, is_scrubbable=is_scrubbable)
