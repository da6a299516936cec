"""The layout of the panels: the default one, the bars, the order of tabs and which is in front."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.ui.context import Panel
from viewer.ui.widgets import theme

_LEFT, _RIGHT, _BOTTOM, _UPPER_LEFT = 0.2, 0.28, 0.26, 0.45
"""Share of the remaining space that each side takes."""
_LEAST_LEFT, _LEAST_RIGHT, _LEAST_BOTTOM = 15.0, 24.5, 11.0
"""Least sizes of the sides in a small window, font heights,"""
_MOST_LEFT, _MOST_RIGHT, _MOST_BOTTOM = 0.22, 0.34, 0.3
"""but at most this share, so that half of the window is left in the middle."""

# As numbers: see `widgets`.
_BAR_FLAGS: Final = (
    int(imgui.WindowFlags_.no_scrollbar)
    | int(imgui.WindowFlags_.no_saved_settings)
    | int(imgui.WindowFlags_.no_scroll_with_mouse)
)
_WINDOW_PADDING: Final = int(imgui.StyleVar_.window_padding)
_WINDOW_BORDER: Final = int(imgui.StyleVar_.window_border_size)


class PanelLayout(Struct, frozen=True):
    """Ids of panels by their place; the first of each place is the tab in front."""

    centre: tuple[str, ...]
    upper_left: tuple[str, ...]
    lower_left: tuple[str, ...]
    right: tuple[str, ...]
    bottom: tuple[str, ...]

    @property
    def fronts(self) -> tuple[str, ...]:
        """The tabs in front; the last one gets the focus."""
        return (self.upper_left[0], self.lower_left[0], self.right[0], self.bottom[0], self.centre[0])

    def build(self, dock: int) -> None:
        """Divide the dock space `dock` and dock every panel."""
        internal = imgui.internal
        room = imgui.get_main_viewport().work_size
        to_left = _share(_LEFT, _LEAST_LEFT, room.x, _MOST_LEFT)
        to_right = _share(_RIGHT, _LEAST_RIGHT, room.x * (1 - to_left), _MOST_RIGHT)
        to_bottom = _share(_BOTTOM, _LEAST_BOTTOM, room.y, _MOST_BOTTOM)
        # Each split gives the part that is cut off and what remains; the last remainder is the centre.
        internal.dock_builder_remove_node_child_nodes(dock)
        _, left, rest = internal.dock_builder_split_node_py(dock, imgui.Dir.left, to_left)
        _, right, rest = internal.dock_builder_split_node_py(rest, imgui.Dir.right, to_right)
        _, bottom, centre = internal.dock_builder_split_node_py(rest, imgui.Dir.down, to_bottom)
        _, upper, lower = internal.dock_builder_split_node_py(left, imgui.Dir.up, _UPPER_LEFT)
        for node, panels in (
            (centre, self.centre),
            (upper, self.upper_left),
            (lower, self.lower_left),
            (right, self.right),
            (bottom, self.bottom),
        ):
            for panel in panels:
                internal.dock_builder_dock_window(panel, node)
        internal.dock_builder_finish(dock)


def _share(usual: float, least: float, room: float, most: float) -> float:
    """Return the share of `room` that a side gets."""
    return min(max(usual, theme.em(least) / max(room, 1.0)), most)


def first_layout(viewport: str, sides: Mapping[str, Sequence[Panel]]) -> PanelLayout:
    """Return the layout of the first start: the panels of each side as tabs, the viewport between them."""
    return PanelLayout(
        (viewport,), **{side: tuple(panel.id for panel in panels) for side, panels in sides.items()}
    )


class SideSizes:
    """Keeps the shares of the panels at the sides when the window gets another size.

    By itself ImGui leaves the sides as they are, and takes all from the middle.
    """

    def __init__(self) -> None:
        self._window: ImVec2 | None = None

    def follow(self, dock: int, panels: Iterable[str]) -> None:
        """Resize the sides for the size that the dock space is about to get; once a frame, before it."""
        root = _node(dock)
        if root is None:
            return
        before, room = self._window or root.size, imgui.get_main_viewport().work_size
        self._window = ImVec2(before.x, before.y)
        sides = _sides(root, panels) if room != before and min(*room, *before) >= 1 else []
        if not sides:
            return
        for node in sides:
            # ImGui lays nodes out from this size, not from the one they have now.
            size = node.size_ref
            node.size_ref = ImVec2(size.x * room.x / before.x, size.y * room.y / before.y)
        self._window = ImVec2(room.x, room.y)


def _node(dock: int) -> imgui.internal.DockNode | None:
    return imgui.internal.dock_builder_get_node(dock)


def _sides(root: imgui.internal.DockNode, panels: Iterable[str]) -> list[imgui.internal.DockNode]:
    """Return the dock nodes of the panels, also of hidden ones, and those around them but not the middle."""
    middle = {node.id_ for node in _above(root.central_node)}
    windows = (imgui.internal.find_window_by_name(panel) for panel in panels)
    found = {node.id_: node for window in windows if window for node in _above(_node(window.dock_id))}
    return [node for name, node in found.items() if name not in middle]


def _above(node: imgui.internal.DockNode | None) -> Iterator[imgui.internal.DockNode]:
    """Yield a node and the nodes around it."""
    if node is not None:
        yield node
        yield from _above(node.parent_node)


class bar:  # noqa: N801 read as a statement: with bar(name, side, height) as is_shown
    """A bar along a side of the window, outside the panels."""

    __slots__ = ("_is_shown",)

    def __init__(self, name: str, side: imgui.Dir, height: float) -> None:
        imgui.push_style_var(_WINDOW_PADDING, ImVec2(theme.em(0.6), theme.em(0.3)))
        imgui.push_style_var(_WINDOW_BORDER, 0.0)
        room = imgui.get_main_viewport()
        self._is_shown = imgui.internal.begin_viewport_side_bar(name, room, side, height, _BAR_FLAGS)
        imgui.pop_style_var(2)

    def __enter__(self) -> bool:
        return self._is_shown

    def __exit__(self, *_ignored: object) -> None:
        imgui.end()


SETTLING: Final = 3
"""Frames until panels that appear are docked."""


class TabsInFront:
    """Puts the same tabs in front again when panels appear that only models have."""

    def __init__(self) -> None:
        self._is_model = True
        self._shown: dict[bool, frozenset[str]] = {}
        self._seen: set[str] = set()
        self._before: frozenset[str] = frozenset()
        self._settling = 2

    @property
    def is_settling(self) -> bool:
        """Whether panels appear that are not to take the focus."""
        return self._settling > 0

    def note(self, panel: str) -> None:
        """A panel is in front in this frame; the tab of one that was not is scrolled into view."""
        self._seen.add(panel)
        if panel not in self._before:
            window = imgui.internal.find_window_by_name(panel)
            if window and window.dock_node and window.dock_node.tab_bar:
                window.dock_node.tab_bar.next_scroll_to_tab_id = window.tab_id

    def follow(self, *, is_model: bool) -> None:
        """Take note of what the last frame had in front; once a frame, before the panels are drawn."""
        if not self.is_settling:
            self._shown[self._is_model] = frozenset(self._seen)
        self._before = frozenset(self._seen)
        self._seen.clear()
        if is_model is not self._is_model:
            self._is_model, self._settling = is_model, SETTLING
        elif self._settling:
            self._settling -= 1
            if not self._settling:
                self._restore()

    def _restore(self) -> None:
        """Select the tabs without taking the keyboard focus."""
        for panel in self._shown.get(self._is_model, ()):
            window = imgui.internal.find_window_by_name(panel)
            if window and window.dock_node and window.dock_node.tab_bar:
                # `set_window_focus` would select the tab too, but take the keyboard focus.
                window.dock_node.tab_bar.next_selected_tab_id = window.tab_id


class TabOrder:
    """Keeps the order of the tabs that the user gave them.

    By itself ImGui puts a panel that appears again, as those of models do after a texture, behind the others.

    Parameters
    ----------
    known
        Ids of panels in the order of the last run; only that of panels in the same dock counts.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = tuple(known)
        self._shown: dict[int, frozenset[str]] = {}
        self._followed: dict[int, list[int]] = {}
        self._panels: tuple[str, ...] = ()
        self._unsettled = SETTLING

    def follow(self, panels: tuple[str, ...]) -> None:
        """Take over the order of unchanged docks, and restore it where panels have appeared; once a frame.

        Only the mouse moves a tab, so otherwise the order of the same panels stays.

        Parameters
        ----------
        panels
            Ids of those that are open.
        """
        if panels != self._panels or imgui.is_any_mouse_down():
            self._panels, self._unsettled = panels, SETTLING
        if not self._unsettled:
            return
        self._unsettled -= 1
        for name, bar in _tab_bars(panels).items():
            ids = [tab.id_ for tab in bar.tabs]
            if ids == self._followed.get(name):
                continue  # as in most frames
            tabs = [*map(_panel_of, bar.tabs)]
            before, self._shown[name] = self._shown.get(name, frozenset()), frozenset(tabs)
            if self._shown[name] - before:
                _arrange(bar, merged(tabs, [tab for tab in self.known if tab in tabs]))
            elif self._shown[name] == before:
                self.known, self._followed[name] = merged(self.known, tabs), ids

    def forget(self) -> None:
        """The panels get their default places: there is no other order."""
        self.known, self._shown, self._followed, self._unsettled = (), {}, {}, SETTLING


