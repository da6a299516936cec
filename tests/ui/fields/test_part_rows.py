"""The lines of the tree of parts: names, values, offsets."""

from __future__ import annotations

from viewer.formats import mat0, wear
from viewer.formats.part import find, raw
from viewer.formats.record import Status
from viewer.ui.fields.part_rows import MOST_ROWS, PartRow, children_of, left_out, opened_at_first, roots_of

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
