"""What holds for every format: parts tile the payload, encoders build it, findings lead into the parts.

A decoder must hand out its records as the very arrays that its parts show, or as rows of such an array, so
that a changed copy can take the place of one of them; an encoder that returns the bytes it was given is found
out that way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from operator import is_
from typing import Any

import numpy as np
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import asdict, replace

from viewer.diagnostics import Diagnostic
from viewer.formats.part import Part, encode, find, gaps, leaves
from viewer.model.kinds import json_text


def plain(value: object) -> Any:
    """A value as programs read it: of the JSON that ``inspect`` prints."""
    return json.loads(json_text.encode(value))


def check_payload(payload: bytes, encoded: bytes, root: Part, diagnostics: Iterable[Diagnostic]) -> None:
    """Everything that holds for a payload that decodes, damaged ones included."""
    assert encoded == payload
    check_tree(payload, root)
    check_places(root, diagnostics)


def check_places(root: Part, diagnostics: Iterable[Diagnostic]) -> None:
    """Every finding names a part, a row of it or the one that is cut after its last, and a field of that."""
    for finding in diagnostics:
        part = find(root, finding.table)
        assert part is not None, finding.where
        if finding.index is not None:
            assert part.is_table, finding.where
            assert finding.index <= part.count, finding.where
        if finding.field is not None:
            assert part.span(finding.index, finding.field), finding.where


def check_tree(payload: bytes, root: Part) -> None:
    """The spans tile the payload, and the records in them are its bytes."""
    assert (root.start, root.size) == (0, len(payload))
    assert list(gaps(root)) == []
    assert encode(root) == payload
    for leaf in leaves(root):
        assert bytes(leaf.stored) == payload[leaf.start : leaf.end], leaf.name


def check_field_change(
    value: Any,
    encode_value: Callable[[Any], bytes],
    root: Part,
    data: st.DataObject,
    without: Collection[str] = (),
) -> None:
    """Changing one field of one record, but for those `without`, changes its bytes and no other."""
    tables = [leaf for leaf in leaves(root) if leaf.rows is not None and leaf.size]
    if not tables:
        return
    leaf = data.draw(st.sampled_from(tables), label="part")
    assert leaf.record is not None
    row = data.draw(st.integers(0, leaf.count - 1), label="row")
    fields_of_it = [field for field in leaf.record.fields if field.name not in without]
    field = data.draw(st.sampled_from(fields_of_it), label="field")
    start, size = leaf.span(row if leaf.is_table else None, field.name)
    size = max(0, min(size, leaf.end - start))
    new = data.draw(st.binary(min_size=size, max_size=size), label="bytes")
    before = encode_value(value)
    after = encode_value(_with_bytes(value, leaf, start - leaf.start, new))
    if leaf.transform is not None:
        assert leaf.rows is not None
        changed = replace(leaf, rows=_patched(leaf.rows, start - leaf.start, new))
        new = bytes(changed.stored)[start - leaf.start :][:size]
    assert after == before[:start] + new + before[start + size :], (leaf.name, row, field.name)


def _with_bytes(value: Any, leaf: Part, offset: int, new: bytes) -> Any:
    """A value with other bytes at an offset of a part: in its records, or in the table that has its row."""
    assert leaf.rows is not None
    changed = substituted(value, leaf.rows, _patched(leaf.rows, offset, new))
    if changed is value and leaf.rows.base is not None:
        table = leaf.rows.base
        inside = _address(leaf.rows) - _address(table)
        changed = substituted(value, table, _patched(table, inside + offset, new))
    assert changed is not value, f"{leaf.name} shows records that the value does not hold"
    return changed


def _patched(rows: Any, offset: int, new: bytes) -> Any:
    """A copy of records, or of the bytes that they are a view of, with other bytes at an offset."""
    stored = bytearray(rows.tobytes())
    stored[offset : offset + len(new)] = new
    if isinstance(rows, memoryview):
        return memoryview(bytes(stored))
    changed = np.frombuffer(bytes(stored), rows.dtype)
    return changed if isinstance(rows, np.ndarray) else changed[0]


def _address(rows: Any) -> int:
    array = np.frombuffer(rows, np.uint8) if isinstance(rows, memoryview) else rows
    address: int = array.__array_interface__["data"][0]
    return address


def _is_same_memory(a: Any, b: Any) -> bool:
    """Whether two views show the same bytes; an array keeps a view of its own on what it was made from."""
    are_views = isinstance(a, memoryview) and isinstance(b, memoryview)
    return are_views and a.nbytes == b.nbytes > 0 and _address(a) == _address(b)


def substituted(value: Any, old: Any, new: Any) -> Any:
    """A value with `new` in the place of the very object `old`, wherever that is inside."""
    if value is old or _is_same_memory(value, old):
        return new
    if isinstance(value, tuple):
        items = tuple(substituted(item, old, new) for item in value)
        return value if all(map(is_, items, value)) else items
    if isinstance(value, Struct):
        changed = {name: substituted(it, old, new) for name, it in asdict(value).items()}
        kept = all(changed[name] is getattr(value, name) for name in changed)
        return value if kept else replace(value, **changed)
    return value
