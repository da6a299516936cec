"""Effects, drawn at any moment."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mshview.checking import checked
from mshview.resource import Resource
from viewer.operations.arguments import Numbers
from viewer.operations.effects.effects import effect_of

Image = npt.NDArray[np.uint8]


class Effect(Resource):
    """An effect."""

    @property
    def seconds(self) -> float:
        """Duration of a round of the effect, or 5 seconds if it has no end of its own."""
        from viewer.session.view.effect_look import life  # noqa: PLC0415 not needed for bytes

        return life(effect_of(self._item))

    @checked(time=Numbers(0))
    def render(
        self,
        size: tuple[int, int] = (1024, 768),
        *,
        time: float = 0.0,
        seed: int = 1,
        mode: int | None = None,
        yaw: float | None = None,
        pitch: float | None = None,
        zoom: float = 1.0,
    ) -> Image:
        """Draw it on a transparent ground, without a window: (height, width, 4) uint8, top row first.

        Parameters
        ----------
        size
            Width and height, pixels.
        time
            Seconds since it was made.
        seed
            Seed of all random numbers.
        mode
            A time mode, 0 to 17, instead of the one of its header.
        yaw, pitch
            Where the camera stands, degrees.
        zoom
            2 is twice as large.

        Raises
        ------
        Error
            If the effect cannot be read, or there is no OpenGL 3.3.
        """
        from mshview.drawing import drawn  # noqa: PLC0415
        from mshview.picture import EffectPicture  # noqa: PLC0415 loads OpenGL

        source = self._source_of(self._address)
        picture = EffectPicture(source, size, time, seed, mode, (yaw, pitch), zoom)
        return drawn(picture, self._files.store)
