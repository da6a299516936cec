"""How batches flash in time."""

from __future__ import annotations

import pytest

from viewer.session.view import flash
from viewer.session.view.flash import FAINTEST, LASTING, PERIOD
from viewer.session.view.view_state import ViewState


def _flashing(time: float = 0.0) -> ViewState:
    return ViewState(flash=frozenset({3}), flash_time=time)


def test_a_flash_begins_brightly_fades_and_comes_back() -> None:
    times = (0, PERIOD / 2, PERIOD, LASTING)
    assert [flash.brightness(_flashing(time)) for time in times] == pytest.approx([1, FAINTEST, 1, 1])


def test_the_same_batches_flash_on_and_others_begin_anew() -> None:
    view = _flashing(0.4)
    assert flash.with_flash(view, frozenset({3})) is view
    assert flash.with_flash(view, frozenset({4})).flash_time == 0


def test_time_passes_for_what_flashes_only() -> None:
    assert flash.advance(_flashing(0.4), 0.1).flash_time == pytest.approx(0.5)
    resting = ViewState()
    assert flash.advance(resting, 0.1) is resting


def test_a_flash_that_nobody_ends_comes_to_rest() -> None:
    view = flash.advance(_flashing(LASTING - 0.01), 0.1)
    assert view.flash == {3}
    assert not flash.is_flashing(view)
    assert flash.advance(view, 0.1) is view
