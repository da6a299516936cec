"""When the panels are built: not in the frames of an animation that change nothing but the scene.

ImGui's draw data stays valid until its next frame: drawn again it shows the same panels, and in them
the texture of the viewport with its new content. A panel that is not built although it would show
something else is a lie, so every reason to build is in `Application.needs_panels`, `Gui.needs_panels`
or here.
"""

from __future__ import annotations

from operator import is_not
from typing import Final

from viewer.app.scene_renderer import FRAMES_TO_SETTLE

LONGEST: Final = 1 / 15
"""Seconds after which panels are built in any case: the time, tooltips, a text cursor, progress."""


class PanelBuilds:
    """Decides in which frames the panels are built; owner: the application.

    Attributes
    ----------
    passed
        Seconds since the panels were built.
    """

    def __init__(self) -> None:
        self.passed = 0.0
        self._pending = FRAMES_TO_SETTLE
        self._shown: tuple[object, ...] = ()

    def request(self) -> None:
        """Build the panels in the next frames: something has changed that is not in the state."""
        self._pending = FRAMES_TO_SETTLE

    def note(self, shown: tuple[object, ...]) -> None:
        """Take what the panels show; where only the clock changed it, no frame is requested."""
        self._shown = shown

    def is_due(self, seconds: float, shown: tuple[object, ...]) -> bool:
        """Tell whether to build the panels in a frame that comes `seconds` after the last.

        Parameters
        ----------
        shown
            What the panels show, each compared by identity: states are replaced, never changed.
        """
        self.passed += seconds
        if len(shown) != len(self._shown) or any(map(is_not, shown, self._shown)):
            self.request()
        # Half a frame of a display may be missing to the fifteenth of a second: 4 frames of 16.6 ms.
        return self._pending > 0 or self.passed >= LONGEST - seconds / 2

    def done(self) -> None:
        """The panels were built in this frame."""
        self.passed = 0.0
        self._pending = max(0, self._pending - 1)
