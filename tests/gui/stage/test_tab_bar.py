"""The bar of many tabs: it scrolls, and a list has all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.builders import archive_of
from tests.gui.conftest import rock
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester
from tests.gui.tab_steps import active, open_tabs

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


def seen_tabs(gui: GuiTester) -> dict[str, tuple[float, float]]:
    """The left and the right edge of each tab in the bar, by entry."""
    gui.frames(60)  # the bar scrolls step by step
    edges: dict[str, tuple[float, float]] = {}

    def look(context: Context) -> None:
        for tab in gui.state.tabs.opened:
            box = context.item_info(f"//viewport/tabs/###tab{tab.identity}").rect_full
            edges[tab.address.name if tab.address else ""] = box.min.x, box.max.x

    gui.run(look)
    return edges


def test_many_tabs_keep_their_width_and_scroll_to_the_one_in_front(gui: GuiTester, tmp_path: Path) -> None:
    """Fourteen tabs are wider than the bar; each stays as wide as its name, the active one is on screen."""
    entries = [f"model_number_{number:02}.msh" for number in range(14)]
    path = tmp_path / "many.rlb"
    path.write_bytes(archive_of(dict.fromkeys(entries, rock().build())))
    open_tabs(gui, *(f"{path}::{name}" for name in entries))
    bar = imgui.internal.find_window_by_name("Viewport###viewport").rect()
    edges = seen_tabs(gui)
    assert bar.min.x <= edges[entries[-1]][0] < edges[entries[-1]][1] <= bar.max.x
    assert edges[entries[0]][1] < bar.min.x, "the first ones are scrolled away"
    whole = imgui.calc_text_size(entries[0]).x
    assert all(right - left > whole for left, right in edges.values())
    first = gui.state.tabs.opened[0].identity
    click(gui, "//viewport/tabs/###list_tabs", f"//$FOCUSED/###tab{first}")
    gui.settle()
    assert active(gui) == entries[0]
    edges = seen_tabs(gui)
    assert bar.min.x <= edges[entries[0]][0] < edges[entries[0]][1] <= bar.max.x
    assert edges[entries[-1]][0] > bar.max.x
