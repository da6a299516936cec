"""What stored values are said to mean, by the declaration of their field alone."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.mat0 import BLOCK, HEADER, PHASE
from viewer.formats.meaning import meaning
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.record import Record

SEED, FIELD = ("seed", "xyzw"), ("field", "wxyz")


def said(record: Record, name: str, value: object, choices: tuple[str, ...] = SEED) -> str:
    return meaning(record.field(name), value, choices)


def test_flags_are_named_and_unknown_ones_counted() -> None:
    assert said(NODE, "flags", np.uint16(0x8040)) == "casts no shadow, unknown 0x8000"


def test_material_depends_on_the_reading() -> None:
    assert said(BATCH, "material", np.uint16(3), SEED) == ""
    assert "not used" in said(BATCH, "material", np.uint16(3), FIELD)
    assert "wear row" not in said(BATCH, "opaque4", np.uint16(0xFF02), SEED)
    assert said(BATCH, "opaque4", np.uint16(0xFF02), FIELD) == "wear row 2, lightmap not taken"
    assert said(BATCH, "opaque4", np.uint16(0x0002), FIELD) == "wear row 2, lightmap taken"
    assert said(BATCH, "opaque4", np.uint16(0x0702), FIELD) == "wear row 2, lightmap 7"


def test_selectors_are_unpacked_and_upper_bits_shown() -> None:
    assert said(TRIANGLE, "selectors", np.uint16(0x000F)) == "edge 0 none, edge 1 none, edge 2 0"
    assert said(TRIANGLE, "selectors", np.uint16(0x004F)).endswith("unnamed bits 0x40")


def test_normal_is_scaled() -> None:
    assert said(TRIANGLE, "normal", np.array([0, 0, 32767], "<i2")) == "0  0  1"


@pytest.mark.parametrize(("choices", "raw"), [(SEED, [0, 0, 0, 32767]), (FIELD, [32767, 0, 0, 0])])
def test_quaternion_follows_the_reading(choices: tuple[str, ...], raw: list[int]) -> None:
    assert "w 1" in said(KEY, "quaternion", np.array(raw, "<i2"), choices)


def test_words_are_read_as_floats() -> None:
    words = np.array([0x40000000, 0x3F800000, 0, 0, 0], "<u4")
    assert said(SLOT, "opaque", words) == "area 2 square units, volume 1 cubic units"


def test_enumerations_and_fractions() -> None:
    assert said(HEADER, "ground_surface", np.uint8(255)) == "not set"
    assert said(HEADER, "ground_surface", np.uint8(9)) == ""
    assert said(PHASE, "ambient_alpha", np.uint8(50)) == "0.5"
    assert said(PHASE, "diffuse_alpha", np.uint8(255)) == "1"
    assert said(BLOCK, "header", np.uint32(2 << 3 | 1)) == "mode ping-pong, mask 2"


def test_plain_fields_need_no_explanation() -> None:
    assert said(NODE, "parent", np.uint16(3)) == ""
