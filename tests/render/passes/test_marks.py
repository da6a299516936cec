"""Outline of the selected nodes, tint of batch and triangle.

Identities at pixels.

Batches that flash, against colors worked out from the picture without them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from tests.render.canvas import SIZE, Canvas, Image, area, drawn, pixel
from tests.render.materials import material, picture
from viewer.formats.msh.tables import TRIANGLES
from viewer.model.material.materials import AlphaKind, Blend
from viewer.model.mesh.draws import NO_BATCH
from viewer.model.mesh.shown import CellRule
from viewer.render.buffers import draw_list
from viewer.render.passes.base import FLASH, SELECTION
from viewer.render.passes.marks import COVERED, FLASH_FILL
from viewer.render.portions import Frame
from viewer.session.selection import Selection
from viewer.session.view.flash import FAINTEST, PERIOD
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import TextureSwitches

ORANGE = [round(255 * channel) for channel in SELECTION]
EXACT = DrawnParts(CellRule.EXACT)


def _scene() -> list[Node]:
    """A small quad under a large cover, and another node beside them."""
    return [
        Node(shapes={(0, 0): [quad(2)]}),
        Node(shapes={(0, 0): [quad(4)]}, keys=[Key(position=(0, 0, 1))]),
        Node(shapes={(0, 0): [quad(1)]}, keys=[Key(position=(3, 3, 0))]),
    ]


def _outlined(image: Image) -> Image:
    result: Image = (image == ORANGE).all(axis=2)
    return result


def test_the_outline_surrounds_the_node_and_shows_through_what_covers_it(canvas: Canvas) -> None:
    canvas.load(_scene())
    is_outlined = _outlined(canvas.image(selection=Selection((0,))))
    ring = area((-1.25, -1.25, 1.25, 1.25)) & ~area((-1, -1, 1, 1))
    assert is_outlined[ring].mean() > 0.9
    assert not is_outlined[~ring].any()


def test_without_a_selection_nothing_is_outlined(canvas: Canvas) -> None:
    canvas.load(_scene())
    assert not _outlined(canvas.image()).any()


def test_all_selected_nodes_are_outlined(canvas: Canvas) -> None:
    canvas.load(_scene())
    is_outlined = _outlined(canvas.image(selection=Selection((0, 2))))
    assert is_outlined[area((-1.25, -1.25, 1.25, 1.25))].any()
    assert is_outlined[area((2.25, 2.25, 3.75, 3.75))].any()


def test_hidden_nodes_are_not_outlined(canvas: Canvas) -> None:
    canvas.load(_scene())
    assert not _outlined(canvas.image(selection=Selection((0,)), hidden=frozenset({0}))).any()
    assert not _outlined(canvas.image(selection=Selection((0,)), lod=1, drawn=EXACT)).any()


def test_a_node_that_does_not_exist_is_not_outlined(canvas: Canvas) -> None:
    canvas.load(_scene())
    assert not _outlined(canvas.image(selection=Selection((77,)))).any()


def test_the_batch_is_tinted_and_the_triangle_more_so(canvas: Canvas) -> None:
    shapes = [quad(2, center=(-2, 0, 0)), quad(2, center=(2, 0, 0))]
    canvas.load([Node(shapes={(0, 0): shapes})])
    plain = canvas.image().astype(int)
    tinted = canvas.image(selection=Selection((0,), 0, 1, 2, 2)).astype(int)
    triangle, rest, other = pixel(2.5, -0.5), pixel(1.5, 0.5), pixel(-2, 0)
    assert tinted[other].tolist() == plain[other].tolist()
    blue = [int((plain - tinted)[at][2]) for at in (rest, triangle)]
    assert 10 < blue[0] < blue[1]


def test_a_covered_batch_is_not_tinted(canvas: Canvas) -> None:
    canvas.load(_scene())
    plain, tinted = canvas.image(), canvas.image(selection=Selection((0,), 0, 0, 0))
    assert (plain == tinted)[area((-0.75, -0.75, 0.75, 0.75))].all()


def test_the_tint_follows_the_node_that_was_picked(canvas: Canvas) -> None:
    shared = [quad(2)]
    canvas.load([Node(shapes={(0, 0): shared}, keys=[Key(position=(x, 0, 0))]) for x in (-2, 2)])
    plain, tinted = canvas.image(), canvas.image(selection=Selection((1,), 0, 0, 1))
    changed = (plain != tinted).any(axis=2)
    assert changed[area((1, -1, 3, 1))].all()
    assert not changed[area((-3, -1, -1, 1))].any()


MARKED = Selection((1,), vertex=4)


def test_the_mark_surrounds_the_vertex_where_its_node_is(canvas: Canvas) -> None:
    canvas.load([Node(), Node(shapes={(0, 1): [quad(2)]}, keys=[Key(position=(1, 1, 0))])])
    marked = canvas.image(selection=Selection((1,), vertex=0))
    row, column = pixel(0, 0)
    assert drawn(marked)[row - 2 : row + 3, column - 2 : column + 3].any()
    row, column = pixel(2, 2)
    assert not drawn(marked)[row - 2 : row + 3, column - 2 : column + 3].any()


def test_the_mark_is_seen_through_the_model(canvas: Canvas) -> None:
    cover = Node(shapes={(0, 0): [quad(6)]}, keys=[Key(position=(0, 0, 3))])
    canvas.load([cover, Node(shapes={(0, 1): [quad(2)]})])
    row, column = pixel(-1, -1)
    plain, marked = canvas.image(), canvas.image(selection=MARKED)
    assert (plain != marked)[row - 2 : row + 3, column - 2 : column + 3].any()


def test_a_vertex_of_a_hidden_node_or_none_at_all_has_no_mark(canvas: Canvas) -> None:
    canvas.load([Node(), Node(shapes={(0, 1): [quad(2)]})])
    hidden = canvas.image(selection=Selection((1,), vertex=0), hidden=frozenset({1}))
    missing = canvas.image(selection=Selection((1,), vertex=99), hidden=frozenset({1}))
    alone = canvas.image(selection=Selection(vertex=0))
    assert not drawn(alone).any()
    assert (hidden == missing).all()


def _tower() -> list[Node]:
    """A plate of two batches at the bottom, a smaller one above, a third on top."""
    return [
        Node(shapes={(0, 0): [quad(1, center=(-2, 0, 0)), quad(4)]}),
        Node(shapes={(0, 0): [quad(2, material=1)]}, keys=[Key(position=(0, 0, 1))]),
        Node(shapes={(0, 0): [quad(1)], (1, 0): [quad(1)]}, keys=[Key(position=(0, 0, 2))]),
    ]


def test_the_nearest_vertex_is_the_corner_next_to_the_pixel(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(4)]})])
    for vertex, (x, y) in enumerate([(-1.5, -1.5), (1.5, -1.5), (1.5, 1.5), (-1.5, 1.5)]):
        hit = canvas.pick(x, y)
        assert hit is not None
        assert hit.nearest_vertex == vertex


def test_a_hit_names_everything_from_the_node_to_the_descriptor(canvas: Canvas) -> None:
    canvas.load(_tower())
    hit = canvas.pick(0.9, 0.5)
    assert hit is not None
    assert (hit.node, hit.slot, hit.batch, hit.triangle, hit.descriptor) == (1, 1, 2, 4, 4)
    assert hit.vertices == (8, 9, 10)


def test_a_hit_lies_on_its_triangle_under_the_pixel(canvas: Canvas) -> None:
    canvas.load(_tower())
    hit = canvas.pick(0.5, -0.75)
    assert hit is not None
    assert hit.position == pytest.approx((0.5 + 1 / 16, -0.75 - 1 / 16, 1))


def test_the_background_is_no_hit(canvas: Canvas) -> None:
    canvas.load(_tower())
    assert canvas.pick(3, 3) is None


@pytest.mark.parametrize(("x", "y"), [(-1, 5), (5, -1), (64, 5), (5, 64)])
def test_outside_the_frame_is_no_hit(canvas: Canvas, x: int, y: int) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(20)]})])
    assert canvas.renderer.pick(Frame(canvas.view, canvas.pose, SIZE), x, y) is None


def test_all_hits_go_down_from_the_top(canvas: Canvas) -> None:
    canvas.load(_tower())
    hits = canvas.pick_all(0.25, 0.25)
    assert [hit.node for hit in hits] == [2, 1, 0]
    assert [hit.batch for hit in hits] == [3, 2, 1]
    assert [hit.position[2] for hit in hits] == pytest.approx([2, 1, 0])
    assert sorted(hit.distance for hit in hits) == [hit.distance for hit in hits]


def test_only_what_is_shown_is_hit(canvas: Canvas) -> None:
    canvas.load(_tower())
    assert [hit.node for hit in canvas.pick_all(0.25, 0.25, hidden=frozenset({1}))] == [2, 0]
    assert [hit.batch for hit in canvas.pick_all(0.25, 0.25, lod=1, drawn=DrawnParts(CellRule.EXACT))] == [4]


def test_what_is_drawn_is_hit_though_its_stored_bounds_are_too_small(canvas: Canvas) -> None:
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad(4)]})])
    builder.slots["aabb_min"], builder.slots["aabb_max"], builder.slots["sphere_radius"] = -0.1, 0.1, 0.1
    canvas.load_model(builder.model())
    hit = canvas.pick(1.5, 1.5)
    assert hit is not None
    assert canvas.ids().any(axis=2).sum() == area((-2, -2, 2, 2)).sum()


def test_a_file_without_descriptors_is_hit_without_one(canvas: Canvas) -> None:
    builder = ModelBuilder.of(_tower())
    builder.missing.add(TRIANGLES)
    canvas.load_model(builder.model())
    hit = canvas.pick(0, 0)
    assert hit is not None
    assert hit.descriptor is None
    assert hit.slot == 2


@pytest.mark.parametrize("most_runs", [0, 1000])
def test_picking_agrees_with_the_identities_of_the_frame(
    canvas: Canvas, most_runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw_list, "MOST_RUNS", most_runs)
    scene = [
        Node(
            shapes={(0, 0): [box((0.9, 0.7, 0.5), material=n % 3)]},
            keys=[Key(position=(n % 5 - 2, n // 5 - 2, 0.1 * n))],
        )
        for n in range(25)
    ]
    canvas.load(scene)
    camera = replace(canvas.view.camera, pitch=0.9, yaw=0.5, is_orthographic=False, distance=6.0)
    view = replace(canvas.view, camera=camera)
    ids = canvas.renderer.ids(Frame(view, canvas.pose, SIZE))
    assert len(np.unique(ids[..., 0])) == 26
    for row, column in np.argwhere(np.ones(SIZE[::-1]))[::37].tolist():
        hit = canvas.renderer.pick(Frame(view, canvas.pose, SIZE), column, row)
        named = (0, 0, 0) if hit is None else (hit.node + 1, (hit.batch or 0) + 1, hit.triangle + 1)
        assert named == tuple(ids[row, column].tolist())


def test_identities_count_from_one_and_from_the_top_row(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(0, 2, 0))])])
    ids = canvas.ids()
    assert ids.dtype == np.uint32
    assert ((ids > 0).all(axis=2) == area((-1, 1, 1, 3))).all()
    assert (ids[area((-1, 1, 1, 3))][:, :2] == 1).all()
    lower_right, upper_left = pixel(0.5, 1.25), pixel(-0.5, 2.75)
    assert (ids[lower_right][2], ids[upper_left][2]) == (1, 2)


def test_identities_count_triangles_as_the_indices_have_them_not_by_material(canvas: Canvas) -> None:
    shapes = [quad(1, center=(-2, 0, 0), material=1), quad(1, center=(2, 0, 0), material=0)]
    canvas.load([Node(shapes={(0, 0): shapes})])
    ids = canvas.ids()
    assert ids[pixel(-1.75, -0.25)].tolist() == [1, 1, 1]
    assert ids[pixel(2.25, -0.25)].tolist() == [1, 2, 3]


WHITE, CLEAR = (255, 255, 255, 255), (255, 255, 255, 0)
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)
PLATE, OTHER_CELL, COVER = range(3)
SEEN, UNDER_COVER, BESIDE = (1.5, 0.0), (-1.5, 0.0), (3.5, 0.0)


def _flashing_scene() -> list[Node]:
    """A batch whose left half lies under a cover, and the same node in another cell."""
    return [
        Node(shapes={(0, 0): [quad(5)], (1, 0): [quad(5)]}),
        Node(shapes={(0, 0): [quad(4, center=(-2, 0, 1))]}),
    ]


def _mixed(under: Image, at: tuple[float, float], share: float) -> list[float]:
    """The color of a point below a flash of which `share` is seen."""
    color = np.array([255 * channel for channel in FLASH[:3]])
    mixed: list[float] = (under[pixel(*at)][:3] * (1 - share) + color * share).tolist()
    return mixed


def _flashes(canvas: Canvas, at: tuple[float, float], share: float, **view: Any) -> None:
    """Assert how much of the flash of the first batch a point shows."""
    under, flashing = canvas.image(**view), canvas.image(flash=frozenset({PLATE}), **view)
    assert flashing[pixel(*at)][:3].tolist() == pytest.approx(_mixed(under, at, share), abs=1.51)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("shading", [*Shading])
def test_a_batch_flashes_where_it_is_seen_and_faintly_where_it_is_covered(
    canvas: Canvas, shading: Shading, samples: int
) -> None:
    canvas.dress(_flashing_scene(), material(picture((200, 90, 60, 255))))
    view: dict[str, Any] = {"shading": shading, "samples": samples}
    hidden = FLASH_FILL if shading is Shading.WIREFRAME else FLASH_FILL * COVERED
    for at, share in ((SEEN, FLASH_FILL), (UNDER_COVER, hidden), (BESIDE, 0.0)):
        _flashes(canvas, at, share, **view)


def test_it_pulses(canvas: Canvas) -> None:
    canvas.load(_flashing_scene())
    for time, brightness in ((0.0, 1.0), (PERIOD / 2, FAINTEST), (PERIOD, 1.0)):
        _flashes(canvas, SEEN, FLASH_FILL * brightness, flash_time=time)
    assert (canvas.image(flash=frozenset({PLATE})) == canvas.image(flash=frozenset({PLATE}))).all()


def test_a_rim_surrounds_it(canvas: Canvas) -> None:
    canvas.load(_flashing_scene())
    changed = (canvas.image() != canvas.image(flash=frozenset({PLATE}))).any(axis=2)
    assert changed[area((-2.5, -2.5, 2.5, 2.5))].all()
    assert changed[area((-2.5, -2.6, 2.5, -2.5))].all()
    assert not changed[~area((-2.75, -2.75, 2.75, 2.75))].any()


def test_it_is_drawn_over_the_selection(canvas: Canvas) -> None:
    canvas.load(_flashing_scene())
    selected = Selection((0,), 0, 0, 0)
    _flashes(canvas, SEEN, FLASH_FILL, selection=selected)
    _flashes(canvas, (2.55, 1.0), 1.0, selection=selected)


@pytest.mark.parametrize(
    ("batch", "view"),
    [
        (OTHER_CELL, {}),
        (PLATE, {"lod": 1}),
        (PLATE, {"hidden": frozenset({0})}),
        (77, {}),
        (NO_BATCH, {}),
    ],
    ids=["in another cell", "not in this cell", "hidden", "no such batch", "no batch"],
)
def test_a_batch_that_no_visible_cell_has_flashes_nowhere(
    canvas: Canvas, batch: int, view: dict[str, Any]
) -> None:
    canvas.load(_flashing_scene())
    assert (canvas.image(flash=frozenset({batch}), **view) == canvas.image(**view)).all()


def test_several_batches_flash_at_once(canvas: Canvas) -> None:
    canvas.load(_flashing_scene())
    plain, flashing = canvas.image(), canvas.image(flash=frozenset({PLATE, COVER}))
    for at in (SEEN, (-3.5, 0.0)):
        assert flashing[pixel(*at)][:3].tolist() == pytest.approx(_mixed(plain, at, FLASH_FILL), abs=1.51)


def test_holes_are_no_part_of_what_is_seen(canvas: Canvas) -> None:
    leaf = material(picture([[CLEAR, WHITE]]), blend=Blend.ALPHA, alpha=AlphaKind.CUTOUT)
    canvas.dress([Node(shapes={(0, 0): [quad(4)]})], leaf)
    view: dict[str, Any] = {"shading": Shading.TEXTURED, "textures": NEAREST}
    _flashes(canvas, (-1.5, 0.5), FLASH_FILL * COVERED, **view)
    _flashes(canvas, (1.5, 0.5), FLASH_FILL, **view)
    _flashes(canvas, (-1.5, 0.5), FLASH_FILL, shading=Shading.LIT)


def test_what_is_turned_away_is_shown_faintly(canvas: Canvas) -> None:
    flipped = Node(shapes={(0, 0): [quad(4)]}, keys=[Key(quaternion=turn((1, 0, 0), 180))])
    canvas.dress([flipped], material(picture(WHITE)))
    hidden = TextureSwitches(hides_back_faces=True)
    _flashes(canvas, (0.5, 0.5), FLASH_FILL * COVERED, shading=Shading.TEXTURED, textures=hidden)


def test_edges_do_not_hide_it(canvas: Canvas) -> None:
    canvas.load(_flashing_scene())
    _flashes(canvas, SEEN, FLASH_FILL, overlays=frozenset({Overlay.EDGES}))
