"""Which parts fit a socket: the rule of the field notes, and the registry of the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from viewer.model.game.sockets import fits, fitting
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


def test_without_a_registry_nothing_is_known(tmp_path: Path) -> None:
    assert fitting(FileStore(), tmp_path, "e_tur_bt") is None
    assert fitting(FileStore(), None, "e_tur_bt") is None
