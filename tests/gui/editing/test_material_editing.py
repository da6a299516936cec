"""Materials, wear tables and objects of a game folder edited where they are shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.game_folders import MAT0, SKIN, archive, write
from tests.gui.editing.test_editing import asked
from tests.gui.hand import click, type_into
from tests.gui.harness import Context, GuiTester, bring_to_front, current, exists, in_stage, steps
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.wear import Wear
from viewer.model.edit.change import Topic
from viewer.model.edit.geometry.slot_changes import ReplaceMaterial
from viewer.model.material.materials import FoundIn
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.edits.questions import SubstituteQuestion
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed("browser", "outline")

GAME = Path(__file__).parents[3] / "assets" / "game"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A copy of the sample's game folder."""
    return Path(shutil.copytree(GAME, tmp_path / "game"))


def opened(gui: GuiTester) -> object:
    assert gui.state.resource is not None
    return gui.state.resource.value


def choose_by_typing(gui: GuiTester, button: str, words: str) -> None:
    def script(context: Context) -> None:
        context.item_click(button)
        context.key_chars(words)
        context.key_press(int(imgui.Key.enter))

    gui.run(script)
    gui.settle()


def test_a_color_is_typed_and_undone(gui: GuiTester, game: Path) -> None:
    library = game / "Material.lib"
    gui.open(f"{library}::WALKER_METAL")
    type_into(gui, "//**/###value_diffuse1", "7")
    material = opened(gui)
    assert isinstance(material, mat0.MaterialRecord)
    assert material.phases["diffuse"].tolist() == [[150, 7, 174]]
    assert (
        sum(one != other for one, other in zip(library.read_bytes(), current(gui, library), strict=True)) == 1
    )
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, library) == library.read_bytes()


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
    gui.settle()
    material = opened(gui)
    assert isinstance(material, mat0.MaterialRecord)
    assert material.phases["diffuse"].tolist() != [[255, 255, 255]]
    assert len(steps(gui)) == 1


def test_the_material_of_a_wear_row_is_chosen_by_name(gui: GuiTester, game: Path) -> None:
    gui.open(f"{game / 'models.rlb'}::walker.wea")
    choose_by_typing(gui, in_stage("**/###choose_name"), "failing")
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
    choose_by_typing(gui, in_stage("**/###choose_name"), "failing")
    assert exists(gui, in_stage("**/###value_number"))
    assert gui.state.tabs.active.address == Address(game / "models.rlb", ("walker.wea",))


