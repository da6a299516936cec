"""Axes of world and nodes, bones, marks around a model.

Picking follows what is seen: neither faces turned away nor holes are there.
"""

from __future__ import annotations

from math import pi
from typing import Any, Final

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from tests.render.canvas import DARK, PLAIN_LOOK, SIZE, Canvas, Image, area, drawn, pixel
from tests.render.materials import material, picture, unlit
from viewer.formats.msh.path_graph import LIGHT_PROBE
from viewer.formats.msh.tables import NORMALS, STREAM16
from viewer.model.material.materials import AlphaKind, Blend, Material
from viewer.model.mesh.shown import CellRule
from viewer.render.portions import Frame
from viewer.session.opened.surroundings import ARROW, Marks
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera, grid_step
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.lighting import Lighting
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import TextureSwitches


def _box_around(image: Image) -> list[tuple[int, int]]:
    """First and last row, first and last column that hold anything."""
    rows, columns = np.nonzero(drawn(image))
    return [(int(rows.min()), int(rows.max())), (int(columns.min()), int(columns.max()))]


def test_world_axes_start_at_the_origin_and_point_right_and_up(canvas: Canvas) -> None:
    (top, bottom), (left, right) = _box_around(canvas.image(overlays=frozenset({Overlay.AXES})))
    row, column = pixel(0, 0)
    assert bottom - row <= 1
    assert column - left <= 1
    assert top <= row - 7
    assert right >= column + 7


def test_each_axis_has_its_color(canvas: Canvas) -> None:
    image = canvas.image(overlays=frozenset({Overlay.AXES}))
    row, column = pixel(0, 0)
    assert image[row, column + 4].argmax() == 3 or image[row, column + 4][:3].argmax() == 0
    assert image[row - 4, column][:3].argmax() == 1


def test_node_axes_follow_their_nodes(canvas: Canvas) -> None:
    key = Key(position=(2, -2, 0), quaternion=turn((0, 0, 1), 180))
    canvas.load([Node(keys=[key])])
    (top, bottom), (left, right) = _box_around(canvas.image(overlays=frozenset({Overlay.NODE_AXES})))
    row, column = pixel(2, -2)
    assert row - top <= 1
    assert right - column <= 1
    assert bottom > row
    assert left < column


def test_node_axes_show_through_the_model(canvas: Canvas) -> None:
    cover = Node(shapes={(0, 0): [quad(4)]}, keys=[Key(position=(0, 0, 1))])
    canvas.load([Node(), cover])
    plain, with_axes = (
        canvas.image(),
        canvas.image(overlays=frozenset({Overlay.NODE_AXES}), hidden=frozenset()),
    )
    assert (plain != with_axes)[pixel(0, 0)[0] - 2 : pixel(0, 0)[0] + 2].any()


def test_a_selected_node_without_geometry_shows_its_axes(canvas: Canvas) -> None:
    filled = Node(shapes={(0, 0): [quad(1)]}, keys=[Key(position=(-2, 0, 0))])
    canvas.load([filled, Node(keys=[Key(position=(2, 0, 0))])])
    plain = canvas.image()
    with_socket = canvas.image(selection=Selection((1,)))
    changed = (plain != with_socket).any(axis=2)
    assert changed[pixel(2, 0)[0] - 2 : pixel(2, 0)[0] + 2, pixel(2, 0)[1] :].any()
    assert not changed[:, : pixel(1, 0)[1]].any()


def test_bones_join_parents_and_children(canvas: Canvas) -> None:
    scene = [Node(), Node(parent=0, keys=[Key(position=(3, 0, 0))]), Node(keys=[Key(position=(0, -3, 0))])]
    canvas.load(scene)
    is_drawn = drawn(canvas.image(overlays=frozenset({Overlay.BONES})))
    row, column = pixel(0, 0)
    assert is_drawn[row - 1 : row + 1, column + 1 : column + 23].any(axis=0).all()
    assert not is_drawn[row + 3 :].any()


def test_roots_alone_have_no_bones(canvas: Canvas) -> None:
    canvas.load([Node(), Node(keys=[Key(position=(3, 0, 0))])])
    assert not drawn(canvas.image(overlays=frozenset({Overlay.BONES}))).any()


SLOTS = frozenset({Overlay.SLOT_BOUNDS})
HEADER = frozenset({Overlay.HEADER_BOUNDS})


