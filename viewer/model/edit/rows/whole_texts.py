"""Texts of rows that are as long as their texts: lines of descriptions, names and effects of skies."""

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
_COUNTED: Final = (LENGTH, TEXT)
FIELDS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("description", description.LINES): tuple(it.name for it in description.FIELDS),
    ("sky", "sections[].keyframes[].names"): _COUNTED,
    ("sky", "sections[].keyframes[].effects"): _COUNTED,
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
    written = {row: _written(part.children[row], order, field, text) for row in rows}
    splices = _splices(part, written)
    if not _is_read_back(draft, table, splices, part.count, dict.fromkeys(written, text), field):
        raise refusal("other lines would be read differently with {value!r}", value=value)
    draft.splice_readable(splices)


def _texts(row: Part) -> dict[str, bytes]:
    """The texts of a row by field, without those that are empty."""
    assert row.record is not None
    assert row.rows is not None
    return {it.name: row.rows[it.name].tobytes() for it in row.record.fields}


def _written(row: Part, order: tuple[str, ...], field: str, text: bytes) -> bytes:
    """The bytes of a row with another text, and with its length before it if that is stored."""
    texts = _texts(row) | {field: text}
    if order == _COUNTED:
        texts[LENGTH] = len(text).to_bytes(4, "little")
    return b"".join(texts.get(name, b"") for name in order)


def _splices(part: Part, written: Mapping[int, bytes]) -> Splices:
    return tuple(
        it
        for row, after in sorted(written.items())
        for it in moved(between(bytes(part.children[row].stored), after), part.children[row].start)
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
    if after is None or after.count != count:
        return False
    return all(_texts(after.children[row]).get(field, b"") == text for row, text in texts.items())
