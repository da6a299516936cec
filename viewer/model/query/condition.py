"""Conditions on the rows of a table: ``index_count > 300 and not name = tur*``.

A comparison has a field, or an element of one (``position[2]``), and a value: a number, ``none``, or a text,
which is compared without case and may hold wildcards. A text also matches the name that a number has: of an
enumeration's value, or of the row that it refers to. ``flags & 8`` holds if the bit is set,
``flags & 0x30 = 0x10`` compares the masked bits. If a field is an array, one matching element is enough.
``row`` is the number of the row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import translate
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.errors import UsageError, suggestion
from viewer.model.tables.column import Column, ColumnTexts
from viewer.model.tables.table import ROW, QueryTable
from viewer.translation import Text, _

Mask = npt.NDArray[np.bool_]
Test = Callable[[QueryTable], Mask]

NONE: Final = "none"
MOST_NAMED: Final = 12
"""Names of tables or fields that a message lists."""
# Python refuses to read numbers of more than 4300 digits, with an error of its own.
_LONGEST_INDEX: Final = 18
"""Digits of the index of an element, at most."""
MOST_DEEP: Final = 100
"""Most parentheses and negations inside each other."""
_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {"=": eq, "==": eq, "!=": eq, "<": lt, "<=": le, ">": gt, ">=": ge, "&": ne}
)
"""The comparison of an element; for ``!=`` rows are then inverted, so that no element may be equal."""
_EQUAL: Final = frozenset({"=", "==", "!="})
MOST_BITS: Final = 1 << 62
"""Masks are smaller than this."""
_TOKEN: Final = re.compile(
    r"""\s*(?:(<=|>=|!=|==|[=<>&()\[\]])|"([^"]*)"|'([^']*)'|([^\s=<>!&()\[\]"']+)|(\S))"""
)
_OPERATOR: Final = re.compile(r"[=<>&]")


class Condition(Struct, frozen=True):
    """A condition on a row, as parsed; fields are looked up in the table that it is applied to.

    Parameters
    ----------
    text
        As it was written.
    fields
        The names of the fields that it compares.
    """

    text: str
    fields: frozenset[str]
    _test: Test

    @classmethod
    def parse(cls, text: str) -> Condition:
        """The condition in a text; raises `UsageError` that says what is wrong."""
        parser = _Parser([*_tokens(text)])
        test = parser.alternatives()
        parser.end()
        return cls(text, frozenset(parser.fields), test)

    def rows(self, table: QueryTable) -> Mask:
        """The rows that fulfill the condition, (n,) bool; raises `UsageError` without such a field."""
        return self._test(table)

    def unknown(self, known: Collection[str]) -> Text | None:
        """The message about a field not among the known ``FIELD`` and ``TABLE.FIELD``; None if all are."""
        name = next((it for it in sorted(self.fields) if it != ROW and it not in known), None)
        if name is None:
            return None
        table, _dot, field = name.rpartition(".")
        own = {it.removeprefix(f"{table}."): it for it in known if table and it.startswith(f"{table}.")}
        hint = suggestion(field, own) or suggestion(name, known)
        tables = {it.rpartition(".")[0] for it in known} - {""}
        if own:
            hint = hint or _("; it has {names}", names=_listed(own))
            return _("table {table} has no field {name}{hint}", table=table, name=field, hint=hint)
        if tables:
            hint = hint or _("; there are the tables {names}", names=_listed(tables))
        return _("no table has a field {name}{hint}", name=name, hint=hint)


def _listed(names: Iterable[str]) -> str:
    """Names in order; the first ones of many."""
    ordered = sorted(names)
    return ", ".join([*ordered[:MOST_NAMED], *(["..."] if len(ordered) > MOST_NAMED else [])])


def is_condition(text: str) -> bool:
    """Whether a text is meant as a condition: it has a comparison outside of quotes."""
    # Quoted words go first: in 'name = "a>b"' the sign > is part of a name.
    return _OPERATOR.search(re.sub(r"\"[^\"]*\"|'[^']*'", "", text)) is not None


class _Token(Struct, frozen=True):
    """A word or sign; the text of a quoted word is never a keyword or a number."""

    text: str
    is_sign: bool = False
    is_quoted: bool = False


_JOINTS: Final = frozenset({"and", "or", "not"})
END: Final = _Token("", is_sign=True)


