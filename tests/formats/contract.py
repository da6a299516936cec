"""What holds for every format: its parts tile the payload, and its encoder builds the bytes from the fields.

A decoder must hand out its records as the very arrays that its parts show, so that a changed copy can take
the place of one of them; an encoder that returns the bytes it was given is found out that way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from viewer.formats.part import Part, encode, gaps, leaves


def check_tree(payload: bytes, root: Part) -> None:
    """The spans tile the payload, and the records in them are its bytes."""
    assert (root.start, root.size) == (0, len(payload))
    assert list(gaps(root)) == []
    assert encode(root) == payload
    for leaf in leaves(root):
        stored = leaf.data if leaf.rows is None else leaf.rows.tobytes()[: leaf.size]
        assert bytes(stored) == payload[leaf.start : leaf.end], leaf.name


def check_field_change(
    value: Any, encode_value: Callable[[Any], bytes], root: Part, data: st.DataObject
) -> None:
    """Changing one field of one record changes the bytes of that field and no other."""
    tables = [leaf for leaf in leaves(root) if leaf.rows is not None and leaf.size]
    if not tables:
        return
    leaf = data.draw(st.sampled_from(tables), label="part")
    assert leaf.record is not None
    row = data.draw(st.integers(0, leaf.count - 1), label="row")
    field = data.draw(st.sampled_from(leaf.record.fields), label="field")
    start, size = leaf.span(row if leaf.is_table else None, field.name)
    size = max(0, min(size, leaf.end - start))
    new = data.draw(st.binary(min_size=size, max_size=size), label="bytes")
    before = encode_value(value)
    after = encode_value(substituted(value, leaf.rows, _patched(leaf, start - leaf.start, new)))
    assert after == before[:start] + new + before[start + size :], (leaf.name, row, field.name)


def _patched(leaf: Part, offset: int, new: bytes) -> Any:
    """A copy of the records of a part with other bytes at an offset."""
    assert leaf.record is not None
    assert leaf.rows is not None
    stored = bytearray(leaf.rows.tobytes())
    stored[offset : offset + len(new)] = new
    rows = np.frombuffer(bytes(stored), leaf.record.dtype)
    return rows if leaf.is_table else rows[0]


def substituted(value: Any, old: Any, new: Any) -> Any:
    """A value with `new` in the place of the very object `old`, wherever that is inside."""
    if value is old:
        return new
    if isinstance(value, tuple):
        return tuple(substituted(item, old, new) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {it.name: substituted(getattr(value, it.name), old, new) for it in fields(value) if it.init}
        kept = all(changed[name] is getattr(value, name) for name in changed)
        return value if kept else replace(value, **changed)
    return value
