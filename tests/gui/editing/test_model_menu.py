"""Rows of a model changed from menus of the tables, the Inspector, the viewport and the menu bar; undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.editing.test_cell_editing import CTRL, show
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, bring_to_front, current, enlarge, steps
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.model import Model
from viewer.session.selection import Selection
from viewer.session.view.camera import Side

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

MENU, SUBMENU = "//$FOCUSED/###", "//###Menu_00/###"
AT_START = imgui.test_engine.TestOpFlags_.move_to_edge_l
BASE, MAST, ARM, HOOK = range(4)


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane, paused, with the tables in front."""
    enlarge(crane, "timeline")
    bring_to_front(crane, "tables")
    return crane


def choose_for_rows(
    gui: GuiTester,
    table: str,
    rows: tuple[int, ...],
    *items: str,
    then: Callable[[Context], None] = lambda _: None,
) -> None:
    """Choose entries of the context menu of rows of a table."""
    show(gui, table)

    def script(context: Context) -> None:
        for number, row in enumerate(rows):
            if number:
                context.key_down(CTRL)
            context.item_click(f"//tables/**/###row{row}", imgui.MouseButton_.left, AT_START)
            context.key_up(CTRL)
        context.item_click(f"//tables/**/###row{rows[-1]}", imgui.MouseButton_.right, AT_START)
        for depth, item in enumerate(items):
            context.item_click(f"{SUBMENU if depth else MENU}{item}")
        then(context)

    gui.run(script)
    gui.settle()


def undone(gui: GuiTester, archive: Path) -> bool:
    """Undo the only step; tell whether the bytes are those of the file again."""
    assert len(steps(gui)) == 1
    assert current(gui, archive) != archive.read_bytes()
    gui.commands.edits.step(-1)
    gui.settle()
    return current(gui, archive) == archive.read_bytes()


def count_slots(model: Model) -> int:
    return len(model.slots)


CHANGES: list[tuple[str, tuple[int, ...], str, Callable[[Model], int], int]] = [
    ("slots", (0,), "add_slot", count_slots, 1),
    ("slots", (1,), "copy_slot", count_slots, 1),
    ("slots", (1,), "copy_slot_geometry", lambda model: model.vertex_count, 24),
    ("slots", (0, 1), "remove_slot", count_slots, -2),
    ("tri_descriptors", (0, 2), "remove_triangles", lambda model: len(model.tri_descriptors), -2),
    ("batches", (0,), "remove_triangles", lambda model: len(model.indices), -36),
    ("nodes", (ARM,), "add_node", lambda model: len(model.nodes), 1),
    ("nodes", (ARM,), "remove_node", lambda model: len(model.nodes), -1),
]
"""Table, rows, entry of their menu, and what is counted, by how many rows it changes."""


def test_rows_are_added_copied_and_removed(crane: GuiTester, archive: Path) -> None:
    for table, rows, item, count, difference in CHANGES:
        before = count(crane.document.model)
        choose_for_rows(crane, table, rows, item)
        assert count(crane.document.model) - before == difference, (table, item)
        assert undone(crane, archive), (table, item)


def test_selected_triangles_are_turned_over(crane: GuiTester, archive: Path) -> None:
    before = crane.document.model.indices.reshape(-1, 3).copy()
    choose_for_rows(crane, "tri_descriptors", (0, 1), "flip_triangles")
    after = crane.document.model.indices.reshape(-1, 3)
    np.testing.assert_array_equal(after[:2], before[:2, [0, 2, 1]])
    np.testing.assert_array_equal(after[2:], before[2:])
    assert undone(crane, archive)


def test_vertices_without_a_user_are_removed(crane: GuiTester, archive: Path) -> None:
    choose_for_rows(crane, "batches", (0,), "remove_triangles")
    before = crane.document.model.vertex_count
    choose_for_rows(crane, "positions", (0,), "remove_unused")
    assert crane.document.model.vertex_count == before - 24
    for _ in range(2):
        crane.commands.edits.step(-1)
    crane.settle()
    assert current(crane, archive) == archive.read_bytes()


def typing(name: str, *numbers: float) -> Callable[[Context], None]:
    """Type numbers into the fields of the open menu, and apply them."""

    def script(context: Context) -> None:
        for index, number in enumerate(numbers):
            context.item_input_value(f"{SUBMENU}{name}/$${index}", number)
        context.item_click(f"{SUBMENU}apply_placing")

    return script


