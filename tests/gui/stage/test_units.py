"""A unit in a tab: its parts are chosen, hidden, moved apart and swapped; it is exported as one file."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from tests.gui.hand import click, drag
from tests.gui.harness import Context, GuiTester, bring_to_front, in_child, in_stage
from viewer.operations.exporting import ExportPreview
from viewer.resources import bundled_path
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.ui.editing import field_menu

pytestmark = pytest.mark.closed("browser", "outline")

WALKER = str(bundled_path("assets/game/UNITS/UNITS/SAMPLE/walker.dat"))


def open_walker(gui: GuiTester) -> AssembledUnit:
    gui.open(WALKER)
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()
    return unit_of(gui)


def unit_of(gui: GuiTester) -> AssembledUnit:
    assert gui.state.unit is not None
    return gui.state.unit


def choose_first(gui: GuiTester, tag: str) -> None:
    """Click the tag of a socket, then the first of the parts that fit there."""

    def script(context: Context) -> None:
        context.item_click(tag)
        context.yield_(2)
        context.item_click(in_child("parts", "###part0"))

    gui.run(script)
    gui.settle()


def test_the_tag_of_a_socket_lists_the_parts_that_fit(gui: GuiTester) -> None:
    open_walker(gui)
    choose_first(gui, in_child("##components", "**/###socket_tag"))
    resource = gui.state.resource
    assert resource is not None
    assert (resource.address.path.name, resource.address.name) == ("objects.rlb", "e_tur_bt_01")


def test_the_inspector_lists_the_parts_that_fit_a_node(walker: GuiTester) -> None:
    walker.select(walker.document.names.index("Base_TM"))
    walker.settle()
    choose_first(walker, "//inspector/**/###socket_tag")
    assert walker.state.resource is not None
    assert walker.state.resource.address.name == "e_tur_bt_01"


def test_the_menu_of_a_value_is_of_that_value_alone(gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(field_menu, "draw_field_menu", lambda *it: drawn.append(it[4].name))
    open_walker(gui)

    def right_click(context: Context) -> None:
        context.mouse_move(in_stage("**/###value_name"))
        context.mouse_click(imgui.MouseButton_.right)

    gui.run(right_click)
    gui.settle()
    assert set(drawn) == {"name"}, "neither the class nor the node that stand in the same row"


def test_the_chassis_walks_and_its_parts_are_chosen_hidden_and_moved_apart(gui: GuiTester) -> None:
    unit = open_walker(gui)
    assert set(unit.documents) == {0, 1, 2}
    assert (gui.state.view.is_playing, gui.state.axis.moves) == (True, True)
    click(gui, in_stage("**/###play"))
    assert gui.state.view.is_playing is False
    click(gui, in_stage("**/viewport"))  # the middle of the image is the chassis
    assert gui.state.view.selection.nodes == (0,)
    before = gui.shown()
    click(gui, in_stage("**/###eye1"))
    assert gui.state.view.hidden == {1, 2}
    gui.settle()
    assert (gui.shown() != before).any()
    click(gui, in_stage("**/###isolate1"))
    assert [*(gui.state.view.isolated or ())] == [1, 2]
    click(gui, in_stage("**/###show_all"))
    assert not gui.state.view.hidden
    assert not gui.state.view.isolated

    distance = gui.state.view.camera.distance
    drag(gui, in_stage("**/###explode"), by=(30, 0))
    assert gui.state.view.unit.explode > 0
    assert gui.state.view.camera.distance > distance, "all of it stays in sight"


def test_the_effects_of_parts_play_on_the_unit_and_stop(gui: GuiTester) -> None:
    open_walker(gui)
    click(gui, in_stage("**/###play"))
    gui.change(time=4.0)
    gui.settle()
    plain = gui.shown()
    bring_to_front(gui, "effects")
    click(gui, in_child("effects", "**/###with_clip"))
    click(gui, in_child("effects", "**/###stop_effects"))
    assert gui.state.view.playback.effects.is_with_clip is False

    def fire(context: Context) -> None:
        context.item_click(in_child("effects", "**/$$18/play0"))  # below a row for each of three parts

    gui.run(fire)
    gui.change(is_playing=False)
    gui.settle()
    assert [*gui.state.view.unit.playbacks[2].effects.started] == [0]
    assert (gui.shown() != plain).any()


def test_a_part_is_swapped_as_one_undo_step(gui: GuiTester) -> None:
    unit = open_walker(gui)
    click(gui, in_stage("**/###play"))

    def swap(context: Context) -> None:
        context.item_click(in_child("controls", "$$1/###object"))
        context.set_ref("//$FOCUSED")
        context.item_click("drone")

    gui.run(swap)
    gui.until(lambda: unit_of(gui) is not unit)
    assert unit_of(gui).parts[1].key == "drone"
    assert str(unit_of(gui).documents[1].address).endswith("drone.msh")
    gui.commands.edits.step(-1)
    gui.until(lambda: unit_of(gui).parts[1].key == "e_tur_bt_01")


def test_a_unit_is_exported_as_one_file(gui: GuiTester) -> None:
    open_walker(gui)
    click(gui, in_stage("**/###export"))

    def preview() -> ExportPreview | None:
        question = gui.state.converting.export
        assert question is not None
        return question.preview

    gui.until(lambda: preview() is not None)
    found = preview()
    assert found is not None
    assert not found.error
    assert [name for name, _size in found.files] == ["walker.glb"]
    documents = unit_of(gui).documents.values()
    assert found.nodes == sum(it.model.node_count for it in documents) + len(documents)
