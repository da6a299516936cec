"""The tabs of what is open, and the line below them if what the active one shows is not on the disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.kinds.registry import MODEL
from viewer.model.store.address import Address
from viewer.session.opened.tabs import Tab, short_names
from viewer.translation import _, remembered
from viewer.ui.actions.actions import can_step
from viewer.ui.context import UiContext
from viewer.ui.panels.entry_menu import draw_address_items
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import colored, cut, labeled, readable, text, tooltip

_FLAGS: Final = int(
    imgui.TabBarFlags_.reorderable
    | imgui.TabBarFlags_.fitting_policy_scroll
    | imgui.TabBarFlags_.no_tooltip
    | imgui.TabBarFlags_.draw_selected_overline
)
_LEADING: Final = int(imgui.TabItemFlags_.leading | imgui.TabItemFlags_.no_tooltip)
_LIST: Final = "all_tabs"
_SELECTED: Final = int(imgui.TabItemFlags_.set_selected)
_LEFT: Final = imgui.MouseButton_.left
_UNSAVED: Final = int(imgui.TabItemFlags_.unsaved_document)


class TabBar:
    """Draws the tabs; which one is active is decided by the application alone."""

    def __init__(self) -> None:
        self._front = 0
        self._order: tuple[int, ...] = ()
        self._bar = "tabs"
        self._names = Cached(short_names)

    def draw(self, frame: UiContext) -> None:
        """Draw the bar, unless nothing is open."""
        self._follow_order(tuple(tab.identity for tab in frame.state.tabs.opened))
        if not frame.state.tabs.opened or not imgui.begin_tab_bar(self._bar, _FLAGS):
            return
        active, front = frame.state.tabs.active.identity, self._front
        style = imgui.get_style()
        hidden, style.tab_close_button_min_width_selected = style.tab_close_button_min_width_selected, -1.0
        lefts: dict[int, float] = {}
        names = self._names.of(frame.state.tabs.addresses, frame.state.tabs.addresses)
        _draw_steps(frame)
        is_listed = imgui.tab_item_button(labeled(fa.ICON_FA_LIST, "list_tabs"), _LEADING)
        tooltip(_("All tabs"))
        for tab in frame.state.tabs.tabs:
            address = tab.address
            if address is None:
                continue
            is_behind = tab.identity == active != front
            is_unsaved = frame.lookups.is_unsaved(address)
            flags = is_behind * _SELECTED + is_unsaved * _UNSAVED
            is_passing = frame.state.settings.reuses_tabs and not tab.is_kept
            label = _label(_kind(tab), *names[address], tab.identity)
            with colored(theme.DIM if is_passing else theme.TEXT):
                is_front, is_open = imgui.begin_tab_item(label, True, flags)
            if imgui.get_item_rect_size().x:
                lefts[tab.identity] = imgui.get_item_rect_min().x
            if imgui.is_item_clicked() and tab.identity != active:
                frame.later(frame.control.opening.activate, tab.identity)
            if is_passing and imgui.is_item_hovered() and imgui.is_mouse_double_clicked(_LEFT):
                frame.later(frame.control.opening.keep_tab, tab.identity)
            tooltip([*_hints(address, is_unsaved=is_unsaved, is_passing=is_passing)])
            _draw_menu(tab, address, frame)
            if is_front:
                self._front = tab.identity
                imgui.end_tab_item()
            if not is_open:
                frame.later(frame.control.closing.close_tab, tab.identity)
        style.tab_close_button_min_width_selected = hidden
        imgui.end_tab_bar()
        if is_listed:
            imgui.open_popup(_LIST)
        _draw_list(names, frame)
        self._take_order(lefts, frame)

    def _follow_order(self, identities: tuple[int, ...]) -> None:
        """Draw another bar if the program has ordered the tabs: ImGui keeps the order in which they came."""
        known = [it for it in self._order if it in identities]
        if [*identities[: len(known)]] != known:
            self._bar = f"tabs{identities}"
        self._order = identities

    def _take_order(self, lefts: dict[int, float], frame: UiContext) -> None:
        """Adopt the order into which the user dragged the tabs; a new one has no place in its first frame."""
        # Tabs stand where ImGui has them: the order of their left edges is the order on screen.
        order = tuple(sorted(lefts, key=lefts.__getitem__))
        if order != tuple(lefts) and not imgui.is_mouse_down(imgui.MouseButton_.left):
            frame.later(frame.control.opening.order_tabs, order)
            self._order = order


def _kind(tab: Tab) -> str:
    return MODEL.id if tab.resource is None else tab.resource.kind


@remembered
def _label(kind: str, name: str, told_by: str, identity: int) -> str:
    words = f"{readable(name)}  ·  {readable(told_by)}" if told_by else readable(name)
    return labeled(f"{icon_of(kind)}  {words}", f"tab{identity}")


def _hints(address: Address, *, is_unsaved: bool, is_passing: bool) -> Iterator[str]:
    """Yield what a tab shows, and what is said of it."""
    yield str(address)
    if is_unsaved:
        yield _("unsaved changes")
    if is_passing:
        yield _("Only looked at: what is opened next takes its place. Double click: keep it open")


def _draw_steps(frame: UiContext) -> None:
    """Draw the buttons that go back and forward, before the tabs."""
    for name, icon, step, hint in (
        ("back", fa.ICON_FA_ARROW_LEFT, -1, _("Go back") + "\nAlt+Left"),
        ("forward", fa.ICON_FA_ARROW_RIGHT, 1, _("Go forward") + "\nAlt+Right"),
    ):
        imgui.begin_disabled(not can_step(frame, step))
        if imgui.tab_item_button(f"{icon}###{name}", _LEADING):
            frame.later(frame.control.history.step, step)
        imgui.end_disabled()
        tooltip(hint)


def _draw_list(names: Mapping[Address, tuple[str, str]], frame: UiContext) -> None:
    """Draw the list of all tabs while it is open."""
    if not imgui.begin_popup(_LIST):
        return
    active = frame.state.tabs.active.identity
    for tab in frame.state.tabs.opened:
        if tab.address is not None:
            label, is_active = _label(_kind(tab), *names[tab.address], tab.identity), tab.identity == active
            if imgui.menu_item_simple(label, selected=is_active):
                frame.later(frame.control.opening.activate, tab.identity)
    imgui.end_popup()


def _draw_menu(tab: Tab, address: Address, frame: UiContext) -> None:
    if not imgui.begin_popup_context_item():
        return
    is_passing = frame.state.settings.reuses_tabs and not tab.is_kept
    if imgui.menu_item_simple(labeled(_("Keep open"), "keep_open"), _("Double click"), enabled=is_passing):
        frame.later(frame.control.opening.keep_tab, tab.identity)
    if imgui.menu_item_simple(labeled(_("Close"), "close"), "Ctrl+W"):
        frame.later(frame.control.closing.close_tab, tab.identity)
    others = [other for other in frame.state.tabs.opened if other is not tab]
    if imgui.menu_item_simple(labeled(_("Close others"), "close_others"), enabled=bool(others)):
        for other in others:
            frame.later(frame.control.closing.close_tab, other.identity)
    imgui.separator()
    draw_address_items(address, _kind(tab), frame)
    imgui.end_popup()


def draw_problem(frame: UiContext) -> None:
    """Draw a line if the active tab does not show what is on the disk: why not, and a button to read that."""
    problem = frame.state.tabs.active.problem
    if not problem:
        return
    style, again = imgui.get_style(), labeled(_("Read again"), "read_again")
    width = imgui.calc_text_size(again, hide_text_after_double_hash=True).x + 2 * style.frame_padding.x
    size = ImVec2(0, imgui.get_frame_height() + theme.em(0.6))
    imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(theme.em(0.6), theme.em(0.3)))
    imgui.push_style_color(imgui.Col_.child_bg, theme.SECTION)
    flags = imgui.ChildFlags_.always_use_window_padding
    if imgui.begin_child("##problem", size, flags, imgui.WindowFlags_.no_scrollbar):
        words = _("This is not on the disk any more: {problem}", problem=problem)
        imgui.align_text_to_frame_padding()
        text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
        imgui.same_line()
        cut(words, theme.TEXT, imgui.get_content_region_avail().x - width - style.item_spacing.x)
        tooltip(words)
        imgui.same_line()
        if imgui.button(again):
            frame.later(frame.control.opening.reload)
    imgui.end_child()
    imgui.pop_style_color()
    imgui.pop_style_var()
