"""A field that can be set: where it is, what it holds, the change that sets it, and values as typed text."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from math import floor, isfinite, log10
from typing import Any, Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.errors import EditError, error_text
from viewer.formats.record import DECIMAL, Field, Status
from viewer.formats.text import decode, until_nul
from viewer.model.edit import values
from viewer.model.edit.change import Change
from viewer.model.edit.set_field import SetField, stored_name
from viewer.model.edit.values import RowChoice
from viewer.model.store.address import Address
from viewer.session.field_text import counted, is_none, raw_text
from viewer.translation import _, translated
from viewer.typed_json import SPECIAL
from viewer.ui.widgets import theme
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import (
    identified,
    labeled,
    text,
    wrapped,
)

LONGEST_TEXT: Final = 1 << 16
"""Bytes of the longest text that is typed."""
_LAST_ROW: Final = re.compile(r"(.*)\[(\d{1,18})\]")

Element = tuple[int, ...]
"""Indices of an element of a field; empty for a field without a shape."""


class EditableField(Struct, frozen=True, eq=False):
    """A field of a row, or of several rows that are set together.

    Parameters
    ----------
    address
        Address of the payload.
    table
        Path of its table or record.
    rows
        The rows that are set; those of an empty text for a single record.
    field
        The declared field.
    value
        The value that is stored and shown.
    count
        Number of rows that are set.
    is_printed
        Whether the value is as ``inspect`` prints it, not as it is stored.
    make
        Makes the change from the whole value, if it is not just a field that is set.
    substitute_for
        The missing material in whose place the payload is shown; empty for none.
    element_name
        What an element is, by its number; None if its place says enough.
    """

    address: Address
    table: str
    rows: RowChoice
    field: Field
    value: Any
    count: int = 1
    is_printed: bool = False
    make: Callable[[Any], Change] | None = None
    substitute_for: str = ""
    element_name: Callable[[int], str] | None = None

    @property
    def key(self) -> Hashable:
        """The key that tells a field from others."""
        return self.address, self.table, self.rows.text, self.field.name

    @property
    def elements(self) -> Iterator[Element]:
        """The elements of the value, each a number; one for a number, a text or bytes."""
        return iter(np.ndindex(self.field.shape))

    def element(self, element: Element) -> Any:
        """The stored value of an element."""
        return np.asarray(self.value)[element] if element else self.value

    def name_of(self, element: Element) -> str:
        """The name of an element; empty if its place says enough."""
        if self.element_name is None or not element:
            return ""
        return self.element_name(int(np.ravel_multi_index(element, self.field.shape)))

    def what_is_set(self, element: Element) -> str:
        """The name of an element and the number of rows, if the place of the field does not say it."""
        rows = counted(self.count, "sets {count} row", "sets {count} rows") if self.count > 1 else ""
        return "; ".join(filter(None, (self.name_of(element), rows)))

    def check(self, value: Any, element: Element = ()) -> None:
        """Raise `EditError` if the field cannot hold a value.

        Of a text only its letters are checked: how long it may be is known when it is set.
        """
        if not self.field.is_text:
            values.stored(self.field, value, np.asarray(self.value), element)
        elif isinstance(value, str):
            values.encoded(value, LONGEST_TEXT)

    def stored(self, value: Any, element: Element = ()) -> Any:
        """The stored value of an element after `value` is set; raises `EditError`."""
        after = values.stored(self.field, value, np.asarray(self.value), element)
        return after[element]

    def change(self, value: Any, element: Element = ()) -> Change:
        """The change that sets the field, or an element of it."""
        if self.make:
            return self.make(self._whole(value, element))
        name = self.field.name if self.is_printed else stored_name(self.table, self.field.name)
        path = name + "".join(f"[{index}]" for index in element)
        return SetField(self.table, self.rows, path, value)

    def _whole(self, value: Any, element: Element) -> Any:
        """The value with an element set to another one, or the other one itself if no element is named."""
        if not element:
            return value
        whole = np.array(self.value)
        whole[element] = value
        return whole.tolist()


def target_of(address: Address, table: str, row: int | None, field: Field, value: Any) -> EditableField:
    """Return the editable field of a row, or of a single record; `table` is the path of its part.

    The record of a row of a list is a part of its own: it is set as a row of the list.
    """
    found = _LAST_ROW.fullmatch(table) if row is None else None
    if found is not None:
        return EditableField(address, found[1], RowChoice(found[2]), field, value)
    return EditableField(address, table, RowChoice() if row is None else RowChoice.of(row), field, value)


NONE: Final = "none"
LONGEST: Final = 200
"""Letters of a calculation."""
_OPERATORS: Final[dict[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def text_of(field: Field, value: Any) -> str:
    """Return the text that stands in the field when typing begins; `value` is that of one element."""
    if np.dtype(field.dtype).kind in "SV":
        raw = bytes(value)
        return decode(until_nul(raw)) if field.is_text else raw.hex(" ", 4)
    if not field.is_float and is_none(field, value):
        return NONE
    return raw_text(field, value)


def value_of(field: Field, text: str) -> Any:
    """Return the value of a typed text, as ``inspect`` prints values; raises `EditError`.

    Numbers are typed in decimal or hexadecimal or as a calculation, values of an enumeration also by their
    names, the value that means none by that word. Hexadecimal digits of a float of unknown meaning are
    its bits.
    """
    words = text.strip()
    if np.dtype(field.dtype).kind in "SV":
        return calculated(words) if field.encoding == DECIMAL else text
    if field.none is not None and words.casefold() in (NONE, _("none").casefold()):
        return None
    named = {it.casefold(): n for n, name in field.values.items() for it in (name, translated(name))}
    if words.casefold() in named:
        return named[words.casefold()]
    if field.is_float and field.status is Status.OPEN and words[:2] in ("0x", "0X"):
        try:
            # 0x3F800000 is 1.0.
            return float(np.uint32(int(words, 16)).view(np.float32))
        except (ValueError, OverflowError):
            raise _not_a_number(words) from None
    return words if words in SPECIAL else calculated(words)


def calculated(words: str) -> int | float:
    """Return the value of a number or of a calculation with + - * / and parentheses; raises `EditError`."""
    try:
        # Only parsed, never executed: `_evaluated` knows numbers and operators, and refuses the rest.
        tree = ast.parse(words.replace(",", ".")[:LONGEST], mode="eval")
        value: int | float = _evaluated(tree.body)
    except (SyntaxError, ValueError, KeyError, ArithmeticError, RecursionError, MemoryError):
        raise _not_a_number(words) from None
    return value


def _evaluated(node: ast.AST) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_evaluated(node.left), _evaluated(node.right))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_evaluated(node.operand))
    raise ValueError(node)


def _not_a_number(words: str) -> EditError:
    return EditError(_("{value} is not a number", value=repr(words)))


FINE: Final = 0.1
COARSE: Final = 10.0
"""Factors of the step while Ctrl or Alt, or Shift is down."""
LEAST_INTEGER_STEP: Final = 0.2
"""Least change of an integer per pixel."""
INTEGER_SHARE: Final = 0.004
"""Share of an integer that a pixel changes it by, if that is more."""
LEAST_FLOAT: Final = 0.1
"""A float nearer to zero changes as this one does."""
PLACES: Final = 2
"""Decimal places below the leading one of a float that a pixel changes."""


def can_scrub(field: Field, value: Any) -> bool:
    """Tell whether an element is a quantity that dragging changes."""
    if np.dtype(field.dtype).kind not in "iuf" or field.refers_to or field.values or field.is_bits:
        return False
    return isfinite(value) and not (field.none is not None and value == field.none)


def step_of(field: Field, start: float) -> float:
    """Return the change per pixel of a number that is `start` when dragging begins."""
    if not field.is_float:
        return max(LEAST_INTEGER_STEP, abs(start) * INTEGER_SHARE)
    # 273.4 has its leading digit at 10 ** 2, so a pixel changes it by 1.
    return float(10.0 ** (floor(log10(max(abs(start), LEAST_FLOAT))) - PLACES))


def scrubbed(field: Field, start: float, pixels: float) -> int | float:
    """Return a number after dragging by some pixels, those of fine or coarse steps weighted.

    It stays within the limits of the field's type; floats are rounded to a tenth of the step.
    """
    moved = start + pixels * step_of(field, start)
    dtype = np.dtype(field.dtype)
    if field.is_float:
        limit = float(np.finfo(dtype).max)
        # A tenth of the step: a step of 0.01 rounds to 3 places.
        places = 1 - floor(log10(step_of(field, start)))
        return min(max(round(moved, places), -limit), limit)
    info = np.iinfo(dtype)
    return min(max(round(moved), int(info.min)), int(info.max))


MOST_LINES: Final = 14
"""Lines of the list before it scrolls."""
WIDTH: Final = 16.0
"""Width of the list, font heights."""


class Choice(Struct, frozen=True):
    """A value that a field can have, as an item of its menu.

    Parameters
    ----------
    value
        As a change takes it.
    words
        What it is called.
    """

    value: Any
    words: str


Choices = Callable[[Field], Sequence[Choice]]
"""Gives the values that a field can be set to; empty if any number or text can be typed."""


def no_choices(field: Field) -> Sequence[Choice]:
    """The choices of a field without choices: none."""
    del field
    return ()


def named_values(field: Field) -> list[Choice]:
    """Return the values of an enumeration, and the one that means none."""
    none = [Choice(None, _("none"))] if field.none is not None and field.none not in field.values else []
    named = sorted(field.values.items())
    return [*none, *(Choice(value, f"{value}  {translated(name)}") for value, name in named)]


class ChoiceList:
    """The list under a value in which another is chosen or typed; owner: a `FieldEditor`."""

    def __init__(self) -> None:
        self._filter = FilterField("choose", _("Type a value or part of a name"))
        self._choices: Sequence[Choice] = ()
        self._shown: tuple[str, Sequence[Choice]] = ("", ())
        self._problem = ""

    def open(self, choices: Sequence[Choice]) -> None:
        """Begin with some choices."""
        self._choices, self._problem = choices, ""
        self._filter.clear()
        self._filter.ask()
        self._shown = ("", choices)

    def draw(self, target: EditableField, element: Element) -> Choice | None:
        """Draw the list inside its popup; return what was chosen in this frame."""
        imgui.dummy(ImVec2(theme.em(WIDTH), 0))
        self._filter.draw()
        chosen = self._typed(target, element) if self._filter.is_entered else None
        if self._problem:
            wrapped(self._problem, theme.ERROR)
        shown = self._passing()
        height = imgui.get_text_line_height_with_spacing() * min(max(len(shown), 1), MOST_LINES)
        imgui.begin_child("choices", ImVec2(0, height))
        self._filter.scroll_to_top()
        now = _now(target, element)
        for index in rows_on_screen(len(shown)):
            with identified(index):
                if imgui.selectable(labeled(shown[index].words, "choice"), shown[index].value == now)[0]:
                    chosen = shown[index]
        chosen = self._offered(target, shown) or chosen
        if not shown:
            text(_("No name matches."), theme.FAINT)
        imgui.end_child()
        return chosen

    def _offered(self, target: EditableField, shown: Sequence[Choice]) -> Choice | None:
        """Offer a typed text that is not one of the names; return it if it was chosen."""
        words = self._filter.text
        if not target.field.is_text or not words or any(it.value == words for it in shown):
            return None
        label = labeled(_("Set to {text}", text=repr(words)), "as_typed")
        return Choice(words, words) if imgui.selectable(label, False)[0] else None

    def _passing(self) -> Sequence[Choice]:
        """The choices whose names pass the filter."""
        if self._shown[0] != self._filter.text:
            names = self._filter.names
            self._shown = self._filter.text, [it for it in self._choices if names.matches(it.words)]
            self._problem = ""
        return self._shown[1]

    def _typed(self, target: EditableField, element: Element) -> Choice | None:
        """The typed value, else the first name that passes."""
        words, passing = self._filter.text, self._passing()
        # "steel" may be a name and the beginning of others: the exact one wins.
        if target.field.is_text and passing:
            exact = (it for it in passing if it.words.casefold() == words.casefold())
            return next(exact, passing[0])
        try:
            value = value_of(target.field, words)
            target.check(value, element)
        except EditError as error:
            if passing:
                return passing[0]
            self._problem = error_text(error)
            self._filter.ask()
            return None
        return Choice(value, words)


def _now(target: EditableField, element: Element) -> Any:
    """The value that is stored, as a choice has it."""
    # numpy's own types do not compare as the values of a list do.
    value = np.asarray(target.element(element)).tolist()
    if isinstance(value, bytes):
        return text_of(target.field, value)
    return None if value == target.field.none else value
