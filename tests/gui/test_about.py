"""The about box, and its text for bug reports."""

from __future__ import annotations

from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester
from viewer.version import VERSION


def test_the_about_box_copies_what_a_bug_report_needs(gui: GuiTester) -> None:
    gui.run(lambda context: context.menu_click("//##MainMenuBar/###help/###help.about"))
    gui.settle()
    copied: list[str] = []

    def copy(context: Context) -> None:
        context.item_click("//about/###copy_about")
        context.yield_(2)
        copied.append(imgui.get_clipboard_text())

    gui.run(copy)
    assert f"mshview {VERSION}" in copied[0]
    assert gui.window.ctx.info["GL_RENDERER"] in copied[0]
