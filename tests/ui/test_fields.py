"""Offsets as long as the last one.

Where the fields of a record lead.

The lines of the tree of parts: names, values, offsets.

What the list of users says.

Texts of values, and values of texts.

Numbers dragged sideways.

What is said of the keys around a key.
"""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import EditError
from viewer.formats import mat0, wear
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE, NONE
from viewer.formats.msh.slots import SLOT
from viewer.formats.part import find, raw
from viewer.formats.record import CP1251, Field, Status
from viewer.model.references.users import User, Users
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.field_text import offset_text
from viewer.ui.editing.editable_field import LONGEST, calculated, can_scrub, scrubbed, text_of, value_of
from viewer.ui.fields.field_view import places, places_in_bits
from viewer.ui.fields.part_rows import MOST_ROWS, PartRow, children_of, left_out, opened_at_first, roots_of
from viewer.ui.fields.user_list import summary, through_text
from viewer.ui.inspector.node_section import keys_around


def test_offsets_are_as_long_as_the_last_one() -> None:
    assert [offset_text(0x10, size) for size in (0x20, 0xFFFF, 0x12345)] == ["0010", "0010", "00010"]


def test_a_field_leads_to_the_rows_that_it_numbers() -> None:
    slots = NODE.field("slots")
    values = [[3, NONE, NONE, NONE, 7], [NONE] * 5, [NONE] * 5]
    assert [*places(slots, values, Address.parse("a.msh"))] == [
        Place(Address.parse("a.msh"), "slots", 3),
        Place(Address.parse("a.msh"), "slots", 7),
    ]
    assert [*places(NODE.field("flags"), 3, Address.parse("a.msh"))] == []


def test_bits_lead_somewhere_in_the_reading_in_which_they_mean_it() -> None:
    opaque4 = BATCH.field("opaque4")
    ((place, bits),) = places_in_bits(opaque4, 0xFF02, ("field", "wxyz"), Address.parse("a.msh"))
    assert (place, bits.name) == (Place(Address.parse("a.msh"), "wear", 2), "wear row")
    assert [*places_in_bits(opaque4, 0xFF02, ("seed", "xyzw"), Address.parse("a.msh"))] == []
    behind = BATCH.field("opaque6")
    assert [*places_in_bits(behind, 0xFFFF, ("field",), Address.parse("a.msh"))] == [], "it means none"


PAYLOAD = mat0.build([mat0.PhaseRecord(b"STEEL.0", diffuse=(1, 2, 3))] * 3, [mat0.block(1, 2, [(0, 500)])])
ROOT = mat0.parts(mat0.decode(PAYLOAD + b"\xab\xcd"))


def line(path: str, lines: list[PartRow]) -> PartRow:
    return next(it for it in lines if it.path == path)


def below(*path: str) -> list[PartRow]:
    """The lines inside a line, found step by step."""
    lines = roots_of(ROOT)
    for step in path:
        lines = children_of(line(step, lines))
    return lines


def test_the_outermost_lines_are_the_parts() -> None:
    lines = roots_of(ROOT)
    assert [(it.name, it.text) for it in lines[1:]] == [
        ("phases", "3 rows"),
        ("blocks", "1 row"),
        ("tail", "2 B  ab cd"),
    ]
    assert lines[3].status is Status.OPEN


def test_a_single_record_has_its_fields() -> None:
    fields = {it.name: it for it in below("header")}
    assert fields["block_count"].text == "1"
    assert (fields["block_count"].span, fields["block_count"].type_name) == ((2, 2), "u16")
    assert fields["speed_factor"].span == (6, 4)


def test_a_table_has_rows_and_a_row_has_fields() -> None:
    rows = below("phases")
    assert [it.name for it in rows] == ["0", "1", "2"]
    diffuse = line("phases[1].diffuse", below("phases", "phases[1]"))
    assert (diffuse.text, diffuse.span) == ("1, 2, 3", (14 + 34 + 4, 3))
    assert children_of(diffuse) == []


