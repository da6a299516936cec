"""Tables as text: aligned columns, numbers to the right; a long table ends with the number of omitted rows.

On a terminal a cell is no longer than a line, and a table may leave columns out; output to a file or another
program is never cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, TypeGuard

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.cli import output
from viewer.cli.terminal import Style, Styled, printable
from viewer.json_types import as_mapping
from viewer.model.kinds.columns import Column, Columns, MixedRows, PlainRows
from viewer.translation import _, translated

if TYPE_CHECKING:
    from viewer.model.kinds.json_text import AnyRows

GAP: Final = "  "
NOTHING: Final = "-"
INDENT: Final = "  "
ALIGNED: Final = 200
"""Length up to which a cell widens its column, characters; else one long cell would widen every row."""
NARROWEST: Final = 8
"""Characters of a cell that are shown on the narrowest terminal."""
ROWS_AT_ONCE: Final = 10_000
"""Rows formatted together; limits the memory for a long table."""


def fitted_lines(rows: Columns, optional: Sequence[str], cut: Sequence[str] = ()) -> Iterator[str]:
    """The lines of a table that fit a terminal: without some columns, which are named, or with cut texts.

    Parameters
    ----------
    optional
        The columns that may be left out, the first one first.
    cut
        Those that are left out only if the table is too wide with cut texts as well.
    """
    room = output.line_width()
    if room is None:
        yield from lines(rows)
        return
    start = rows.part(0, min(len(rows), ROWS_AT_ONCE))
    widths = {name: len(title_of(name)) for name in start.columns}
    for name, values in start.columns.items():
        _column(name, values, room, len(start), widths)
    for name in optional:
        if _width(widths) > room:
            widths.pop(name, None)
    for name in cut:
        least = {it: min(width, max(NARROWEST, len(title_of(it)))) for it, width in widths.items()}
        if _width(least) > room:
            widths.pop(name, None)
    widest = max(widths.values(), default=0)
    kept = Columns(len(rows), {name: rows.columns[name] for name in widths})
    yield from lines(kept, longest=max(widest - max(_width(widths) - room, 0), NARROWEST))
    left_out = [title_of(name) for name in rows.names if name not in widths]
    if left_out:
        words = _("left out here, but not in a file: {left_out}", left_out=", ".join(left_out))
        yield from wrap(str(words), room)


def _width(widths: Mapping[str, int]) -> int:
    return sum(widths.values()) + len(GAP) * (len(widths) - 1)


def title_of(name: str) -> str:
    """The heading of a column in the user's language."""
    return translated(name)


def lines(
    rows: AnyRows,
    limit: int | None = None,
    longest: int | None = None,
    title: Callable[[str], str] = title_of,
) -> Iterator[str]:
    """A heading and one line per row, the first `limit` of them, with cells of at most `longest` characters.

    `title` makes the headings of the names of columns; `str` keeps those of the fields of a format.
    A column is as wide as its widest cell so far, which is the widest of all except in huge tables.
    """
    count = len(rows) if limit is None else min(limit, len(rows))
    longest = output.line_width() if longest is None else longest
    if isinstance(rows, PlainRows):
        names = rows.names
    else:
        rows = [*map(as_mapping, rows)]
        names = [*dict.fromkeys(chain.from_iterable(rows))]
    widths: dict[str, int] = {}
    for start in range(0, max(count, 1), ROWS_AT_ONCE):
        part = _part(rows, names, start, min(start + ROWS_AT_ONCE, count))
        for name in part.columns:
            widths.setdefault(name, len(title(name)))
        columns = [_column(name, values, longest, len(part), widths) for name, values in part.columns.items()]
        forms, cells = zip(*columns, strict=True) if columns else ((), ())
        if not start:
            heading = (form % title(name) for form, name in zip(forms, part.columns, strict=True))
            yield Styled(GAP.join(heading).rstrip(), Style.HEADING)
        line = GAP.join(forms)
        for row in zip(*cells, strict=True):
            yield (line % row).rstrip()
    if count < len(rows):
        yield _("... {count} more", count=len(rows) - count)


def _part(rows: Sequence[Mapping[str, Any]], names: Sequence[str], start: int, stop: int) -> Columns:
    """The rows `start` to `stop`, half open, as columns."""
    if isinstance(rows, Columns):
        return rows.part(start, stop)
    if isinstance(rows, MixedRows):
        return rows.part(start, stop).with_shared_columns()
    shown = rows[start:stop]
    return Columns(len(shown), {name: [row.get(name) for row in shown] for name in names})


