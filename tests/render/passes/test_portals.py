"""Portals that fade with their distance from the eye, if the view has them do so."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import pytest
from msgspec.structs import replace

from tests.builders import Node, quad
from tests.render.canvas import BACKGROUND, DARK, Canvas, pixel
from tests.render.materials import material, picture
from viewer.model.material.materials import Blend
from viewer.session.view.options.drawn_parts import DrawnParts

SIGN, DOORWAY, OPEN = 0x118, 0x108, 0x148
GREEN = (0, 200, 0, 255)
FADING = DrawnParts(has_fading_portals=True)
FIELD_OF_VIEW = pi / 2
HALF_SIGN = ((2.6 + 7.8) / 2 / FIELD_OF_VIEW) ** 2
"""The distance at which a sign is half opaque: the square root of it is in the middle."""
HALF_DOORWAY = 85 * 1.3 / FIELD_OF_VIEW


def color(
    canvas: Canvas, flags: int, distance: float, blend: Blend = Blend.ALPHA, **changes: object
) -> list[int]:
    """The color of a portal whose first corner is so far from an eye above its middle."""
    half = 1 if flags == SIGN else 20
    look = material(picture(GREEN), blend=blend, has_see_through_flag=True)
    canvas.dress([Node(shapes={(0, 0): [quad(2 * half, flags=flags)]})], look)
    above = sqrt(distance**2 - 2 * half**2)
    camera = replace(canvas.view.camera, is_orthographic=False, field_of_view=FIELD_OF_VIEW, distance=above)
    changed: dict[str, Any] = {"camera": camera, "lighting": DARK, "drawn": FADING} | changes
    found: list[int] = canvas.textured(**changed)[pixel(0, 0)][:3].tolist()
    return found


@pytest.mark.parametrize("blend", [Blend.OPAQUE, Blend.ALPHA])
def test_a_sign_fades_in_with_distance(canvas: Canvas, blend: Blend) -> None:
    assert color(canvas, SIGN, 1.5, blend) == BACKGROUND[:3]
    assert color(canvas, SIGN, HALF_SIGN, blend) == pytest.approx([25.5, 125.5, 25.5], abs=1)
    assert color(canvas, SIGN, 40, blend) == [0, 200, 0]


def test_a_doorway_blackens_with_distance(canvas: Canvas) -> None:
    assert color(canvas, DOORWAY, 40) == BACKGROUND[:3]
    assert color(canvas, DOORWAY, HALF_DOORWAY) == pytest.approx([25.5] * 3, abs=1)
    assert color(canvas, DOORWAY, 90) == [0, 0, 0]
    assert color(canvas, OPEN, 90) == BACKGROUND[:3]


def test_nothing_fades_unless_the_view_says_so(canvas: Canvas) -> None:
    assert color(canvas, SIGN, 1.5, drawn=DrawnParts()) == [0, 200, 0]
    assert color(canvas, DOORWAY, 90, drawn=DrawnParts()) == BACKGROUND[:3]