def _builder() -> ModelBuilder:
    """One quad around (1, 0) whose stored box is four units wide and whose sphere has the radius 3."""
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(1)]}, keys=[Key(position=(1, 0, 0))])])
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
    image = canvas.image(overlays=SLOTS)
    changed = image[(image != canvas.image()).any(axis=2)].astype(int)
    # The measured bounds, which are green, lie in the quad itself; nothing is seen of the stored ones below.
    assert (changed[:, 1] > changed[:, [0, 2]].max(axis=1)).all()


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


def test_the_cylinder_of_the_header_is_open(canvas: Canvas) -> None:
    builder = _builder()
    header = builder.header[0]
    header["hull"], header["sphere_radius"] = 0, 0
    header["capsule_a"], header["capsule_b"], header["capsule_radius"] = (-1, 0, 0), (-1, 0, 2), 2
    canvas.load_model(builder.model())
    is_drawn = drawn(canvas.image(overlays=HEADER, hidden=frozenset({0})))
    for x, y in ((-3, 0), (1, 0), (-1, 2), (-1, -2)):
        row, column = pixel(x, y)
        assert is_drawn[row - 1 : row + 2, column - 1 : column + 2].any()


SHOWN = frozenset({Overlay.NORMALS})


def test_normals_stand_on_the_vertices(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(4)]})])
    camera = replace(canvas.view.camera, pitch=0.0)
    changed = (canvas.image(camera=camera) != canvas.image(camera=camera, overlays=SHOWN)).any(axis=2)
    row = pixel(0, 0)[0] - 1
    for x in (-2, 2):
        column = pixel(x, 0)[1]
        assert changed[row, column - 1 : column + 1].any()
    assert not changed[: pixel(0, 0.5)[0]].any()
    assert not changed[pixel(0, -0.5)[0] :].any()
    assert not changed[:, pixel(-1.5, 0)[1] : pixel(1.5, 0)[1]].any()


def test_a_file_without_normals_shows_none(canvas: Canvas) -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(4)]})])
    builder.missing.add(NORMALS)
    canvas.load_model(builder.model())
    assert (canvas.image(overlays=SHOWN) == canvas.image()).all()


def test_vectors_of_res16_are_drawn_with_the_normals_once_they_are_looked_at_as_vectors(
    canvas: Canvas,
) -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(4)]})])
    # A to the right, B upwards (spec/msh.md 9: components are 127ths).
    builder.tables[STREAM16] = bytes((127, 0, 0, 0, 0, 127, 0, 0)) * len(builder.positions)
    builder.attributes[STREAM16] = (len(builder.positions), 0, 8)
    canvas.load_model(builder.model())
    plain = canvas.image(overlays=SHOWN)
    vectors = canvas.image(overlays=SHOWN, guesses={"stream16": "vectors"})
    assert (canvas.image(overlays=SHOWN, guesses={"stream16": "color"}) == plain).all()
    assert (canvas.image(guesses={"stream16": "vectors"}) == canvas.image()).all()
    row, column = pixel(2, 2)  # a corner of the quad
    assert vectors[row, column + 2][:3].argmax() == 0
    assert vectors[row - 2, column][:3].argmax() == 1
    assert (vectors[row - 8 : row - 4, column] == plain[row - 8 : row - 4, column]).all()


GRID = frozenset({Overlay.GRID})


@pytest.mark.parametrize(
    ("height", "step"), [(4, 1), (39, 1), (41, 10), (0.5, 0.1), (40_000, 10_000), (39_000, 1000)]
)
def test_the_step_is_a_power_of_ten_that_fits_the_view(height: float, step: float) -> None:
    camera = Camera(distance=height / 2 * 1.0001, field_of_view=pi / 2)
    assert grid_step(camera) == pytest.approx(step)


def test_lines_lie_on_whole_steps(canvas: Canvas) -> None:
    is_drawn = drawn(canvas.image(overlays=GRID, samples=4))
    for number in range(-3, 4):
        row, column = pixel(number, number)
        assert is_drawn[row - 1 : row + 1, 4].any()
        assert is_drawn[4, column - 1 : column + 1].any()
        assert not is_drawn[row + 4, column + 4]


def test_the_lines_through_the_origin_have_the_colors_of_their_axes(canvas: Canvas) -> None:
    image = canvas.image(overlays=GRID).astype(int)
    row, column = pixel(0, 0)
    along_x = image[row - 1 : row + 1, 4].max(axis=0)
    along_y = image[4, column - 1 : column + 1].max(axis=0)
    assert along_x[0] > along_x[1] + 50
    assert along_y[1] > along_y[0] + 50


