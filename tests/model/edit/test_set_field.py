"""Fields set by name: bits, texts of any length, lists of parts; and bytes that stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from viewer.errors import EditError
from viewer.formats import mat0, objects, units, wear
from viewer.formats.archive.nres import Entry
from viewer.formats.mat0 import PHASE, PhaseRecord
from viewer.formats.msh import strings
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.neighbors.control import COUNTS, PARAMETERS
from viewer.formats.part import find
from viewer.formats.record import Bits, Record
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.row_changes import MoveRows, RemoveRows
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice, field_path, stored, stored_bits
from viewer.model.kinds.registry import by_id


def entry(attr1: int = 0, attr2: int = 0) -> Entry:
    """A directory entry with attributes."""
    return Entry(0, 0, attr1, attr2, 0, 0, b"", 0, 0)


def edited(
    kind: str, data: bytes, table: str, rows: str, field: str, value: Any, stated: Entry | None = None
) -> bytes:
    """The payload after a field is set."""
    draft = Draft(by_id(kind), data, stated)
    SetField(table, RowChoice(rows), field, value).apply(draft)
    return bytes(draft.data)


def refusal(kind: str, data: bytes, *change: Any) -> str:
    """Why a field is not set."""
    with pytest.raises(EditError) as refused:
        edited(kind, data, *change)
    return str(refused.value)


def material() -> bytes:
    blocks = (mat0.block(0, 0b10, [(0, 100), (1, 200)]), mat0.block(1, 1, [(1, 50)]))
    return mat0.build([PhaseRecord(b"A.0"), PhaseRecord(b"B.0")], blocks)


def test_bits_are_set_by_their_name() -> None:
    for table, rows in (("blocks[1].header", ""), ("blocks", "1"), ("blocks[1]", "")):
        block = mat0.decode(edited("mat0", material(), table, rows, "mode", "random")).blocks[1]
        assert (block.mode, block.mask) == (3, 1)
    both = mat0.decode(edited("mat0", material(), "blocks", "*", "mask", 5)).blocks
    assert [(block.mode, block.mask) for block in both] == [(0, 5), (1, 5)]
    assert "8 exceeds 0..7" in refusal("mat0", material(), "blocks", "0", "mode", 8)


def test_bits_are_set_in_every_chosen_word() -> None:
    words = np.array([0xABCD, 0, 0xFFFF], "<u2")
    assert stored_bits(Bits("some", 4, 4, ""), 5, words).tolist() == [0xAB5D, 0x50, 0xFF5F]


def test_what_an_old_version_does_not_store_is_refused() -> None:
    data = mat0.build([PhaseRecord()], version=0)
    change = ("header", "", "speed_factor", 2.0, entry(attr2=0))
    assert "not stored in this version" in refusal("mat0", data, *change)
    assert len(edited("mat0", data, "phases", "0", "power", 3, entry(attr2=0))) == len(data)


def test_a_text_of_a_line_takes_the_room_it_needs() -> None:
    data = wear.build([b"STEEL", b"GLASS"], [b"L.0"])
    longer = edited("wear", data, "materials", "0", "name", "ALUMINIUM")
    assert longer == data.replace(b"STEEL", b"ALUMINIUM")
    assert edited("wear", longer, "materials", "0", "name", "STEEL") == data
    assert edited("wear", data, "materials", "*", "number", 7).count(b"7 ") == 2
    assert (
        edited("wear", b"02\r\n0 A\r\n1 B\r\n", "material_count", "", "count", 2) == b"02\r\n0 A\r\n1 B\r\n"
    )


@pytest.mark.parametrize(
    ("table", "rows", "field", "value"),
    [
        ("materials", "0", "name", "TWO WORDS"),
        ("materials", "0", "name", ""),
        ("materials", "0", "gap", "x"),
        ("materials", "0", "rest", ""),
        ("materials", "0", "number", 1.5),
        ("materials", "0", "name", "日"),
        ("materials", "2", "name", "A"),
        ("material_count", "", "count", 0),
        ("lightmap_count", "", "indent", ""),
    ],
)
def test_a_text_that_is_not_read_back_is_refused(table: str, rows: str, field: str, value: Any) -> None:
    data = wear.build([b"STEEL", b"GLASS"], [b"L.0"])
    assert refusal("wear", data, table, rows, field, value).startswith(table)


def test_a_text_of_a_node_takes_the_room_it_needs() -> None:
    texts = strings.build([b"HULL", b"", b"GUN"])
    for value in ("A LONG NAME OF A NODE", "X", ""):
        after = edited("strings", texts, "strings", "0", "text", value, entry(attr1=3))
        assert after == strings.build([value.encode(), b"", b"GUN"])
    after = edited("strings", texts, "strings", "1", "text", "NEW", entry(attr1=3))
    assert after == strings.build([b"HULL", b"NEW", b"GUN"])

    assert edited("strings", texts, "strings", "0", "text", None, entry(attr1=3)) == strings.build(
        [b"", b"", b"GUN"]
    )
    draft = Draft(by_id("strings"), texts, entry(attr1=3))
    with pytest.raises(EditError, match="5 is not a text"):
        SetField("strings", RowChoice("0"), "text", 5).apply(draft)


def test_long_rows_and_values_are_cut_where_they_are_named() -> None:
    change = SetField("batches", RowChoice("1," * 30), "flags", None)
    assert change.words == f"set batches[{'1,' * 18}1...].flags to none"
    assert SetField("header", RowChoice(), "size", 5).words == "set header.size to 5"


def test_what_follows_the_nul_of_a_text_is_kept() -> None:
    data = bytearray(objects.build([(b"models.rlb", b"walker.msh")]))
    data[20:32] = b"left-over...."[:12]
    after = edited("objects", bytes(data), "references", "0", "archive", "m.rlb")
    assert after[:32] == b"m.rlb".ljust(20, b"\0") + data[20:32]
    assert edited("objects", bytes(data), "references", "0", "archive", "models.rlb") == data


def test_numbers_that_are_there_already_change_nothing() -> None:
    parameters = PARAMETERS.new()
    parameters["payload"] = np.finfo(np.float32).max
    data = bytearray(COUNTS.new().tobytes() + parameters.tobytes())
    data[20:24] = b"\1\0\xc0\x7f"
    same = edited("control", bytes(data), "parameters", "", "payload", 3.4028235e38)
    assert same == data
    assert edited("control", bytes(data), "parameters", "", "acceleration[0]", "nan") == data
    assert "exceeds" in refusal("control", bytes(data), "parameters", "", "payload", 3.5e38)


def test_nothing_is_changed_if_nothing_could_be_read_after_it() -> None:
    unit = units.HEADER.new()
    unit["magic"] = units.MAGIC
    assert "nothing could be read" in refusal("units", unit.tobytes(), "header", "", "magic", 5)


def test_the_header_of_a_payload_needs_no_table() -> None:
    after = edited("mat0", material(), "", "", "ground_surface", 4)
    root = by_id("mat0").parts(mat0.decode(after))
    header = find(root, "header")
    assert header is not None
    assert header.rows is not None
    assert header.rows["ground_surface"] == 4


def test_many_rows_change_like_each_of_them() -> None:
    rows = objects.build([(b"a.rlb", b"m%d.msh" % row) for row in range(200)])
    together = edited("objects", rows, "references", "*", "archive", "models.rlb")
    alone = rows
    for row in range(200):
        alone = edited("objects", alone, "references", str(row), "archive", "models.rlb")
    assert together == alone == objects.build([(b"models.rlb", b"m%d.msh" % row) for row in range(200)])
    draft = Draft(by_id("objects"), rows)
    SetField("references", RowChoice("*"), "archive", "b.rlb").apply(draft)
    assert [(it.before, it.after) for it in draft.splices] == [(b"a", b"b")] * 200


def test_the_name_of_a_change_is_short() -> None:
    rows = RowChoice.of(*range(1000))
    for change in (
        SetField("batches", rows, "flags", 1),
        RemoveRows("phases", rows),
        MoveRows("phases", rows),
    ):
        assert len(change.words) < 100


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
        (BATCH, "index_count", None, (), "null is not a number"),
        (BATCH, "index_count", True, (), "true is not a number"),
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