def merged(known: Iterable[str], order: Iterable[str]) -> tuple[str, ...]:
    """Return `known` with the names of `order` in that order at their places, and new names at the end."""
    chosen, known = list(order), list(known)
    # known a b c d, order d b: the places of b and d get d, then b: a d c b.
    waiting = iter([it for it in chosen if it in known])
    placed = [next(waiting) if it in chosen else it for it in known]
    return (*placed, *(it for it in chosen if it not in known))


def _tab_bars(panels: Iterable[str]) -> dict[int, imgui.internal.TabBar]:
    """The tab bars of the docks of some panels, by the ids of the docks."""
    windows = map(imgui.internal.find_window_by_name, panels)
    nodes = (window.dock_node for window in windows if window is not None and window.dock_node is not None)
    return {node.id_: node.tab_bar for node in nodes if node.tab_bar is not None}


def _panel_of(tab: imgui.internal.TabItem) -> str:
    """The id of the panel of a tab; the name of its window is ``title###id``."""
    return str(tab.window.name).rpartition("###")[2]


def _arrange(bar: imgui.internal.TabBar, order: Iterable[str]) -> None:
    """Move the tabs of a bar to their places, the first one first."""
    for place, name in enumerate(order):
        tabs = list(bar.tabs)
        now = [*map(_panel_of, tabs)].index(name)
        if now != place:
            # ImGui has room for one request in a frame: each is carried out at once, and its mark cleared.
            imgui.internal.tab_bar_queue_reorder(bar, tabs[now], place - now)
            imgui.internal.tab_bar_process_reorder(bar)
            bar.reorder_request_tab_id = 0


@cache
def stage_class() -> imgui.WindowClass:
    """Return the docking of the stage: it has tabs of its own, so it shows none as long as it is alone."""
    alone = imgui.WindowClass()
    alone.dock_node_flags_override_set = int(imgui.DockNodeFlags_.auto_hide_tab_bar)
    return alone
