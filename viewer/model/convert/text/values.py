"""The values of fields as JSON, column by column, so that each gives back the same bits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.record import DECIMAL, Bytes, Field, Record, Rows
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.json_text import float_texts

LINE: Final = 32
"""Bytes in a line of hexadecimal digits."""
TEXT: Final = "text"
AFTER: Final = "after"
"""Members of a text in a field with other bytes than NULs after its NUL."""
_CONTROL: Final = re.compile("[\x7f-\x9f\u2028\u2029]")
_DECIMAL: Final = re.compile(rb"-?[1-9]\d*|0")


def quoted(text: str) -> str:
    """Return a text as JSON; characters that terminals obey are escaped."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def hexadecimal(data: Bytes, indent: str) -> Iterable[str]:
    """Yield bytes as one text of hexadecimal digits, or as a list of several if there are many."""
    view = memoryview(data).cast("B")
    if len(view) <= LINE:
        yield f'"{view.hex()}"'
        return
    before = "["
    for start in range(0, len(view), LINE):
        yield f'{before}\n{indent} "{view[start : start + LINE].hex()}"'
        before = ","
    yield f"\n{indent}]"


def text_lines(data: bytes, indent: str) -> Iterable[str]:
    """Yield the lines of a text as a list, or one line as itself."""
    lines = data.splitlines(keepends=True) if b"\r" not in data.replace(b"\r\n", b"") else [data]
    if len(lines) == 1:
        yield quoted(decode(data))
        return
    before = "["
    for line in lines:
        yield f"{before}\n{indent} {quoted(decode(line))}"
        before = ","
    yield f"\n{indent}]"


def objects(record: Record, rows: Rows, without: Collection[str] = (), head: str = "") -> Iterable[str]:
    """Return records, (n,), as objects; some fields may be left out, and `head` comes first."""
    forms: list[str] = [head] if head else []
    columns: list[Sequence[str]] = []
    for declared in record.fields:
        if declared.name not in without:
            form, texts = _cells(declared, rows)
            forms.append(f'"{declared.name}": {form}')
            columns += texts
    return _filled("{" + ", ".join(forms) + "}", columns, len(rows))


def plain_values(declared: Field, rows: Rows) -> Iterable[str]:
    """Return the values of one field of records, (n,)."""
    form, texts = _cells(declared, rows)
    return _filled(form, texts, len(rows))


def _filled(form: str, texts: Sequence[Sequence[str]], count: int) -> Iterable[str]:
    return map(form.__mod__, zip(*texts, strict=True)) if texts else repeat(form, count)


def _cells(declared: Field, rows: Rows) -> tuple[str, list[Sequence[str]]]:
    """The template of a value, and for each of its elements a text per row."""
    values = rows[declared.name]
    if values.dtype.kind in "SV":
        return "%s", [_texts(declared, values)]
    shape = values.shape[1:]
    flat = values.reshape(-1)
    texts = _floats(flat) if values.dtype.kind == "f" else [*map(str, flat.tolist())]
    if declared.none is not None:
        for index in np.flatnonzero(flat == declared.none).tolist():
            texts[index] = "null"
    width = declared.count
    return _brackets(shape), [texts[index::width] for index in range(width)]


def _brackets(shape: tuple[int, ...]) -> str:
    """The template of an array: ``[%s, %s]`` for shape (2,)."""
    return "[" + ", ".join(repeat(_brackets(shape[1:]), shape[0])) + "]" if shape else "%s"


def _floats(flat: npt.NDArray[np.floating[Any]]) -> list[str]:
    """Numbers; what would not be read back as the same bits is the word of its bits."""
    texts = float_texts(flat)
    back = np.array([float(text.strip('"')) for text in texts], np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        single = back.astype("<f4")
    bits = np.ascontiguousarray(flat).view("<u4")
    for index in np.flatnonzero(single.view("<u4") != bits).tolist():
        texts[index] = f'"0x{bits[index]:08x}"'
    return texts


def _texts(declared: Field, values: npt.NDArray[Any]) -> list[str]:
    """Texts, or hexadecimal digits; equal ones are made once."""
    size = values.dtype.itemsize
    data = values.tobytes()
    made: dict[bytes, str] = {}
    write: Callable[[bytes], str] = padded_text if declared.is_text else lambda raw: f'"{raw.hex()}"'
    found: list[str] = []
    for start in range(0, len(data), size):
        raw = data[start : start + size]
        text = made.get(raw)
        if text is None:
            text = made[raw] = write(raw)
        found.append(text)
    return found


def padded_text(raw: bytes) -> str:
    """Return a text up to its NUL, and the bytes after it if there are any."""
    text = until_nul(raw)
    after = raw[len(text) + 1 :].rstrip(b"\0")
    if not after:
        return quoted(decode(text))
    return f'{{"{TEXT}": {quoted(decode(text))}, "{AFTER}": "{after.hex()}"}}'


def whole_text(declared: Field, raw: bytes) -> str:
    """Return the text of a field that is as wide as its text: all of it; digits as a number."""
    if declared.encoding == DECIMAL and _DECIMAL.fullmatch(raw):
        return raw.decode()
    return quoted(decode(raw))
