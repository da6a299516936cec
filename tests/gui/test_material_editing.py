"""Materials, wear tables and objects of a game folder edited where they are shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester, bring_to_front, click, exists, in_stage
from viewer.formats import mat0
from viewer.formats.wear import Wear
from viewer.model.edit.change import Topic
from viewer.model.edit.geometry.material_changes import ReplaceMaterial
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import Step
from viewer.session.selection import Selection
from viewer.ui.edit_requests import Edit, GoToEdit, StepEdits

GAME = Path(__file__).parents[2] / "assets" / "game"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A copy of the sample's game folder."""
    return Path(shutil.copytree(GAME, tmp_path / "game"))


def settle(gui: GuiTester) -> None:
    gui.frames(2)
    gui.until(lambda: not (gui.app.jobs.is_busy or gui.app.editing.is_waiting))
    gui.frames(2)


def steps(gui: GuiTester) -> tuple[Step, ...]:
    return next((file.done for file in gui.state.edits.files.values()), ())


def opened(gui: GuiTester) -> object:
    assert gui.state.resource is not None
    return gui.state.resource.value


def choose(gui: GuiTester, button: str, words: str) -> None:
    def script(context: Context) -> None:
        context.item_click(button)
        context.key_chars(words)
        context.key_press(int(imgui.Key.enter))

    gui.run(script)
    settle(gui)


def test_a_color_is_typed_and_undone(gui: GuiTester, game: Path) -> None:
    library = game / "Material.lib"
    gui.open(f"{library}::WALKER_METAL")

    def script(context: Context) -> None:
        context.item_click("//**/###value_diffuse1")
        context.key_chars_replace("7")
        context.key_press(int(imgui.Key.enter))

    gui.run(script)
    settle(gui)
    material = opened(gui)
    assert isinstance(material, mat0.MaterialRecord)
    assert material.phases["diffuse"].tolist() == [[255, 7, 255]]
    assert sum(one != other for one, other in zip(before(library), current(gui, library), strict=True)) == 1
    gui.ask(StepEdits(-1))
    settle(gui)
    assert current(gui, library) == before(library)


def before(path: Path) -> bytes:
    return path.read_bytes()


def current(gui: GuiTester, path: Path) -> bytes:
    return bytes(gui.app.opener.library.file(path))


def test_a_color_is_picked_in_one_step(gui: GuiTester, game: Path) -> None:
    gui.open(f"{game / 'Material.lib'}::WALKER_METAL")

    def drag(context: Context) -> None:
        red = context.item_info("//**/###value_diffuse0").rect_full
        swatch = imgui.ImVec2(red.min.x - 15, red.get_center().y)
        context.mouse_move_to_pos(swatch)
        context.mouse_click()
        context.mouse_move_to_pos(imgui.ImVec2(swatch.x + 60, swatch.y + 60))
        context.mouse_drag_with_delta((25, 15))

    gui.run(drag)
    settle(gui)
    material = opened(gui)
    assert isinstance(material, mat0.MaterialRecord)
    assert material.phases["diffuse"].tolist() != [[255, 255, 255]]
    assert len(steps(gui)) == 1


def test_the_material_of_a_wear_row_is_chosen_by_name(gui: GuiTester, game: Path) -> None:
    gui.open(f"{game / 'models.rlb'}::walker.wea")
    choose(gui, in_stage("**/###choose_name"), "failing")
    table = opened(gui)
    assert isinstance(table, Wear)
    assert table.materials[0].name == b"FAILING_LAMP"
    assert [step.words for step in steps(gui)] == ["set materials[0].name to FAILING_LAMP"]
    gui.open(f"{game / 'models.rlb'}::walker.msh")
    assert gui.document.materials.wear_names[0] == "FAILING_LAMP"


def test_what_is_unfolded_stays_so_after_an_edit(gui: GuiTester, game: Path) -> None:
    gui.open(f"{game / 'models.rlb'}::walker.wea")
    click(gui, in_stage("**/###fold3"))
    assert exists(gui, in_stage("**/###value_number"))
    choose(gui, in_stage("**/###choose_name"), "failing")
    assert exists(gui, in_stage("**/###value_number"))
    assert Address.parse(gui.state.tabs.active.address).name == "walker.wea"


def test_a_row_is_removed_and_comes_back(gui: GuiTester, game: Path) -> None:
    models = game / "models.rlb"
    gui.open(f"{models}::walker.wea")
    gui.ask(Edit(f"{models}::walker.msh", (ReplaceMaterial(3, 2),)))
    settle(gui)

    def remove(context: Context) -> None:
        fold = context.item_info(in_stage("**/###fold3")).rect_full
        context.mouse_move_to_pos(imgui.ImVec2(fold.max.x + 8, fold.get_center().y))
        context.mouse_click(imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###remove_row")

    gui.run(remove)
    settle(gui)
    table = opened(gui)
    assert isinstance(table, Wear)
    assert [row.name for row in table.materials][2:4] == [b"WALKER_JOINT", b"LAMP"]
    assert gui.state.edits.of(models).steps[-1].topics == (Topic.REFERENCES,)
    gui.ask(GoToEdit(models, 0))
    settle(gui)
    assert current(gui, models) == before(models)


def test_another_material_is_chosen_for_a_batch_and_for_a_wear_row(gui: GuiTester, game: Path) -> None:
    gui.open(f"{game / 'models.rlb'}::walker.msh")
    gui.pause()
    gui.change(selection=Selection((20,), slot=57, batch=149))
    bring_to_front(gui, "inspector")
    old = gui.document.materials.rows[gui.document.materials.of_batch[149]].name
    gui.run(lambda context: context.scroll_to_item_y("//inspector/**/###choose_wear_row"))
    choose(gui, "//inspector/**/###choose_wear_row", "halo")
    assert gui.document.materials.rows[gui.document.materials.of_batch[149]].name == "HALO" != old
    bring_to_front(gui, "materials")
    choose(gui, "//materials/**/###choose_name", "failing")
    assert "FAILING_LAMP" in gui.document.materials.wear_names
    assert steps(gui)[0].words == "assign material 8 to rows 149"
