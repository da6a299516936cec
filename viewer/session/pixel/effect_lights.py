"""The lights of effects that shine on a model or a unit, as the picture of it has them.

Source: spec/effects.md 6.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from viewer.model.effects.moment import MOST_EFFECT_LIGHTS, OF_EVERYTHING, OF_OWNER
from viewer.model.material.light import PointLight
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.view.camera import Camera
from viewer.session.view.effect_look import seen_from


def effect_lights(effects: Iterable[PlayedEffect], camera: Camera) -> tuple[PointLight, ...]:
    """The lights of effects that play, seen from a camera, the strongest first, world space."""
    found: list[PointLight] = []
    for effect in effects:
        inputs = effect.inputs if effect.keeps_eye else seen_from(effect.inputs, camera)
        lights = effect.program.at(inputs).lights
        values = np.column_stack([lights.position, lights.range, lights.color, lights.attenuation])
        is_shown = np.isfinite(values).all(axis=1) & np.isin(lights.kind, OF_OWNER + OF_EVERYTHING)
        for x, y, z, reach, red, green, blue, _alpha, *factors in values[is_shown].tolist():
            a0, a1, a2 = factors
            found.append(PointLight((x, y, z), (red, green, blue), reach, (a0, a1, a2)))
    return tuple(sorted(found, key=lambda it: -it.reach * max(map(abs, it.color)))[:MOST_EFFECT_LIGHTS])