def test_selected_vertices_are_moved_by_typed_numbers(crane: GuiTester, archive: Path) -> None:
    before = crane.document.model.positions.copy()
    choose_for_rows(crane, "positions", (0, 3), "place", then=typing("way", 0.5, 0.0, -2.0))
    moved = crane.document.model.positions - before
    assert moved[[0, 3]].tolist() == [[0.5, 0, -2]] * 2
    assert np.flatnonzero(moved.any(axis=1)).tolist() == [0, 3]
    assert undone(crane, archive)


def test_the_geometry_of_a_part_is_turned_by_typed_degrees(crane: GuiTester, archive: Path) -> None:
    before = crane.document.model.positions.copy()
    choose_for_rows(crane, "nodes", (MAST,), "place", then=typing("degrees", 0.0, 0.0, 90.0))
    after = crane.document.model.positions
    (moved,) = np.nonzero((after != before).any(axis=1))
    assert len(moved) == 24
    np.testing.assert_allclose(after[moved], before[moved] @ [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-6)
    assert undone(crane, archive)


def test_a_part_is_moved_in_all_its_keys_by_typed_numbers(crane: GuiTester, archive: Path) -> None:
    track = crane.document.animation.track(MAST)
    before = crane.document.model.keys["position"].copy()
    choose_for_rows(crane, "nodes", (MAST,), "place_node", then=typing("way", 1.0, 0.0, 0.5))
    moved = crane.document.model.keys["position"] - before
    assert moved[track.start : track.stop].tolist() == [[1, 0, 0.5]] * 3
    assert np.flatnonzero(moved.any(axis=1)).tolist() == [*track]
    assert undone(crane, archive)


def test_batches_get_another_material(crane: GuiTester, archive: Path) -> None:
    choose_for_rows(crane, "batches", (0,), "material", "material1")
    assert crane.document.materials.wear_row_of_draw[crane.document.draws.batch == 0].tolist() == [1]
    assert undone(crane, archive)


def test_keys_are_added_and_removed(crane: GuiTester, archive: Path) -> None:
    start, before = (
        crane.document.animation.track(MAST).start,
        crane.document.animation.key_times(MAST).tolist(),
    )
    assert before == [0, 10, 20]
    for key, item, expected in ((start, "add_key", [0, 5, 10, 20]), (start + 1, "remove_key", [0, 20])):
        choose_for_rows(crane, "keys", (key,), item)
        assert crane.document.animation.key_times(MAST).tolist() == expected
        assert undone(crane, archive)


def test_the_inspector_changes_the_selected_triangle(crane: GuiTester, archive: Path) -> None:
    bring_to_front(crane, "inspector")
    before = len(crane.document.model.indices)
    crane.change(selection=Selection((BASE,), 0, 0, 3, 3))
    click(crane, "//inspector/triangle/###change_row", f"{MENU}remove_triangles")
    crane.settle()
    assert len(crane.document.model.indices) == before - 3
    assert undone(crane, archive)


def test_the_menu_of_the_viewport_changes_what_was_clicked(crane: GuiTester, archive: Path) -> None:
    before = len(crane.document.model.slots)
    crane.look_from(Side.TOP)
    crane.change(camera=replace(crane.state.view.camera, target=(1.0, 0.0, 3.0)))

    def script(context: Context) -> None:
        context.mouse_move("//viewport/viewport")
        context.mouse_click(imgui.MouseButton_.right)
        context.item_click(f"{MENU}change_slot")
        context.item_click(f"{SUBMENU}copy_slot")

    crane.run(script)
    crane.settle()
    assert len(crane.document.model.slots) == before + 1
    assert undone(crane, archive)


def test_bounds_are_computed_again_from_the_menu_bar(crane: GuiTester, archive: Path) -> None:
    wrong = SetField("slots", RowChoice.of(0), "aabb_max[0]", 99.0)
    crane.commands.edits.edit(crane.document.address, (wrong,))
    crane.settle()
    assert current(crane, archive) != archive.read_bytes()
    item = "//##MainMenuBar/edit/edit.recompute/edit.recompute_bounds"
    crane.run(lambda context: context.menu_click(item))
    crane.settle()
    assert [step.words for step in steps(crane)][1:] == ["recompute slot bounds"]
    assert current(crane, archive) == archive.read_bytes()
