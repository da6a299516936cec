"""Changing the text of one line of a wear table without changing anything else.

Source: spec/materials.md 2.
Status: proven (what the game reads of a line).
"""

from __future__ import annotations

from viewer.formats.wear import COUNT, COUNT_FIELDS, ROW, ROW_FIELDS, Line, Row

Texts = dict[str, bytes]
"""The texts of a line by field."""


def texts_of(line: Line) -> Texts:
    """Return the texts of all fields of a line, empty for those that it does not have."""
    stored = {field.name for field in line.record.fields}
    fields = ROW_FIELDS if isinstance(line, Row) else COUNT_FIELDS
    return {field.name: line.text(field.name) if field.name in stored else b"" for field in fields}


def with_text(line: Line, field: str, text: bytes) -> bytes:
    """Return a line with another text in a field.

    Raises `ValueError` if it would not be read back as such a line, or would no longer end.
    """
    texts = texts_of(line) | {field: text}
    written = b"".join(texts.values())
    found = (ROW if isinstance(line, Row) else COUNT).fullmatch(written)
    loses_end = texts_of(line)["rest"].endswith(b"\n") and not written.endswith(b"\n")
    if found is None or found.groups() != tuple(texts.values()) or loses_end:
        raise ValueError(f"{text!r} would not be read back as the {field} of a line")
    return written


def new_row(line: Row | None, number: int, name: bytes) -> bytes:
    """Return a row written like another one, or as most files have it; raises `ValueError` for a bad name."""
    if line is None:
        return b"%d %s\r\n" % (number, name)
    texts = texts_of(line) | {"number": b"%d" % number, "name": name}
    rest = b"\r\n" if texts["rest"].endswith(b"\r\n") or not texts["rest"] else b"\n"
    return texts["indent"] + texts["number"] + texts["gap"] + name + rest
