"""Giving a model what it lacks: a wear table and a game folder.

Materials in time: played, stepped, frozen and varied with the mouse, seen in the viewport.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.gui.hand import click, press
from tests.gui.harness import Context, GuiTester, bring_to_front, exists, write_model
from viewer.control.settings import settings_file
from viewer.formats import wear
from viewer.model.material.materials import Material
from viewer.model.store.address import Address
from viewer.session.play.timeline import FRAME
from viewer.session.view.camera import Side
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import ByteOrder
from viewer.session.view.view_state import Loop

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


@pytest.fixture
def alone(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """The application with a model that has nothing beside it, and a game folder elsewhere."""
    game_folders.write(tmp_path / "game")
    (tmp_path / "game" / "other.wea").write_bytes(wear.build([b"SKIN"]))
    gui.open(write_model(tmp_path / "a.msh", ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})])))
    return gui


def material(gui: GuiTester) -> Material:
    return gui.document.materials.rows[0]


def shading(gui: GuiTester) -> Shading:
    return gui.state.view.shading


def test_a_wear_table_and_a_game_folder_are_given(alone: GuiTester, tmp_path: Path) -> None:
    assert material(alone).is_missing
    alone.commands.opening.use_wear(Address(tmp_path / "game" / "other.wea"))
    alone.until(lambda: material(alone).name == "SKIN")
    alone.commands.opening.use_game(str(tmp_path / "game"))
    alone.until(lambda: not material(alone).is_missing)
    assert alone.state.settings.game == str(tmp_path / "game")
    assert alone.state.settings.wears == {str(alone.document.address): str(tmp_path / "game" / "other.wea")}


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
    uses = (
        partial(opening.use_wear, Address(tmp_path / "a.msh")),
        partial(opening.use_wear, Address.parse("none.wea")),
        partial(opening.use_game, str(tmp_path / "none")),
    )
    for use in uses:
        use()
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
    assert settings_file.load(tmp_path / "settings.json").first_view().shading is Shading.TEXTURED
    other = write_model(tmp_path / "b.msh", ModelBuilder.of([Node("b", shapes={(0, 0): [box()]})]))
    alone.open(other)
    assert shading(alone) is Shading.TEXTURED
    assert not exists(alone, "//##own_shading/###usual_shading")
    alone.open(str(damaged))
    assert shading(alone) is Shading.LIT, "a file that is opened again looks as it was left"
    click(alone, "//##own_shading/###usual_shading")
    assert shading(alone) is Shading.TEXTURED
    assert exists(alone, "//##missing/###show_lit")


def test_a_shading_that_is_chosen_is_that_of_all_files(alone: GuiTester, tmp_path: Path) -> None:
    click(alone, "//##missing/###show_lit")
    press(alone, imgui.Key.m)
    assert alone.state.view.shading is Shading.UNLIT
    assert not exists(alone, "//##own_shading/###usual_shading")
    alone.open(write_model(tmp_path / "b.msh", ModelBuilder.of([Node("b", shapes={(0, 0): [box()]})])))
    assert alone.state.view.shading is Shading.UNLIT


def test_the_card_is_sent_away_for_a_model(alone: GuiTester, tmp_path: Path) -> None:
    click(alone, "//##missing/###dismiss")
    assert not exists(alone, "//##missing/###show_materials")
    gone = alone.document.address
    alone.open(write_model(tmp_path / "b.msh", ModelBuilder.of([Node("b", shapes={(0, 0): [box()]})])))
    assert exists(alone, "//##missing/###show_materials")
    alone.open(str(gone))
    assert not exists(alone, "//##missing/###show_materials")


def test_the_textures_of_a_model_arrive_by_and_by(walker: GuiTester) -> None:
    walker.settle()
    renderer = walker.app.images.scene.renderer
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
    assert walker.state.resource.address.name == picture.name
    assert exists(walker, "//viewport/**/picture")


def test_switches_of_textures_are_in_the_menu(walker: GuiTester) -> None:
    menu = "//##MainMenuBar/view/view.textures/view.textures"
    walker.run(lambda context: context.menu_click(f"{menu}.filtering"))
    assert not walker.state.view.textures.is_filtered
    walker.run(lambda context: context.menu_click(f"{menu}.rgb888"))
    assert walker.state.view.textures.byte_orders == {ByteOrder.RGB888}


BLINK, DUO = range(2)
LEFT, RIGHT = range(2)


@pytest.fixture
def lamps(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """Two boxes that stand still, seen from behind: the left one blinks, the right one has three variants."""
    game = game_folders.write(tmp_path / "game")
    nodes = [Node(name, shapes={(0, 0): [box(center=(x, 0, 0), material=row)]})
             for name, x, row in (("left", -2, 0), ("right", 2, 2))]  # fmt: skip
    (game / "lamps.msh").write_bytes(ModelBuilder.of(nodes).build())
    (game / "lamps.wea").write_bytes(wear.build([b"BLINK", b"GLASS", b"DUO", b"NOWHERE"]))
    gui.open(game / "lamps.msh")
    gui.look_from(Side.BACK)
    gui.change(overlays=frozenset[Overlay]())
    gui.pause()
    bring_to_front(gui, "materials")
    return gui


def click_in_list(gui: GuiTester, *items: str) -> None:
    """Click something inside a row of the list, ``$$1/###name``, and what comes up then."""

    def script(context: Context) -> None:
        window = context.window_info("//materials/##materials").window
        assert window is not None
        context.set_ref(window)
        for item in items:
            is_in_row = item.startswith("$$")
            context.item_click(f"$${gui.document.identity}/{item}" if is_in_row else item)

    gui.run(script)


