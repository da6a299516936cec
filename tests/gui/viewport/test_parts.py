"""What is drawn of a model, chosen in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.builders import Key, ModelBuilder, Node, box, quad
from tests.gui.hand import click, click_row, press
from tests.gui.harness import AT_END, BOTTOM, LEFT, Context, GuiTester, bring_to_front, exists, write_model
from tests.terrains import terrain
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL, FLAG_SURVIVES
from viewer.model.mesh.shown import Cutaway
from viewer.session.field_text import chosen_text
from viewer.session.play.machinery import material_states
from viewer.session.view.camera import Side
from viewer.session.view.options.overlays import Overlay
from viewer.ui.actions.action_table import ACTIONS
from viewer.ui.panels.display import DisplayPanel

pytestmark = pytest.mark.closed("inspector", *BOTTOM, *LEFT)

WALL, HALL, DOOR, EYE = range(4)
MODELS = Path(__file__).resolve().parents[3] / "assets" / "game" / "models.rlb"
OUTPOST = MODELS.parent / "UNITS" / "UNITS" / "SAMPLE" / "outpost.dat"
TRIANGLES = {WALL: 12, HALL: 24, EYE: 12}


def building() -> ModelBuilder:
    """A wall with two stages and two levels, a hall in it, a doorway to the hall, a cockpit."""
    stages = {(0, 0): [box()], (0, 1): [quad(), quad()], (1, 0): [quad()]}
    builder = ModelBuilder.of(
        [
            Node("o_wall", shapes=stages, flags=FLAG_SURVIVES),
            Node("i_hall", shapes={(0, 0): [box((2, 2, 2)), box()]}, flags=FLAG_INTERNAL),
            Node("o_door", shapes={(0, 0): [quad(3)]}, keys=[Key(position=(0, 0, 1.2))]),
            Node("CP", shapes={(0, 4): [box()]}, flags=FLAG_COCKPIT),
        ]
    )
    door = int(builder.slots["batch_start"][int(builder.nodes["slots"][DOOR, 0, 0])])
    builder.batches["flags"][door], builder.batches["opaque6"][door] = 0x8, HALL
    return builder


@pytest.fixture
def hall(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """The building, open, with the display panel in front."""
    gui.open(write_model(tmp_path / "hall.msh", building()))
    bring_to_front(gui, DisplayPanel.id)
    return gui


def triangles(gui: GuiTester) -> int:
    return gui.state.statistics.triangles


def test_the_lod_slider_ends_with_the_destruction(hall: GuiTester) -> None:
    assert triangles(hall) == TRIANGLES[WALL] + TRIANGLES[HALL]

    click_row(hall, "//display/**/###lod")
    assert hall.state.view.drawn.is_destroyed
    assert triangles(hall) == 2, "the last stage of the wall"
    click(hall, "//display/**/###lod")
    assert (hall.state.view.lod, hall.state.view.drawn.is_destroyed) == (1, False)
    assert triangles(hall) == 2 + TRIANGLES[HALL]


def test_the_lod_slider_reaches_a_row_that_was_chosen_though_the_model_leaves_it_empty(
    gui: GuiTester, tmp_path: Path
) -> None:
    gui.open(write_model(tmp_path / "box.msh", ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})])))
    bring_to_front(gui, DisplayPanel.id)
    gui.change(lod=1)
    start = imgui.test_engine.TestOpFlags_.move_to_edge_l
    gui.run(lambda context: context.item_click("//display/**/###lod", 0, start))
    assert (gui.state.view.lod, gui.state.view.drawn.is_destroyed) == (0, False)


def test_the_group_slider_leaves_the_group_of_the_own_view(gui: GuiTester, tmp_path: Path) -> None:
    gui.open(write_model(tmp_path / "box.msh", ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})])))
    bring_to_front(gui, DisplayPanel.id)
    gui.change(group=4)

    def choose_the_fourth_of_five(context: Context) -> None:
        box = context.item_info("//display/**/###group").rect_full
        x = box.min.x + 0.7 * (box.max.x - box.min.x)
        context.mouse_move_to_pos(imgui.ImVec2(x, (box.min.y + box.max.y) / 2))
        context.mouse_click(0)

    gui.run(choose_the_fourth_of_five)
    assert gui.state.view.group == 3


def test_a_building_is_cut_open_and_closed(hall: GuiTester) -> None:
    click(hall, "//display/**/###inside")
    assert (hall.state.view.drawn.cutaway, triangles(hall)) == (Cutaway.INSIDE, TRIANGLES[HALL])
    click(hall, "//display/**/###outside")
    assert triangles(hall) == TRIANGLES[WALL]


def test_names_in_the_image_follow_the_cutaway(
    hall: GuiTester, written: dict[str, tuple[float, float]]
) -> None:
    hall.change(overlays=frozenset({Overlay.NAMES}))
    assert "o_wall" in written
    click(hall, "//display/**/###inside")
    assert {*written} == {"i_hall"}


def test_portals_name_the_room_behind_and_can_be_picked(
    hall: GuiTester, written: dict[str, tuple[float, float]]
) -> None:
    hall.look_from(Side.TOP)
    plain = hall.picture()
    click(hall, "//display/**/###portals")
    assert Overlay.PORTALS in hall.state.view.overlays
    assert {*written} == {"doorway to i_hall"}
    assert (hall.picture() != plain).any()
    size = hall.app.viewport.area.size
    found = hall.app.images.scene.hits(size, size[0] // 2, size[1] // 2)
    assert DOOR in {selection.node for selection in found}


def test_the_portals_of_parts_are_laid_over_a_unit_and_named(
    gui: GuiTester, written: dict[str, tuple[float, float]]
) -> None:
    """The outpost is the tower of the sample, with a sign, a doorway and an open portal."""
    gui.open(OUTPOST)
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()
    bring_to_front(gui, DisplayPanel.id)
    plain = gui.shown()
    assert not written
    click(gui, "//display/**/###portals")
    gui.settle()
    # The open portal is behind the sign, where there is no room for its label.
    assert {*written} == {"sign to i02_hall", "doorway to i02_hall"}
    assert (gui.shown() != plain).any()
    assert exists(gui, "//display/**/###has_fading_portals")
    unit = gui.state.unit
    assert unit is not None
    gui.change(hidden=frozenset(unit.documents))
    written.clear()
    gui.settle()
    assert not written, "parts that are hidden have no portals"


def test_the_clan_is_chosen_where_a_material_has_a_block_for_each(gui: GuiTester) -> None:
    """The emblems of the tower; a tree has no such material."""
    gui.open(f"{MODELS}::b_tower.msh")
    bring_to_front(gui, DisplayPanel.id)
    rows = gui.document.materials.rows
    place = next(index for index, it in enumerate(rows) if it.name == "B_LBL_01")
    assert gui.state.view.materials.variant(place, rows[place]) == 0
    gui.run(lambda context: context.item_click("//display/**/###clan", 0, AT_END))
    assert gui.state.view.materials.clan == 7
    shown = material_states(gui.document, gui.state.view)[place]
    assert rows[place].phases[shown.phase].page == 7, "block 7 is cell 7"
    gui.open(f"{MODELS}::s_tree_oak.msh")
    assert not exists(gui, "//display/**/###clan")


def test_the_own_view_shows_group_4_from_the_cockpit(hall: GuiTester) -> None:
    click(hall, "//display/**/###own_view")
    assert triangles(hall) == TRIANGLES[EYE]
    assert hall.state.view.camera.eye.tolist() == pytest.approx([0, 0, 0], abs=1e-6)
    press(hall, int(imgui.Key.mod_shift) | int(imgui.Key.v))
    assert triangles(hall) == TRIANGLES[WALL] + TRIANGLES[HALL]
    assert hall.state.view.camera.distance > 3


def test_after_the_own_view_of_a_file_the_next_one_is_shown_as_before(
    hall: GuiTester, tmp_path: Path
) -> None:
    press(hall, imgui.Key.right_bracket)
    chosen = hall.state.view.lod, hall.state.view.group
    distance = hall.state.view.camera.distance
    press(hall, int(imgui.Key.mod_shift) | int(imgui.Key.v))
    assert hall.state.view.drawn.is_own_view
    first = hall.document.address
    hall.open(write_model(tmp_path / "other.msh", building()))
    view = hall.state.view
    assert (view.drawn.is_own_view, view.lod, view.group) == (False, 0, 0), "LOD and group stay in their file"
    assert view.camera.distance == pytest.approx(distance, rel=0.2), "the camera left the cockpit"
    hall.open(str(first))
    assert hall.state.view.drawn.is_own_view, "the first file is as it was left"
    press(hall, int(imgui.Key.mod_shift) | int(imgui.Key.v))
    assert (hall.state.view.lod, hall.state.view.group) == chosen


def test_the_cell_that_a_file_shows_instead_of_an_empty_one_is_its_own(
    gui: GuiTester, tmp_path: Path
) -> None:
    far = write_model(tmp_path / "far.msh", ModelBuilder.of([Node("far", shapes={(0, 2): [box()]})]))
    gui.open(far)
    assert (gui.state.view.lod, gui.state.view.group) == (0, 2)
    hall = write_model(tmp_path / "hall.msh", building())
    gui.open(hall)
    assert (gui.state.view.lod, gui.state.view.group) == (0, 0)


def test_the_group_follows_the_zoom_while_it_is_automatic(hall: GuiTester) -> None:
    click(hall, "//##toolbar/###auto_group")
    assert hall.state.view.group == 0
    hall.change(camera=hall.state.view.camera.zoom(12))
    assert hall.state.view.group == 1
    click(hall, "//##toolbar/###group0")
    hall.settle()
    assert (hall.state.view.group, hall.state.view.drawn.has_auto_detail) == (0, False)


def test_nothing_left_says_why_and_brings_it_back(hall: GuiTester) -> None:
    hall.change(hidden=frozenset({WALL}))
    hall.run(lambda context: context.menu_click("//##MainMenuBar/view/view.cell/view.destroyed"))
    assert triangles(hall) == 0
    assert exists(hall, "//##message/###accept")
    click(hall, "//##message/###accept")
    assert triangles(hall) > 0


@pytest.mark.parametrize(
    ("coarse", "keys", "name"),
    [
        ((0, 1), int(imgui.Key.mod_shift) | int(imgui.Key.right_bracket), "LOD 0, group 1 - coarse"),
        ((1, 0), int(imgui.Key.right_bracket), "LOD 1 - coarse, group 0"),
    ],
)
def test_a_terrain_has_its_coarse_level_where_the_file_has_it_and_no_own_view(
    gui: GuiTester, tmp_path: Path, coarse: tuple[int, int], keys: int, name: str
) -> None:
    (tmp_path / "Land.msh").write_bytes(terrain(coarse=coarse))
    gui.open(tmp_path / "Land.msh")
    bring_to_front(gui, DisplayPanel.id)
    assert not any(exists(gui, f"//display/**/###{name}") for name in ("own_view", "inside"))
    press(gui, keys)
    assert (gui.state.view.lod, gui.state.view.group) == coarse
    assert chosen_text(gui.document, gui.state.view) == name
    gui.run(lambda context: context.menu_click("//##MainMenuBar/view/view.cell/view.lod0"))
    gui.run(lambda context: context.menu_click("//##MainMenuBar/view/view.cell/view.group0"))
    assert (gui.state.view.lod, gui.state.view.group) == (0, 0)
    gui.change(camera=gui.state.view.camera.zoom(12))
    assert gui.state.view.group == 0, "the size of the whole chooses nothing"
    press(gui, int(imgui.Key.mod_shift) | int(imgui.Key.v))
    assert not gui.state.view.drawn.is_own_view


def test_the_lod_of_a_terrain_is_not_that_of_the_next_model(gui: GuiTester, tmp_path: Path) -> None:
    (tmp_path / "Land.msh").write_bytes(terrain())
    gui.open(tmp_path / "Land.msh")
    press(gui, imgui.Key.right_bracket)
    gui.open(write_model(tmp_path / "hall.msh", building()))
    assert gui.state.view.lod == 0
    press(gui, imgui.Key.right_bracket)
    assert gui.state.view.lod == 1
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "Land.msh").write_bytes(terrain())
    gui.open(tmp_path / "other" / "Land.msh")
    assert gui.state.view.lod == 0
    gui.open(tmp_path / "Land.msh")
    assert gui.state.view.lod == 1, "as it was left"


def test_every_name_of_a_cell_has_its_meaning_except_in_the_seed_reading(hall: GuiTester) -> None:
    def names() -> list[str]:
        frame = hall.app.panel_context()
        actions = {it.id: it.text(frame) for it in ACTIONS}
        shown = chosen_text(hall.document, hall.state.view)
        return [shown, actions["view.lod1"], actions["view.group4"]]

    assert names() == ["LOD 0 - intact, group 0 - near", "LOD 1 - damaged", "group 4 - own view"]
    hall.commands.opening.use_reading("seed")
    hall.until(lambda: hall.document.is_in_seed_reading)
    assert names() == ["LOD 0, group 0", "LOD 1", "group 4"]
    click(hall, "//##toolbar/###auto_group")
    assert not hall.state.view.drawn.has_auto_detail, "the seeds know no group by size"
