"""Giving a model what it lacks: a wear table and a game folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.gui.harness import Context, GuiTester, bring_to_front, click, exists, write_model
from viewer.app.settings import settings
from viewer.formats import wear
from viewer.model.material.materials import Material
from viewer.model.store.address import Address
from viewer.session.view.textures import ByteOrder
from viewer.session.view.view_state import Shading


@pytest.fixture
def alone(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """The application with a model that has nothing beside it, and a game folder elsewhere."""
    game_folders.write(tmp_path / "game")
    (tmp_path / "game" / "other.wea").write_bytes(wear.build([b"SKIN"]))
    gui.open(write_model(tmp_path / "a.msh", ModelBuilder([Node("a", shapes={(0, 0): [box()]})])))
    return gui


def material(gui: GuiTester) -> Material:
    return gui.document.materials.rows[0]


def shading(gui: GuiTester) -> Shading:
    return gui.state.view.shading


def test_a_wear_table_and_a_game_folder_are_given(alone: GuiTester, tmp_path: Path) -> None:
    assert material(alone).is_missing
    alone.commands.opening.use_wear(str(tmp_path / "game" / "other.wea"))
    alone.until(lambda: material(alone).name == "SKIN")
    alone.commands.opening.use_game(str(tmp_path / "game"))
    alone.until(lambda: not material(alone).is_missing)
    assert alone.state.settings.game == str(tmp_path / "game")
    assert alone.state.settings.wears == {alone.document.address: str(tmp_path / "game" / "other.wea")}


def test_the_dialog_asks_for_what_is_wanted(
    alone: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viewer.app.dialogs.dialogs.has_native_dialog", lambda: False)
    alone.commands.dialogs.choose_wear()
    requested = str(tmp_path / "game" / "other.wea")
    alone.run(lambda context: context.item_input_value("//open/##path", requested))
    alone.until(lambda: material(alone).name == "SKIN")


def test_what_is_no_wear_table_or_game_is_refused(alone: GuiTester, tmp_path: Path) -> None:
    opening = alone.commands.opening
    for use, address in (
        (opening.use_wear, str(tmp_path / "a.msh")),
        (opening.use_wear, "none.wea"),
        (opening.use_game, str(tmp_path / "none")),
    ):
        use(address)
        alone.until(lambda: alone.state.message != "")
        alone.state.message = ""
    assert material(alone).name is None
    assert alone.state.settings.wears == {}


def test_the_card_offers_ways_out_of_what_is_lacking(
    alone: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viewer.app.dialogs.dialogs.has_native_dialog", lambda: False)
    assert exists(alone, "//##missing/###choose_game")
    click(alone, "//##missing/###choose_wear")
    requested = str(tmp_path / "game" / "other.wea")
    alone.run(lambda context: context.item_input_value("//open/##path", requested))
    alone.until(lambda: material(alone).name == "SKIN")
    assert not exists(alone, "//##missing/###choose_wear")
    alone.commands.opening.use_game(str(tmp_path / "game"))
    alone.until(lambda: not material(alone).is_missing)
    alone.settle()
    assert not exists(alone, "//##missing/###show_materials")


def test_the_card_shows_the_materials_and_another_shading(alone: GuiTester) -> None:
    click(alone, "//##missing/###show_materials")
    assert exists(alone, "//materials/**/###details")
    click(alone, "//##missing/###show_lit")
    assert alone.state.view.shading is Shading.LIT
    assert not exists(alone, "//##missing/###show_materials")


def test_a_file_shown_without_textures_is_the_only_one(alone: GuiTester, tmp_path: Path) -> None:
    damaged = alone.document.address
    click(alone, "//##missing/###show_lit")
    alone.app.save_settings()
    assert settings.load(tmp_path / "settings.json").first_view().shading is Shading.TEXTURED
    other = write_model(tmp_path / "b.msh", ModelBuilder([Node("b", shapes={(0, 0): [box()]})]))
    alone.open(other)
    assert shading(alone) is Shading.TEXTURED
    assert not exists(alone, "//##own_shading/###usual_shading")
    alone.open(damaged)
    assert shading(alone) is Shading.LIT, "a file that is opened again looks as it was left"
    click(alone, "//##own_shading/###usual_shading")
    assert shading(alone) is Shading.TEXTURED
    assert exists(alone, "//##missing/###show_lit")


def test_a_shading_that_is_chosen_is_that_of_all_files(alone: GuiTester, tmp_path: Path) -> None:
    click(alone, "//##missing/###show_lit")
    alone.run(lambda context: context.key_press(imgui.Key.m))
    assert alone.state.view.shading is Shading.UNLIT
    assert not exists(alone, "//##own_shading/###usual_shading")
    alone.open(write_model(tmp_path / "b.msh", ModelBuilder([Node("b", shapes={(0, 0): [box()]})])))
    assert alone.state.view.shading is Shading.UNLIT


def test_the_card_is_sent_away_for_a_model(alone: GuiTester, tmp_path: Path) -> None:
    click(alone, "//##missing/###dismiss")
    assert not exists(alone, "//##missing/###show_materials")
    gone = alone.document.address
    alone.open(write_model(tmp_path / "b.msh", ModelBuilder([Node("b", shapes={(0, 0): [box()]})])))
    assert exists(alone, "//##missing/###show_materials")
    alone.open(gone)
    assert not exists(alone, "//##missing/###show_materials")


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
