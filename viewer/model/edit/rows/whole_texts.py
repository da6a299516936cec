"""Texts of rows that are as long as their texts: lines of descriptions, texts of skies, labels of slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from viewer.errors import EditError, FormatError
from viewer.formats import description, splice
from viewer.formats.part import Part, find
from viewer.formats.splice import Splices, between, moved
from viewer.model.edit import values
from viewer.model.edit.change import refusal
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.wear_lines import LONGEST
from viewer.translation import _

LENGTH: Final = "length"
TEXT: Final = "text"
END: Final = "end"
_COUNTED: Final = (LENGTH, TEXT)
LABEL: Final = (*_COUNTED, END)
FIELDS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("description", description.LINES): tuple(it.name for it in description.FIELDS),
    ("sky", "sections[].keyframes[].names"): _COUNTED,
    ("sky", "sections[].keyframes[].effects"): _COUNTED,
    ("control", "components[].label"): LABEL,
}
"""The fields of a row in the order of their bytes, by the id of the kind and the table without numbers."""


def set_text(
    table: str,
    order: tuple[str, ...],
    field: str,
    draft: Draft,
    rows: Sequence[int],
    value: Any,
    element: tuple[int, ...],
) -> None:
    """Set a text of rows; None is an empty one. Raises `EditError` if it would not be read back.

    Parameters
    ----------
    order
        The fields of a row, of which a row has those that are not empty.
    """
    values.refuse_element(field, element)
    if value is not None and not isinstance(value, str):
        raise EditError(_("{value!r} is not a text", value=value))
    text, part = values.encoded(value or "", LONGEST), draft.part(table)
    of_row = _rows(part)
    # `range(True)` is row 0 alone: a single record is its only row.
    written = {row: _written(of_row[row], order, field, text) for row in rows or range(not part.is_list)}
    splices = _splices(of_row, written)
    # A text with a line end would be two lines, one with a mark at its start another field.
    if not _is_read_back(draft, table, splices, len(of_row), dict.fromkeys(written, text), field):
        raise refusal("other lines would be read differently with {value!r}", value=value)
    draft.splice_readable(splices)


def set_labels(draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set the labels of components as they are printed; raises `EditError`."""
    for row in rows:
        set_text(f"components[{row}].label", LABEL, TEXT, draft, [], value, element)


def _rows(part: Part) -> Sequence[Part]:
    """The rows of a list, or the single record that a part is."""
    return part.children if part.is_list else (part,)


def _texts(row: Part) -> dict[str, bytes]:
    """The texts of a row by field, without those that are empty."""
    assert row.record is not None
    assert row.rows is not None
    return {it.name: row.rows[it.name].tobytes() for it in row.record.fields}


def _written(row: Part, order: tuple[str, ...], field: str, text: bytes) -> bytes:
    """The bytes of a row with another text, and with its length before it and a NUL after it if stored."""
    texts = _texts(row) | {field: text}
    if LENGTH in order:
        texts[LENGTH] = len(text).to_bytes(4, "little")
    if END in order:
        texts[END] = b"\0" if text else b""  # an empty text is its length alone
    return b"".join(texts.get(name, b"") for name in order)


def _splices(rows: Sequence[Part], written: Mapping[int, bytes]) -> Splices:
    return tuple(
        it
        for row, after in sorted(written.items())
        for it in moved(between(bytes(rows[row].stored), after), rows[row].start)
    )


def _is_read_back(
    draft: Draft, table: str, splices: Splices, count: int, texts: Mapping[int, bytes], field: str
) -> bool:
    """Whether the table has as many rows as before, and the changed ones their texts in the field."""
    data = memoryview(splice.applied(draft.data, splices))
    try:
        after = find(draft.kind.parts(draft.kind.decode(data)), table)
    except FormatError:
        return False
    if after is None or len(_rows(after)) != count:
        return False
    return all(_texts(_rows(after)[row]).get(field, b"") == text for row, text in texts.items())
