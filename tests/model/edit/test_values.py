"""Values of fields: what is stored, and what is refused with the limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from viewer.errors import EditError
from viewer.formats.mat0 import PHASE
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.record import Record
from viewer.model.edit.values import field_path, stored


def put(record: Record, name: str, value: Any, *element: int) -> Any:
    """The value of a field of an empty record after one is set."""
    field = record.field(name)
    return stored(field, value, np.asarray(record.new()[0][name]), element)


def test_numbers_are_stored_as_they_are_given() -> None:
    assert put(BATCH, "index_count", 65535) == 65535
    assert put(NODE, "parent", None) == 0xFFFF
    assert put(SLOT, "aabb_min", (1, 2.5, "-inf")).tolist() == [1.0, 2.5, -np.inf]
    assert np.isnan(put(SLOT, "sphere_radius", "nan"))
    assert put(PHASE, "page", "whole texture") == -1


def test_an_element_leaves_the_others() -> None:
    matrix = put(NODE, "slots", 7, 2, 4)
    assert matrix[2, 4] == 7
    assert np.count_nonzero(matrix) == 1
    assert put(NODE, "slots", (1, 2, 3, 4, None), 0)[0].tolist() == [1, 2, 3, 4, 0xFFFF]


def test_a_text_ends_with_nuls() -> None:
    assert put(PHASE, "texture", "СТАЛЬ").tobytes() == "СТАЛЬ".encode("cp1251").ljust(16, b"\0")


@pytest.mark.parametrize(
    ("record", "name", "value", "element", "words"),
    [
        (BATCH, "index_count", 65536, (), "65536 exceeds 0..65535"),
        (BATCH, "index_count", -1, (), "-1 exceeds 0..65535"),
        (BATCH, "index_count", None, (), "None is not a number"),
        (BATCH, "index_count", True, (), "True is not a number"),
        (BATCH, "index_count", 1.5, (), "1.5 is not a whole number"),
        (PHASE, "page", 128, (), "128 exceeds -128..127"),
        (SLOT, "sphere_radius", 1e39, (), "1e+39 exceeds"),
        (SLOT, "aabb_min", (1, 2), (), "3 values are needed"),
        (SLOT, "aabb_min", 1, (), "3 values are needed"),
        (SLOT, "aabb_min", 1, (3,), "no element"),
        (NODE, "slots", ((1, 2), (3,)), (), "different lengths"),
        (PHASE, "texture", "x" * 17, (), "17 bytes, at most"),
        (PHASE, "texture", "日", (), "is not in CP1251"),
        (PHASE, "texture", 5, (), "is not a text"),
        (PHASE, "texture", "a\0b", (), "has a NUL"),
    ],
)
def test_what_a_field_cannot_hold_is_refused(
    record: Record, name: str, value: Any, element: tuple[int, ...], words: str
) -> None:
    with pytest.raises(EditError) as refused:
        put(record, name, value, *element)
    assert words in str(refused.value)


def test_a_path_is_a_field_and_an_element() -> None:
    assert field_path("slots[0][12]") == ("slots", (0, 12))
    assert field_path("flags") == ("flags", ())
    for text in ("", "a[", "a[x]", "[1]", "a[-1]"):
        with pytest.raises(EditError):
            field_path(text)
