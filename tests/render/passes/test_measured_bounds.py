"""Measured bounds of slots: drawn with the stored ones where these do not fit, and nowhere else."""

from __future__ import annotations

import numpy as np

from tests.builders import Key, ModelBuilder, Node, box
from tests.render.canvas import Canvas, Image
from viewer.geometry.bounds import Bounds
from viewer.model.edit.geometry.measures import header_of
from viewer.model.mesh.reading import SEED
from viewer.session.selection import Selection
from viewer.session.view.options.overlays import Overlay


def drawn(canvas: Canvas, grown: float) -> Image:
    """A box whose stored box is larger on each side, with its bounds."""
    builder = ModelBuilder.of([Node("box", shapes={(0, 0): [box((4, 4, 1))]})])
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


def test_measured_header_bounds_are_drawn_where_the_stored_ones_do_not_fit(canvas: Canvas) -> None:
    builder = ModelBuilder.of([Node("box", shapes={(0, 0): [box((4, 4, 1))]})])
    for hull, is_other in ((6.0, True), (4.0, False)):
        bounds = Bounds.of(np.array([(-hull / 2, -hull / 2, -0.5), (hull / 2, hull / 2, 0.5)]))
        assert bounds is not None
        builder.header[0] = header_of(bounds)[0]
        model = builder.model()
        canvas.load_model(model)
        overlays = frozenset({Overlay.HEADER_BOUNDS})
        before = canvas.image(overlays=overlays)
        canvas.renderer.load(model, canvas.draws, reading=SEED)
        after = canvas.image(overlays=overlays)
        assert (after != before).any() == is_other
        # The measured hull reaches from -2 to 2, its sphere and capsule to the half diagonal, 2.83.
        assert is_green(after)[8:56, 8:56].any() == is_other
        assert not is_green(after)[:8].any()


def test_the_box_of_a_selected_node_holds_all_below_it(canvas: Canvas) -> None:
    scene = [
        Node("upper", shapes={(0, 0): [box((1, 1, 1))]}),
        Node("lower", parent=0, shapes={(0, 0): [box((1, 1, 1))]}, keys=[Key(position=(2, 0, 0))]),
    ]
    canvas.load(scene)
    overlays = frozenset({Overlay.SLOT_BOUNDS})
    wide, narrow = (
        (canvas.image(overlays=overlays, selection=Selection(nodes)) != canvas.image(overlays=overlays))
        for nodes in ((0,), (1,))
    )
    # From -0.5 to 2.5 of both, from 1.5 to 2.5 of the lower one alone: pixel 32 is the origin.
    for changed, expected in ((wide, (28, 52)), (narrow, (44, 52))):
        columns = np.nonzero(changed.any(axis=2))[1]
        np.testing.assert_allclose((columns.min(), columns.max()), expected, atol=3)
