"""What the controls of a material do to the view."""

from __future__ import annotations

from viewer.model.material.materials import Block, BlockKey, Material
from viewer.model.material.phases import PhaseMoment
from viewer.session.play.material_play import MaterialPlay
from viewer.session.view.view_state import ViewState
from viewer.ui.material.material_player import frozen_at, mode_text, variant_text

SIGN = Material(0, blocks=(Block(0, 0, (BlockKey(0, 100), BlockKey(1, 200))), Block(3, 0, (BlockKey(0, 5),))))


def test_variants_are_told_by_mode_and_keys_and_the_games_is_marked() -> None:
    assert variant_text(SIGN, 0) == "Variant 0: loop, 2 keys (used by the game)"
    assert variant_text(SIGN, 1) == "Variant 1: random, 1 key"


def test_unknown_modes_are_told_by_number() -> None:
    assert mode_text(1) == "ping-pong"
    assert mode_text(9) == "mode 9"


def test_a_key_of_another_variant_chooses_that_variant() -> None:
    view = frozen_at(ViewState(), 4, SIGN, 1, PhaseMoment(0))
    assert view.materials.variant(4, SIGN) == 1
    assert view.materials.still == {4: (0, 0.0)}
    assert frozen_at(ViewState(), 4, SIGN, 0, PhaseMoment(1)).materials == MaterialPlay().freeze(
        4, PhaseMoment(1)
    )
