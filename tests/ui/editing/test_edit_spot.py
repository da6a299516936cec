"""Texts of values, and values of texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import EditError
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.record import CP1251, Field, Status
from viewer.ui.editing.edit_spot import LONGEST, calculated, text_of, value_of

PARENT = NODE.field("parent")
RADIUS = SLOT.field("sphere_radius")
UNKNOWN = Field("unknown", "<f4", "Unknown.", status=Status.OPEN)
MODE = Field("mode", "<u4", "Mode.", values={0: "off", 1: "Looped"})
NAME = Field("name", "S8", "Name.", encoding=CP1251)
RAW = Field("raw", "V4", "Bytes.")


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (PARENT, "none", None),
        (PARENT, " 12 ", 12),
        (BATCH.field("flags"), "0x1F", 31),
        (RADIUS, "1/4", 0.25),
        (RADIUS, "-(2 + 3) * 0,5", -2.5),
        (RADIUS, "nan", "nan"),
        (RADIUS, "1e3", 1000.0),
        (UNKNOWN, "0x3F800000", 1.0),
        (MODE, "looped", 1),
        (MODE, "7", 7),
        (NAME, " gun ", " gun "),
        (RAW, "00 ff 00 ff", "00 ff 00 ff"),
    ],
)
def test_values(field: Field, text: str, value: object) -> None:
    assert value_of(field, text) == value


@pytest.mark.parametrize("text", ["", "12x", "1/0", "a", "2**9999", "(", "__import__", "True", "1;2", "1 +"])
def test_what_is_not_a_number_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        calculated(text)


def test_a_long_calculation_is_refused() -> None:
    with pytest.raises(EditError):
        calculated("1+" * LONGEST)


def test_texts_of_values() -> None:
    assert text_of(PARENT, np.uint16(0xFFFF)) == "none"
    assert text_of(BATCH.field("flags"), np.uint16(3)) == "0x0003"
    assert text_of(NAME, b"gun\0\xff") == "gun"
    assert text_of(RAW, b"\0\1\2\3") == "00010203"


@given(st.integers(0, 0xFFFF))
def test_the_text_of_an_integer_is_its_value(number: int) -> None:
    for field in (PARENT, BATCH.field("flags")):
        value = value_of(field, text_of(field, np.uint16(number)))
        assert (field.none if value is None else value) == number


@given(st.floats(width=32, allow_nan=False))
def test_the_text_of_a_float_is_its_value(number: float) -> None:
    for field in (RADIUS, UNKNOWN):
        assert np.float32(value_of(field, text_of(field, np.float32(number)))) == np.float32(number)
