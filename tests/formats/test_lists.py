"""The wear table: rows by position, the lightmap section, damage, and a lossless round trip.

Object references: the worked example, damage, and the registry of the corpora.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload, check_places, check_tree
from tests.formats.payloads import payloads
from tests.messages import rules
from viewer.errors import FormatError
from viewer.formats import objects, wear
from viewer.formats.archive.nres import Archive
from viewer.formats.part import Part, walk
from viewer.formats.text import decode

EXAMPLE = b"2\r\n0 MAT_A\r\n7 MAT_B\r\n\r\nLIGHTMAPS\r\n1\r\n0 LM.0\r\n"


def test_the_worked_example() -> None:
    table = wear.decode(EXAMPLE)
    assert [(row.number, row.name) for row in table.materials] == [(0, b"MAT_A"), (7, b"MAT_B")]
    assert [row.name for row in table.lightmaps] == [b"LM.0"]
    assert table.diagnostics == ()


def test_the_parts_of_a_table() -> None:
    root = wear.parts(wear.decode(b" 2 two\n0 A\n\t7  B! \r\n\nLIGHTMAPS\n1\n0 L.0"))
    lines = [(path, stored(leaf)) for path, leaf in walk(root) if leaf.is_leaf]
    assert lines == [
        ("material_count", {"indent": b" ", "count": b"2", "rest": b" two\n"}),
        ("materials[0]", {"number": b"0", "gap": b" ", "name": b"A", "rest": b"\n"}),
        ("materials[1]", {"indent": b"\t", "number": b"7", "gap": b"  ", "name": b"B!", "rest": b" \r\n"}),
        ("separator", b"\n"),
        ("heading", {"word": b"LIGHTMAPS"}),
        ("lightmap_count", {"indent": b"\n", "count": b"1", "rest": b"\n"}),
        ("lightmaps[0]", {"number": b"0", "gap": b" ", "name": b"L.0"}),
    ]


def stored(leaf: Part) -> bytes | dict[str, bytes]:
    if leaf.record is None or leaf.rows is None:
        return bytes(leaf.data)
    return {field.name: leaf.rows[field.name].tobytes() for field in leaf.record.fields}


def test_a_name_says_what_it_names() -> None:
    table = wear.decode(EXAMPLE)
    rows = table.materials[0], table.lightmaps[0]
    assert [row.record.field("name").names for row in rows] == ["mat0", "lightmap"]


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    table = wear.decode(EXAMPLE + b"rest")
    check_field_change(table, wear.encode, wear.parts(table), data)


def test_every_table_that_there_is_is_built_from_its_fields() -> None:
    found = payloads("wear")
    assert len(found) > 5
    for it in found:
        with suppress(FormatError):
            table = wear.decode(it.data)
            check_payload(bytes(it.data), wear.encode(table), wear.parts(table), table.diagnostics)


def test_what_is_built_is_read_back() -> None:
    data = wear.build([b"A", b"B"], [b"LM.0"])
    assert data == b"2\r\n0 A\r\n1 B\r\n\r\nLIGHTMAPS\r\n1\r\n0 LM.0\r\n"
    assert wear.decode(data).diagnostics == ()


@pytest.mark.parametrize("names", [[], [b""], [b"TWO WORDS"]])
def test_names_that_would_not_be_read_back_are_refused(names: list[bytes]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        wear.build(names)


@pytest.mark.parametrize(
    ("field", "text"),
    [("number", b"x"), ("number", b""), ("gap", b""), ("name", b""), ("name", b"A B"), ("rest", b"")],
)
def test_a_text_that_would_not_be_read_back_is_not_written(field: str, text: bytes) -> None:
    line = wear.decode(EXAMPLE).materials[0]
    assert wear.with_text(line, "name", b"GLASS") == b"0 GLASS\r\n"
    with pytest.raises(ValueError, match=f"would not be read back as the {field} of a line"):
        wear.with_text(line, field, text)


@pytest.mark.parametrize("text", [b"", b"0\r\n", b"-1\n0 A\n", b"two\n", b"2A\n0 A\n"])
def test_an_illegal_number_of_rows_is_an_error(text: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        wear.decode(text)
    assert caught.value.where == "material_count.count"


@pytest.mark.parametrize("text", [b"3\n0 A\n1 B\n", b"3\n0 A\n1 B\n2\n", b"3\n0 A\n1 B\nC 2\n"])
def test_rows_before_a_broken_one_are_kept(text: bytes) -> None:
    table = wear.decode(text)
    assert [row.name for row in table.materials] == [b"A", b"B"]
    assert (table.diagnostics[0].rule, table.diagnostics[0].index) == ("W03", 2)


def test_a_row_count_beyond_any_selector_is_reported() -> None:
    table = wear.decode(b"2000000000\n0 A\n")
    assert len(table.materials) == 1
    assert rules(table) == ["W02", "W03"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (b"1\n0 A\nLIGHTMAPS\n1\n0 L.0\n", "W05"),
        (b"1\n0 A\n\nlightmaps\n1\n0 L.0\n", "W05"),
        (b"1\n0 A\n\nLIGHTMAPS\n1\n0 LONGER_THAN_SIXTEEN.0\n", "W08"),
        (b"1\n0 A\n1 B\n\nLIGHTMAPS\n1\n0 L.0\n", "W09"),
        (b"1\n0 A\n\nLIGHTMAPS\n1\n0 L.0\nmore", "W09"),
    ],
)
def test_one_warning_for_each_irregularity(text: bytes, rule: str) -> None:
    table = wear.decode(text)
    assert rule in rules(table)
    assert len(table.lightmaps) == 1


def test_a_dot_that_comes_too_late_is_not_called_missing() -> None:
    names = [b"LONGER_THAN_SIXTEEN.0", b"NONE", b"DOT_AT_SEVENTEEN.0", b"DOT_AT_SIXTEEN_.0"]
    table = wear.decode(b"1\n0 A\n\nLIGHTMAPS\n4\n" + b"".join(b"0 %s\n" % name for name in names))
    late, missing, next_to = (it.message for it in table.diagnostics if it.rule == "W08")
    assert late == "LONGER_THAN_SIXTEEN.0 has its first dot as character 20, the game looks at the first 16"
    assert missing == "NONE has no dot"
    assert next_to == "DOT_AT_SEVENTEEN.0 has its first dot as character 17, the game looks at the first 16"


def test_the_name_of_a_texture_may_have_its_dot_one_character_later() -> None:
    assert wear.has_dot(b"DOT_AT_SEVENTEEN.0", wear.TEXTURE_DOT)
    assert not wear.has_dot(b"DOT_AT_EIGHTEEN__.0", wear.TEXTURE_DOT)


@pytest.mark.parametrize(
    ("count", "where"),
    [(b"0", "lightmap_count.count"), (b"-3", "lightmap_count.count"), (b"none", "heading"), (b"", "heading")],
)
def test_an_illegal_lightmap_section_leaves_the_materials(count: bytes, where: str) -> None:
    table = wear.decode(b"1\n0 A\n\nLIGHTMAPS\n" + count)
    assert rules(table) == ["W04"]
    assert table.diagnostics[0].where == where
    assert len(table.materials) == 1
    assert table.lightmaps == ()


@given(
    st.lists(st.sampled_from([b"1", b"2", b" ", b"\n", b"\r\n", b"A", b"LIGHTMAPS", b".", b"\0"])).map(
        b"".join
    )
)
def test_any_text_is_read_or_refused(text: bytes) -> None:
    try:
        table = wear.decode(text)
    except FormatError:
        return
    check_payload(text, wear.encode(table), wear.parts(table), table.diagnostics)


def test_every_table_of_the_corpora(samples: Path) -> None:
    for reading in ["seed", "field"]:
        truth = json.loads((samples / reading / "truth.json").read_text())["wear"]
        for address, expected in truth.items():
            archive_name, _, entry_name = address.partition("::")
            archive = Archive.read((samples / reading / "game" / archive_name).read_bytes())
            index = archive.find(entry_name.encode("cp1251"))
            assert index is not None
            table = wear.decode(archive.payload(index))
            assert [row.name.decode("cp1251") for row in table.materials] == expected["materials"]
            assert [row.name.decode("cp1251") for row in table.lightmaps] == expected["lightmaps"]
            assert table.diagnostics == ()


OBJECTS_EXAMPLE = b"static.rlb".ljust(32, b"\0") + b"s_tree_0_04.msh\0" + b"\xcc" * 16


def test_the_worked_example_of_objects() -> None:
    references = objects.decode(OBJECTS_EXAMPLE)
    assert references.pairs == ((b"static.rlb", b"s_tree_0_04.msh"),)
    assert references.diagnostics == ()
    assert objects.encode(references) == OBJECTS_EXAMPLE


def test_built_objects_are_read_back() -> None:
    pairs = ((b"static.rlb", b"a.msh"), (b"static.rlb", b"a.wea"))
    assert objects.decode(objects.build(pairs)).pairs == pairs


def test_a_name_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="31 bytes"):
        objects.build([(b"x" * 32, b"a.msh")])


def test_whole_records_are_used_and_the_rest_is_kept() -> None:
    references = objects.decode(OBJECTS_EXAMPLE + b"rest")
    assert len(references.rows) == 1
    assert references.tail == b"rest"
    assert [(d.rule, d.where) for d in references.diagnostics] == [("O01", "tail")]


def test_a_name_without_a_nul_is_read_whole() -> None:
    references = objects.decode(OBJECTS_EXAMPLE + b"x" * 64)
    assert references.pairs[1] == (b"x" * 32, b"x" * 32)
    found = [(d.rule, d.index, d.field) for d in references.diagnostics]
    assert found == [("O02", 1, "archive"), ("O02", 1, "resource")]


@given(st.binary(max_size=300))
def test_any_bytes_survive(data: bytes) -> None:
    references = objects.decode(data)
    assert objects.encode(references) == data
    check_tree(data, objects.parts(references))
    check_places(objects.parts(references), references.diagnostics)


@given(st.data())
def test_a_changed_field_of_objects_changes_its_bytes_alone(data: st.DataObject) -> None:
    references = objects.decode(OBJECTS_EXAMPLE * 2 + b"rest")
    check_field_change(references, objects.encode, objects.parts(references), data)


def test_every_entry_of_the_registry(samples: Path) -> None:
    truth = json.loads((samples / "field" / "truth.json").read_text())["object_refs"]
    archive = Archive.read((samples / "field" / "game" / "objects.rlb").read_bytes())
    for entry in archive.entries:
        references = objects.decode(archive.payload(entry.index))
        assert [[decode(name) for name in pair] for pair in references.pairs] == truth[entry.text]["refs"]
