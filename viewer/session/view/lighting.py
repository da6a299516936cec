"""How a model is lit: the game's own light, or the plain display model.

Source: spec/field-notes.md 4; spec/materials.md 5 for the plain look.
"""

from __future__ import annotations

from enum import StrEnum
from math import sqrt
from typing import Final

from viewer.dataclass import dataclass
from viewer.model.material.light import SCENE
from viewer.model.sky.light import Color, Light

GAME_DAY: Final = 40 / 255
"""The scene color by day in the first mission of the game, a grey."""
GAME_LIGHTS: Final = (
    Light((-sqrt(0.5), 0.0, -sqrt(0.5)), (2.0, 2.0, 2.0)),
    Light((sqrt(0.5), 0.0, -sqrt(0.5)), (2.0, 2.0, 2.0)),
)
"""Those of the game's own viewer of models, in the model's frame, in which it faces +Y: tops are lit by both,
the sides by one each, front and back by none."""
HEAD_LIGHT_COLOR: Final = (1.0, 1.0, 1.0)


class Look(StrEnum):
    """Light and blending of textured models; the values are saved."""

    GAME = "game"
    PLAIN = "plain"


class LightKind(StrEnum):
    """Which lights shine in the game's look; the values are saved."""

    GAME = "game"
    HEAD = "head"


@dataclass(frozen=True, slots=True)
class Lighting:
    """Light and blending of textured models.

    Attributes
    ----------
    look
        As in the game, or the plain display model, to which nothing else here applies.
    scene
        The grey below which no surface is lit, 0 to 1; None is that of the lights.
    has_lights
        Whether any lights shine.
    kind
        Which ones.
    """

    look: Look = Look.GAME
    scene: float | None = None
    has_lights: bool = True
    kind: LightKind = LightKind.GAME

    @property
    def scene_color(self) -> Color:
        """The color below which no surface is lit."""
        return (SCENE if self.scene is None else self.scene,) * 3

    def lights(self, towards_camera: Color) -> tuple[Light, ...]:
        """The lights that shine, in world space; `towards_camera` is a unit vector there."""
        if not self.has_lights:
            return ()
        if self.kind is LightKind.HEAD:
            x, y, z = towards_camera
            return (Light((-x, -y, -z), HEAD_LIGHT_COLOR),)
        return GAME_LIGHTS
