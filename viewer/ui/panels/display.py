"""Display panel: how models are drawn, a section for each subject."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from viewer.translation import Message
from viewer.ui.context import UiContext
from viewer.ui.display import light, motion, parts
from viewer.ui.widgets.widgets import identified, labeled, section

SECTIONS: Final[tuple[tuple[str, Message, Callable[[UiContext], None]], ...]] = (
    ("light", Message("Light"), light.draw),
    ("parts", Message("Parts"), parts.draw),
    ("motion", Message("Motion"), motion.draw),
)
"""Id, title and contents of each section."""


class DisplayPanel:
    """What applies to every model alike."""

    id = "display"
    title = Message("Display")

    def draw(self, frame: UiContext) -> None:
        """Draw the sections."""
        for key, title, draw in SECTIONS:
            if section(labeled(str(title), key)):
                with identified(key):
                    draw(frame)
