"""Where the camera looks, and how it moves.

What a view keeps when its document is reloaded, read otherwise or edited.

The functions from one view to the next.

The group of each triangle, and the color of a group.
"""

from __future__ import annotations

from math import pi, radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests import game_folders
from tests.builders import Key, ModelBuilder, Node, box, quad
from viewer.formats import wear
from viewer.geometry.bounds import Bounds
from viewer.geometry.transforms import project_points
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import Material
from viewer.model.material.phases import PhaseMoment, state_at
from viewer.model.material.selectors import WearTable
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.mesh.shown import CellRule, PartChooser
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.options import option_at
from viewer.session.opened.document import Document
from viewer.session.play.material_play import MaterialPlay
from viewer.session.selection import Selection
from viewer.session.view import flash, view_state
from viewer.session.view.camera import FILL, Camera, Side
from viewer.session.view.coloring import GRAY, NO_GROUP, MaterialLook, bands_of, color, flags_of, numbers
from viewer.session.view.flash import FAINTEST, LASTING, PERIOD
from viewer.session.view.kept_view import kept
from viewer.session.view.options.background import Background
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import TextureSwitches
from viewer.session.view.view_state import ViewState, with_override

BOX = Bounds(np.array([-1.0, -2.0, 0.0]), np.array([1.0, 2.0, 5.0]))


def on_screen(camera: Camera, point: tuple[float, float, float], aspect: float = 1.0) -> tuple[float, float]:
    x, y, _, w = project_points(camera.clip_from_world(aspect), [point])[0]
    return float(x / w), float(y / w)


@pytest.mark.parametrize(
    ("side", "eye", "right", "up"),
    [
        (Side.FRONT, (0, 1, 0), (-1, 0, 0), (0, 0, 1)),
        (Side.BACK, (0, -1, 0), (1, 0, 0), (0, 0, 1)),
        (Side.RIGHT, (1, 0, 0), (0, 1, 0), (0, 0, 1)),
        (Side.LEFT, (-1, 0, 0), (0, -1, 0), (0, 0, 1)),
        (Side.TOP, (0, 0, 1), (1, 0, 0), (0, 1, 0)),
        (Side.BOTTOM, (0, 0, -1), (1, 0, 0), (0, -1, 0)),
    ],
)
def test_sides_look_along_the_axes(
    side: Side, eye: tuple[int, ...], right: tuple[int, ...], up: tuple[int, ...]
) -> None:
    camera = Camera(distance=1.0).towards(side)
    np.testing.assert_allclose(camera.eye, eye, atol=1e-12)
    np.testing.assert_allclose(camera.axes[:2], [right, up], atol=1e-12)


def test_the_target_is_in_the_middle_and_in_front() -> None:
    camera = Camera(target=(3.0, 4.0, 5.0), distance=7.0)
    np.testing.assert_allclose(camera.view_from_world @ [3, 4, 5, 1], [0, 0, -7, 1], atol=1e-12)


def test_the_first_view_is_from_the_front_right_and_above() -> None:
    """Models face +Y, and their right side is +X."""
    x, y, z = Camera(target=(0, 0, 0)).eye
    assert x > 0
    assert y > 0
    assert z > 0


def extent(camera: Camera, aspect: float) -> tuple[list[float], list[float]]:
    """The lowest and the highest x and y of the box in the image, -1 to 1."""
    corners = project_points(camera.clip_from_world(aspect), BOX.corners)
    image = corners[:, :2] / corners[:, 3:]
    return image.min(axis=0).tolist(), image.max(axis=0).tolist()


@pytest.mark.parametrize("is_orthographic", [False, True])
@pytest.mark.parametrize("direction", [Camera(), Camera(yaw=0.0, pitch=0.0), Camera(yaw=2.0, pitch=-1.0)])
@pytest.mark.parametrize("aspect", [0.2, 1.0, 2.5])
def test_a_framed_shape_fills_the_image_but_for_a_margin(
    *, is_orthographic: bool, direction: Camera, aspect: float
) -> None:
    """Four fifths of the height, in the middle; nine tenths of the width where that is reached first."""
    camera = replace(direction, is_orthographic=is_orthographic).frame(BOX, aspect)
    low, high = extent(camera, aspect)
    filled = [(end - start) / 2 / share for start, end, share in zip(low, high, FILL, strict=True)]
    assert max(filled) == pytest.approx(1.0, abs=1e-6)
    binding = filled.index(max(filled))
    assert low[binding] == pytest.approx(-high[binding], abs=1e-6)
    assert max(-min(low), *high) <= 0.9 + 1e-6


