"""The functions from one view to the next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viewer.model.material.phases import PhaseMoment
from viewer.model.mesh.shown import CellRule
from viewer.session.play.material_play import MaterialPlay
from viewer.session.selection import Selection
from viewer.session.view import view_state
from viewer.session.view.view_state import FAINTEST, LASTING, PERIOD, Overlay, Shading, ViewState


def test_a_cell_out_of_range_stops_at_the_nearest() -> None:
    view = view_state.with_cell(ViewState(), 7, -1)
    assert (view.lod, view.group) == (2, 0)


def test_exact_cells_end_the_destruction() -> None:
    destroyed = view_state.with_destruction(ViewState(lod=1))
    exact = view_state.with_rule(destroyed, CellRule.EXACT)
    assert (exact.drawn.cells, exact.drawn.is_destroyed, exact.lod) == (CellRule.EXACT, False, 1)
    assert view_state.with_rule(destroyed, CellRule.GAME) == destroyed


def test_before_the_destruction_is_the_last_row() -> None:
    destroyed = view_state.with_destruction(ViewState())
    assert view_state.step_lod(destroyed, 1) == destroyed
    last = view_state.step_lod(destroyed, -1)
    assert (last.lod, last.drawn.is_destroyed) == (2, False)
    assert view_state.step_lod(last, -1).lod == 1
    assert view_state.step_lod(last, 1).lod == 2


def test_an_override_holds_for_its_node_until_it_is_taken_back() -> None:
    view = view_state.with_override(ViewState(lod=1), 4, (2, 3))
    assert view.parts.overrides == {4: (2, 3)}
    assert not view_state.with_override(view, 4, None).parts.overrides


def test_hidden_nodes_come_back_one_by_one_or_all() -> None:
    view = view_state.hide(ViewState(), [1, 2])
    assert view.parts.hidden == {1, 2}
    assert view_state.show(view, [1]).hidden == {2}
    shown = view_state.show_all(view_state.isolate(view, [3])).parts
    assert (shown.hidden, shown.isolated) == (frozenset(), None)


def test_isolating_the_same_nodes_again_brings_the_rest_back() -> None:
    view = view_state.isolate(ViewState(), [1])
    assert view.parts.isolated == frozenset({1})
    assert view_state.isolate(view, [1]).isolated is None
    assert view_state.isolate(view, []).isolated is None


def test_overlays_toggle_and_shadings_go_round() -> None:
    view = view_state.toggle_overlay(ViewState(), Overlay.GRID)
    assert Overlay.GRID not in view.overlays
    assert Overlay.GRID in view_state.toggle_overlay(view, Overlay.GRID).overlays
    assert view_state.next_shading(ViewState(shading=Shading.FLAG)).shading is Shading.TEXTURED


def test_another_document_keeps_the_look_and_forgets_the_nodes() -> None:
    view = ViewState(lod=2, shading=Shading.NORMALS, hidden=frozenset({3}), selection=Selection((3,)), time=9)
    view = view_state.for_document(replace(view, flash=frozenset({5}), flash_time=0.3))
    assert (view.lod, view.shading) == (2, Shading.NORMALS)
    assert (view.hidden, view.selection, view.time) == (frozenset(), Selection(), 0.0)
    assert (view.flash, view.flash_time) == (frozenset(), 0.0)


def test_another_document_has_other_materials() -> None:
    view = ViewState(time=3.0, past=90.0, materials=MaterialPlay().freeze(0, PhaseMoment(1)))
    view = view_state.for_document(view)
    assert (view.past, view.materials) == (0.0, MaterialPlay())


def _flashing(time: float = 0.0) -> ViewState:
    return ViewState(flash=frozenset({3}), flash_time=time)


def test_a_flash_begins_brightly_fades_and_comes_back() -> None:
    times = (0, PERIOD / 2, PERIOD, LASTING)
    assert [view_state.flash_brightness(_flashing(time)) for time in times] == pytest.approx(
        [1, FAINTEST, 1, 1]
    )


def test_the_same_batches_flash_on_and_others_begin_anew() -> None:
    view = _flashing(0.4)
    assert view_state.with_flash(view, frozenset({3})) is view
    assert view_state.with_flash(view, frozenset({4})).flash_time == 0


def test_time_passes_for_what_flashes_only() -> None:
    assert view_state.advance_flash(_flashing(0.4), 0.1).flash_time == pytest.approx(0.5)
    resting = ViewState()
    assert view_state.advance_flash(resting, 0.1) is resting


def test_a_flash_that_nobody_ends_comes_to_rest() -> None:
    view = view_state.advance_flash(_flashing(LASTING - 0.01), 0.1)
    assert view.flash == {3}
    assert not view_state.is_flashing(view)
    assert view_state.advance_flash(view, 0.1) is view
