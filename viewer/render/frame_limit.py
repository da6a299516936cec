"""How much of a model a frame draws, so that no frame takes long."""

from __future__ import annotations

from typing import Final

START: Final = 8e6
"""Work that any computer does at once, in pixels: some screens of them."""
LAYERS: Final = 8
"""Layers of its pixels that a frame may always draw: sound models have fewer."""
IMAGE_LAYERS: Final = 16
"""Layers of its pixels that an image begins with."""
GROWTH: Final = 4.0
"""Most by which the allowed work grows from one frame to the next."""
WORTH_IT: Final = 1.5
"""Growth of the allowed work for which a frame is drawn again."""
LIGHT: Final = 0.25
"""Part of the allowed work below which a frame is not timed."""


class FrameLimit:
    """The work that a frame may do, learned from the time that frames took; owner: the renderer.

    Attributes
    ----------
    seconds
        The time that a frame may take.
    allowed
        The work of the next frame, in pixels.
    """

    def __init__(self, seconds: float, allowed: float = START) -> None:
        self.seconds = seconds
        self.allowed = allowed

    @classmethod
    def of_image(cls, seconds: float, size: tuple[int, int]) -> FrameLimit:
        """The limit of an image: many layers of its pixels, and more while there is time."""
        return cls(seconds, IMAGE_LAYERS * float(size[0] * size[1]) + START)

    def is_light(self, work: float) -> bool:
        """Whether a frame is drawn without being timed."""
        return work <= LIGHT * self.allowed

    def room(self, pixels: float) -> float:
        """The work that a frame of some pixels may do."""
        return max(self.allowed, LAYERS * pixels)

    def learn(self, work: float, seconds: float) -> None:
        """Adapt to a frame that did some work in some time."""
        possible = work * self.seconds / max(seconds, 1e-6)
        self.allowed = min(possible, GROWTH * max(work, self.allowed))

    def has_grown_from(self, work: float) -> bool:
        """Whether clearly more is allowed than the work of the last frame."""
        return self.allowed > WORTH_IT * work