@pytest.mark.parametrize("is_orthographic", [False, True])
def test_framing_around_a_target_keeps_it_in_the_middle(*, is_orthographic: bool) -> None:
    camera = Camera(is_orthographic=is_orthographic).frame(BOX, 1.0, (0.5, 0.0, 2.0))
    assert camera.target == pytest.approx((0.5, 0.0, 2.0))
    low, high = extent(camera, 1.0)
    reached = [max(-start, end) / share for start, end, share in zip(low, high, FILL, strict=True)]
    assert max(reached) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("is_orthographic", [False, True])
def test_zooming_keeps_the_point_under_the_cursor(is_orthographic: bool) -> None:
    camera = Camera(is_orthographic=is_orthographic)
    aspect = 1.6
    offset = np.array([0.5 * aspect, -0.25]) * camera.half_height @ camera.axes[:2]
    x, y, z = (float(v) for v in camera.target + offset)
    nearer = camera.zoom(0.5, 0.5, -0.25, aspect)
    assert nearer.distance == camera.distance / 2
    assert on_screen(nearer, (x, y, z), aspect) == pytest.approx((0.5, -0.25))


def test_panning_moves_by_heights_of_the_viewport() -> None:
    camera = Camera()
    assert on_screen(camera.pan(0.0, 0.25), camera.target) == pytest.approx((0.0, -0.5))


def test_orbiting_stops_at_the_poles_and_wraps_around() -> None:
    camera = Camera(yaw=radians(170), pitch=radians(80)).orbit(radians(20), radians(30))
    assert camera.yaw == pytest.approx(radians(-170))
    assert camera.pitch == pi / 2


def test_a_yaw_leads_from_the_front_to_the_right_side() -> None:
    camera = Camera(distance=1.0).towards(Side.FRONT).orbit(radians(90), 0.0)
    np.testing.assert_allclose(camera.eye, Camera(distance=1.0).towards(Side.RIGHT).eye, atol=1e-12)


def test_a_parallel_projection_keeps_the_size_at_the_target() -> None:
    camera = Camera()
    x, y, z = (float(v) for v in camera.target + camera.axes[1] * camera.half_height)
    for view in (camera, replace(camera, is_orthographic=True)):
        assert on_screen(view, (x, y, z)) == pytest.approx((0.0, 1.0))


def test_zooming_in_far_does_not_cut_off_the_scene() -> None:
    camera = Camera(distance=0.01, reach=100.0)
    behind = camera.target - camera.axes[2] * 100
    depth = project_points(camera.clip_from_world(1.0), [behind])[0]
    assert depth[2] < depth[3]


def document(count: int, last_key: int = 9) -> Document:
    """A chain of boxes that moves."""
    keys = [Key(), Key(last_key, (1, 0, 0))]
    nodes = [Node(f"n{i}", i - 1, shapes={(0, 0): [box()]}, keys=keys) for i in range(count)]
    nodes[0] = replace(nodes[0], parent=Node("x").parent)
    return Document.of(Address.parse("a.msh"), ModelBuilder.of(nodes).model())


@pytest.fixture
def view() -> ViewState:
    chosen = ViewState(
        hidden=frozenset({0, 2}),
        isolated=frozenset({1, 2}),
        selection=Selection((0, 2), slot=2, batch=2, triangle=25),
        flash=frozenset({1}),
        time=7.5,
        lod=1,
    )
    return with_override(with_override(chosen, 1, (2, 0)), 2, (1, 1))


def test_a_document_of_the_same_shape_keeps_all_of_it(view: ViewState) -> None:
    after = kept(view, document(3), document(3))
    assert after == replace(view, flash=frozenset())


def test_what_names_missing_rows_goes_and_nothing_else(view: ViewState) -> None:
    after = kept(view, document(3), document(2, last_key=5))
    assert (after.hidden, after.isolated) == (frozenset({0}), frozenset({1}))
    assert dict(after.overrides) == {1: (2, 0)}
    assert after.selection == Selection((0,))
    assert (after.time, after.lod) == (5, 1)
    gone = kept(replace(view, isolated=frozenset({2})), document(3), document(2))
    assert gone.isolated is None, "a set of missing nodes would hide everything"


@pytest.mark.parametrize("row", [{"batch": 2}, {"vertex": 50}, {"key": 5}])
def test_a_row_that_was_picked_goes_alone(view: ViewState, row: dict[str, int]) -> None:
    picked = replace(view, selection=Selection((0,), **row))
    assert kept(picked, document(3), document(2)).selection == Selection((0,))


