"""Measured bounds of slots: drawn with the stored ones where these do not fit, and nowhere else."""

from __future__ import annotations

import numpy as np

from tests.builders import ModelBuilder, Node, box
from tests.render.canvas import Canvas, Image
from viewer.session.view.view_state import Overlay


def drawn(canvas: Canvas, grown: float) -> Image:
    """A box whose stored box is larger on each side, with its bounds."""
    builder = ModelBuilder([Node("box", shapes={(0, 0): [box((4, 4, 1))]})])
    builder.slots["aabb_min"] -= grown
    builder.slots["aabb_max"] += grown
    canvas.load_model(builder.model())
    return canvas.image(overlays=frozenset({Overlay.SLOT_BOUNDS}))


def is_green(image: Image) -> np.ndarray:
    red, green, blue = (image[..., channel].astype(int) for channel in range(3))
    return (green > red + 40) & (green > blue + 40)


def test_the_measured_box_is_drawn_where_the_stored_one_does_not_fit(canvas: Canvas) -> None:
    assert not is_green(drawn(canvas, 0.0)).any()
    rows, columns = np.nonzero(is_green(drawn(canvas, 1.0)))
    # The box reaches from -2 to 2 on the ground: pixels 16 to 48.
    for place in (rows, columns):
        np.testing.assert_allclose((place.min(), place.max()), (16, 48), atol=2)
