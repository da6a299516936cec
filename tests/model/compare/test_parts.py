"""Differences between two trees of parts, each at its table, row and field."""

from __future__ import annotations

from viewer.formats import fxid, mat0, wear
from viewer.formats.mat0 import PhaseRecord, block
from viewer.model.compare.differences import Difference, What
from viewer.model.compare.parts import of_parts

PHASES = [PhaseRecord(b"A.0"), PhaseRecord(b"B.0")]


def material(a: bytes, b: bytes) -> list[tuple[str, str]]:
    found = of_parts(mat0.parts(mat0.decode(a)), mat0.parts(mat0.decode(b)))
    return [(it.table, it.field) for it in found]


def of_wear(a: bytes, b: bytes) -> list[Difference]:
    return [*of_parts(wear.parts(wear.decode(a)), wear.parts(wear.decode(b)))]


def test_equal_payloads_do_not_differ() -> None:
    assert material(mat0.build(PHASES), mat0.build(PHASES)) == []


def test_a_field_of_a_row() -> None:
    other = [PHASES[0], PhaseRecord(b"B.0", power=7)]
    assert material(mat0.build(PHASES), mat0.build(other)) == [("phases", "power")]


def test_a_key_inside_a_block() -> None:
    a = mat0.build(PHASES, [block(0, 0, [(0, 5)]), block(0, 0, [(0, 5), (1, 9)])])
    b = mat0.build(PHASES, [block(0, 0, [(0, 5)]), block(0, 0, [(0, 5), (1, 8)])])
    assert material(a, b) == [("blocks[1].keys", "time")]


def test_a_phase_more() -> None:
    assert material(mat0.build(PHASES), mat0.build(PHASES[:1])) == [("header", "phase_count"), ("phases", "")]


def test_bytes_that_no_field_describes() -> None:
    built = mat0.build(PHASES)
    assert material(built + b"ab", built + b"ac") == [("tail", "byte")]
    assert material(built, built + b"ac") == [("tail", "size")]


def test_rows_of_text_show_both_values() -> None:
    (found,) = of_wear(wear.build([b"STEEL", b"GLASS"]), wear.build([b"STEEL", b"STONE2"]))
    assert (found.table, found.field, found.what) == ("materials", "name", What.CHANGED)
    assert (found.a, found.b) == (["GLASS"], ["STONE2"])


def test_a_command_of_another_kind_differs_as_a_whole() -> None:
    point, other = bytes([6, 1, 0, 0]), bytes([5, 1, 0, 0]) + bytes(108)
    header = (1).to_bytes(4, "little") + bytes(56)
    a, b = (fxid.parts(fxid.decode(header + command)) for command in (point, other))
    (found,) = of_parts(a, b)
    assert (found.table, found.field, found.a, found.b) == ("commands", "kind", ["point"], ["trail"])
