"""Res1: the worked example and the slot matrix."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_HINTS, FLAG_INTERNAL, LEGACY_SIZE, NODE

EXAMPLE = bytes.fromhex("4000 0000 FFFF 0100 0000FFFFFFFFFFFFFFFF 0100FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFFFFFF")


def test_the_worked_example() -> None:
    row = NODE.row(NODE.read(EXAMPLE))
    nothing = [None] * 4
    assert row == {
        "flags": 0x40,
        "parent": 0,
        "map_start": None,
        "fallback_key": 1,
        "slots": [[0, *nothing], [1, *nothing], [None, *nothing]],
    }


def test_a_slot_lies_where_the_engine_looks_it_up() -> None:
    words = np.arange(57, dtype="<u2")
    rows = NODE.view(words.tobytes())
    for node in range(3):
        for lod in range(3):
            for group in range(5):
                assert rows["slots"][node, lod, group] == node * 19 + 4 + lod * 5 + group


@pytest.mark.parametrize(
    ("name", "offset"), [("flags", 0), ("parent", 2), ("map_start", 4), ("fallback_key", 6), ("slots", 8)]
)
def test_fields_lie_where_the_spec_puts_them(name: str, offset: int) -> None:
    assert NODE.field(name).offset == offset


def test_every_flag_in_use_has_a_hint() -> None:
    assert {FLAG_COCKPIT, FLAG_INTERNAL} <= FLAG_HINTS.keys()
    assert NODE.size > LEGACY_SIZE