def dressed(folder: Path, names: list[bytes], rows: list[int]) -> Document:
    """A model whose batches use some rows of a wear table."""
    shapes = [box(material=row) for row in rows]
    model = ModelBuilder.of([Node("a", shapes={(0, 0): shapes})]).model()
    table = WearTable(Address.parse("a.wea"), wear.decode(wear.build(names)))
    libraries = MaterialLookup(game_folders.write(folder), FileStore())
    return Document.of(Address.parse("a.msh"), model, ReadingChoice.SEED, [table], libraries)


def test_what_is_set_for_a_material_follows_it(tmp_path: Path) -> None:
    before = dressed(tmp_path / "game", [b"SKIN", b"DUO", b"BLINK"], [0, 1, 2])
    after = dressed(tmp_path / "game", [b"BLINK", b"DUO"], [0, 1])
    play = MaterialPlay({1: 1, 0: 1}, {2: PhaseMoment(1), 1: PhaseMoment(0)})
    moved = kept(ViewState(materials=play), before, after).materials
    assert [row.name for row in after.materials.rows] == ["BLINK", "DUO"]
    assert dict(moved.variants) == {1: 1}
    assert dict(moved.still) == {0: PhaseMoment(1), 1: PhaseMoment(0)}


def test_a_cell_out_of_range_stops_at_the_nearest() -> None:
    view = view_state.with_cell(ViewState(), 7, -1)
    assert (view.lod, view.group) == (2, 0)


def test_exact_cells_end_the_destruction() -> None:
    destroyed = view_state.with_destruction(ViewState(lod=1))
    cells = option_at(ViewState, "drawn.cells")
    exact = cells.chosen(destroyed, CellRule.EXACT)
    assert (exact.drawn.cells, exact.drawn.is_destroyed, exact.lod) == (CellRule.EXACT, False, 1)
    assert cells.chosen(destroyed, CellRule.GAME) == destroyed


def test_before_the_destruction_is_the_last_row() -> None:
    destroyed = view_state.with_destruction(ViewState())
    assert view_state.step_lod(destroyed, 1) == destroyed
    last = view_state.step_lod(destroyed, -1)
    assert (last.lod, last.drawn.is_destroyed) == (2, False)
    assert view_state.step_lod(last, -1).lod == 1
    assert view_state.step_lod(last, 1).lod == 2


def test_an_override_holds_for_its_node_until_it_is_taken_back() -> None:
    view = view_state.with_override(ViewState(lod=1), 4, (2, 3))
    assert view.parts.overrides == {4: (2, 3)}
    assert not view_state.with_override(view, 4, None).parts.overrides


def test_hidden_nodes_come_back_one_by_one_or_all() -> None:
    view = view_state.hide(ViewState(), [1, 2])
    assert view.parts.hidden == {1, 2}
    assert view_state.show(view, [1]).hidden == {2}
    shown = view_state.show_all(view_state.isolate(view, [3])).parts
    assert (shown.hidden, shown.isolated) == (frozenset(), None)


def test_isolating_the_same_nodes_again_brings_the_rest_back() -> None:
    view = view_state.isolate(ViewState(), [1])
    assert view.parts.isolated == frozenset({1})
    assert view_state.isolate(view, [1]).isolated is None
    assert view_state.isolate(view, []).isolated is None


def test_overlays_toggle_and_shadings_go_round() -> None:
    view = view_state.toggle_overlay(ViewState(), Overlay.GRID)
    assert Overlay.GRID not in view.overlays
    assert Overlay.GRID in view_state.toggle_overlay(view, Overlay.GRID).overlays
    assert view_state.next_shading(ViewState(shading=[*Shading][-1])).shading is Shading.TEXTURED


def test_another_document_keeps_the_look_and_forgets_the_nodes() -> None:
    view = ViewState(lod=2, shading=Shading.NORMALS, hidden=frozenset({3}), selection=Selection((3,)), time=9)
    view = view_state.for_document(replace(view, flash=frozenset({5}), flash_time=0.3))
    assert (view.lod, view.shading) == (2, Shading.NORMALS)
    assert (view.hidden, view.selection, view.time) == (frozenset(), Selection(), 0.0)
    assert (view.flash, view.flash_time) == (frozenset(), 0.0)


def test_another_document_has_other_materials() -> None:
    view = ViewState(time=3.0, past=90.0, materials=MaterialPlay().freeze(0, PhaseMoment(1)))
    view = view_state.for_document(view)
    assert (view.past, view.materials) == (0.0, MaterialPlay())


def _flashing(time: float = 0.0) -> ViewState:
    return ViewState(flash=frozenset({3}), flash_time=time)


