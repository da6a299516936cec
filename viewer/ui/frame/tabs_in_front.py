"""Which tab of each dock was in front, for models and for everything else."""

from __future__ import annotations

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
