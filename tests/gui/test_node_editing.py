"""Nodes and keys of the sample's walker changed in the window: shown, followed next to it, and undone."""

from __future__ import annotations

import shutil
from pathlib import Path

from imgui_bundle import imgui

from tests.gui.harness import GuiTester
from tests.gui.test_editing import current
from viewer.formats.neighbors import control, control_points
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.keys.retime import Retime
from viewer.model.edit.keys.set_key import AddKey
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, SetParent
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.store.address import Address
from viewer.session.edits.questions import RemovalQuestion
from viewer.session.selection import Selection

SAMPLE = Path(__file__).parents[2] / "assets" / "game"
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
    gui.app.commands.edits.edit(gui.document.address, (RemoveNode("turret"),))
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
