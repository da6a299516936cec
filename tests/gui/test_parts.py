"""What is drawn of a model, chosen in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.builders import Key, ModelBuilder, Node, box, quad
from tests.gui.harness import AT_END, Context, GuiTester, bring_to_front, click, exists, write_model
from tests.terrains import terrain
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL, FLAG_SURVIVES
from viewer.model.mesh.part_choice import Cutaway
from viewer.session.view.camera import Side
from viewer.session.view.view_state import Overlay
from viewer.ui.panels.display import DisplayPanel
from viewer.ui.widgets.cell_text import chosen_text

WALL, HALL, DOOR, EYE = range(4)
TRIANGLES = {WALL: 12, HALL: 24, EYE: 12}


def building() -> ModelBuilder:
    """A wall with two stages and two levels, a hall in it, a doorway to the hall, a cockpit."""
    stages = {(0, 0): [box()], (0, 1): [quad(), quad()], (1, 0): [quad()]}
    builder = ModelBuilder(
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


def test_the_damage_slider_ends_with_the_destruction(hall: GuiTester) -> None:
    assert triangles(hall) == TRIANGLES[WALL] + TRIANGLES[HALL]

    def drag(context: Context) -> None:
        context.item_click("//display/**/###damage", 0, AT_END)

    hall.run(drag)
    assert hall.state.view.drawn.is_destroyed
    assert triangles(hall) == 2, "the last stage of the wall"
    click(hall, "//display/**/###damage")
    assert (hall.state.view.lod, hall.state.view.drawn.is_destroyed) == (1, False)
    assert triangles(hall) == 2 + TRIANGLES[HALL]


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
    assert {*written} == {"to i_hall"}
    assert (hall.picture() != plain).any()
    size = hall.app.viewport.area.size
    found = hall.app.scene.hits(size, size[0] // 2, size[1] // 2)
    assert DOOR in {selection.node for selection in found}


def test_the_own_view_shows_column_4_from_the_cockpit(hall: GuiTester) -> None:
    click(hall, "//display/**/###own_view")
    assert triangles(hall) == TRIANGLES[EYE]
    assert hall.state.view.camera.eye.tolist() == pytest.approx([0, 0, 0], abs=1e-6)
    hall.run(lambda context: context.key_press(int(imgui.Key.mod_shift) | int(imgui.Key.v)))
    assert triangles(hall) == TRIANGLES[WALL] + TRIANGLES[HALL]
    assert hall.state.view.camera.distance > 3


def test_detail_follows_the_zoom_while_it_is_automatic(hall: GuiTester) -> None:
    click(hall, "//##toolbar/###lod_auto")
    assert hall.state.view.group == 0
    hall.change(camera=hall.state.view.camera.zoom(12))
    assert hall.state.view.group == 1
    click(hall, "//##toolbar/###lod0")
    hall.frames(2)
    assert (hall.state.view.group, hall.state.view.drawn.has_auto_detail) == (0, False)


def test_nothing_left_says_why_and_brings_it_back(hall: GuiTester) -> None:
    hall.change(hidden=frozenset({WALL}))
    hall.run(lambda context: context.menu_click("//##MainMenuBar/view/view.cell/view.destroyed"))
    assert triangles(hall) == 0
    assert exists(hall, "//##message/###accept")
    click(hall, "//##message/###accept")
    assert triangles(hall) > 0


def test_the_rows_of_a_terrain_are_called_levels_of_detail(gui: GuiTester, tmp_path: Path) -> None:
    (tmp_path / "Land.msh").write_bytes(terrain())
    gui.open(tmp_path / "Land.msh")
    bring_to_front(gui, DisplayPanel.id)
    assert not any(exists(gui, f"//display/**/###{name}") for name in ("damage", "own_view", "inside"))
    assert not exists(gui, "//##toolbar/###lod_auto")
    gui.run(lambda context: context.key_press(int(imgui.Key.right_bracket)))
    assert (gui.state.view.lod, gui.state.view.group) == (1, 0)
    assert chosen_text(gui.document, gui.state.view) == "LOD 1"
    gui.run(lambda context: context.menu_click("//##MainMenuBar/view/view.cell/view.lod0"))
    assert gui.state.view.lod == 0
    gui.run(lambda context: context.menu_click("//##MainMenuBar/view/view.cell/view.lod4"))
    assert gui.state.view.lod == 0
    gui.run(lambda context: context.key_press(int(imgui.Key.mod_shift) | int(imgui.Key.v)))
    assert not gui.state.view.drawn.is_own_view


def test_the_level_of_a_terrain_is_not_the_damage_of_the_next_model(gui: GuiTester, tmp_path: Path) -> None:
    (tmp_path / "Land.msh").write_bytes(terrain())
    gui.open(tmp_path / "Land.msh")
    gui.run(lambda context: context.key_press(int(imgui.Key.right_bracket)))
    gui.open(write_model(tmp_path / "hall.msh", building()))
    assert gui.state.view.lod == 0
    gui.run(lambda context: context.key_press(int(imgui.Key.mod_shift) | int(imgui.Key.right_bracket)))
    assert gui.state.view.lod == 1
    gui.open(tmp_path / "Land.msh")
    assert gui.state.view.lod == 0
