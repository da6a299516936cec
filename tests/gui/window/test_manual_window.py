"""The manual inside the program."""

from __future__ import annotations

from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester
from viewer.resources import bundled_path
from viewer.session.manual import read_manual

MANUAL = read_manual(bundled_path("docs"))


def item(title: str) -> str:
    number = next(number for number, it in enumerate(MANUAL) if it.title == title)
    return f"//manual/**/###section{number}"


def test_a_key_opens_the_manual_and_words_find_a_section(gui: GuiTester) -> None:
    seen: list[bool] = []

    def script(context: Context) -> None:
        context.key_press(int(imgui.Key.mod_shift) | int(imgui.Key.f1))
        context.item_click(item("Fourteen recipes"))
        seen.append(context.item_exists(item("5. Play an effect")))
        context.item_input_value("//manual/**/##manual_search", "blast seed")
        context.yield_(2)
        seen.extend(context.item_exists(item(title)) for title in ("5. Play an effect", "2. A new texture"))
        context.window_close("//manual")

    gui.run(script)
    assert seen == [True, True, False]
