"""Self-lit colors in files that earlier versions of this program wrote.

They added the scene's light of then to that of the material; now a self-lit material has its own light, and
the scene's where that is brighter (`viewer.model.convert.source.shown_light`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from viewer.model.convert.scene import SceneMaterial, Vector
from viewer.model.convert.source import shown_light
from viewer.translation import _

EARLIER_SCENE: Final = 0.3
"""Scene's light that earlier versions added to each channel of a self-lit color."""
STEP: Final = 0.5 / 255
"""Half a step of a stored color."""


def with_floor(
    materials: Sequence[SceneMaterial],
) -> tuple[tuple[SceneMaterial, ...], tuple[str, ...]]:
    """The materials with self-lit colors as they are written now, and notes on what was converted.

    A file is an earlier one if a material has the color that was written then for the light that the file
    says it has in the game, and none has the color that is written now. Of a color that was edited there the
    light of the scene is taken off.
    """
    lights = [_light_of(it) for it in materials]
    known = [(it.color[:3], own) for it, own in zip(materials, lights, strict=True) if own is not None]
    # Where both versions write the same color, as for a light of 1, a material does not tell them apart.
    told_apart = [
        is_earlier
        for color, own in known
        if (is_earlier := _is_near(color, _earlier(own))) is not _is_near(color, shown_light(own))
    ]
    if not told_apart or not all(told_apart):
        return tuple(materials), ()
    made = tuple(
        it if own is None else replace(it, color=(*_converted(it.color[:3], own), it.color[3]))
        for it, own in zip(materials, lights, strict=True)
    )
    pairs = zip(materials, made, strict=True)
    names = ", ".join(it.name for it, now in pairs if not _is_near(it.color[:3], now.color[:3]))
    words = _(
        "an earlier version wrote the file and added the light of the scene to self-lit materials: it is "
        "taken off {names}",
        names=names,
    )
    return made, (words,)


def _light_of(material: SceneMaterial) -> Vector | None:
    """The light of a self-lit material in the game, as the file says it; None if it does not."""
    stored = material.fields.get("ambient")
    if not material.is_unlit or not isinstance(stored, list | tuple) or len(stored) != len(material.color):
        return None
    if not all(isinstance(value, int | float) for value in stored):
        return None
    red, green, blue, _opacity = map(float, stored)
    return red, green, blue


def _earlier(light: Vector) -> Vector:
    red, green, blue = (min(value + EARLIER_SCENE, 1.0) for value in light)
    return red, green, blue


def _converted(color: Vector, light: Vector) -> Vector:
    """A color without the light of the scene; channels that look as before have the material's light."""
    channels = zip(color, _earlier(light), light, strict=True)
    red, green, blue = (_own(value, before, stored) for value, before, stored in channels)
    return shown_light((red, green, blue))


def _own(value: float, before: float, stored: float) -> float:
    if abs(value - before) <= STEP:
        return stored
    # A channel at its highest was cut off there: how much of it was the material's is not known.
    return 1.0 if value >= 1 - STEP else max(value - EARLIER_SCENE, 0.0)


def _is_near(one: Vector, other: Vector) -> bool:
    return all(abs(a - b) <= STEP for a, b in zip(one, other, strict=True))