def test_the_axes_stay_where_they_are_when_the_view_moves(canvas: Canvas) -> None:
    camera = replace(canvas.view.camera, target=(2.0, 0.0, 0.0))
    image = canvas.image(overlays=GRID, camera=camera).astype(int)
    column = pixel(-2, 0)[1]
    along_y = image[4, column - 1 : column + 1].max(axis=0)
    assert along_y[1] > along_y[0] + 50


def test_the_model_covers_the_grid_and_the_grid_covers_what_is_below(canvas: Canvas) -> None:
    above = Node(shapes={(0, 0): [quad(3)]}, keys=[Key(position=(-2, 0, 1))])
    below = Node(shapes={(0, 0): [quad(3)]}, keys=[Key(position=(2, 0, -1))])
    canvas.load([above, below])
    plain, with_grid = canvas.image(), canvas.image(overlays=GRID)
    changed = (plain != with_grid).any(axis=2)
    left, right = pixel(-3, 0)[1], pixel(1, 0)[1]
    assert not changed[20:44, left : left + 16].any()
    assert changed[20:44, right : right + 16].any()


def test_a_parallel_view_from_the_side_keeps_only_the_axis(canvas: Canvas) -> None:
    camera = replace(canvas.view.camera, pitch=0.0)
    image = canvas.image(overlays=GRID, camera=camera).astype(int)
    colors = image[drawn(image)]
    assert len(colors) > 0
    assert (colors[:, 0] > colors[:, 1] + 50).any()
    assert colors[:, 1].max() < 100


WHITE = (255, 255, 255, 255)
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)
ONE_SIDE = replace(NEAREST, hides_back_faces=True)
TEXTURED: Final[dict[str, Any]] = {"shading": Shading.TEXTURED, "textures": NEAREST}
IN_HOLE, ON_LEAF = (-0.75, 0.25), (0.75, 0.25)


def _plate(height: float, row: int, *, is_flipped: bool = False) -> Node:
    """A plate of 4 x 4 over the ground."""
    over = turn((1, 0, 0), 180 if is_flipped else 0)
    return Node(
        shapes={(0, 0): [quad(4, material=row)]}, keys=[Key(position=(0, 0, height), quaternion=over)]
    )


def _half(left: int, **fields: Any) -> Material:
    """A material whose left half has an alpha of `left`, and the right half is solid."""
    return material(picture([[(255, 255, 255, left), WHITE]]), blend=Blend.ALPHA, **fields)


def _leaf() -> Material:
    return _half(0, alpha=AlphaKind.CUTOUT)


def test_a_face_turned_away_is_not_hit_but_what_lies_beneath(canvas: Canvas) -> None:
    canvas.dress([_plate(1, 0, is_flipped=True), _plate(0, 0)], material(picture(WHITE)))
    hidden = {**TEXTURED, "textures": ONE_SIDE}
    assert [hit.node for hit in canvas.pick_all(0.1, 0.1, **hidden)] == [1]


@pytest.mark.parametrize(
    "view",
    [{"shading": Shading.TEXTURED}, {"shading": Shading.LIT, "textures": ONE_SIDE}],
    ids=["not culled", "without materials"],
)
def test_a_face_turned_away_is_hit_where_it_is_drawn(canvas: Canvas, view: dict[str, Any]) -> None:
    plates = [_plate(1, 0, is_flipped=True), _plate(0, 0)]
    canvas.dress(plates, material(picture(WHITE)))
    assert [hit.node for hit in canvas.pick_all(0.1, 0.1, **view)] == [0, 1]


@pytest.mark.parametrize("shading", [Shading.TEXTURED, Shading.UV_CHECKER])
def test_a_model_without_materials_is_hit_where_its_picture_is(canvas: Canvas, shading: Shading) -> None:
    canvas.load([_plate(0, 0, is_flipped=True)])
    is_seen = drawn(canvas.image(shading=shading, textures=ONE_SIDE)).any()
    assert is_seen == (shading is Shading.TEXTURED), "lit, for want of materials"
    assert (canvas.pick(0.1, 0.1, shading=shading, textures=ONE_SIDE) is not None) == is_seen


def test_through_a_hole_what_is_behind_is_hit(canvas: Canvas) -> None:
    canvas.dress([_plate(1, 0), _plate(0, 1)], _leaf(), material(picture(WHITE)))
    assert [hit.node for hit in canvas.pick_all(*IN_HOLE, **TEXTURED)] == [1]
    assert [hit.node for hit in canvas.pick_all(*ON_LEAF, **TEXTURED)] == [0, 1]
    through, hit = canvas.pick(*IN_HOLE, **TEXTURED), canvas.pick(*ON_LEAF, **TEXTURED)
    assert (through and through.node, hit and hit.node) == (1, 0)


