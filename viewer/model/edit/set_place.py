"""The place of a field as a text: ``batches[index_count>300].flags``, as options and scripts spell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from viewer.errors import UsageError
from viewer.translation import _

PLAIN: Final = {
    "indices": "index",
    "frame_map": "key",
    "strings": "text",
    "positions": "position",
    "normals": "normal",
    "uvs": "uv",
    "name_records": "name",
    "names": "name",
    "costs": "cost",
    **dict.fromkeys(("stream14", "stream15", "stream18"), "value"),
}
"""The field of each table whose rows ``inspect --json`` prints as plain values."""
_QUOTES: Final = "\"'"


def set_form(place: str, value: Any) -> dict[str, Any]:
    """The script form of setting ``TABLE[ROWS].FIELD`` to a value; raises `UsageError`."""
    names = [*steps(place)]
    plain = PLAIN.get(split(place, "[")[0])
    if plain is not None and len(names) == 1:
        names.append(plain)
    table, rows = ".".join(names[:-1]), ""
    if table.endswith("]"):
        table, rows = rows_of(names[:-1])
    return {"do": "set", "table": table, "rows": rows, "field": names[-1], "value": value}


def rows_of(names: Sequence[str]) -> tuple[str, str]:
    """The path of a table without the brackets at its end, and what is in these."""
    name, rows = split(names[-1], "[")
    return ".".join((*names[:-1], name)), (rows or "").removesuffix("]").strip()


def steps(path: str) -> Iterator[str]:
    """The names of a path; dots in brackets do not separate."""
    rest: str | None = path
    while rest is not None:
        step, rest = split(rest, ".")
        if not step:
            raise UsageError(_("{path!r} is not a field: a name is empty", path=path))
        yield step


def split(text: str, separator: str) -> tuple[str, str | None]:
    """The texts before and after the first separator outside of brackets and quotes; None without one."""
    # A dot in a condition separates nothing: ``[name == "a.b"]``. Outside of brackets a quote is a letter.
    depth, quote = 0, ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character == separator and not depth:
            return text[:index], text[index + 1 :]
        elif character in _QUOTES and depth:
            quote = character
        else:
            depth += (character == "[") - (character == "]")
    return text, None
