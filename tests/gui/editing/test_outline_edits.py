"""Nodes edited in the outline: renamed, dragged under others, added, removed; each is one step."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.hand import choose
from tests.gui.harness import AT_END, BOTTOM, RIGHT, Context, GuiTester, bring_to_front, current
from viewer.formats.neighbors import control, control_points
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, SetParent
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.nodes.set_key import AddKey
from viewer.model.edit.nodes.track_edit import Retime
from viewer.model.mesh.pose.skeleton import ROOT
from viewer.model.store.address import Address
from viewer.session.edits.questions import RemovalQuestion
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed("browser", *BOTTOM, *RIGHT)

BASE, MAST, ARM, HOOK = range(4)
ROW = "//outline/**/###node{}"


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane, paused, with its outline in front."""
    bring_to_front(crane, "outline")
    return crane


def settled(gui: GuiTester) -> GuiTester:
    gui.settle()
    return gui


def names(gui: GuiTester) -> list[str]:
    return [*settled(gui).document.names]


def count(gui: GuiTester) -> int:
    return len(gui.state.edits.at(gui.document.address).steps)


def menu(gui: GuiTester, node: int, item: str) -> None:
    choose(gui, ROW.format(node), item)
    settled(gui)


def rename(gui: GuiTester, node: int, name: str, key: imgui.Key) -> None:
    def script(context: Context) -> None:
        context.item_click(ROW.format(node), imgui.MouseButton_.left, AT_END)
        context.key_press(imgui.Key.f2)
        context.yield_(3)
        context.key_chars_replace(name)
        context.key_press(key)

    gui.run(script)


def test_f2_renames_a_node(crane: GuiTester) -> None:
    rename(crane, ARM, "boom", imgui.Key.enter)
    assert names(crane) == ["base", "mast", "boom", "hook"]
    assert count(crane) == 1


def test_escape_leaves_the_name(crane: GuiTester) -> None:
    rename(crane, ARM, "boom", imgui.Key.escape)
    assert names(crane) == ["base", "mast", "arm", "hook"]
    assert count(crane) == 0


def test_a_node_is_dragged_under_another_and_stays_where_it_is(crane: GuiTester) -> None:
    assert crane.state.pose is not None
    before = crane.state.pose.world[HOOK].copy()
    crane.run(lambda context: context.item_drag_and_drop(ROW.format(HOOK), ROW.format(BASE)))
    settled(crane)
    assert crane.document.skeleton.parents.tolist() == [ROOT, BASE, MAST, BASE]
    assert crane.state.pose.world[HOOK] == pytest.approx(before, abs=1e-3)
    assert count(crane) == 1


def test_a_node_is_added_under_another(crane: GuiTester) -> None:
    menu(crane, MAST, "add_node")
    assert names(crane) == ["base", "mast", "arm", "hook", "node1"]
    assert crane.document.skeleton.parents[4] == MAST


def test_a_node_becomes_a_root(crane: GuiTester) -> None:
    menu(crane, ARM, "make_root")
    assert crane.document.skeleton.parents[crane.document.names.index("arm")] == ROOT


@pytest.mark.parametrize(
    ("item", "left"), [("remove", ["base", "mast", "hook"]), ("remove_below", ["base", "mast"])]
)
def test_nodes_are_removed_alone_or_with_their_children(crane: GuiTester, item: str, left: list[str]) -> None:
    menu(crane, ARM, item)
    assert names(crane) == left


def test_what_is_refused_says_why(crane: GuiTester) -> None:
    menu(crane, BASE, "remove_below")
    assert "a model needs a node" in crane.state.message
    assert count(crane) == 0


SAMPLE = Path(__file__).parents[3] / "assets" / "game"
CHANGES: tuple[Change, ...] = (
    RenameNode("engine", "boiler"),
    AddNode("lamp", "central", 10),
    RemoveNode("fittings"),
    SetParent("turret", "pelvis", keeps_pose=True),
    AddKey("eye", 7),
    Retime(0, 100, 0, 200),
    RemoveNode("Base_TM", with_children=True),
)


def test_a_walker_is_taken_apart_and_put_together(gui: GuiTester, tmp_path: Path) -> None:
    folder = tmp_path / "game"
    shutil.copytree(SAMPLE, folder)
    path = folder / "models.rlb"
    stored = path.read_bytes()
    gui.open(f"{path}::walker.msh")
    gui.change(selection=Selection((38,)))
    for change in CHANGES:
        gui.commands.edits.edit(gui.document.address, (change,))
        gui.settle()
    names = gui.document.names
    assert "boiler" in names
    assert names[9] == "lamp"
    assert len(names) == 38
    assert all(node < len(names) for node in gui.state.view.selection.nodes)
    steps = gui.state.edits.of(path).steps
    assert len(steps) == len(CHANGES)
    assert [Topic.REFERENCES in step.topics for step in steps] == [
        False,
        True,
        True,
        False,
        False,
        True,
        True,
    ]
    points = control_points.decode(gui.app.opener.library.open(Address(path, ("walker.cpt",))).data)
    assert points.points["nodes"][4].tolist() == [names.index("barrels_l")] * 2
    gui.commands.edits.go_to(path, 0)
    gui.settle()
    assert current(gui, path) == stored
    assert len(gui.document.names) == 39


def test_a_part_that_something_refers_to_is_asked_about(gui: GuiTester, tmp_path: Path) -> None:
    folder = tmp_path / "game"
    shutil.copytree(SAMPLE, folder)
    path = folder / "models.rlb"
    stored = path.read_bytes()
    gui.open(f"{path}::walker.msh")
    gui.pause()
    gui.settle()
    gui.app.later(gui.app.control.edits.edit, gui.document.address, (RemoveNode("turret"),))
    gui.frames()
    gui.until(lambda: not gui.app.is_moving)
    assert imgui.internal.get_top_most_and_visible_popup_modal(), "it is on screen once the window sleeps"
    asked = gui.state.question
    assert isinstance(asked, RemovalQuestion)
    assert asked.references == ("turret (walker.ctl channels[0].node)",)
    gui.commands.edits.answer_removal(is_wanted=False)
    gui.settle()
    assert gui.state.question is None
    assert current(gui, path) == stored
    gui.commands.edits.edit(gui.document.address, (RemoveNode("turret"),))
    gui.commands.edits.answer_removal(is_wanted=True)
    gui.settle()
    assert "turret" not in gui.document.names
    channels = control.decode(gui.app.opener.library.open(Address(path, ("walker.ctl",))).data).channels
    assert channels["node"].tolist()[0] == -1
    assert len(gui.state.edits.of(path).steps) == 1
