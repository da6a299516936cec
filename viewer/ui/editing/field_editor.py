"""Editing a field where it is shown: one editor for the Inspector, the trees and the tables.

A number is dragged sideways or typed after a click, a text is typed, a value of an enumeration and the row
of another table are chosen from a list, flags are ticked. What the field cannot hold is refused with the
reason under it, and the value stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from functools import partial
from typing import Any, Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec import Struct

from viewer.errors import EditError, error_text
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.editing.editable_field import (
    COARSE,
    FINE,
    ChoiceList,
    Choices,
    EditableField,
    Element,
    can_scrub,
    named_values,
    no_choices,
    scrubbed,
    text_of,
    value_of,
)
from viewer.ui.editing.field_menu import draw_target_menu
from viewer.ui.editing.value_box import (
    MOST_ELEMENTS,
    PLAIN,
    ElementText,
    ElementTexts,
    Touch,
    ValueStyle,
    WordField,
    color_of,
    draw_bits,
    draw_picker,
    draw_swatch,
    has_bits,
    is_color,
)
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import ghost_button, text

PATIENCE: Final = 3
"""Frames without a running job after which a value that was asked for is no longer expected."""
POPUP: Final = "##edit"

Key = tuple[Hashable, Element]
"""Key that tells an element of a field from others."""


class _Typing(Struct):
    """A text that is being typed."""

    key: Key
    text: str
    is_new: bool = True
    problem: str = ""
    frame: int = 0


class _ValueDrag(Struct):
    """A number that is being dragged."""

    key: Key
    start: float
    gesture: Hashable
    moved: float = 0.0
    asked: Any = None


class _Expected(Struct):
    """A value that was asked for, until the bytes have it."""

    key: Key
    words: str
    before: bytes
    patience: int = PATIENCE


class FieldEditor:
    """Draws values that can be changed; owner: a panel. One of them is typed or dragged at a time."""

    def __init__(self) -> None:
        self._typing: _Typing | None = None
        self._drag: _ValueDrag | None = None
        self._expected: _Expected | None = None
        self._refused: tuple[Key, str] | None = None
        self._opened: Key | None = None
        self._force: Callable[[], None] | None = None
        self._picked: tuple[Hashable, Color] | None = None
        self._word = WordField()
        self._list = ChoiceList()
        self._gestures = 0
        self._clicked = 0
        self._texts = ElementTexts()

    @property
    def is_typing(self) -> bool:
        """Whether a text is being typed, in a field that is on screen."""
        it = self._typing
        return it is not None and (it.is_new or it.frame >= imgui.get_frame_count() - 1)

    def is_at_rest(self, field: Hashable) -> bool:
        """Whether none is of a field, given by its key."""
        held = [it.key for it in (self._typing, self._drag, self._expected) if it is not None]
        held += [it for it in (self._refused and self._refused[0], self._opened) if it is not None]
        return all(key[0] != field for key in held)

    def draw(
        self,
        frame: UiContext,
        target: EditableField,
        style: ValueStyle = PLAIN,
        choices: Choices = no_choices,
        readings: Collection[str] = (),
        begin: Element | None = None,
    ) -> None:
        """Draw a value, and queue its change.

        Parameters
        ----------
        begin
            The element with which editing begins in this frame.
        choices
            The names of the rows or resources that the field may name.
        readings
            The readings in effect.
        """
        room = imgui.get_content_region_avail().x
        right = imgui.get_cursor_screen_pos().x + room
        if is_color(target.field):
            self._draw_color(_Drawn(frame, target, (), style, choices, readings))
        is_at_rest = style.link is None and begin is None and self.is_at_rest(target.key)
        for number, it in enumerate(self._texts.of(target, style, room)):
            imgui.push_id(number)
            if number:
                it.continue_line(style, right)
            more = partial(draw_target_menu, frame, target, it.element)
            touch = it.draw(style, more) if is_at_rest else None
            if touch is not Touch.NONE:
                drawn = _Drawn(frame, target, it.element, style, choices, readings)
                self._draw_element(drawn, touch, begins=it.element == begin)
            imgui.pop_id()
        if target.field.count > MOST_ELEMENTS:
            imgui.same_line()
            text(_("and {count} more", count=target.field.count - MOST_ELEMENTS), theme.FAINT)

    def _draw_color(self, it: _Drawn) -> None:
        """A swatch that opens a picker; all of one drag in it is one undo step."""
        key, color = it.key, color_of(it.value)
        if self._picked is not None and self._picked[0] == key:
            color = self._picked[1]
        draw_swatch(it.named("swatch"), color)
        chosen = draw_picker(color)
        if imgui.is_mouse_clicked(imgui.MouseButton_.left):
            self._clicked = imgui.get_frame_count()
        if chosen is not None:
            self._picked = key, color_of(chosen)
            self._ask(it, list(chosen), ("color", id(self), self._clicked))
        elif not imgui.is_any_item_active():
            self._picked = None
        imgui.same_line(0, theme.em(0.4))

    def _draw_element(self, it: _Drawn, touch: Touch | None, *, begins: bool) -> None:
        """Draw an element, or answer the touch of one that is drawn."""
        if begins:
            self._begin(it)
        if self._typing is not None and self._typing.key == it.key:
            self._draw_input(it, self._typing)
            return
        if touch is not None:
            self._answer(it, touch)
        elif it.style.link is not None:
            self._draw_link(it)
        else:
            self._draw_value(it)
        if self._refused is not None and self._refused[0] == it.key:
            imgui.same_line(0, theme.em(0.3))
            self._draw_refusal(self._refused[1])
        self._draw_popup(it)

    def _draw_refusal(self, reason: str) -> None:
        """The mark of a refused value; a click sets one that only adds errors."""
        if self._force is None:
            text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.ERROR)
            draw_below(reason) if imgui.is_item_hovered() else None
            return
        hint = [reason, _("Click: set it even though it adds errors.")]
        if ghost_button(fa.ICON_FA_TRIANGLE_EXCLAMATION, "force_value", hint, theme.ERROR):
            self._force()
            self._refused = self._force = None

    def _draw_link(self, it: _Drawn) -> None:
        """The value as a link with a button that changes it."""
        if it.style.link is not None:
            it.style.link()
        imgui.same_line(0, theme.em(0.2))
        if ghost_button(fa.ICON_FA_CARET_DOWN, it.named("choose"), _("Change"), theme.FAINT):
            self._begin(it)

    def _draw_value(self, it: _Drawn) -> None:
        words, name = self._words(it), it.named("value")
        shown = ElementText.of(it.element, words, name, it.style, is_scrubbable=it.is_scrubbable)
        self._answer(it, shown.draw(it.style))

    def _answer(self, it: _Drawn, touch: Touch) -> None:
        """Answer the edit of a value."""
        if touch is Touch.CLICKED:
            self._begin(it)
        if touch is Touch.DRAGGED and it.is_scrubbable:
            self._scrub(it)
        elif self._drag is not None and self._drag.key == it.key:
            self._drag = None

    def _words(self, it: _Drawn) -> str:
        """The text of the stored value, or of the one that was asked for."""
        expected = self._expected
        if expected is None or expected.key != it.key:
            return it.words
        if it.raw != expected.before:
            self._expected = None
            return it.words
        # A slow job may still bring it, so only idle frames count.
        expected.patience -= not it.frame.state.busy
        if expected.patience < 0 and self._drag is None:
            self._expected = None
        return expected.words

    def _begin(self, it: _Drawn) -> None:
        """Begin to type, or open the list of what can be chosen."""
        self._refused = None
        if it.has_bits:
            imgui.open_popup(POPUP)
            return
        choices = it.listed
        if choices:
            self._list.open(choices)
            imgui.open_popup(POPUP)
        else:
            self._typing = _Typing(it.key, text_of(it.target.field, it.value))

    def _scrub(self, it: _Drawn) -> None:
        """Follow the pointer; all of one drag is one undo step."""
        drag = self._drag
        if drag is None or drag.key != it.key:
            self._gestures += 1
            gesture = ("scrub", id(self), self._gestures)
            drag = self._drag = _ValueDrag(it.key, float(it.value), gesture)
        io = imgui.get_io()
        factor = COARSE if io.key_shift else FINE if io.key_alt or io.key_ctrl else 1.0
        drag.moved += io.mouse_delta.x * factor
        value = scrubbed(it.target.field, drag.start, drag.moved)
        if value != drag.asked and (drag.asked is not None or value != drag.start):
            drag.asked = value
            self._ask(it, value, drag.gesture)

    def _ask(self, it: _Drawn, value: Any, gesture: Hashable = None) -> bool:
        """Set a value if the field can hold it; else keep the reason."""
        try:
            it.target.check(value, it.element)
        except EditError as error:
            self._refused, self._force = (it.key, error_text(error)), None
            return False
        self._refused = self._force = None
        self._edit(it, value, gesture)
        if it.target.field.is_text:
            return True
        after = it.target.stored(value, it.element)
        before = self._expected
        # In a drag the bytes change while newer values are still on their way: those at its start count.
        raw = before.before if before and before.key == it.key and gesture is not None else it.raw
        if after.tobytes() != it.raw or gesture is not None:
            self._expected = _Expected(it.key, it.style.text_of(it.target.field, after), raw)
        return True

    def _edit(self, it: _Drawn, value: Any, gesture: Hashable = None, *, is_forced: bool = False) -> None:
        """Set a value; the reason is kept if it is refused."""

        def refused(reason: str, can_force: bool) -> None:
            self._refused = it.key, translated(reason)
            self._force = partial(self._edit, it, value, is_forced=True) if can_force else None
            self._expected = None

        it.frame.later(
            it.frame.control.edits.edit,
            it.target.address,
            (it.target.change(value, it.element),),
            gesture=gesture,
            refused=refused,
            substitute_for=it.target.substitute_for,
            is_forced=is_forced,
        )

    def _draw_input(self, it: _Drawn, typing: _Typing) -> None:
        """The text field; Enter takes its text, Esc leaves the value as it is."""
        # The field was not drawn for a frame: scrolled away, or its panel was behind.
        if typing.frame and typing.frame < imgui.get_frame_count() - 1:
            self._typing = None
            self._draw_value(it)
            return
        typing.frame = imgui.get_frame_count()
        if typing.is_new:
            imgui.set_keyboard_focus_here()
        _begin_input(it, typing)
        flags = imgui.InputTextFlags_.auto_select_all
        is_changed, typing.text = imgui.input_text("##typed", typing.text, flags)
        imgui.pop_style_color(2)
        imgui.pop_style_var()
        if is_changed or typing.is_new:
            typing.problem = self._problem(it, typing.text)
        typing.is_new = False
        if typing.problem:
            draw_below(typing.problem)
        elif words := it.target.what_is_set(it.element):
            draw_below(words, theme.SELECTION)
        if imgui.is_item_deactivated():
            self._finish(it, typing)

    def _finish(self, it: _Drawn, typing: _Typing) -> None:
        if key_focus.takes_escape():  # neither the selection nor a filter is cleared by it
            self._typing = None
        elif not typing.problem:
            self._typing = None
            if typing.text != text_of(it.target.field, it.value):
                self._ask(it, value_of(it.target.field, typing.text))
        elif key_focus.is_entered():
            typing.is_new = True
        else:
            self._typing, self._refused, self._force = None, (it.key, typing.problem), None

    def _problem(self, it: _Drawn, words: str) -> str:
        """Reason for which a text cannot be the value; empty if it can."""
        try:
            it.target.check(value_of(it.target.field, words), it.element)
        except EditError as error:
            return translated(error.message)
        return ""

    def _draw_popup(self, it: _Drawn) -> None:
        """The list or the bits below the value, while they are open."""
        if not imgui.begin_popup(POPUP):
            self._opened = None if self._opened == it.key else self._opened
            return
        self._opened = it.key
        if words := it.target.what_is_set(it.element):
            text(words, theme.SELECTION)
        if it.has_bits:
            self._draw_bits(it)
        else:
            chosen = self._list.draw(it.target, it.element)
            if chosen is not None:
                self._ask(it, chosen.value)
                imgui.close_current_popup()
        imgui.end_popup()

    def _draw_bits(self, it: _Drawn) -> None:
        field = it.target.field
        typed = self._word.draw(it.target, it.element)
        if typed is not None:
            self._ask(it, typed)
            imgui.close_current_popup()
        word = draw_bits(field, it.value, it.element, it.readings, it.choices)
        if word is not None:
            self._ask(it, word)


class _Drawn(Struct, frozen=True):
    """An element that is being drawn."""

    frame: UiContext
    target: EditableField
    element: Element
    style: ValueStyle
    choices: Choices
    readings: Collection[str]

    @property
    def key(self) -> Key:
        return self.target.key, self.element

    def named(self, what: str) -> str:
        """An id with the name of the field, by which tests find it."""
        return f"{what}_{self.target.field.name}{''.join(map(str, self.element))}"

    @property
    def value(self) -> Any:
        return self.target.element(self.element)

    @property
    def raw(self) -> bytes:
        return np.asarray(self.value).tobytes()

    @property
    def words(self) -> str:
        return self.style.text_of(self.target.field, self.value)

    @property
    def is_scrubbable(self) -> bool:
        return can_scrub(self.target.field, self.value)

    @property
    def has_bits(self) -> bool:
        return has_bits(self.target.field, self.element, self.readings)

    @property
    def listed(self) -> list[Any]:
        """The values to choose from; none for a field with one special value."""
        field = self.target.field
        found = [*self.choices(field)]
        return named_values(field) + found if found or len(field.values) > 1 else []


def _begin_input(it: _Drawn, typing: _Typing) -> None:
    """Style and width of the text field: no higher than a line of text, so that no row grows."""
    needed = imgui.calc_text_size(typing.text).x + theme.em(1.5)
    room = max(imgui.get_content_region_avail().x, theme.em(4))
    least = theme.em(12 if np.dtype(it.target.field.dtype).kind in "SV" else 4)
    imgui.set_next_item_width(min(max(needed, least), room))
    imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(theme.em(0.2), 0))
    imgui.push_style_color(imgui.Col_.frame_bg, imgui.get_style().color_(imgui.Col_.frame_bg_active))
    imgui.push_style_color(imgui.Col_.text, theme.vector(theme.ERROR if typing.problem else theme.TEXT))


def draw_below(words: str, color: Color = theme.ERROR) -> None:
    """Show under the last item why a value is refused, or what it does."""
    corner, end = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    imgui.set_next_window_pos(ImVec2(corner.x, end.y + theme.em(0.2)))
    imgui.begin_tooltip()
    imgui.push_text_wrap_pos(theme.em(22))
    text(words, color)
    imgui.pop_text_wrap_pos()
    imgui.end_tooltip()
