"""The fields that a row's summary begins with."""

from __future__ import annotations

import struct

import numpy as np

from viewer.formats import fxid, mat0, wear
from viewer.formats.msh.keys import KEY
from viewer.formats.objects import REFERENCE
from viewer.formats.part import find
from viewer.formats.record import Field, Record
from viewer.model.kinds.summary import MOST_COMPARED, order_of_one, order_of_parts, order_of_rows

ROW = Record(
    "rows",
    16,
    Field("kind", "<u4", "The same in all rows."),
    Field("size", "<u4", "Another in each."),
    Field("time", "<u2", "Another in each.", unit="ms"),
    Field("always", "<u2", "The same, a time.", unit="ms"),
    Field("name", "S4", "Another in each.", encoding="cp1251"),
)


def names(order: tuple[Field, ...]) -> list[str]:
    return [field.name for field in order]


def test_what_varies_comes_first_and_of_that_names_and_times() -> None:
    rows = ROW.new(3)
    rows["size"] = rows["time"] = 1, 2, 3
    rows["name"] = b"a", b"b", b"c"
    assert names(order_of_rows(ROW, rows)) == ["name", "time", "size", "always", "kind"]


def test_a_name_that_is_the_same_in_all_rows_comes_after_a_number_that_varies() -> None:
    rows = ROW.new(3)
    rows["size"] = 1, 2, 3
    assert names(order_of_rows(ROW, rows))[0] == "size"


def test_a_single_record_begins_with_its_name() -> None:
    assert names(order_of_one(ROW)) == ["name", "time", "always", "kind", "size"]


def test_a_key_of_a_node_begins_with_its_time() -> None:
    keys = KEY.new(2)
    keys["time"] = 0, 20
    assert names(order_of_rows(KEY, keys))[0] == "time"


def test_a_key_of_a_material_begins_with_its_time() -> None:
    keys = mat0.block(0, 0, [(1, 100), (2, 200)]).keys
    assert names(order_of_rows(mat0.KEY, keys))[:2] == ["time", "phase"]


def test_a_reference_begins_with_the_name_that_tells_it_apart() -> None:
    rows = REFERENCE.new(2)
    rows["archive"] = b"static.rlb"
    rows["resource"] = b"a.msh", b"a.wea"
    assert names(order_of_rows(REFERENCE, rows)) == ["resource", "archive"]


def test_rows_of_different_lengths_are_compared_too() -> None:
    materials = find(wear.parts(wear.decode(wear.build([b"STEEL", b"PAINT.0"]))), "materials")
    assert materials is not None
    assert names(order_of_parts(materials.children)["materials"])[0] == "name"


def test_commands_are_compared_with_those_of_their_kind() -> None:
    sounds = [struct.pack("<I80x32s32s", 2, b"sounds.lib", name) for name in (b"a.wav", b"b.wav")]
    effect = fxid.decode(struct.pack("<I56x", 3) + b"".join(sounds) + struct.pack("<I", 6))
    commands = find(fxid.parts(effect), "commands")
    assert commands is not None
    orders = order_of_parts(commands.children)
    assert {name: names(order)[0] for name, order in orders.items()} == {"sound": "resource", "point": "word"}


def test_not_a_number_is_one_value() -> None:
    record = Record("r", 8, Field("x", "<f4", "The same."), Field("y", "<f4", "Another."))
    rows = record.new(2)
    rows["x"] = np.nan
    rows["y"] = 1, 2
    assert names(order_of_rows(record, rows)) == ["y", "x"]


def test_of_a_long_table_only_the_first_rows_are_compared() -> None:
    rows = ROW.new(MOST_COMPARED + 1)
    rows["size"][-1] = 1
    assert names(order_of_rows(ROW, rows))[0] == "name"
