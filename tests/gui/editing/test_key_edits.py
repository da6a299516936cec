"""Keys edited on the time axis: dragged, added, removed, stretched."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from imgui_bundle import imgui

from tests.gui.harness import LEFT, RIGHT, Context, GuiTester, bring_to_front
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.nodes.track_edit import Retime
from viewer.session.edits.edited_file import EditedFile
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed(*RIGHT, *LEFT)

MAST = 1
AXIS = "//timeline/**/scrub"


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane, paused, with its mast selected and the time line in front."""
    crane.select(MAST)
    bring_to_front(crane, "timeline")
    return crane


def times(gui: GuiTester) -> list[float]:
    gui.settle()
    track = gui.document.animation.track(MAST)
    found: list[float] = gui.document.model.keys["time"][track.start : track.stop].tolist()
    return found


def at(gui: GuiTester, time: float, height: float = 0.5) -> Callable[[Context], tuple[float, float]]:
    """Where a time is on the axis, some font heights above its lower edge: by default in the row of keys."""
    em = imgui.get_style().font_size_base * imgui.get_style().font_scale_dpi

    def place(context: Context) -> tuple[float, float]:
        box = context.item_info(AXIS).rect_full
        left, width = box.min.x + 0.8 * em, box.max.x - box.min.x - 1.6 * em
        return left + width * time / gui.document.last_frame, box.max.y - height * em

    return place


def edited(gui: GuiTester) -> EditedFile:
    return gui.state.edits.at(gui.document.address)


def menu(gui: GuiTester, time: float, script: Callable[[Context], None]) -> None:
    def body(context: Context) -> None:
        context.mouse_move_to_pos(at(gui, time)(context))
        context.mouse_click(imgui.MouseButton_.right)
        script(context)

    gui.run(body)


def test_a_key_is_added_where_the_axis_is_clicked(crane: GuiTester) -> None:
    menu(crane, 5, lambda context: context.item_click("//$FOCUSED/###add_key"))
    assert times(crane) == [0, 5, 10, 20]


def test_the_selected_key_is_removed(crane: GuiTester) -> None:
    track = crane.document.animation.track(MAST)
    crane.change(selection=Selection((MAST,), key=track.start + 1))
    menu(crane, 3, lambda context: context.item_click("//$FOCUSED/###remove_key"))
    assert times(crane) == [0, 20]


def test_the_selected_key_is_dragged_in_time(crane: GuiTester) -> None:
    track = crane.document.animation.track(MAST)
    crane.change(selection=Selection((MAST,), key=track.start + 1))

    def script(context: Context) -> None:
        context.mouse_move_to_pos(at(crane, 10)(context))
        context.mouse_down()
        context.mouse_move_to_pos(at(crane, 14)(context))
        context.mouse_up()

    crane.run(script)
    assert times(crane) == [0, 14, 20]
    (step,) = edited(crane).steps
    assert step.changes == (SetKey("mast", 1, time=14.0),)
    assert crane.state.view.time == 0, "the time stays"


@pytest.mark.parametrize("height", [1.6, 2.4])
def test_the_ruler_scrubs_also_in_the_column_of_a_key(crane: GuiTester, height: float) -> None:
    def script(context: Context) -> None:
        for _ in range(2):
            context.mouse_move_to_pos(at(crane, 10, height)(context))
            context.mouse_down()
            context.mouse_move_to_pos(at(crane, 14, height)(context))
            context.mouse_up()
            crane.rest(context, 1)

    crane.run(script)
    assert times(crane) == [0, 10, 20], "no key was moved"
    assert not edited(crane).steps
    assert crane.state.view.time == 14
    assert crane.state.view.selection == Selection((MAST,)), "no key was selected"


def test_a_selected_key_stays_where_it_is_while_the_ruler_scrubs(crane: GuiTester) -> None:
    track = crane.document.animation.track(MAST)
    crane.change(selection=Selection((MAST,), key=track.start + 1))

    def script(context: Context) -> None:
        context.mouse_move_to_pos(at(crane, 10, 2)(context))
        context.mouse_down()
        context.mouse_move_to_pos(at(crane, 14, 0.5)(context))
        context.mouse_up()

    crane.run(script)
    assert times(crane) == [0, 10, 20], "what began on the ruler stays a scrub in the row of keys"
    assert crane.state.view.time == 14


def test_a_press_between_the_keys_of_the_row_scrubs(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        context.mouse_move_to_pos(at(crane, 5)(context))
        context.mouse_click()

    crane.run(script)
    assert crane.state.view.time == 5
    assert crane.state.view.selection == Selection((MAST,))


def test_a_strip_is_slowed_down(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        context.item_input_value("//$FOCUSED/###length", 40)
        context.item_click("//$FOCUSED/###stretch")

    menu(crane, 3, script)
    assert times(crane) == [0, 20, 40]
    assert edited(crane).steps[0].changes == (Retime(0, 20, 0, 40, moves_later=True),)
