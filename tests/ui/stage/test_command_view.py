"""The lines of an effect's commands."""

from __future__ import annotations

import struct

import pytest

from viewer.formats import fxid
from viewer.formats.fxid import COMMAND_KINDS
from viewer.model.kinds.columns import order_of_parts
from viewer.ui.stage.command_view import header_text, is_command_enabled, numbers_text, time_text


def test_the_header_is_one_line() -> None:
    effect = fxid.decode(struct.pack("<IIffI40x", 1, 1, 2.5, 0, 0x208) + struct.pack("<I", 0x106))
    assert header_text(effect) == (
        "1 command  ·  2.5 s  ·  time: normalised age  ·  "
        "flags: random position shift, multiply by normalised age"
    )


@pytest.mark.parametrize(
    ("opcode", "fields"),
    [
        (1, ("start", "end")),
        (3, ("active_start", "active_end")),
        (5, ("active_start", "active_end_max")),
        (8, ("window_start", "window_end")),
    ],
)
def test_a_command_is_active_between_two_times(opcode: int, fields: tuple[str, str]) -> None:
    kind = COMMAND_KINDS[opcode]
    row = kind.record.new()[0]
    row[fields[0]], row[fields[1]] = 0.25, 1234.5678
    assert time_text(kind, row) == "0.25 to 1235"


@pytest.mark.parametrize(("word", "is_enabled"), [(0x103, True), (0x003, False), (0xFFFF0203, False)])
def test_a_bit_of_the_word_enables_a_command(word: int, is_enabled: bool) -> None:
    row = COMMAND_KINDS[3].record.new()[0]
    row["word"] = word
    assert is_command_enabled(row) == is_enabled


def test_a_point_has_no_time() -> None:
    kind = COMMAND_KINDS[6]
    assert time_text(kind, kind.record.new()[0]) == ""


def test_the_main_numbers_are_those_that_tell_commands_of_a_kind_apart() -> None:
    rows = COMMAND_KINDS[3].record.new(2)
    rows["word"], rows["out_max"] = 3, (0.5, 1 / 3)
    effect = fxid.decode(struct.pack("<I56x", 2) + rows.tobytes())
    orders = order_of_parts(fxid.parts(effect).children[1].children)
    assert numbers_text(COMMAND_KINDS[3], orders, rows[1]).startswith("out_max 0.3333   ")
