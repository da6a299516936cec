"""Parts tried on a unit: what is shown, the new file, and that every other byte stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.outfitted_game import WALKER, outfitted_game
from viewer.errors import UsageError
from viewer.formats import units
from viewer.formats.units import COMPONENT, Unit
from viewer.model.game.part_names import PartNames
from viewer.model.store.file_store import FileStore
from viewer.operations.units.tried_parts import (
    NO_PARTS,
    AddedPart,
    TriedParts,
    fitted,
    is_class_guessed,
    plan_unit,
    shown,
)
from viewer.resources import bundled_path

DATA = bundled_path(f"assets/game/{WALKER}").read_bytes()
"""A chassis (0) with a turret (1), which has a gun (2), and a reactor (3)."""


def walker() -> Unit:
    return units.decode(memoryview(DATA))


def keys(unit: Unit) -> list[str]:
    return [bytes(it).split(b"\0")[0].decode() for it in unit.components["key"].tolist()]


def test_without_tried_parts_the_file_is_the_same() -> None:
    assert units.encode(fitted(walker(), NO_PARTS)) == DATA
    assert not NO_PARTS


def test_another_part_changes_its_key_alone_if_its_name_is_unknown() -> None:
    made = units.encode(fitted(walker(), NO_PARTS.with_key(2, "e_gun_tw_02")))
    at = units.HEADER.size + 2 * COMPONENT.size + 32
    assert made[:at] == DATA[:at]
    assert made[at : at + 32] == b"e_gun_tw_02".ljust(32, b"\0")
    assert made[at + 32 :] == DATA[at + 32 :]


def test_a_part_with_a_name_in_the_game_gets_it(tmp_path: Path) -> None:
    names = PartNames.of(FileStore(), outfitted_game(tmp_path / "game"))
    made = fitted(walker(), NO_PARTS.with_key(2, "e_tur_bt_01"), names)
    assert bytes(made.components["name"][2]) == b"Light sentry turret".ljust(32, b"\0")


def test_new_parts_stand_behind_all_that_hangs_on_their_parents() -> None:
    tried = NO_PARTS.with_added(1, 4, "a").with_added(0, 6, "e_tur_b").with_added(1, 5, "e_gun_c")
    made = fitted(walker(), tried)
    assert keys(made) == ["walker", "e_tur_bt_01", "e_gun_tw_01", "a", "e_gun_c", "i_reactor_01", "e_tur_b"]
    assert made.parents == (-1, 0, 1, 1, 1, 0, 0)
    new = made.components[[3, 4, 6]]
    assert new["attachment"].tolist() == [4, 5, 6]
    assert [units.CLASSES[it] for it in new["class_id"].tolist()] == ["armour", "gun", "turret"]
    assert [it for it in keys(made)[3:] if is_class_guessed(it)] == ["a", "i_reactor_01"]
    assert {bytes(it).rstrip(b"\0") for it in new["archive"].tolist()} == {b"objects.rlb"}


def test_what_is_shown_keeps_the_numbers_of_the_components() -> None:
    made, parents = shown(walker(), NO_PARTS.with_added(1, 4, "e_gun_c"))
    assert keys(made)[:4] == keys(walker())
    assert parents == (*walker().parents, 1)


def test_a_part_on_a_free_socket_takes_the_place_of_the_one_before() -> None:
    tried = NO_PARTS.with_added(1, 4, "a").with_added(1, 4, "b")
    assert tried.added == (AddedPart(1, 4, "b"),)
    assert not tried.with_added(1, 4, None)
    assert not NO_PARTS.with_key(2, "a").with_key(2, None)


@pytest.mark.parametrize(
    ("tried", "words"),
    [
        (NO_PARTS.with_key(4, "e_gun"), "component 4 does not exist"),
        (NO_PARTS.with_key(0, "k" * 32), "1 to 31 letters fit"),
        (NO_PARTS.with_key(0, ""), "1 to 31 letters fit"),
    ],
)
def test_what_a_component_cannot_hold_is_refused(tried: TriedParts, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plan_unit(walker(), tried, Path("new.dat"))


def test_nothing_is_added_to_a_tree_that_is_cut() -> None:
    cut = units.decode(memoryview(DATA[: -COMPONENT.size]))
    with pytest.raises(UsageError, match="numbers of children"):
        fitted(cut, NO_PARTS.with_added(0, 3, "e_gun_c"))
    assert keys(fitted(cut, NO_PARTS.with_key(0, "x")))[0] == "x"


TREES = st.lists(st.integers(0, 5), min_size=1, max_size=8)
"""The parent of each component after the first, as a choice among those before it that may still have one."""


@given(TREES, st.lists(st.integers(0, 8), max_size=5))
def test_the_tree_of_the_file_is_that_of_what_is_shown(choices: list[int], added: list[int]) -> None:
    parents = [-1]
    for choice in choices:  # the last component and those it hangs on, the nearest first
        open_parents = [len(parents) - 1]
        while parents[open_parents[-1]] >= 0:
            open_parents.append(parents[open_parents[-1]])
        parents.append(open_parents[choice % len(open_parents)])
    rows = np.repeat(walker().components[:1], len(parents))
    rows["child_count"] = np.bincount([it for it in parents if it >= 0], minlength=len(parents))
    for number in range(len(parents)):
        rows["key"][number] = f"k{number}".encode()
    unit = Unit(walker().header, rows, b"tail")
    tried = NO_PARTS
    for number, parent in enumerate(added):
        tried = tried.with_added(parent % len(parents), number, f"new{number}")
    made, (in_view, of_view) = fitted(unit, tried), shown(unit, tried)
    named = dict(enumerate(keys(in_view)))
    expected = {named[row]: named.get(parent) for row, parent in enumerate(of_view)}
    written = dict(enumerate(keys(made)))
    assert {written[row]: written.get(parent) for row, parent in enumerate(made.parents)} == expected
    assert made.tail == b"tail"
