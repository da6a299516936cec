"""How a model is lit: the game's own light, or the plain display model.

Source: spec/field-notes.md 4; spec/materials.md 5 for the plain look.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from viewer.dataclass import dataclass
from viewer.model.material.materials import SCENE_LIGHT
from viewer.model.sky.light import Light

GAME_DAY: Final = 40 / 255
"""The scene color by day in the first mission of the game, a grey."""
SCENE: Final = SCENE_LIGHT
"""The default scene color."""


SUN: Final = Light((0.48, -0.6, -0.64), (0.85, 0.83, 0.78))
COUNTER_LIGHT: Final = Light((-0.6, 0.768, -0.224), (0.42, 0.46, 0.52))
"""From opposite sides, as in the game; directions and colors are our own. Models face +Y."""
HEAD_LIGHT_COLOR: Final = (0.5, 0.5, 0.5)


class Look(StrEnum):
    """Light and blending of textured models; the values are saved."""

    GAME = "game"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Lighting:
    """Light and blending of textured models.

    Attributes
    ----------
    look
        As in the game, or the plain display model, to which nothing else here applies.
    scene
        The grey light that reaches every surface, 0 to 1; a color of the sky in the game.
    has_lights
        Whether any lights shine: the sun and the counter light from opposite sides.
    has_head_light
        Whether another light shines from the camera, if there are lights.
    """

    look: Look = Look.GAME
    scene: float = SCENE
    has_lights: bool = True
    has_head_light: bool = False

    def lights(self, towards_camera: tuple[float, float, float]) -> tuple[Light, ...]:
        """The lights that shine; `towards_camera` is a unit vector in world space."""
        if not self.has_lights:
            return ()
        x, y, z = towards_camera
        head = Light((-x, -y, -z), HEAD_LIGHT_COLOR)
        return (SUN, COUNTER_LIGHT, head) if self.has_head_light else (SUN, COUNTER_LIGHT)
