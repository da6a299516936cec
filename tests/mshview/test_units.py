"""Units in the library: their sheet, the parts that fit, and new units with other parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mshview
from tests.outfitted_game import WALKER, outfitted_game


@pytest.fixture
def walker(tmp_path: Path) -> mshview.Unit:
    found = mshview.open(outfitted_game(tmp_path / "game") / WALKER)
    assert isinstance(found, mshview.Unit)
    return found


def test_a_unit_has_a_sheet(walker: mshview.Unit) -> None:
    found = walker.sheet()
    assert [it["key"] for it in found["parts"]][:2] == ["walker", "e_tur_bt_01"]
    assert found["parts"][3]["mass"] is None
    assert found["totals"]["mass"]["unknown"] == 1


def test_parts_that_fit_have_models_and_reasons(walker: mshview.Unit) -> None:
    first, lost = walker.fitting("universal_ll")
    assert first["key"] == "e_gun_ll_01"
    assert str(first["model"]).endswith("guns.rlb::e_gun_tw_01.msh")
    assert lost["model"] is None
    assert walker.fitting("nothing") == []


def test_a_unit_is_saved_with_other_parts(walker: mshview.Unit, tmp_path: Path) -> None:
    before = walker.data
    path = Path(walker.address).with_name("other.dat")
    parts: dict[Any, str] = {np.int64(2): "e_gun_tw_02"}
    walker.save_with(path, parts, [(1, 3, "e_gun_ll_01")])
    made = mshview.open(path)
    assert isinstance(made, mshview.Unit)
    assert [it["key"] for it in made.sheet()["parts"]] == [
        "walker", "e_tur_bt_01", "e_gun_tw_02", "e_gun_ll_01", "i_reactor_01",
    ]  # fmt: skip
    assert walker.data == before
    walker.save_with(tmp_path / "same.dat")
    assert (tmp_path / "same.dat").read_bytes() == bytes(before)


def test_without_a_game_the_parts_have_no_models(walker: mshview.Unit, tmp_path: Path) -> None:
    alone = tmp_path / "alone.dat"
    alone.write_bytes(bytes(walker.data))
    found = mshview.open(alone)
    assert isinstance(found, mshview.Unit)
    assert {it["model"] for it in found.sheet()["parts"]} == {None}
    with pytest.raises(mshview.Error, match="no game folder"):
        found.fitting("e_tur_bt")


def test_what_a_unit_cannot_hold_is_refused_and_nothing_is_written(
    walker: mshview.Unit, tmp_path: Path
) -> None:
    for parts, added, words in (
        ({9: "x"}, [], "component 9 does not exist"),
        ({}, [(9, 0, "x")], "component 9 does not exist"),
        ({0: "k" * 40}, [], "letters fit"),
    ):
        with pytest.raises(mshview.Error, match=words):
            walker.save_with(tmp_path / "new.dat", parts, added)
    assert not (tmp_path / "new.dat").exists()
