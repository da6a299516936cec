"""The materials of a model in the window: drawn with their textures, listed with how they were found."""

from __future__ import annotations

import pytest

from tests.gui.harness import Context, GuiTester, bring_to_front, click, exists
from viewer.model.store.address import Address
from viewer.session.view.textures import ByteOrder


@pytest.fixture
def walker(gui: GuiTester) -> GuiTester:
    """The bundled sample, paused."""
    gui.commands.opening.open_sample()
    gui.until(lambda: gui.state.document is not None)
    gui.pause()
    return gui


def test_the_textures_of_a_model_arrive_by_and_by(walker: GuiTester) -> None:
    walker.settle()
    renderer = walker.app.scene.renderer
    walker.until(lambda: not renderer.requested_textures(walker.state.view.textures))
    before = walker.picture()
    walker.settle()
    assert (walker.picture() == before).all()


def test_a_batch_of_a_material_is_selected_from_the_list(walker: GuiTester) -> None:
    bring_to_front(walker, "materials")
    click(walker, "//materials/**/###details")
    batch = int(walker.document.materials.batches(0)[0])
    click(walker, f"//materials/**/###batch{batch}")
    assert walker.state.view.selection.batch == batch


def test_a_click_on_the_name_of_a_material_unfolds_and_folds_it(walker: GuiTester) -> None:
    bring_to_front(walker, "materials")

    def script(context: Context) -> None:
        node = context.item_info("//materials/**/###details").rect_full
        context.mouse_move_to_pos((node.min.x + 75, node.min.y - node.get_height()))
        context.mouse_click(0)

    for is_open in (True, False):
        walker.run(script)
        assert exists(walker, "//materials/**/###nodes") is is_open


def test_the_small_picture_of_a_texture_opens_it(walker: GuiTester) -> None:
    bring_to_front(walker, "materials")
    walker.until(lambda: not walker.app.jobs.title)
    picture = walker.document.materials.rows[0].textures[0]
    click(walker, "//materials/**/###texture")
    walker.until(lambda: walker.state.resource is not None)
    assert picture is not None
    assert walker.state.resource is not None
    assert Address.parse(walker.state.resource.address).name == picture.name
    assert exists(walker, "//viewport/**/picture")


def test_switches_of_textures_are_in_the_menu(walker: GuiTester) -> None:
    menu = "//##MainMenuBar/view/view.textures/view.textures"
    walker.run(lambda context: context.menu_click(f"{menu}.filtering"))
    assert not walker.state.view.textures.is_filtered
    walker.run(lambda context: context.menu_click(f"{menu}.rgb888"))
    assert walker.state.view.textures.byte_orders == {ByteOrder.RGB888}