def document_lines(
    document: Mapping[str, Any], limit: int | None = None, title: Callable[[str], str] = title_of
) -> Iterator[str]:
    """A document of plain values: a line per field, a table of fields of a format per list of rows.

    Many vectors are a table too, with a line for each.
    """
    tables = {name: value for name, value in document.items() if _is_table(value) or _has_many(value)}
    values = {name: value for name, value in document.items() if name not in tables}
    width = max((len(title(name)) for name in values), default=0)
    for name, value in values.items():
        yield f"{title(name).ljust(width)}{GAP}{cell(value)}"
    for name, rows in tables.items():
        yield ""
        yield f"{name} ({len(rows)})"
        shown = numbered(rows, limit) if _has_many(rows) else lines(rows, limit, title=str) if rows else ()
        yield from (INDENT + line for line in shown)


def numbered(rows: Sequence[Any], limit: int | None = None) -> Iterator[str]:
    """A line for each value of a list, the first `limit` of them, which begins with its number."""
    yield from (f"{index}{GAP}{cell(value)}" for index, value in enumerate(rows[:limit]))
    if limit is not None and len(rows) > limit:
        yield _("... {count} more", count=len(rows) - limit)


def _has_many(value: Any) -> bool:
    """Whether a value is a list of more vectors than are read on one line."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str) and len(value) > MOST_ON_LINE
    return is_list and not _is_table(value) and isinstance(value[0], list | tuple)


MOST_ON_LINE: Final = 16
"""Vectors of a list that is one line, as the corners of boxes are."""
_SCALARS: Final = (str, int, float)
_NESTED: Final = (list, tuple, Mapping, Struct)


def cell(value: Any) -> str:
    """A value on one line: vectors separated by blanks, None as a dash, fields as ``name value``."""
    if value is None or isinstance(value, _SCALARS):  # as most are; abstract classes are slow
        return _scalar(value)
    if type(value) is list and {*map(type, value)} <= {float, int}:
        return " ".join(map(_scalar, value))
    match value:
        case np.ndarray():
            return cell(_plain(value))
        case Mapping() | Struct():
            return ", ".join(f"{name} {cell(item)}" for name, item in as_mapping(value).items())
        case Sequence():
            divider = " | " if any(isinstance(item, _NESTED) for item in value) else " "
            return divider.join(map(cell, value))
    return _scalar(value)


def _scalar(value: object) -> str:
    if type(value) in {float, int}:  # as most are
        return str(value) if type(value) is int else f"{value:.6g}"
    match value:
        case None:
            return NOTHING
        case bool() | np.bool_():
            return str(_("yes") if value else _("no"))
        case float() | np.floating():
            return f"{value:.6g}"
        case str():
            return printable(value)
    return str(value)


def _is_table(value: Any) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    if isinstance(value, PlainRows):
        return True
    is_list = isinstance(value, Sequence) and not isinstance(value, str | tuple)
    return is_list and all(isinstance(row, Mapping | Struct) for row in value)


def _column(
    name: str, values: Column, longest: int | None, count: int, widths: dict[str, int]
) -> tuple[str, Sequence[Any]]:
    """The template of a column's cells and what goes into it; text is aligned to the left."""
    width = widths[name]
    if type(values) is np.ndarray and values.dtype.kind in "iu" and values.shape == (count,) and count:
        widths[name] = max(width, len(str(values.min())), len(str(values.max())))
        return f"%{widths[name]}s", values.tolist()
    if type(values) is np.ndarray and values.dtype.kind in "iuf" and values.ndim <= 2 and longest is None:
        texts, is_text = _number_texts(values), False
    else:
        plain = _plain(values)
        texts = [_short_cell(value, longest) for value in plain]
        is_text = any(isinstance(value, str) for value in plain)
    texts += repeat(NOTHING, count - len(texts))
    widths[name] = max(width, min(max(map(len, texts), default=0), ALIGNED))
    return f"%{'-' if is_text else ''}{widths[name]}s", texts


def _number_texts(values: npt.NDArray[Any]) -> list[str]:
    """The texts of numbers (n,) or of vectors (n, k), as `cell` makes them."""
    form = "%.6g" if values.dtype.kind == "f" else "%d"
    if values.ndim == 1:
        return [form % value for value in values.tolist()]
    line = " ".join([form] * values.shape[1])
    return [line % tuple(row) for row in values.tolist()]


def _short_cell(value: Any, longest: int | None) -> str:
    """A value cut to `longest` characters; of a long list only the visible part is formatted."""
    if type(value) is int:
        return str(value)
    if longest is None:
        return printable(value) if type(value) is str else cell(value)
    is_list = not isinstance(value, _SCALARS) and isinstance(value, Sequence)
    text = cell(value[:longest] if is_list else value)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _plain(values: Column) -> Sequence[Any]:
    if values is None:
        return ()
    return values.tolist() if isinstance(values, np.ndarray) else [*values]
