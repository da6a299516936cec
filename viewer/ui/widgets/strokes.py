"""What is painted in the same way in many frames: recorded once, painted again with less work."""

from __future__ import annotations

from collections.abc import Callable

from imgui_bundle import imgui

Stroke = tuple[Callable[..., None], tuple[object, ...]]
"""A method of ImGui's draw list, or what takes one, and the arguments after it."""


class Strokes:
    """Records calls in place of a draw list, and makes them on one; owner: what paints."""

    def __init__(self) -> None:
        self._made: list[Stroke] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        method: Callable[..., None] = getattr(imgui.ImDrawList, name)
        return lambda *arguments: self._made.append((method, arguments))

    def paint(self, painter: imgui.ImDrawList) -> None:
        """Make the calls on a draw list, in their order."""
        for draw, arguments in self._made:
            draw(painter, *arguments)


Painter = imgui.ImDrawList | Strokes
"""What takes strokes."""