def test_a_row_of_a_list_has_parts_of_its_own() -> None:
    block = below("blocks")[0]
    assert (block.name, [it.path for it in children_of(block)]) == (
        "0  block",
        ["blocks[0].header", "blocks[0].keys"],
    )


def test_every_line_has_a_path_of_its_own_and_spans_nest() -> None:
    seen: set[str] = set()
    waiting = roots_of(ROOT)
    while waiting:
        it = waiting.pop()
        assert it.path not in seen
        seen.add(it.path)
        start, size = it.span
        for child in children_of(it):
            assert start <= child.span[0] <= sum(child.span) <= start + size
            waiting.append(child)


def test_short_parts_are_open_at_first() -> None:
    assert {"header", "phases", "blocks"} <= {*opened_at_first(ROOT)}


def test_of_a_long_list_the_first_rows_are_listed() -> None:
    table = wear.decode(wear.build([b"M"] * (MOST_ROWS + 5)))
    materials = find(wear.parts(table), "materials")
    assert materials is not None
    row = PartRow("materials", "materials", materials)
    assert len(children_of(row)) == MOST_ROWS
    assert left_out(row) == 5


def test_bytes_are_previewed() -> None:
    long = raw("x", bytes(40), 0, "Unknown.")
    assert PartRow("x", "x", long).text.endswith("00 …")


USER = User(Place(Address.parse("a.lib::M"), "phases", 0, "texture"), "mat0")


@pytest.mark.parametrize(
    ("users", "words"),
    [
        (Users((), 1), "Nothing refers to it; 1 file searched."),
        (Users((USER,), 20), "1 reference; 20 files searched"),
        (Users((USER, USER), 20), "2 references; 20 files searched"),
    ],
)
def test_the_summary_counts_users_and_files(users: Users, words: str) -> None:
    assert summary(users) == words


@pytest.mark.parametrize(
    ("through", "words"),
    [("", ""), ("/game/static.rlb::tree.wea", "tree.wea (static.rlb)"), ("/game/Land1.wea", "Land1.wea")],
)
def test_a_detour_is_named_with_its_file(through: str, words: str) -> None:
    assert through_text(User(USER.place, USER.kind, Address.parse(through) if through else None)) == words


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


COUNT, RADIUS_FIELD = BATCH.field("index_count"), SLOT.field("sphere_radius")


@pytest.mark.parametrize(
    ("start", "pixels", "after"), [(1.5, 10, 1.6), (250.0, -3, 247.0), (0.0, 5, 0.005), (-20.0, 1, -19.9)]
)
def test_a_float_changes_in_its_third_digit(start: float, pixels: float, after: float) -> None:
    assert scrubbed(RADIUS_FIELD, start, pixels) == pytest.approx(after)


def test_an_integer_needs_some_pixels() -> None:
    assert scrubbed(COUNT, 7, 1) == 7
    assert scrubbed(COUNT, 7, 10) == 9
    assert scrubbed(COUNT, 20_000, 1) == 20_080


@given(st.integers(0, 0xFFFF), st.floats(-1e6, 1e6))
def test_integers_stay_in_their_type(start: int, pixels: float) -> None:
    assert 0 <= scrubbed(COUNT, start, pixels) <= 0xFFFF


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.floats(-1e6, 1e6))
def test_floats_stay_finite(start: float, pixels: float) -> None:
    assert np.isfinite(np.float32(scrubbed(RADIUS_FIELD, start, pixels)))


def test_only_quantities_are_dragged() -> None:
    assert can_scrub(RADIUS_FIELD, 1.0)
    assert not can_scrub(RADIUS_FIELD, inf)
    assert not can_scrub(NODE.field("parent"), 3), "the row of a table"
    assert not can_scrub(BATCH.field("flags"), 3)


def test_a_neighboring_key_is_named_with_its_distance_in_frames() -> None:
    times = np.array([0, 4, 10.5], "<f4")
    assert keys_around(times, 1, 2) == "2  +6.5"
    assert keys_around(times, 1, 0) == "0  -4"
    assert keys_around(times, 0, 0) == "0  +0"