def colors(gui: GuiTester) -> tuple[str, str]:
    """What the left and the right half of the viewport show."""
    pixels = gui.picture()[..., :3].astype(int)
    halves = pixels[:, : pixels.shape[1] // 2], pixels[:, pixels.shape[1] // 2 :]
    spread = [half.reshape(-1, 3)[np.argmax(np.ptp(half.reshape(-1, 3), axis=1))] for half in halves]
    left, right = (("red", "green", "blue")[int(np.argmax(pixel))] for pixel in spread)
    return left, right


def at(gui: GuiTester, milliseconds: float) -> tuple[str, str]:
    """What is seen at a time of the timeline."""
    gui.pause(milliseconds / FRAME)
    return colors(gui)


def test_materials_of_a_model_that_stands_still_play_by_themselves(lamps: GuiTester) -> None:
    assert (at(lamps, 100), at(lamps, 300)) == (("red", "red"), ("blue", "red"))
    lamps.change(is_playing=True, loop=Loop.LOOP, time=0.0)
    assert lamps.app.is_moving
    seen = set()
    for _ in range(12):
        lamps.frames(1, seconds=0.1)
        seen.add(colors(lamps)[LEFT])
    assert seen == {"red", "blue"}


def test_the_timeline_scrubs_steps_and_jumps_where_only_materials_move(lamps: GuiTester) -> None:
    click(lamps, "//timeline/scrub")
    middle = lamps.document.last_frame / 2
    assert lamps.state.view.time == pytest.approx(middle, abs=1)
    click(lamps, "//timeline/###first", "//timeline/###next_key")
    assert lamps.state.view.time * FRAME == pytest.approx(200)
    assert colors(lamps) == ("blue", "red")
    click(lamps, "//timeline/###back")
    assert lamps.state.view.time == 2.0
    press(lamps, imgui.Key.k)
    assert lamps.state.view.time * FRAME == pytest.approx(200)


def test_a_frozen_material_stays_while_the_others_go_on(lamps: GuiTester) -> None:
    lamps.change(materials=lamps.state.view.materials.choose(DUO, lamps.document.materials.rows[DUO], 1))
    assert at(lamps, 100) == ("red", "green")
    click(lamps, "//materials/**/###freeze")
    assert at(lamps, 450) == ("red", "blue")
    click(lamps, "//materials/**/###run")
    assert colors(lamps) == ("blue", "blue")


def test_phases_are_stepped_one_by_one(lamps: GuiTester) -> None:
    click(lamps, "//materials/**/###next_phase")
    assert colors(lamps) == ("blue", "red")
    click(lamps, "//materials/**/###next_phase")
    assert colors(lamps) == ("red", "red")
    click(lamps, "//materials/**/###previous_phase")
    assert colors(lamps) == ("blue", "red")


def test_the_place_in_the_cycle_is_dragged(lamps: GuiTester) -> None:
    click(lamps, "//materials/**/cycle")
    moment = lamps.state.view.materials.still[BLINK]
    assert (moment.key, colors(lamps)[LEFT]) == (1, "blue")

    def drag_to_the_end(context: Context) -> None:
        context.mouse_move("//materials/**/cycle")
        context.item_drag_with_delta("//materials/**/cycle", imgui.ImVec2(900, 0))

    lamps.run(drag_to_the_end)
    moment = lamps.state.view.materials.still[BLINK]
    assert tuple(moment) == pytest.approx((1, 299 / 300)), "the end of the cycle is the start of the next"


def test_a_variant_is_chosen(lamps: GuiTester) -> None:
    click_in_list(lamps, f"$${DUO}/###variant", "//$FOCUSED/###variant1")
    assert lamps.state.view.materials.variants == {DUO: 1}
    assert at(lamps, 100) == ("red", "green")


def test_all_materials_are_frozen_and_run(lamps: GuiTester) -> None:
    lamps.change(time=100 / FRAME)
    click(lamps, "//materials/###freeze_all")
    assert at(lamps, 300) == ("red", "red")
    click(lamps, "//materials/###run_all")
    assert colors(lamps) == ("blue", "red")


def test_a_key_of_a_variant_shows_it_and_freezes_it(lamps: GuiTester) -> None:
    click_in_list(lamps, f"$${DUO}/###details")
    click(lamps, "//materials/**/block1/###key1")
    assert colors(lamps) == ("red", "blue")
    assert lamps.state.view.materials.variants == {DUO: 1}


def test_the_pointer_over_a_material_lets_its_batches_flash(lamps: GuiTester) -> None:
    seen: list[frozenset[int]] = []

    def point(context: Context) -> None:
        for item in ("//materials/**/###texture", "//timeline/scrub"):
            context.mouse_move(item)
            context.yield_(3)
            seen.append(lamps.state.view.flash)

    lamps.run(point)
    assert seen == [{0}, frozenset()]


def test_all_nodes_of_a_material_are_selected(lamps: GuiTester) -> None:
    click(lamps, "//materials/**/###details", "//materials/**/###nodes")
    assert lamps.state.view.selection.nodes == (LEFT,)


def test_rows_that_no_batch_uses_are_listed(lamps: GuiTester) -> None:
    assert [row.name for row in lamps.document.materials.unused] == ["GLASS", "NOWHERE"]
    assert exists(lamps, "//materials/**/unused1/###details")
    click(lamps, "//materials/**/unused1/###details")
    assert exists(lamps, "//materials/**/unused1/phase0/###fold")


def test_a_long_list_is_scrolled_to_its_end(gui: GuiTester, tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    (game / "box.msh").write_bytes(ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})]).build())
    (game / "box.wea").write_bytes(wear.build([b"SKIN"] * 40))
    gui.open(game / "box.msh")
    bring_to_front(gui, "materials")
    assert exists(gui, "//materials/**/unused0/###details")
    assert not exists(gui, "//materials/**/unused38/###details")

    def scroll(context: Context) -> None:
        context.mouse_move("//materials/**/unused0/###details")
        context.mouse_wheel_y(-200.0)

    gui.run(scroll)
    assert exists(gui, "//materials/**/unused38/###details")
    assert not exists(gui, "//materials/**/unused0/###details")


