"""The times at which panels are built: not in the frames of an animation that change nothing but the scene.

ImGui's draw data stays valid until its next frame: drawn again it shows the same panels, and in them
the texture of the viewport with its new content. A panel that is not built although it would show
something else is a lie, so every reason to build is in `Application.needed_build`, `Gui.needed_build`
or here.
"""

from __future__ import annotations

from enum import IntEnum
from operator import is_not
from typing import Final

from viewer.app.scene_renderer import FRAMES_TO_SETTLE

LONGEST: Final = 1 / 15
"""Seconds after which panels are built in any case: the time, tooltips, a text cursor, progress."""


class Build(IntEnum):
    """The panels that are built in a frame."""

    NONE = 0
    LIVE = 1
    """The viewport, what shows the time of an animation, and the panels with the pointer and the focus."""
    ALL = 2


class PanelBuilds:
    """Decides in which frames the panels are built; owner: the application.

    Attributes
    ----------
    passed
        Seconds since any of them were built.
    """

    def __init__(self) -> None:
        self.passed = 0.0
        self._pending = {Build.ALL: FRAMES_TO_SETTLE, Build.LIVE: 0}
        self._shown: tuple[object, ...] = ()
        self._seen_from: object = None

    def request(self) -> None:
        """Build all panels in the next frames: something has changed that is not in the state."""
        self._pending[Build.ALL] = FRAMES_TO_SETTLE

    def note(self, shown: tuple[object, ...]) -> None:
        """Take what the panels show; where only the clock changed it, no frame is requested."""
        self._shown = shown

    def due(self, seconds: float, shown: tuple[object, ...], seen_from: object, needed: Build) -> Build:
        """Tell what to build in a frame that comes `seconds` after the last.

        Parameters
        ----------
        shown
            What the panels show, each compared by identity: states are replaced, never changed.
        seen_from
            The camera, which only the viewport shows.
        needed
            What is built at least.
        """
        self.passed += seconds
        is_other = len(shown) != len(self._shown) or any(map(is_not, shown, self._shown))
        if is_other or needed is Build.ALL:
            self.request()
        if needed is Build.LIVE or seen_from is not self._seen_from:
            self._pending[Build.LIVE] = FRAMES_TO_SETTLE
        self._seen_from = seen_from
        # Half a frame of a display may be missing to the fifteenth of a second: 4 frames of 16.6 ms.
        is_late = self.passed >= LONGEST - seconds / 2
        waiting = (build for build, frames in self._pending.items() if frames)
        return max(waiting, default=Build.LIVE if is_late else Build.NONE)

    def done(self) -> None:
        """Note that panels were built in this frame."""
        self.passed = 0.0
        self._pending = {build: max(0, frames - 1) for build, frames in self._pending.items()}
