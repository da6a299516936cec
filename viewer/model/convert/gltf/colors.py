"""Colors of glTF are linear; those of the game multiply stored colors, which are sRGB."""

from __future__ import annotations

from typing import Final

PLACES: Final = 6


def linear(value: float) -> float:
    """The linear factor that has the effect of a factor of stored colors."""
    return round(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4, PLACES)


def stored(value: float) -> float:
    """The factor of stored colors that has the effect of a linear factor."""
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
