"""Stored bounds as lines."""

from __future__ import annotations

from tests.builders import Key, ModelBuilder, Node, quad
from tests.render.canvas import Canvas, area, drawn, pixel
from viewer.model.mesh.part_choice import CellRule
from viewer.session.view.drawn import DrawnParts
from viewer.session.view.view_state import Overlay

SLOTS = frozenset({Overlay.SLOT_BOUNDS})
HEADER = frozenset({Overlay.HEADER_BOUNDS})


def _builder() -> ModelBuilder:
    """One quad around (1, 0) whose stored box is four units wide and whose sphere has the radius 3."""
    builder = ModelBuilder([Node(shapes={(0, 0): [quad(1)]}, keys=[Key(position=(1, 0, 0))])])
    builder.slots["aabb_min"], builder.slots["aabb_max"] = (-2, -2, 0), (2, 2, 1)
    builder.slots["sphere_radius"] = 3
    return builder


def test_slot_boxes_are_the_stored_ones_moved_by_the_node(canvas: Canvas) -> None:
    canvas.load_model(_builder().model())
    is_drawn = drawn(canvas.image(overlays=SLOTS))
    for x, y in ((-1, 0), (3, 0), (1, 2), (1, -2)):
        row, column = pixel(x, y)
        assert is_drawn[row - 1 : row + 2, column - 1 : column + 2].any()


def test_slot_spheres_are_the_stored_ones(canvas: Canvas) -> None:
    canvas.load_model(_builder().model())
    is_drawn = drawn(canvas.image(overlays=SLOTS))
    top = pixel(1, 3)[0]
    assert is_drawn[top - 1 : top + 2].any()
    assert not is_drawn[: top - 1].any()


def test_bounds_of_what_is_not_shown_are_not_drawn(canvas: Canvas) -> None:
    canvas.load_model(_builder().model())
    canvas.image(overlays=SLOTS)
    assert not drawn(canvas.image(overlays=SLOTS, hidden=frozenset({0}))).any()
    assert not drawn(canvas.image(overlays=SLOTS, lod=1, drawn=DrawnParts(CellRule.EXACT))).any()


def test_the_model_hides_bounds_behind_it(canvas: Canvas) -> None:
    builder = _builder()
    builder.slots["aabb_min"], builder.slots["aabb_max"] = (-0.25, -0.25, -2), (0.25, 0.25, -1)
    builder.slots["sphere_center"], builder.slots["sphere_radius"] = (0, 0, -1), 0.1
    canvas.load_model(builder.model())
    assert (canvas.image(overlays=SLOTS) == canvas.image()).all()


def test_header_bounds_are_those_of_the_header(canvas: Canvas) -> None:
    builder = _builder()
    header = builder.header[0]
    header["hull"] = [(x, y, z) for z in (0, 1) for x, y in ((-3, -1), (3, -1), (3, 1), (-3, 1))]
    header["sphere_radius"], header["capsule_radius"] = 0.1, 0.1
    canvas.load_model(builder.model())
    is_drawn = drawn(canvas.image(overlays=HEADER))
    for x, y in ((-3, 0), (3, 0), (0, 1), (0, -1)):
        row, column = pixel(x, y)
        assert is_drawn[row - 1 : row + 2, column - 1 : column + 2].any()
    assert not is_drawn[~area((-3.25, -1.25, 3.25, 1.25))].any()


def test_the_capsule_is_drawn_as_a_cylinder(canvas: Canvas) -> None:
    builder = _builder()
    header = builder.header[0]
    header["hull"], header["sphere_radius"] = 0, 0
    header["capsule_a"], header["capsule_b"], header["capsule_radius"] = (-1, 0, 0), (-1, 0, 2), 2
    canvas.load_model(builder.model())
    is_drawn = drawn(canvas.image(overlays=HEADER, hidden=frozenset({0})))
    for x, y in ((-3, 0), (1, 0), (-1, 2), (-1, -2)):
        row, column = pixel(x, y)
        assert is_drawn[row - 1 : row + 2, column - 1 : column + 2].any()
