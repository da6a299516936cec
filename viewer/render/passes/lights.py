"""The lights of the game's look as uniforms of shaders/textured.frag."""

from __future__ import annotations

from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.session.view.lighting import Lighting, Look

MOST_LIGHTS: Final = 3
"""Lights that the shader adds up."""
WORLD: Final = np.eye(3)


def set_lights(
    program: moderngl.Program,
    lighting: Lighting,
    towards_eye: npt.NDArray[np.float64],
    space: npt.NDArray[np.float64] = WORLD,
) -> None:
    """Set the look, its scene color and its lights.

    Parameters
    ----------
    towards_eye
        Direction from the scene towards the camera, a unit vector in the space of the shader, (3,).
    space
        Turns directions in world space into those of the shader, (3, 3).
    """
    x, y, z = (towards_eye @ space).tolist()
    lights = lighting.lights((x, y, z))
    towards, colors = np.zeros((2, MOST_LIGHTS, 3), np.float32)
    for number, light in enumerate(lights):
        towards[number], colors[number] = space @ np.array(light.towards), light.color
    program["has_game_look"] = lighting.look is Look.GAME
    program["scene"] = lighting.scene
    program["towards_lights"].write(towards)  # type: ignore[union-attr] # a uniform, not an attribute
    program["light_colors"].write(colors)  # type: ignore[union-attr]
