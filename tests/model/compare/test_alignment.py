"""Rows are matched by their content, so that inserted rows shift nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats import fxid, mat0, wear
from viewer.formats.mat0 import PhaseRecord, block
from viewer.model.compare.alignment import Match, by_content, by_index, by_name, content_of_values
from viewer.model.compare.differences import ChangeKind, Difference, of_parts

ROWS = st.lists(st.integers(0, 3), max_size=30)


def matched(a: Sequence[int], b: Sequence[int]) -> Match:
    return by_content(*content_of_values(a, b))


def differing(match: Match, a: Sequence[int], b: Sequence[int]) -> int:
    pairs = zip(match.a.tolist(), match.b.tolist(), strict=True)
    return sum(int(a[mine] != b[other]) for mine, other in pairs) + len(match.only_a) + len(match.only_b)


def test_an_inserted_row_shifts_nothing() -> None:
    a = [*range(1000)]
    match = matched(a, [*a[:300], -1, *a[300:]])
    assert (match.only_a.tolist(), match.only_b.tolist()) == ([], [300])
    assert match.b.tolist() == [*range(300), *range(301, 1001)]


def test_rows_inserted_at_two_places_and_one_removed_are_all_that_differs() -> None:
    a = [*range(1000)]
    b = [*a[:100], -1, -2, *a[100:500], *a[501:800], -3, *a[800:]]
    match = matched(a, b)
    assert (match.only_a.tolist(), match.only_b.tolist()) == ([500], [100, 101, 801])
    assert differing(match, a, b) == 4


def test_runs_find_their_place_among_rows_that_never_stand_alone() -> None:
    """As indices: numbers below 40, of which none occurs once."""
    a = np.random.default_rng(0).integers(0, 40, 2000).tolist()
    b = [*a[:500], 1, 2, 3, *a[500:1500], *a[1503:]]
    match = matched(a, b)
    assert differing(match, a, b) <= 8


def test_other_rows_in_place_are_changed_not_removed_and_added() -> None:
    match = matched([1, 2, 3, 4], [1, 9, 8, 4])
    assert (len(match.only_a), len(match.only_b)) == (0, 0)


@given(ROWS, ROWS)
def test_every_row_is_matched_once_in_order_and_never_worse_than_by_index(a: list[int], b: list[int]) -> None:
    match = matched(a, b)
    assert sorted([*match.a.tolist(), *match.only_a.tolist()]) == [*range(len(a))]
    assert sorted([*match.b.tolist(), *match.only_b.tolist()]) == [*range(len(b))]
    assert match.a.tolist() == sorted(match.a.tolist())
    assert match.b.tolist() == sorted(match.b.tolist())
    straight = sum(mine != other for mine, other in zip(a, b, strict=False)) + abs(len(a) - len(b))
    assert differing(match, a, b) <= straight


NAMES = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=8)


def pairs(match: Match) -> list[tuple[int, int]]:
    return list(zip(match.a.tolist(), match.b.tolist(), strict=True))


def test_by_index() -> None:
    match = by_index(3, 5)
    assert pairs(match) == [(0, 0), (1, 1), (2, 2)]
    assert (match.only_a.tolist(), match.only_b.tolist()) == ([], [3, 4])


def test_names_go_before_places() -> None:
    match = by_name(["hull", "gun", "door"], ["gun", "hull", "lamp", "door"])
    assert pairs(match) == [(0, 1), (1, 0), (2, 3)]
    assert match.only_b.tolist() == [2]
    assert match.moved.tolist() == [True, True, False]


def test_repeated_names_go_in_their_order() -> None:
    assert pairs(by_name(["x", "y", "x"], ["x", "x"])) == [(0, 0), (2, 1)]


def test_what_is_left_over_goes_by_its_place() -> None:
    match = by_name(["", "old name", "gun", ""], ["", "new name", "gun"])
    assert pairs(match) == [(0, 0), (1, 1), (2, 2)]
    assert match.only_a.tolist() == [3]


def test_an_added_row_moves_nothing() -> None:
    match = by_name(["a", "b", "c"], ["new", "a", "b", "c"])
    assert pairs(match) == [(0, 1), (1, 2), (2, 3)]
    assert not match.moved.any()


@given(NAMES, NAMES)
def test_every_row_is_matched_once_or_left_over(a: list[str], b: list[str]) -> None:
    match = by_name(a, b)
    assert match.fits(len(a), len(b))
    assert sorted([*match.a.tolist(), *match.only_a.tolist()]) == list(range(len(a)))
    assert sorted([*match.b.tolist(), *match.only_b.tolist()]) == list(range(len(b)))
    assert match.a.tolist() == sorted(match.a.tolist())
    assert not {a[row] for row in match.only_a} & {b[row] for row in match.only_b} - {""}


@given(NAMES)
def test_a_table_matches_itself(names: list[str]) -> None:
    match = by_name(names, names)
    assert pairs(match) == [(row, row) for row in range(len(names))]


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
    assert (found.table, found.field, found.what) == ("materials", "name", ChangeKind.CHANGED)
    assert (found.a, found.b) == (["GLASS"], ["STONE2"])


def test_a_command_of_another_kind_differs_as_a_whole() -> None:
    point, other = bytes([6, 1, 0, 0]), bytes([5, 1, 0, 0]) + bytes(108)
    header = (1).to_bytes(4, "little") + bytes(56)
    a, b = (fxid.parts(fxid.decode(header + command)) for command in (point, other))
    (found,) = of_parts(a, b)
    assert (found.table, found.field, found.a, found.b) == ("commands", "kind", ["point"], ["bolt"])
