"""Context menus in scripts of the window."""

from __future__ import annotations

from imgui_bundle import imgui

from tests.gui.harness import AT_END, Context, GuiTester


def choose(gui: GuiTester, row: str, item: str) -> None:
    """Choose an item of the context menu of a row, which is opened where the row has no buttons."""

    def script(context: Context) -> None:
        context.item_click(row, imgui.MouseButton_.right, AT_END)
        context.item_click(f"//$FOCUSED/###{item}")

    gui.run(script)
