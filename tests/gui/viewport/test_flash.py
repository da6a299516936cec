"""Batches flash in the viewport while the pointer rests on what stands for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from imgui_bundle import imgui

from tests.gui.harness import GuiTester, bring_to_front, click, enlarge
from viewer.session.selection import Selection
from viewer.session.view import view_state
from viewer.session.view.view_state import Shading

MAST_BATCH = 2


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane standing still, its batches in the tables."""
    gui.open(archive)
    gui.pause()
    gui.change(shading=Shading.LIT)
    bring_to_front(gui, "tables")
    enlarge(gui, "tables")
    click(gui, "//tables/##table", "//$FOCUSED/###batches")
    return gui


def rest_on(gui: GuiTester, item: str) -> None:
    """Leave the pointer on an item."""
    places: list[imgui.ImVec2] = []
    gui.run(lambda context: places.append(context.item_info(item).rect_full.min))
    point_at(gui, places[0].x + 6, places[0].y + 8)


def leave(gui: GuiTester) -> None:
    """Take the pointer out of the window."""
    point_at(gui, -1, -1)


def point_at(gui: GuiTester, x: float, y: float) -> None:
    """Put the pointer at a place on screen."""
    imgui.get_io().add_mouse_pos_event(x, y)
    gui.frames(3)


def is_at_rest(gui: GuiTester) -> bool:
    """Tell whether no frame is drawn before something happens."""
    return not gui.app.is_moving


def shown(gui: GuiTester) -> npt.NDArray[np.uint8]:
    """What the viewport shows now, with what flashes."""
    state = gui.state
    return gui.app.scene.renderer.image(state.view, state.pose, (200, 150))


def test_a_row_of_a_batch_flashes_it_until_the_pointer_leaves(crane: GuiTester) -> None:
    before = shown(crane)
    rest_on(crane, "//tables/**/###row2")
    assert crane.state.view.flash == {MAST_BATCH}
    assert (shown(crane) != before).any()
    leave(crane)
    assert crane.state.view.flash == frozenset()
    assert (shown(crane) == before).all()


def test_it_pulses_while_the_pointer_rests_and_comes_to_an_end(crane: GuiTester) -> None:
    rest_on(crane, "//tables/**/###row2")
    assert crane.app.is_moving
    crane.frames(6, seconds=view_state.PERIOD / 12)
    dim = shown(crane)
    crane.frames(6, seconds=view_state.PERIOD / 12)
    bright = shown(crane)
    assert (bright != dim).any()
    crane.change(flash_time=view_state.LASTING)
    assert crane.state.view.flash == {MAST_BATCH}
    assert (shown(crane) != dim).any()
    assert is_at_rest(crane)


def test_nothing_moves_once_the_pointer_has_left(crane: GuiTester) -> None:
    rest_on(crane, "//tables/**/###row2")
    leave(crane)
    view = crane.state.view
    crane.frames(3)
    assert crane.state.view is view
    assert is_at_rest(crane)


def test_a_link_to_a_batch_or_slot_flashes_what_it_leads_to(crane: GuiTester) -> None:
    crane.change(selection=Selection((1,), slot=2))
    rest_on(crane, "//inspector/**/###batches2")
    assert crane.state.view.flash == {MAST_BATCH}
    crane.change(selection=Selection((1,), slot=2, batch=MAST_BATCH))
    rest_on(crane, "//inspector/**/###slots2")
    assert crane.state.view.flash == {MAST_BATCH}


def test_a_picture_that_is_saved_has_no_flash(crane: GuiTester) -> None:
    before = crane.picture()
    rest_on(crane, "//tables/**/###row2")
    assert crane.state.view.flash
    assert (crane.picture() == before).all()


def test_another_document_does_not_flash(crane: GuiTester, archive: Path) -> None:
    crane.change(flash=frozenset({MAST_BATCH}), flash_time=0.2)
    leave(crane)
    crane.open(f"{archive}::rock.msh")
    assert crane.state.view.flash == frozenset()