def _tokens(text: str) -> Iterator[_Token]:
    for sign, double, single, word, other in _TOKEN.findall(text):
        if other:
            raise UsageError(_("unexpected {sign} in a condition", sign=other))
        if sign or word:
            yield _Token(sign or word, is_sign=bool(sign))
        else:
            yield _Token(double or single, is_quoted=True)


class _Parser:
    """Recursive descent: ``or`` binds weakest, then ``and``, then ``not``."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self.fields: set[str] = set()

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else END

    def _take(self) -> _Token:
        token = self._next
        self._at += 1
        return token

    def _accepts(self, *texts: str) -> bool:
        """Whether the next token is one of some signs or keywords; it is taken then."""
        is_there = self._next.text.lower() in texts and not self._next.is_quoted
        # True counts as 1.
        self._at += is_there
        return is_there

    def end(self) -> None:
        """Raise `UsageError` for what follows the condition."""
        if self._next is not END:
            message = _("{word} follows a complete condition; join with and, or", word=self._next.text)
            raise UsageError(message)

    def alternatives(self) -> Test:
        """The test of conditions joined by ``or``."""
        tests = [self._conjunction()]
        while self._accepts("or"):
            tests.append(self._conjunction())
        return lambda table: np.logical_or.reduce([test(table) for test in tests])

    def _conjunction(self) -> Test:
        tests = [self._negation()]
        while self._accepts("and"):
            tests.append(self._negation())
        return lambda table: np.logical_and.reduce([test(table) for test in tests])

    def _negation(self) -> Test:
        self._depth += 1
        if self._depth > MOST_DEEP:
            raise UsageError(_("too many parentheses"))
        try:
            return self._single()
        finally:
            self._depth -= 1

    def _single(self) -> Test:
        if self._accepts("not"):
            test = self._negation()
            return lambda table: ~test(table)
        if not self._accepts("("):
            return self._comparison()
        inner = self.alternatives()
        if not self._accepts(")"):
            raise UsageError(_("a closing parenthesis is missing"))
        return inner

    def _comparison(self) -> Test:
        operand = self._operand()
        if self._next.text not in _COMPARISONS:
            if operand.mask is None:
                raise UsageError(self._uncompared(operand.name))
            # "flags & 4" alone asks whether any of the bits is set.
            return _Comparison(operand, "&", _Token("0")).rows
        sign = self._take().text
        return _Comparison(operand, sign, self._value(sign)).rows

    def _uncompared(self, name: str) -> Text:
        """The message about a name without a comparison; two names in a row may be a table and its field."""
        self._accepts("where")
        following = self._next
        is_field = bool(following.text) and not following.is_sign and not following.is_quoted
        if not is_field or following.text.lower() in _JOINTS:
            return _("{field} is not compared with anything", field=name)
        field = f"{name.rstrip(':')}.{following.text}"
        return _(
            "{field} is not compared with anything; a field of a table is written {example}",
            field=name,
            example=field,
        )

    def _operand(self) -> _Operand:
        token = self._take()
        if token.is_sign:
            message = (
                _("a field is missing before {sign}", sign=token.text)
                if token.text
                else _("a field is missing at the end")
            )
            raise UsageError(message)
        index = []
        while self._accepts("["):
            index.append(self._index(token.text))
        mask = self._value("&") if self._accepts("&") else None
        self.fields.add(token.text)
        return _Operand(token.text, tuple(index), mask)

    def _index(self, field: str) -> int:
        token = self._take()
        if not token.text.isdecimal() or len(token.text) > _LONGEST_INDEX or not self._accepts("]"):
            raise UsageError(_("{field}[ needs a number and a closing bracket", field=field))
        return int(token.text)

    def _value(self, sign: str) -> _Token:
        token = self._take()
        if token.is_sign:
            raise UsageError(_("a value is missing after {sign}", sign=sign))
        return token


class _Operand(Struct, frozen=True):
    """A field, an element of it, or some of its bits."""

    name: str
    index: tuple[int, ...]
    mask: _Token | None

    def column(self, table: QueryTable) -> Column:
        """The column of the table."""
        if self.name in table.columns:
            return table.columns[self.name]
        if self.name == ROW:
            return Column(ROW, lambda: np.arange(table.count))
        hint = suggestion(self.name, [*table.columns, ROW])
        raise UsageError(_("{table} has no field {name}{hint}", table=table.name, name=self.name, hint=hint))

    def numbers(self, column: Column) -> npt.NDArray[Any]:
        """The values of the element or the bits, (n, ...)."""
        values = column.values
        if isinstance(values, ColumnTexts):
            raise UsageError(_("{field} is a text, without elements or bits", field=self.name))
        shape = values.shape[1:]
        if len(self.index) > len(shape) or any(
            at >= size for at, size in zip(self.index, shape, strict=False)
        ):
            index = "".join(f"[{at}]" for at in self.index)
            raise UsageError(_("{field} has no element {index}", field=self.name, index=index))
        for at in self.index:
            values = values[:, at]
        if self.mask is None:
            return values
        if values.dtype.kind not in "iu":
            raise UsageError(_("{field} is not a whole number, so it has no bits", field=self.name))
        return values.astype(np.int64) & _bits(self.mask, column)


class _Comparison(Struct, frozen=True):
    """An operand, a sign and a value."""

    operand: _Operand
    sign: str
    value: _Token

    def rows(self, table: QueryTable) -> Mask:
        """The rows for which the comparison holds, (n,) bool."""
        column = self.operand.column(table)
        found: Mask
        is_plain = not self.operand.index and self.operand.mask is None
        if is_plain and isinstance(column.values, ColumnTexts):
            found = self._texts(column.values)
        else:
            values = self.operand.numbers(column)
            cells = self._numbers(values, column)
            found = np.logical_or.reduce(cells, axis=tuple(range(1, cells.ndim)))
        # "!=" is the negation of "=" for the whole row: no element is equal, not "some element differs".
        return ~found if self.sign == "!=" else found

    def _texts(self, values: ColumnTexts) -> Mask:
        if self.value.text.lower() == NONE and not self.value.is_quoted:
            return values.where([False] * len(values.labels)) if self.sign not in _EQUAL else values.codes < 0
        if self.sign in _EQUAL:
            pattern = _pattern(self.value.text)
            return values.where(pattern.match(label.casefold()) is not None for label in values.labels)
        compare, than = _COMPARISONS[self.sign], self.value.text.casefold()
        return values.where(compare(label.casefold(), than) for label in values.labels)

    def _numbers(self, values: npt.NDArray[Any], column: Column) -> Mask:
        # NaN equals nothing, so a column without a value for none has none.
        none = np.nan if column.none is None or self.operand.mask else column.none
        is_none: Mask = np.isnan(values) if column.has_gaps else np.equal(values, none)
        if self.value.text.lower() == NONE and not self.value.is_quoted:
            return is_none if self.sign in _EQUAL else np.zeros_like(is_none)
        number = None if self.value.is_quoted else _number(self.value.text)
        if number is None:
            return self._named(values, column)
        found: Mask = _COMPARISONS[self.sign](values, number)
        # 0xFFFF for none is no large number: x > 100 leaves it out.
        return found if self.sign in _EQUAL else found & ~is_none

    def _named(self, values: npt.NDArray[Any], column: Column) -> Mask:
        """The numbers that have a name which matches the value."""
        if not column.names or self.sign not in _EQUAL:
            raise UsageError(
                _("{value} is not a number, {field} is", value=self.value.text, field=self.operand.name)
            )
        pattern = _pattern(self.value.text)
        found = [number for number, name in column.names.items() if pattern.match(name.casefold())]
        return np.isin(values, np.array(found, np.int64))


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern for a whole text without case; ``*`` and ``?`` are wildcards."""
    # Brackets are part of names; "[[]" is the pattern of one.
    folded = text.casefold().replace("[", "[[]")
    return re.compile(translate(folded))


def _number(text: str) -> float | int | None:
    """The number that a word is, in any base that a literal may have; None for any other word."""
    try:
        # Base 0 reads 0x1F and 0b101 as Python does.
        return int(text, 0)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _bits(token: _Token, column: Column) -> int:
    """The mask that a word is: a number or the name of a bit."""
    number = None if token.is_quoted else _number(token.text)
    if isinstance(number, int) and 0 <= number < MOST_BITS:
        return number
    found = [bit for bit, name in column.bits.items() if name.casefold() == token.text.casefold()]
    if not found:
        known = ", ".join(f'"{name}"' for name in column.bits.values())
        hint = _("; {field} has {names}", field=column.name, names=known) if known else _("")
        raise UsageError(_("{value} is not a bit mask{hint}", value=token.text, hint=hint))
    return found[0]
