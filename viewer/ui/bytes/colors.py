"""The colors of fields in the bytes: the same hue for the same number of a field in its record."""

from __future__ import annotations

from colorsys import hls_to_rgb
from typing import Final

from viewer.model.references.byte_fields import HUES
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color

_STEP: Final = 5
"""Neighboring fields are this many twelfths of the circle apart, so that they differ most."""
_FILLS: Final = (0.34, 0.22)
"""Opacity of fields in even and in odd rows."""


def _color(hue: int) -> Color:
    red, green, blue = hls_to_rgb(hue * _STEP % HUES / HUES + 0.57, 0.55, 0.6)
    return red, green, blue, 1.0


COLORS: Final = tuple(_color(hue) for hue in range(HUES))
SHADES: Final = {
    1 + stripe * HUES + hue: theme.exact(color, _FILLS[stripe])
    for stripe in range(2)
    for hue, color in enumerate(COLORS)
}
"""The packed color of each shade; bytes of no field have none."""
