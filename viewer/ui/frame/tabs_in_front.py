"""The tabs of the docks: which was in front, for models and for everything else, and their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from imgui_bundle import imgui

SETTLING: Final = 3
"""Frames until panels that appear are docked."""


class TabsInFront:
    """Puts the same tabs in front again when panels appear that only models have."""

    def __init__(self) -> None:
        self._is_model = True
        self._shown: dict[bool, frozenset[str]] = {}
        self._seen: set[str] = set()
        self._settling = 2

    @property
    def is_settling(self) -> bool:
        """Whether panels appear that are not to take the focus."""
        return self._settling > 0

    def note(self, panel: str) -> None:
        """A panel is in front in this frame."""
        self._seen.add(panel)

    def follow(self, *, is_model: bool) -> None:
        """Take note of what the last frame had in front; once a frame, before the panels are drawn."""
        if not self.is_settling:
            self._shown[self._is_model] = frozenset(self._seen)
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

    def follow(self, panels: Iterable[str]) -> None:
        """Take over the order of unchanged docks, and restore it where panels have appeared; once a frame."""
        for name, bar in _tab_bars(panels).items():
            tabs = [*map(_panel_of, bar.tabs)]
            before, self._shown[name] = self._shown.get(name, frozenset()), frozenset(tabs)
            if self._shown[name] - before:
                _arrange(bar, merged(tabs, [tab for tab in self.known if tab in tabs]))
            elif self._shown[name] == before:
                self.known = merged(self.known, tabs)

    def forget(self) -> None:
        """The panels get their default places: there is no other order."""
        self.known, self._shown = (), {}


def merged(known: Iterable[str], order: Iterable[str]) -> tuple[str, ...]:
    """Return `known` with the names of `order` in that order at their places, and new names at the end."""
    chosen, known = list(order), list(known)
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
            imgui.internal.tab_bar_queue_reorder(bar, tabs[now], place - now)
            imgui.internal.tab_bar_process_reorder(bar)
            bar.reorder_request_tab_id = 0
