"""What a hand does in scripts of the window: clicks, keys, drags, menus."""

from __future__ import annotations

from imgui_bundle import imgui

from tests.gui.harness import AT_END, Context, GuiTester

Point = imgui.ImVec2 | tuple[float, float]


def click(gui: GuiTester, *items: str) -> None:
    """Click items one after the other."""

    def script(context: Context) -> None:
        for item in items:
            context.item_click(item)

    gui.run(script)


def click_row(gui: GuiTester, row: str) -> None:
    """Click the end of a row, where it has no buttons."""
    gui.run(lambda context: context.item_click(row, imgui.MouseButton_.left, AT_END))


def press(gui: GuiTester, *chords: int, panel: str = "") -> None:
    """Press keys one after the other, each with its modifiers added to it.

    They go to the viewport, which every script begins and ends with in front, or to a panel.
    """

    def script(context: Context) -> None:
        if panel:
            context.window_focus(f"//{panel}")
        for chord in chords:
            context.key_press(int(chord))

    gui.run(script)


def drag(
    gui: GuiTester,
    start: str | Point,
    end: Point | None = None,
    key: int = 0,
    *,
    by: tuple[float, float] = (0, 0),
    button: int = 0,
) -> None:
    """Drag from an item or a place in the window to another place, or by so many pixels.

    Parameters
    ----------
    key
        What is held meanwhile, if anything.
    """

    def script(context: Context) -> None:
        if isinstance(start, str):
            context.mouse_move(start)
        else:
            context.mouse_move_to_pos(start)
        if key:
            context.key_down(key)
        if end is None:
            context.mouse_drag_with_delta(by, button)
        else:
            context.mouse_down(button)
            context.mouse_move_to_pos(end)
            context.mouse_up(button)
        if key:
            context.key_up(key)

    gui.run(script)


def choose(gui: GuiTester, row: str, *items: str) -> None:
    """Choose items of the context menu of a row one after the other, each in the menu of the last.

    The menu is opened where the row has no buttons.
    """

    def script(context: Context) -> None:
        context.item_click(row, imgui.MouseButton_.right, AT_END)
        for item in items:
            context.item_click(f"//$FOCUSED/###{item}")

    gui.run(script)


def type_into(gui: GuiTester, item: str, words: str, key: imgui.Key = imgui.Key.enter) -> None:
    """Type into a field in place of what is there, and press a key."""

    def script(context: Context) -> None:
        context.item_click(item)
        context.key_chars_replace(words)
        context.key_press(int(key))

    gui.run(script)
    gui.settle()
