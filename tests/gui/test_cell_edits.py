"""A cell of the slot matrix gets another slot, or none, in the inspector."""

from __future__ import annotations

from pathlib import Path

from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester
from viewer.formats.msh.nodes import NONE
from viewer.model.edit.nodes.node_count import SetCell

ARM = 2


def test_a_cell_shows_another_slot_or_nothing(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.pause()
    gui.select(ARM)
    slots = gui.document.model.nodes["slots"][ARM]
    link = f"//inspector/**/{slots[0, 0]}##cell00"

    def assign(context: Context) -> None:
        context.item_click(link, imgui.MouseButton_.right)
        context.yield_(12)
        context.item_input_value("//$FOCUSED/###slot", 0)

    gui.run(assign)
    gui.settle()
    assert gui.document.model.nodes["slots"][ARM][0, 0] == 0

    def clear(context: Context) -> None:
        context.item_click("//inspector/**/0##cell00", imgui.MouseButton_.right)
        context.yield_(12)
        context.item_click("//$FOCUSED/###show_nothing")

    gui.run(clear)
    gui.settle()
    assert gui.document.model.nodes["slots"][ARM][0, 0] == NONE
    steps = gui.state.edits.at(str(archive)).steps
    assert [step.changes for step in steps] == [(SetCell("arm", 0, 0, 0),), (SetCell("arm", 0, 0, None),)]
