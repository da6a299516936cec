"""Which parts fit a socket: the rule of the field notes, and the registry of the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.outfitted_game import outfitted_game
from viewer.model.game.sockets import fit_reason, fits, fitting
from viewer.model.store.file_store import FileStore
from viewer.resources import bundled_path


@pytest.mark.parametrize(
    ("tag", "key", "does_fit"),
    [
        ("e_tur_bt", "e_tur_bt_01", True),
        ("E_TUR_BT", "e_tur_bt_01", True),
        ("e_tur_bt", "e_tur_bb_01", False),
        ("universal_ll", "e_gun_ll_03", True),
        ("universal_ll", "e_gun_lc_03", False),
        ("universal_ll", "e_gun_bl_03", False),
        ("central_bc", "e_gun_bc_01", True),
        ("universal_br", "e_gun_br_01", True),
        ("universal_br", "e_gun_bc_01", True),
        ("universal_br", "e_gun_bl_01", True),
        ("universal_br", "e_gun_bs_01", False),
        ("", "e_gun_bs_01", False),
    ],
)
def test_the_tag_begins_the_key_or_ends_as_the_kind_of_a_gun(tag: str, key: str, does_fit: bool) -> None:
    assert fits(tag, key) is does_fit


def test_the_registry_says_which_parts_there_are() -> None:
    game = bundled_path("assets/game")
    (turret,) = fitting(FileStore(), game, "e_tur_bt") or ()
    assert (turret.key, turret.address.path.name) == ("e_tur_bt_01", "objects.rlb")
    assert turret.called
    assert fitting(FileStore(), game, "universal_ll") == ()


def test_a_part_that_fits_has_its_model_and_a_reason(tmp_path: Path) -> None:
    parts = fitting(FileStore(), outfitted_game(tmp_path / "game"), "universal_ll") or ()
    assert [it.key for it in parts] == ["e_gun_ll_01", "e_gun_ll_02"]
    first, lost = parts
    assert first.model is not None
    assert (first.model.path.name, first.model.name) == ("guns.rlb", "e_gun_tw_01.msh")
    assert lost.model is None  # its object names an archive that does not exist
    assert "e_gun_ll" in first.reason
    assert fit_reason("universal_br", "e_gun_bl_01") == "a right socket takes guns e_gun_bl too"
    assert fit_reason("e_tur_bt", "e_tur_bt_01") == "its key begins with the tag of the socket, e_tur_bt"


def test_without_a_registry_nothing_is_known(tmp_path: Path) -> None:
    assert fitting(FileStore(), tmp_path, "e_tur_bt") is None
    assert fitting(FileStore(), None, "e_tur_bt") is None
