"""The default layout of the panels."""

from __future__ import annotations

from dataclasses import dataclass

from imgui_bundle import imgui

from viewer.ui.widgets import theme

_LEFT, _RIGHT, _BOTTOM, _UPPER_LEFT = 0.18, 0.29, 0.2, 0.45
"""Share of the remaining space that each side takes."""
_LEAST_LEFT, _LEAST_RIGHT, _LEAST_BOTTOM, _MOST = 15.0, 21.0, 11.0, 0.4
"""In a small window the sides get this many font heights, but at most this share."""


@dataclass(frozen=True, slots=True)
class Layout:
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
        to_left = _share(_LEFT, _LEAST_LEFT, room.x)
        to_right = _share(_RIGHT, _LEAST_RIGHT, room.x * (1 - to_left))
        to_bottom = _share(_BOTTOM, _LEAST_BOTTOM, room.y)
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


def _share(usual: float, least: float, room: float) -> float:
    """Return the share of `room` that a side gets."""
    return min(max(usual, theme.em(least) / max(room, 1.0)), _MOST)