def test_a_flash_begins_brightly_fades_and_comes_back() -> None:
    times = (0, PERIOD / 2, PERIOD, LASTING)
    assert [flash.flash_brightness(_flashing(time)) for time in times] == pytest.approx([1, FAINTEST, 1, 1])


def test_the_same_batches_flash_on_and_others_begin_anew() -> None:
    view = _flashing(0.4)
    assert flash.with_flash(view, frozenset({3})) is view
    assert flash.with_flash(view, frozenset({4})).flash_time == 0


def test_time_passes_for_what_flashes_only() -> None:
    assert flash.advance_flash(_flashing(0.4), 0.1).flash_time == pytest.approx(0.5)
    resting = ViewState()
    assert flash.advance_flash(resting, 0.1) is resting


def test_a_flash_that_nobody_ends_comes_to_rest() -> None:
    view = flash.advance_flash(_flashing(LASTING - 0.01), 0.1)
    assert view.flash == {3}
    assert not flash.is_flashing(view)
    assert flash.advance_flash(view, 0.1) is view


SHARED = [quad()]
SCENE = [
    Node(shapes={(0, 0): [quad(), quad(material=1)], (1, 0): [quad()]}),
    Node(shapes={(0, 0): SHARED, (1, 0): SHARED}, keys=[Key(position=(4, 0, 0))]),
]


def groups(shading: Shading, view: ViewState | None = None) -> list[int]:
    """The group of the first triangle of each draw."""
    model = ModelBuilder.of(SCENE).model()
    draws = build(model)
    material = model.batches["material"].astype(np.int64)[draws.batch]
    shown = PartChooser(model, draws).shown((view or ViewState()).parts)
    found = numbers(shading, model, draws, material, shown)
    assert len(found) == len(draws.corners)
    first: list[int] = found[draws.triangle_start[:-1]].tolist()
    return first


@pytest.mark.parametrize(
    ("shading", "expected"),
    [
        (Shading.NODE, [0, 0, 0, 1]),
        (Shading.BATCH, [0, 1, 2, 3]),
        (Shading.SLOT, [0, 0, 1, 2]),
        (Shading.MATERIAL, [0, 1, 0, 0]),
        (Shading.LOD, [0, 0, 0, 0]),
        (Shading.FLAG, [0, 0, 0, 0]),
        (Shading.NORMAL_ERROR, [0, 0, 0, 0]),
    ],
)
def test_a_triangle_belongs_to_a_group(shading: Shading, expected: list[int]) -> None:
    assert groups(shading) == expected


def test_the_cell_is_that_which_the_node_shows() -> None:
    assert groups(Shading.LOD, with_override(ViewState(group=3), 1, (1, 0))) == [0, 0, 0, 5]


def test_flags_are_those_of_the_descriptors() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.triangles["flags"][[0, 3]] = 6
    model = builder.model()
    draws = build(model)
    expected = np.zeros(len(draws.corners))
    expected[np.isin(draws.descriptor, [0, 3])] = 6
    assert flags_of(model, draws).tolist() == expected.tolist()
    assert 6 in flags_of(model, draws)


def test_the_heat_map_of_normals_has_a_band_for_each_angle() -> None:
    angles = np.array([0, 0.49, 0.5, 1.9, 4, 14, 44, 89, 90, 180, np.nan])
    assert bands_of(angles).tolist() == [0, 0, 1, 1, 2, 3, 4, 5, 6, 6, NO_GROUP]


def test_colors_of_neighbors_differ() -> None:
    colors = np.array([color(number) for number in range(64)])
    assert (np.abs(np.diff(colors, axis=0)).max(axis=1) > 0.2).all()
    assert ((colors >= 0) & (colors <= 1)).all()
    assert color(NO_GROUP) == GRAY
    assert color(1 << 20) != color(0)


MATERIAL = Material(row=0)
LOOK = MaterialLook(MATERIAL, state_at(MATERIAL, 0), ViewState(), (4, 2))


def test_time_and_camera_alone_change_nothing() -> None:
    assert LOOK.is_like(replace(LOOK, view=replace(LOOK.view, time=3.0), state=state_at(MATERIAL, 99)))
    assert not LOOK.is_like(None)


@pytest.mark.parametrize(
    "changed",
    [
        {"size": (2, 4)},
        {"yaw": 1.0},
        {"pitch": 1.0},
        {"material": replace(MATERIAL)},
        {"view": ViewState(background=Background.LIGHT)},
        {"view": ViewState(textures=TextureSwitches(ignores_alpha=True))},
        {"state": replace(LOOK.state, power=9)},
    ],
)
def test_everything_else_gives_another_image(changed: dict[str, Any]) -> None:
    assert not replace(LOOK, **changed).is_like(LOOK)