def test_a_hole_with_nothing_behind_is_the_background(canvas: Canvas) -> None:
    canvas.dress([_plate(0, 0)], _leaf())
    assert canvas.pick(*IN_HOLE, **TEXTURED) is None
    assert canvas.pick(*IN_HOLE, shading=Shading.LIT, textures=NEAREST) is not None


@pytest.mark.parametrize(
    ("lighting", "alpha", "is_hit"),
    [(DARK, 0, False), (DARK, 1, True), (PLAIN_LOOK, 6, False), (PLAIN_LOOK, 26, True)],
)
def test_glass_is_hit_where_it_is_drawn_at_all(
    canvas: Canvas, lighting: Lighting, alpha: int, is_hit: bool
) -> None:
    canvas.dress([_plate(0, 0)], _half(alpha, alpha=AlphaKind.TRANSLUCENT))
    assert (canvas.pick(*IN_HOLE, **TEXTURED, lighting=lighting) is not None) == is_hit


@pytest.mark.parametrize("lighting", [DARK, PLAIN_LOOK])
@pytest.mark.parametrize("switches", [NEAREST, ONE_SIDE])
@pytest.mark.parametrize("shading", [Shading.TEXTURED, Shading.ALBEDO, Shading.ALPHA, Shading.LIT])
def test_identities_are_where_the_picture_is(
    canvas: Canvas, shading: Shading, switches: TextureSwitches, lighting: Lighting
) -> None:
    def at(x: float, y: float) -> list[Key]:
        return [Key(position=(x, y, 0), quaternion=turn((0.3, 1, 0.2), 60 * x + 35 * y))]

    scene = [
        Node(shapes={(0, 0): [quad(1.8, material=n % 5), box((0.5, 0.5, 1), material=n % 5)]}, keys=at(x, y))
        for n, (x, y) in enumerate((x, y) for x in (-2.5, 0, 2.5) for y in (-2.5, 0, 2.5))
    ]
    glass = _half(0, alpha=AlphaKind.TRANSLUCENT, phase=unlit(0.6))
    solid = material(picture(WHITE))
    canvas.dress(scene, solid, solid, _leaf(), glass, replace(glass, has_see_through_flag=True))
    view: dict[str, Any] = {"shading": shading, "textures": switches, "lighting": lighting}
    shown = drawn(canvas.image(**view))
    ids = canvas.ids(**view)
    assert (ids.any(axis=2) == shown).all()
    assert 0 < shown.sum() < area((-4, -4, 4, 4)).sum()
    for row, column in np.argwhere(np.ones(SIZE[::-1]))[::23].tolist():
        hit = canvas.renderer.pick(Frame(replace(canvas.view, **view), canvas.pose, SIZE), column, row)
        named = (0, 0, 0) if hit is None else (hit.node + 1, (hit.batch or 0) + 1, hit.triangle + 1)
        assert named == tuple(ids[row, column].tolist())


def test_marks_around_the_model_are_in_pictures_in_the_space_of_their_nodes(canvas: Canvas) -> None:
    """Turned by 180 degrees about Z, x of the node is -x of the world; a line needs two points that exist."""
    canvas.load([Node(keys=[Key(position=(1, 0, 0), quaternion=turn((0, 0, 1), 180))])])
    marks = Marks(
        LIGHT_PROBE.name,
        nodes=np.array([0, -1, 0]),
        points=np.array([[0.0, -2, 0], [2, 0, 0], [np.nan, 0, 0]]),
        directions=np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 0]]),
        lines=np.array([[1, 0], [1, 2], [1, 9]]),
        colors=np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]),
    )
    image = canvas.renderer.image(Frame(canvas.view, canvas.pose, SIZE, around=(marks,)))
    rows, columns = np.nonzero(
        (image[..., 0] > 150) & (image[..., 1] < 100)
    )  # red: the arrow from (1, 2) to -x
    assert abs(columns.min() - pixel(1 - ARROW * 4, 2)[1]) <= 1  # half the image is 4 units high
    assert {*np.abs(rows - pixel(1, 2)[0]).tolist()} <= {0, 1, 2}
    rows, columns = np.nonzero((image[..., 1] > 150) & (image[..., 0] < 100))  # green: the line between both
    assert abs(rows.max() - pixel(2, 0)[0]) <= 1
    assert abs(columns.max() - pixel(2, 0)[1]) <= 1
    assert drawn(image)[pixel(1.5, 1)]
    assert not drawn(canvas.image()).any()
