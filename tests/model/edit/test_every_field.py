"""Setting every field of every table of every kind changes that field and nothing else.

The fields are found by walking the parts of small files, of the samples' files and of the bundled game, so
that a field that is declared tomorrow is tested tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.formats.payloads import Payload, payloads
from tests.share import examples
from viewer.errors import EditError, FormatError
from viewer.formats import splice
from viewer.formats.part import Part, encode, find, gaps, walk
from viewer.formats.record import ASCII, DECIMAL, Bits, Field
from viewer.formats.text import decode
from viewer.model.edit.draft import Draft
from viewer.model.edit.set_field import SetField, stored_name
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.columns import record_row
from viewer.model.kinds.registry import KINDS, by_id, tables

MOST_FILES: Final = 40
"""Small files of a kind that are walked, all of them; of the larger ones a few."""
ROWS_COMPARED: Final = 64

Values = dict[tuple[str, int | None, str], Any]


@dataclass(frozen=True, slots=True)
class FieldCase:
    """One field, or a group of its bits, and the files that have it."""

    kind: str
    table: str
    field: Field
    bits: Bits | None
    places: tuple[tuple[Payload, str], ...]

    @property
    def name(self) -> str:
        """The name under which it is set."""
        return self.bits.name if self.bits else stored_name(self.table, self.field.name)

    def __str__(self) -> str:
        return f"{self.kind} {self.table}.{self.name}"


def draft_of(payload: Payload) -> Draft:
    """A draft of a payload."""
    return Draft(by_id(payload.kind), payload.data, payload.entry)


LINES: Final = {"wear", "description"}
"""Kinds of texts, whose fields are as wide as their texts."""
COUNTED: Final = {
    "strings[]", "sections[].keyframes[].names[]", "sections[].keyframes[].effects[]", "components[].label",
}  # fmt: skip
"""Tables of texts with their length before them."""
ROOTS: Final[dict[int, Part | None]] = {}
VALUES: Final[dict[int, Values]] = {}
"""Parts and values of a payload, by its identity: it lives as long as the tests."""


def root_of(payload: Payload) -> Part | None:
    """The parts of a payload; None if it cannot be read."""
    if id(payload) not in ROOTS:
        try:
            ROOTS[id(payload)] = draft_of(payload).parts
        except FormatError:
            ROOTS[id(payload)] = None
    return ROOTS[id(payload)]


def values_before(payload: Payload) -> Values:
    """The values of a payload before any change."""
    root = root_of(payload)
    assert root is not None
    if id(payload) not in VALUES:
        VALUES[id(payload)] = values_of(root)
    return VALUES[id(payload)]


def cases(kind: str) -> Iterator[FieldCase]:
    """Every declared field that occurs in a file of a kind."""
    found: dict[tuple[str, str, str], tuple[Field, Bits | None, list[tuple[Payload, str]]]] = {}
    files = sorted(payloads(kind), key=lambda it: len(it.data))
    for payload in (*files[:MOST_FILES], *files[MOST_FILES::9]):
        for path, table, field in fields_of(payload):
            for bits in (None, *field.bits):
                key = (table, field.name, bits.name if bits else "")
                found.setdefault(key, (field, bits, []))[2].append((payload, path))
    for (table, _, _), (field, bits, places) in found.items():
        yield FieldCase(kind, table, field, bits, tuple(places[:8]))


def fields_of(payload: Payload) -> Iterator[tuple[str, str, Field]]:
    """Path, table without numbers, and field of every field in a payload that is stored there."""
    root = root_of(payload)
    yield from fields_of_root(root) if root is not None else ()


def fields_of_root(root: Part) -> Iterator[tuple[str, str, Field]]:
    """The same for the parts of a payload."""
    for path, part in walk(root):
        if part.record is not None and part.count and part.size:
            table = "".join(letter for letter in path if not letter.isdigit())
            for field in part.record.fields:
                if field.offset + field.size <= part.size:
                    yield path, table, field


def legal(field: Field, bits: Bits | None) -> st.SearchStrategy[Any]:
    """A value that the field can hold, as ``inspect`` prints it."""
    if bits is not None:
        numbers = floats() if bits.is_float else st.integers(0, (1 << bits.width) - 1)
        return st.one_of(numbers, *choices(bits.values, bits.none))
    dtype = np.dtype(field.dtype)
    if dtype.kind in "SV":
        return texts(field)
    scalar = floats() if dtype.kind == "f" else st.integers(np.iinfo(dtype).min, np.iinfo(dtype).max)
    value: st.SearchStrategy[Any] = st.one_of(scalar, *choices(field.values, field.none))
    for size in reversed(field.shape):
        value = st.lists(value, min_size=size, max_size=size).map(tuple)
    return value


def choices(values: Mapping[int, str], none: int | None) -> Iterator[st.SearchStrategy[Any]]:
    if values:
        yield st.sampled_from(sorted(values.values()))
    if none is not None:
        yield st.none()


def floats() -> st.SearchStrategy[Any]:
    finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
    return st.one_of(finite, st.sampled_from(["nan", "inf", "-inf"]))


def texts(field: Field) -> st.SearchStrategy[Any]:
    """Texts of the width of the field, or of any width in a line."""
    if field.encoding == DECIMAL:
        return st.integers(0, 99999)
    if not field.is_text:
        return st.binary(min_size=field.size, max_size=field.size).map(bytes.hex)
    if field.encoding == ASCII:
        return st.sampled_from(["", " ", "\t  ", "AB", "Texm", "\r\n"])
    is_any_width = field.dtype.startswith("V") and field.name in {"rest", "text"}
    most = 24 if is_any_width else min(24, field.size)
    raw = st.lists(st.integers(33, 255), max_size=most).map(lambda codes: decode(bytes(codes)))
    return raw | raw.map(lambda text: f" {text}\r\n") if is_any_width else raw


def values_of(root: Part) -> Values:
    """Every value of a payload by table, row and field; of long tables some rows."""
    found: Values = {}
    for path, part in walk(root):
        if part.record is None or part.rows is None:
            if part.is_leaf:
                found[path, None, "bytes"] = bytes(part.stored)
            continue
        rows = np.atleast_1d(np.asarray(part.rows))
        found[path, None, "count"] = len(rows)
        for index in sorted({*range(len(rows))[:ROWS_COMPARED], *range(len(rows))[-ROWS_COMPARED:]}):
            for name, value in record_row(part.record, rows[index]).items():
                found[path, index, name] = canonical(value)
    return found


def normal(field: Field, value: Any) -> Any:
    """A value as it is read back."""
    named = {name: number for number, name in field.values.items()}
    return canonical(as_stored(field, named, value))


def canonical(value: Any) -> Any:
    """A value that is equal to itself, also if it is not a number."""
    if isinstance(value, list | tuple):
        return tuple(map(canonical, value))
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


def as_stored(field: Field, named: Mapping[str, int], value: Any) -> Any:
    if isinstance(value, tuple):
        return [as_stored(field, named, item) for item in value]
    value = named.get(value, value) if isinstance(value, str) else value
    if field.is_float and not isinstance(value, str):
        return float(np.float32(value))
    return None if value == field.none and field.none is not None else value


@pytest.mark.parametrize("kind", [it.id for it in (*KINDS, *tables().values())])
def test_setting_a_field_changes_that_field(kind: str, subtests: pytest.Subtests) -> None:
    found = [*cases(kind)]
    assert found or kind not in {it.id for it in KINDS if it.is_known}, "every kind has a file"
    for case in found:
        with subtests.test(str(case)):
            check(case)


def check(case: FieldCase) -> None:
    @settings(max_examples=examples(6), database=None, suppress_health_check=[*HealthCheck])
    @given(st.data())
    def run(data: st.DataObject) -> None:
        payload, path = data.draw(st.sampled_from(case.places))
        set_once(case, payload, path, data)

    run()


def set_once(case: FieldCase, payload: Payload, path: str, data: st.DataObject) -> None:
    root = root_of(payload)
    part = find(root, path) if root else None
    assert root is not None
    assert part is not None
    row = data.draw(st.integers(0, part.count - 1)) if part.is_table else None
    assert part.record is not None
    field = part.record.field(case.field.name)
    is_line = case.kind in LINES and field.encoding != ASCII
    given_field = replace(field, dtype="V24") if is_line else field
    value = data.draw(legal(given_field, case.bits))
    draft = draft_of(payload)
    table, chosen = place(path, row)
    change = SetField(table, chosen, case.name, value)
    if not applies(case, change, draft):
        assert draft.data == payload.data
        return
    check_bytes(payload, part, row, case, draft)
    if is_structure(case):
        return
    where = (path, row or 0)
    before, after = values_before(payload), values_of(draft.parts)
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert {key for key in changed if not follows(case, key)} <= {(*where, case.field.name)}, changed
    if case.bits is None and (*where, field.name) in after:
        assert after[*where, field.name] == normal(field, value)


def place(path: str, row: int | None) -> tuple[str, RowChoice]:
    """Table and rows of a change: a row of a list is given by its number in the list."""
    if row is None and path.endswith("]"):
        table, _, index = path[:-1].rpartition("[")
        return table, RowChoice(index)
    return path, RowChoice() if row is None else RowChoice.of(row)


def follows(case: FieldCase, key: tuple[str, int | None, str]) -> bool:
    """Whether a value follows from the length of a text."""
    if case.kind not in {"msh", "strings", "sky", "control"} or case.name != "text":
        return False
    path, _, name = key
    if case.kind == "control":
        return path.endswith(".label") and name in {"length", "end"}
    if case.kind == "sky":
        return name == "length"
    is_moved = name in {"data_offset", "size", "total_size", "bytes"}
    return is_moved or (path.startswith("strings[") and name in {"length", "end"})


def is_structure(case: FieldCase) -> bool:
    """Whether what else is read depends on the field, so that only its bytes are compared."""
    name = case.bits.name if case.bits else case.field.name
    return name in STRUCTURE.get(case.table, ())


def applies(case: FieldCase, change: SetField, draft: Draft) -> bool:
    """Whether a change is made; a value of the type may be refused if nothing could be read after it."""
    try:
        change.apply(draft)
    except EditError as error:
        is_text_line = case.kind in LINES and "read" in str(error)
        if "nothing could be read" in str(error) or is_text_line or is_structure(case):
            return False
        raise
    return True


def check_bytes(payload: Payload, part: Part, row: int | None, case: FieldCase, draft: Draft) -> None:
    """Only bytes of the field have changed, the parts tile the payload, and it can be undone."""
    assert splice.applied(bytes(draft.data), splice.reverse(draft.splices)) == payload.data
    assert list(gaps(draft.parts)) == []
    assert encode(draft.parts) == draft.data
    if case.kind in LINES or (case.table in COUNTED and case.name == "text"):
        return
    start, size = part.span(row, case.field.name)
    assert all(start <= it.offset and it.end <= start + size for it in draft.splices)


STRUCTURE: Final = {
    "container": {"magic", "reserved", "version", "entry_count", "total_size", "xor_seed"},
    "trailer": {"magic", "overlay"},
    "directory": {"type_id", "size", "data_offset", "packed_size"},
    "strings[]": {"length"},
    "header": {
        "magic", "width", "height", "mip_count", "pixel_format",
        "phase_count", "block_count", "command_count", "count", "section_count",
    },
    "page_header": {"magic", "page_count"},
    "blend_header": {"magic"},
    "blocks[].header": {"key_count"},
    "material_count": {"count"},
    "lightmap_count": {"count"},
    "heading": {"word"},
    "commands[]": {"word", "opcode"},
    "counts": {"states", "contacts", "channels", "components"},
    "components[].component": {"channel_count"},
    "components[].label": {"length"},
    "inner[].header": {"count"},
    "outer[].header": {"count"},
    "inner_count": {"count"},
    "outer_count": {"count"},
    "sections[].section": {"mark", "keyframe_count"},
    "sections[].keyframes[].keyframe": {"version"},
    "sections[].keyframes[].names[]": {"length"},
    "sections[].keyframes[].effects[]": {"length"},
    "sections[].keyframes[].effect_count": {"count"},
    "areals[].areal": {"vertex_count", "unknown_0x34"},
    "grid": {"columns", "rows"},
    "texture.header": {"magic", "width", "height", "mip_count", "pixel_format"},
    "texture.page_header": {"magic", "page_count"},
    "cells": {"word"},
}  # fmt: skip
"""Fields by table on which depends where other fields lie, or whether anything can be read."""
