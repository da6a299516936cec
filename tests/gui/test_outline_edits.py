"""Nodes edited in the outline: renamed, dragged under others, added, removed; each is one step."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.harness import AT_END, Context, GuiTester, bring_to_front
from viewer.model.mesh.skeleton import ROOT

BASE, MAST, ARM, HOOK = range(4)
ROW = "//outline/**/###node{}"


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane, paused, with its outline in front."""
    gui.open(archive)
    gui.pause()
    bring_to_front(gui, "outline")
    return gui


def settled(gui: GuiTester) -> GuiTester:
    gui.settle()
    return gui


def names(gui: GuiTester) -> list[str]:
    return [*settled(gui).document.names]


def count(gui: GuiTester) -> int:
    return len(gui.state.edits.at(gui.document.address).steps)


def menu(gui: GuiTester, node: int, item: str) -> None:
    def script(context: Context) -> None:
        context.item_click(ROW.format(node), imgui.MouseButton_.right, AT_END)
        context.item_click(f"//$FOCUSED/###{item}")

    gui.run(script)
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
