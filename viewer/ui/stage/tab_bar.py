"""The bar with the open tabs: activate, close, order."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from viewer.model.kinds.registry import MODEL
from viewer.model.store.address import Address
from viewer.session.opened.tabs import Tab
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.panels.entry_menu import draw_address_items
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import labeled, readable, tooltip

_FLAGS: Final = (
    imgui.TabBarFlags_.reorderable | imgui.TabBarFlags_.fitting_policy_mixed | imgui.TabBarFlags_.no_tooltip
)


class TabBar:
    """Draws the tabs; which one is active is decided by the application alone."""

    def __init__(self) -> None:
        self._front = 0

    def draw(self, frame: UiContext) -> None:
        """Draw the bar, unless nothing is open."""
        if not frame.state.tabs.opened or not imgui.begin_tab_bar("tabs", _FLAGS):
            return
        active, front = frame.state.tabs.active.identity, self._front
        lefts: dict[int, float] = {}
        for tab in frame.state.tabs.opened:
            is_behind = tab.identity == active != front
            chosen = imgui.TabItemFlags_.set_selected if is_behind else imgui.TabItemFlags_.none
            is_unsaved = frame.lookups.is_unsaved(tab.address)
            mark = imgui.TabItemFlags_.unsaved_document if is_unsaved else imgui.TabItemFlags_.none
            is_front, is_kept = imgui.begin_tab_item(_label(tab), True, chosen | mark)
            if imgui.get_item_rect_size().x:
                lefts[tab.identity] = imgui.get_item_rect_min().x
            if imgui.is_item_clicked() and tab.identity != active:
                frame.commands.opening.activate(tab.identity)
            tooltip([tab.address, _("unsaved changes")] if is_unsaved else tab.address)
            _draw_menu(tab, frame)
            if is_front:
                self._front = tab.identity
                imgui.end_tab_item()
            if not is_kept:
                frame.commands.closing.close_tab(tab.identity)
        imgui.end_tab_bar()
        _take_order(lefts, frame)


def _kind(tab: Tab) -> str:
    return MODEL.id if tab.resource is None else tab.resource.kind


def _label(tab: Tab) -> str:
    return labeled(
        f"{icon_of(_kind(tab))}  {readable(Address.parse(tab.address).name)}", f"tab{tab.identity}"
    )


def _draw_menu(tab: Tab, frame: UiContext) -> None:
    if not imgui.begin_popup_context_item():
        return
    if imgui.menu_item_simple(labeled(_("Close"), "close"), "Ctrl+W"):
        frame.commands.closing.close_tab(tab.identity)
    others = [other for other in frame.state.tabs.opened if other is not tab]
    if imgui.menu_item_simple(labeled(_("Close others"), "close_others"), enabled=bool(others)):
        for other in others:
            frame.commands.closing.close_tab(other.identity)
    imgui.separator()
    draw_address_items(tab.address, _kind(tab), frame)
    imgui.end_popup()


def _take_order(lefts: dict[int, float], frame: UiContext) -> None:
    """Adopt the order into which the user dragged the tabs; a new one has no place in its first frame."""
    order = tuple(sorted(lefts, key=lefts.__getitem__))
    if order != tuple(lefts) and not imgui.is_mouse_down(imgui.MouseButton_.left):
        frame.commands.opening.order_tabs(order)
