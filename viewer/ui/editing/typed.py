"""A value as the text that is typed, and as the number that is dragged sideways."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from math import floor, isfinite, log10
from typing import Any, Final

import numpy as np

from viewer.errors import EditError
from viewer.formats.record import DECIMAL, Field, Status
from viewer.formats.text import decode, until_nul
from viewer.model.edit.values import SPECIAL
from viewer.translation import _
from viewer.ui.widgets.field_text import is_none, raw_text

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
    named = {name.casefold(): number for number, name in field.values.items()}
    if words.casefold() in named:
        return named[words.casefold()]
    if field.is_float and field.status is Status.OPEN and words[:2] in ("0x", "0X"):
        return _float_of_bits(words)
    return words if words in SPECIAL else calculated(words)


def _float_of_bits(words: str) -> float:
    try:
        # 0x3F800000 is 1.0.
        return float(np.uint32(int(words, 16)).view(np.float32))
    except (ValueError, OverflowError):
        raise _not_a_number(words) from None


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
    return EditError(_("{value} is not a number").format(value=repr(words)))


FINE: Final = 0.1
COARSE: Final = 10.0
"""Factors of the step while Alt or Shift is down."""
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
