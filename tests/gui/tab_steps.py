"""Steps with tabs that several tests share."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from tests.gui.harness import GuiTester
from viewer.model.store.address import Address

CTRL: Final = int(imgui.Key.mod_ctrl)
SHIFT: Final = int(imgui.Key.mod_shift)


def open_tabs(gui: GuiTester, *addresses: str) -> None:
    """Open addresses in tabs of their own, and wait until they are shown in their textures."""
    for address in map(Address.parse, addresses):
        gui.commands.opening.open(address, in_new_tab=True)
        gui.until(lambda address=address: gui.state.tabs.active.address == address)  # type: ignore[misc]
        gui.settle()


def names(gui: GuiTester) -> list[str]:
    """The entries that are open, in the order of the tabs."""
    return [str(tab.address).rpartition("::")[2] for tab in gui.state.tabs.opened]


def active(gui: GuiTester) -> str:
    """The entry in front."""
    return str(gui.state.tabs.active.address).rpartition("::")[2]


def tab_of(gui: GuiTester, name: str) -> str:
    """Reference of a tab in the bar."""
    tab = next(tab for tab in gui.state.tabs.opened if str(tab.address).endswith(name))
    return f"//viewport/tabs/###tab{tab.identity}"