def test_a_row_is_removed_and_comes_back(gui: GuiTester, game: Path) -> None:
    models = game / "models.rlb"
    gui.open(f"{models}::walker.wea")
    gui.commands.edits.edit(Address.parse(f"{models}::walker.msh"), (ReplaceMaterial(3, 2),))
    gui.settle()

    def remove(context: Context) -> None:
        fold = context.item_info(in_stage("**/###fold3")).rect_full
        context.mouse_move_to_pos(imgui.ImVec2(fold.max.x + 8, fold.get_center().y))
        context.mouse_click(imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###remove_row")

    gui.run(remove)
    gui.settle()
    table = opened(gui)
    assert isinstance(table, Wear)
    assert [row.name for row in table.materials][2:4] == [b"WALKER_JOINT", b"LAMP"]
    assert gui.state.edits.of(models).steps[-1].topics == (Topic.REFERENCES,)
    gui.commands.edits.go_to(models, 0)
    gui.settle()
    assert current(gui, models) == models.read_bytes()


def test_another_material_is_chosen_for_a_batch_and_for_a_wear_row(gui: GuiTester, game: Path) -> None:
    gui.open(f"{game / 'models.rlb'}::walker.msh")
    gui.pause()
    gui.change(selection=Selection((20,), slot=57, batch=149))
    bring_to_front(gui, "inspector")
    old = gui.document.materials.rows[gui.document.materials.of_batch[149]].name
    gui.run(lambda context: context.scroll_to_item_y("//inspector/**/###choose_wear_row"))
    choose_by_typing(gui, "//inspector/**/###choose_wear_row", "halo")
    assert gui.document.materials.rows[gui.document.materials.of_batch[149]].name == "HALO" != old
    bring_to_front(gui, "materials")
    choose_by_typing(gui, "//materials/**/###choose_name", "failing")
    assert "FAILING_LAMP" in gui.document.materials.wear_names
    assert steps(gui)[0].words == "assign material 8 to rows 149"


@pytest.fixture
def missing(gui: GuiTester, tmp_path: Path) -> Address:
    """The default material, shown by the open model for a material DOME that the library does not have."""
    materials = {"DEFAULT": (SKIN, mat0.build([mat0.PhaseRecord(b"PLAIN.0")]))}
    folder = write(tmp_path / "game", Material=archive(MAT0, materials))
    files = {"tank.msh": ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build()}
    (folder / "models.rlb").write_bytes(archive_of(files | {"tank.wea": wear.build([b"DOME"])}))
    gui.open(f"{folder / 'models.rlb'}::tank.msh")
    bring_to_front(gui, "materials")
    click(gui, "//materials/**/###details")
    return Address(folder / "Material.lib", ("DEFAULT",))


def type_diffuse(gui: GuiTester, value: str) -> None:
    type_into(gui, "//materials/**/###value_diffuse1", value)


def diffuse(gui: GuiTester, library: Path) -> dict[str, list[int]]:
    """The color of each material of the library."""
    held = nres.Archive.read(current(gui, library))
    return {it.text: mat0.decode(held.payload(it.index)).phases["diffuse"][0].tolist() for it in held.entries}


def test_an_edit_of_the_default_material_asks_and_creates_the_missing_one(
    gui: GuiTester, missing: Address
) -> None:
    """The edit of a material that is shown as the default one does not change the whole game."""
    type_diffuse(gui, "7")
    assert [type(it) for it in asked(gui)] == [SubstituteQuestion]
    assert diffuse(gui, missing.path) == {"DEFAULT": [255, 255, 255]}, "nothing before it is answered"
    click(gui, "//substitute/###cancel")
    gui.settle()
    assert diffuse(gui, missing.path) == {"DEFAULT": [255, 255, 255]}

    type_diffuse(gui, "7")
    click(gui, "//substitute/###create")
    gui.settle()
    assert diffuse(gui, missing.path) == {"DEFAULT": [255, 255, 255], "DOME": [255, 7, 255]}
    created = nres.Archive.read(current(gui, missing.path)).entries[-1]
    assert (created.type_id, created.attr1, created.attr2) == (MAT0, SKIN, mat0.VERSION)
    (material,) = gui.document.materials.rows
    assert (material.found, material.name) == (FoundIn.NAME, "DOME")
    assert [it.words for it in steps(gui)] == ["add entry DOME"], "one step"

    type_diffuse(gui, "9")
    assert not asked(gui), "it is its own material now"
    assert diffuse(gui, missing.path) == {"DEFAULT": [255, 255, 255], "DOME": [255, 9, 255]}


def test_the_default_material_is_changed_if_that_is_chosen(gui: GuiTester, missing: Address) -> None:
    type_diffuse(gui, "7")
    click(gui, "//substitute/###change")
    gui.settle()
    assert diffuse(gui, missing.path) == {"DEFAULT": [255, 7, 255]}
    type_diffuse(gui, "8")
    assert not asked(gui), "asked once"
    assert diffuse(gui, missing.path) == {"DEFAULT": [255, 8, 255]}


def test_a_library_has_new_material_and_duplicate(gui: GuiTester, game: Path) -> None:
    library = game / "Material.lib"
    count = len(nres.Archive.read(library.read_bytes()).entries)
    gui.open(f"{library}::DEFAULT")
    gui.commands.opening.go_to(Place(Address(library), "directory", 2))
    gui.settle()
    click(gui, "//**/###new_material")
    gui.settle()
    click(gui, "//**/###duplicate2")
    gui.settle()
    held = nres.Archive.read(current(gui, library))
    assert [it.text for it in held.entries[count:]] == ["MATERIAL", "WALKER_METAL_2"]
    assert held.payload(count + 1) == held.payload(2)
    assert held.entries[count].type_id == held.entries[count + 1].type_id == MAT0
    assert [it.words for it in steps(gui)] == ["add a material", "duplicate entry WALKER_METAL"]
