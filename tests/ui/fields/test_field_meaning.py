"""What stored values are said to mean."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.record import Record
from viewer.model.mesh.reading import FIELD, SEED, Reading
from viewer.ui.fields.field_meaning import meaning


def said(record: Record, name: str, value: object, reading: Reading = SEED) -> str:
    return meaning(record, record.field(name), value, reading)


def test_flags_are_named() -> None:
    assert "hull" in said(NODE, "flags", np.uint16(0x20))


def test_material_depends_on_the_reading() -> None:
    assert said(BATCH, "material", np.uint16(3), SEED) == "wear row 3"
    assert "not used" in said(BATCH, "material", np.uint16(3), FIELD)
    assert said(BATCH, "opaque4", np.uint16(0xFF02), SEED) == ""
    assert said(BATCH, "opaque4", np.uint16(0xFF02), FIELD) == "wear row 2, no lightmap"
    assert said(BATCH, "opaque4", np.uint16(0x0002), FIELD) == "wear row 2, takes the lightmap"
    assert "0x07" in said(BATCH, "opaque4", np.uint16(0x0702), FIELD)


def test_selectors_are_unpacked_and_upper_bits_shown() -> None:
    assert said(TRIANGLE, "selectors", np.uint16(0x000F)) == "none, none, edge 0"
    assert said(TRIANGLE, "selectors", np.uint16(0x004F)).endswith("upper bits 0x001")


def test_normal_is_scaled() -> None:
    assert said(TRIANGLE, "normal", np.array([0, 0, 32767], "<i2")) == "0  0  1"


@pytest.mark.parametrize(("reading", "raw"), [(SEED, [0, 0, 0, 32767]), (FIELD, [32767, 0, 0, 0])])
def test_quaternion_follows_the_reading(reading: Reading, raw: list[int]) -> None:
    assert said(KEY, "quaternion", np.array(raw, "<i2"), reading).startswith("w 1.0000  x 0.0000")


def test_plain_fields_need_no_explanation() -> None:
    assert said(NODE, "parent", np.uint16(3)) == ""