def test_what_is_set_for_a_material_follows_it_and_stays_after_a_reload(lamps: GuiTester) -> None:
    click(lamps, "//materials/**/###next_phase")
    before = lamps.document
    lamps.commands.opening.reload()
    lamps.until(lambda: not lamps.app.jobs.title)
    assert set(lamps.state.view.materials.still) == {BLINK}
    other = before.address.path.with_name("other.wea")
    other.write_bytes(wear.build([b"DUO", b"SKIN", b"BLINK"]))
    lamps.commands.opening.use_wear(Address(other))
    lamps.until(lambda: lamps.document.materials.rows[0].name == "DUO")
    names = [lamps.document.materials.rows[index].name for index in lamps.state.view.materials.still]
    assert names == ["BLINK"], "another row of the other table"
    other.write_bytes(wear.build([b"DUO", b"SKIN"]))
    lamps.commands.opening.reload()
    lamps.until(lambda: len(lamps.document.materials.wear_names) == 2)
    assert not lamps.state.view.materials.still, "nothing is drawn with it any more"


def test_another_model_plays_as_the_game_does(lamps: GuiTester, archive: Path) -> None:
    click(lamps, "//materials/**/###next_phase")
    assert lamps.state.view.materials.still
    lamps.open(archive)
    assert not lamps.state.view.materials.still
    assert (lamps.state.view.past, lamps.state.view.is_playing) == (0.0, True)
