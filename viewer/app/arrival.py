"""An opened model is shown once its first picture is whole: textured, and framed for its viewport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from viewer.app import framing
from viewer.app.scene_renderer import SceneRenderer
from viewer.app.state import State
from viewer.session.opened.tabs import TabKey

LONGEST: Final = 20.0
"""Seconds after which a model is shown without the textures that are still missing."""
FRAMES_TO_LAY_OUT: Final = 2
"""Frames until the panels have their final sizes."""


class Arrival:
    """What stands between opening a model and its first picture; owner: the application, main thread only.

    Until then the viewport keeps the picture before, or is empty.

    Parameters
    ----------
    aspect
        Gives width by height of the viewport.
    """

    def __init__(self, state: State, scene: SceneRenderer, aspect: Callable[[], float]) -> None:
        self._state, self._scene, self._aspect = state, scene, aspect
        self._arrived: TabKey = state.tabs.active.key
        self._since = 0.0
        self._frames = 0

    @property
    def is_going_on(self) -> bool:
        """Whether the model in front is not shown yet."""
        active = self._state.tabs.active
        return active.document is not None and active.key != self._arrived

    def note_panels(self) -> None:
        """The panels are about to be drawn: count the frames in which they are those of a model."""
        self._scene.is_held = self.is_going_on
        self._frames = self._frames + 1 if self._state.document else 0

    def ends(self, now: float) -> bool:
        """Tell whether the model is to be shown from this frame on, which it is framed for."""
        if not self.is_going_on:
            self._arrived, self._since = self._state.tabs.active.key, now
            return False
        is_ready = self._scene.get_ready() or now - self._since > LONGEST
        if self._frames < FRAMES_TO_LAY_OUT or not is_ready:
            return False
        self.frame()
        self._arrived = self._state.tabs.active.key
        self._scene.is_held = False
        return True

    def frame(self) -> None:
        """Frame what was opened and is not framed yet."""
        if self._state.tabs.active.is_unframed:
            self._state.tabs = self._state.tabs.changed(is_unframed=False)
            framing.restore(self._state, self._aspect())
