"""Frames: what a view shows of a model."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import moderngl
import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad
from tests.render.canvas import BACKGROUND, SIZE, Canvas, area, drawn
from viewer.errors import UsageError
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.shown import CellRule
from viewer.render.buffers import draw_list
from viewer.render.portions import Frame
from viewer.session.program import FrameStatistics
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import ViewState

LEFT, RIGHT = (-3, -1, -1, 1), (1, -1, 3, 1)
SMALL_LEFT = (-2.5, -0.5, -1.5, 0.5)
EXACT = DrawnParts(CellRule.EXACT)


def _two_quads() -> list[Node]:
    """Quads two units wide around (-2, 0) and (2, 0); the left one shrinks in LOD 1 and goes in group 1."""
    left = {(0, 0): [quad(2)], (1, 0): [quad(1)]}
    right = [quad(2)]
    return [
        Node("left", shapes=left, keys=[Key(position=(-2, 0, 0))]),
        Node(
            "right",
            shapes={(0, 0): right, (1, 0): right, (0, 1): right},
            keys=[Key(position=(2, 0, 0))],
        ),
    ]


def _checkers(count: int = 32) -> list[Node]:
    """Quads in `count` rows of `count`, side by side over the whole view."""
    size = 8 / count
    places = [((i + 0.5) * size - 4, (j + 0.5) * size - 4, 0.0) for j in range(count) for i in range(count)]
    return [Node(shapes={(0, 0): [quad(size)]}, keys=[Key(position=place)]) for place in places]


def test_each_node_is_drawn_where_its_matrix_puts_it(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert (drawn(canvas.image()) == area(LEFT, RIGHT)).all()


def test_another_lod_shows_other_slots(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert (drawn(canvas.image(lod=1)) == area(SMALL_LEFT, RIGHT)).all()


def test_another_group_shows_other_slots(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert (drawn(canvas.image(group=1, drawn=EXACT)) == area(RIGHT)).all()


def test_an_empty_cell_shows_nothing(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert not drawn(canvas.image(lod=2, group=4)).any()


def test_a_node_with_an_override_shows_its_own_cell(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert (drawn(canvas.image(overrides={0: (1, 0)})) == area(SMALL_LEFT, RIGHT)).all()
    assert (drawn(canvas.image(lod=1, overrides={0: (0, 0)})) == area(LEFT, RIGHT)).all()


def test_hidden_nodes_are_left_out(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert (drawn(canvas.image(hidden=frozenset({0}))) == area(RIGHT)).all()


def test_only_isolated_nodes_are_drawn(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert (drawn(canvas.image(isolated=frozenset({0}))) == area(LEFT)).all()
    assert not drawn(canvas.image(isolated=frozenset({0}), hidden=frozenset({0}))).any()


def test_nodes_that_do_not_exist_are_ignored(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert (drawn(canvas.image(hidden=frozenset({0, 99}), overrides={77: (1, 0)})) == area(RIGHT)).all()


def test_a_new_pose_moves_the_nodes(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    canvas.image()
    world = canvas.pose.world.copy()
    world[0, :2, 3] = (0, 2)
    canvas.pose = replace(canvas.pose, world=world)
    assert (drawn(canvas.image()) == area((-1, 1, 1, 3), RIGHT)).all()


def test_another_model_takes_the_place_of_the_first(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    canvas.image()
    canvas.load([Node(shapes={(0, 0): [quad(4)]})])
    assert (drawn(canvas.image()) == area((-2, -2, 2, 2))).all()
    canvas.renderer.unload()
    assert not drawn(canvas.image()).any()


def test_what_lies_outside_the_view_is_culled(canvas: Canvas) -> None:
    scene = _two_quads()
    canvas.load([*scene, Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(20, 0, 0))])])
    assert canvas.statistics() == FrameStatistics(draws=2, culled=1, triangles=4)


def test_statistics_do_not_count_what_is_not_wanted(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    assert canvas.statistics(hidden=frozenset({0})) == FrameStatistics(draws=1, culled=0, triangles=2)


def test_compaction_draws_what_runs_draw(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    canvas.load(_checkers())
    hidden = frozenset(range(0, 32 * 32, 2))
    monkeypatch.setattr(draw_list, "MOST_RUNS", 10_000)
    monkeypatch.setattr(draw_list, "SHORT", 0)
    with_runs = canvas.image(hidden=hidden), canvas.ids(hidden=hidden)
    canvas.load(_checkers())
    monkeypatch.setattr(draw_list, "MOST_RUNS", 1)
    compacted = canvas.image(hidden=hidden), canvas.ids(hidden=hidden)
    assert drawn(with_runs[0]).mean() == 0.5
    assert (with_runs[0] == compacted[0]).all()
    assert (with_runs[1] == compacted[1]).all()


def test_compaction_follows_what_is_visible(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw_list, "MOST_RUNS", 1)
    canvas.load(_checkers())
    even, odd = frozenset(range(0, 32 * 32, 2)), frozenset(range(1, 32 * 32, 2))
    first, second = canvas.ids(hidden=even), canvas.ids(hidden=odd)
    assert ((first[..., 0] > 0) == (second[..., 0] == 0)).all()
    assert set((first[..., 0].astype(int) - 1).ravel().tolist()) == {-1, *odd}


def test_nodes_beyond_a_row_of_the_matrix_texture_are_found(canvas: Canvas) -> None:
    canvas.load(_checkers())
    row, column = np.mgrid[:64, :64] // 2
    assert (canvas.ids()[..., 0] == (31 - row) * 32 + column + 1).all()


def test_the_nearer_surface_covers_the_farther(canvas: Canvas) -> None:
    upper = Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(0, 0, 1))])
    canvas.load([upper, Node(shapes={(0, 0): [quad(4)]})])
    nodes = canvas.ids()[..., 0]
    assert (nodes == np.where(area((-1, -1, 1, 1)), 1, np.where(area((-2, -2, 2, 2)), 2, 0))).all()


@pytest.mark.parametrize("scene", [[], [Node()], [Node(), Node(parent=0)]])
@pytest.mark.parametrize("is_orthographic", [False, True])
def test_a_model_without_geometry_shows_the_background(
    canvas: Canvas, scene: list[Node], is_orthographic: bool
) -> None:
    canvas.load(scene)
    camera = replace(canvas.view.camera, is_orthographic=is_orthographic)
    assert not drawn(canvas.image(camera=camera)).any()
    assert not canvas.ids(camera=camera).any()
    assert canvas.pick(0, 0) is None
    assert canvas.statistics() == FrameStatistics()


def test_no_model_and_no_pose_still_make_a_frame(canvas: Canvas) -> None:
    frame = canvas.renderer.draw(Frame(ViewState(), None, SIZE))
    assert frame.texture > 0
    assert frame.statistics == FrameStatistics()
    assert canvas.renderer.pick_all(Frame(ViewState(), None, SIZE), 3, 3) == []


def test_a_model_without_a_pose_is_drawn_as_it_lies_in_its_nodes(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    image = canvas.renderer.image(Frame(canvas.view, None, SIZE))
    assert (drawn(image) == area((-1, -1, 1, 1))).all()


@pytest.mark.parametrize("size", [(1, 1), (0, 0), (7, 3), (130, 51)])
def test_any_size_makes_a_picture_of_that_size(canvas: Canvas, size: tuple[int, int]) -> None:
    canvas.load(_two_quads())
    width, height = (max(1, side) for side in size)
    assert canvas.renderer.image(Frame(ViewState(), canvas.pose, size)).shape == (height, width, 4)
    assert canvas.renderer.ids(Frame(ViewState(), canvas.pose, size)).shape == (height, width, 3)


def test_a_picture_larger_than_the_card_takes_is_refused(canvas: Canvas) -> None:
    for draw in (canvas.renderer.image, canvas.renderer.ids):
        with pytest.raises(UsageError, match="at most"):
            draw(Frame(canvas.view, canvas.pose, (10, 1_000_000)))


def test_antialiasing_softens_slanted_edges_only_where_asked(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [box()]}, keys=[Key()])])
    camera = replace(canvas.view.camera, yaw=0.3)
    sharp, soft = (canvas.image(camera=camera, samples=samples) for samples in (1, 4))
    assert len(np.unique(sharp.reshape(-1, 4), axis=0)) == 2
    assert len(np.unique(soft.reshape(-1, 4), axis=0)) > 2


def test_a_transparent_picture_has_straight_alpha(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    camera = replace(canvas.view.camera, yaw=0.3)
    image = canvas.image(is_transparent=True, camera=camera, samples=4)
    covered = image[image[..., 3] == 255][:, :3]
    partly = image[(image[..., 3] > 0) & (image[..., 3] < 255)][:, :3]
    assert image[0, 0].tolist() == [0, 0, 0, 0]
    assert len(partly) > 0
    assert np.abs(partly.astype(int) - covered[0]).max() <= 3, "one step of rounding more on some cards"


def test_a_picture_is_opaque_unless_asked(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    for background in (Background.DARK, Background.LIGHT):
        assert (canvas.image(background=background)[..., 3] == 255).all()


def test_the_screen_shows_checks_where_a_picture_is_transparent(canvas: Canvas) -> None:
    frame = canvas.renderer.draw(Frame(replace(canvas.view, background=Background.TRANSPARENT), None, SIZE))
    texture = canvas.ctx.external_texture(frame.texture, SIZE, 4, 0, "f1")
    pixels = np.frombuffer(texture.read(), np.uint8).reshape(64, 64, 4)
    assert (pixels[..., 3] == 255).all()
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) == 2


def test_a_picture_leaves_the_screen_as_it_was(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    frame = canvas.renderer.draw(Frame(canvas.view, canvas.pose, SIZE))
    canvas.renderer.image(Frame(replace(canvas.view, lod=1), canvas.pose, (16, 16)))
    texture = canvas.ctx.external_texture(frame.texture, SIZE, 4, 0, "f1")
    pixels = np.frombuffer(texture.read(), np.uint8).reshape(64, 64, 4)[::-1]
    assert (drawn(pixels) == area(LEFT, RIGHT)).all()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("is_orthographic", [False, True])
def test_depth_holds_for_models_of_any_size(canvas: Canvas, scale: float, is_orthographic: bool) -> None:
    """Two layers a thousandth of the model apart stay in order, and nothing is cut off near or far."""
    lower = Node(shapes={(0, 0): [quad(4 * scale)]})
    upper = Node(shapes={(0, 0): [quad(2 * scale)]}, keys=[Key(position=(0, 0, 4e-3 * scale))])
    canvas.load([lower, upper])
    camera = Camera(
        distance=4 * scale, pitch=pi / 3, yaw=0.4, field_of_view=pi / 2, is_orthographic=is_orthographic
    )
    nodes = canvas.ids(camera=camera)[..., 0]
    alone = [canvas.ids(camera=camera, isolated=frozenset({node}))[..., 0] > 0 for node in (0, 1)]
    assert alone[1].any()
    assert (nodes == np.where(alone[1], 2, np.where(alone[0], 1, 0))).all()


def test_far_parts_are_not_cut_off(canvas: Canvas) -> None:
    wall = Node(shapes={(0, 0): [quad(4000)]}, keys=[Key(position=(0, 0, -1500))])
    canvas.load([wall])
    camera = replace(canvas.view.camera, is_orthographic=False)
    assert drawn(canvas.image(camera=camera)).all()


def test_the_model_before_leaves_nothing_on_the_card(canvas: Canvas) -> None:
    canvas.load(_checkers())
    canvas.image()
    before = len(canvas.ctx.objects)
    canvas.renderer.unload()
    assert len(canvas.ctx.objects) > before
    canvas.renderer.draw(Frame(canvas.view, None, SIZE))
    assert len(canvas.ctx.objects) == 0


def test_what_others_release_themselves_does_no_harm(canvas: Canvas) -> None:
    buffer = canvas.ctx.buffer(b"data")
    buffer.release()
    del buffer
    canvas.image()
    assert len(canvas.ctx.objects) == 0


def test_the_background_is_neutral_dark(canvas: Canvas) -> None:
    assert canvas.renderer.image(Frame(canvas.view, None, SIZE))[0, 0].tolist() == BACKGROUND


def test_damaged_matrices_do_no_harm(canvas: Canvas) -> None:
    canvas.load(_two_quads())
    world = canvas.pose.world.copy()
    world[0] = np.nan
    canvas.pose = replace(canvas.pose, world=world)
    assert (drawn(canvas.image())[area(RIGHT)]).all()


def test_a_damaged_header_is_no_reason_to_fail(canvas: Canvas) -> None:
    builder = ModelBuilder.of(_two_quads())
    builder.header["hull"] = builder.header["capsule_a"] = np.inf
    builder.header["sphere_radius"] = np.nan
    canvas.load_model(builder.model())
    assert (drawn(canvas.image(overlays=frozenset({Overlay.HEADER_BOUNDS}))) == area(LEFT, RIGHT)).all()


def _with_gaps() -> Sequence[Node]:
    """Ten nodes, children of the first; every other one shows nothing at LOD 0."""
    places = [(0.0, 0.0, 0.0), *((number - 5.0, 1.0, 0.5) for number in range(1, 10))]
    return [
        Node(
            parent=0 if number else None,
            shapes={(number % 2, 0): [quad(1)]},
            keys=[Key(position=place), Key(2, position=place)],
        )
        for number, place in enumerate(places)
    ]


def test_a_frame_that_plays_on_makes_nothing_on_the_card(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ModelBuilder.of(_with_gaps()).model()
    canvas.load_model(model)
    animation = Animation(model, Skeleton(model), QuaternionOrder.XYZW)
    view = replace(canvas.view, overlays=frozenset(Overlay), selection=Selection((1,), 0, 0, 0), drawn=EXACT)
    for time in (0.0, 0.6):
        canvas.renderer.draw(Frame(view, animation.pose(time), SIZE))
    made: list[str] = []
    for name in ("buffer", "texture", "vertex_array", "framebuffer", "renderbuffer", "depth_renderbuffer"):
        monkeypatch.setattr(moderngl.Context, name, lambda *_, name=name, **__: made.append(name))
    canvas.renderer.draw(Frame(view, animation.pose(1.2), SIZE))
    assert made == []


@pytest.mark.parametrize(
    ("overlay", "calls"),
    [
        *((it, 1) for it in (Overlay.GRID, Overlay.AXES, Overlay.NODE_AXES, Overlay.BONES)),
        *((it, 1) for it in (Overlay.HEADER_BOUNDS, Overlay.NORMALS)),
        (Overlay.SLOT_BOUNDS, 2),  # boxes and spheres
    ],
)
def test_an_overlay_is_one_call_for_all_nodes(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch, overlay: Overlay, calls: int
) -> None:
    canvas.load(_with_gaps())
    made: list[object] = []
    render = moderngl.VertexArray.render

    def counted(*given: Any, **named: Any) -> None:
        made.append(given)
        render(*given, **named)

    monkeypatch.setattr(moderngl.VertexArray, "render", counted)
    canvas.image(drawn=EXACT)
    plain = len(made)
    made.clear()
    canvas.image(drawn=EXACT, overlays=frozenset({overlay}))
    assert len(made) - plain == calls
