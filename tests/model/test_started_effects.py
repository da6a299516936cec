"""The effects that a controller starts, read after its channels: components, group numbers, groups."""

from __future__ import annotations

import struct

import pytest
from msgspec.structs import replace

from tests.model.controllers import build
from viewer.formats.neighbors import control
from viewer.formats.neighbors.control import Control
from viewer.model.clips.started_effects import StartedEffect, started_effects, when


def component(group: int, numbers: int = 0, letters: bytes = b"") -> bytes:
    head = bytearray(0xB0)
    struct.pack_into("<i", head, 0x0C, group)
    struct.pack_into("<i", head, 0xAC, numbers)
    text = struct.pack("<i", len(letters)) + (letters + b"\0" if letters else b"")
    return bytes(head) + bytes(4 * numbers) + text


def record(action: int, values: tuple[int, ...] = (0, 0, 0, 0), name: bytes = b"smoke") -> bytes:
    return struct.pack("<3I6i32s32s", 0, 0, 0, action, *values, 0, b"effects.rlb", name)


def groups(*found: list[bytes], numbers: dict[int, int]) -> bytes:
    words = [numbers.get(slot, 0xFF) for slot in range(21)]
    return struct.pack("<21i", *words) + b"".join(struct.pack("<i", len(it)) + b"".join(it) for it in found)


def controller(rest: bytes, components: int, group_count: int) -> Control:
    made = build()
    counts = made.counts.copy()
    counts["components"], counts["groups"] = components, group_count
    return control.decode(control.encode(replace(made, counts=counts, rest=rest)))


EXAMPLE = (
    component(2, 3, b"gun")
    + component(0xFF)
    + groups(
        [record(4, (5, 5, 5, 1)), record(10, (1, 1, 0, 0), b"")],
        [record(3, (7, 0, 0, 2)), record(5, (0, 0, 0, 3), b"dome"), record(18)],
        [record(27, (4, 0, 0, 0), b"gun_exp")],
        numbers={0: 0, 6: 1, 12: 1},
    )
)


def test_effects_are_listed_with_when_and_where() -> None:
    found = started_effects(controller(EXAMPLE, 2, 3))
    assert [(it.group, it.row, it.action, it.where, it.name) for it in found] == [
        (0, 0, 4, (5,), b"smoke"), (1, 0, 3, (7,), b"smoke"), (1, 1, 5, (), b"dome"),
        (2, 0, 27, (4,), b"gun_exp"),
    ]  # fmt: skip
    assert [when(it) for it in found] == ["load", "critical, ground gr", "critical, ground gr", "component 0"]
    assert {it.archive for it in found} == {b"effects.rlb"}


def test_three_control_points_are_a_frame() -> None:
    (found,) = started_effects(controller(groups([record(4, (1, 2, 3, 9))], numbers={}), 0, 1))
    assert (found.where, when(found)) == ((1, 2, 3), "group 0")


@pytest.mark.parametrize("length", range(0, len(EXAMPLE), 37))
def test_what_is_cut_is_read_as_far_as_it_goes(length: int) -> None:
    found = started_effects(controller(EXAMPLE[:length], 2, 3))
    assert list(found) == list(started_effects(controller(EXAMPLE, 2, 3)))[: len(found)]


@pytest.mark.parametrize("count", [-1, 1 << 30])
def test_counts_that_do_not_fit_end_the_reading(count: int) -> None:
    rest = groups([], numbers={})[:84] + struct.pack("<i", count) + record(3)
    assert started_effects(controller(rest, 0, 1)) == ()


def test_a_component_with_a_wrong_count_hides_the_groups() -> None:
    broken = bytearray(component(0))
    struct.pack_into("<i", broken, 0xAC, -5)
    assert started_effects(controller(bytes(broken) + groups([record(3)], numbers={}), 1, 1)) == ()
    assert isinstance(StartedEffect(0, 0, (), (), 3, (1, 0, 0, 0), b"", b"x").where, tuple)
