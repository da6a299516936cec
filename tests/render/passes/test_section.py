"""The section plane: what it cuts away is neither drawn nor picked, and without it nothing changes."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.builders import Key, Node, box, quad
from tests.render.canvas import BACKGROUND, SIZE, Canvas, area, drawn, pixel
from viewer.model.material.materials import Material
from viewer.model.material.phases import state_at
from viewer.render.passes import cut_faces
from viewer.render.passes.cut_faces import FILLED
from viewer.render.portions import Frame
from viewer.render.programs import Programs
from viewer.resources import bundled_path
from viewer.session.play.ghosts import Ghost
from viewer.session.selection import Selection
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.section import SectionAxis
from viewer.session.view.options.shading import Shading

WIDE = Node(shapes={(0, 0): [quad(4)]})


@pytest.mark.parametrize("shading", [Shading.LIT, Shading.NODE, Shading.NORMALS])
def test_the_smaller_coordinates_stay(canvas: Canvas, shading: Shading) -> None:
    canvas.load([WIDE])
    image = canvas.image(section=SectionAxis.X, section_offset=1.0, shading=shading)
    np.testing.assert_array_equal(drawn(image), area((-2, -2, 1, 2)))


def test_the_other_side_stays_if_it_is_flipped(canvas: Canvas) -> None:
    canvas.load([WIDE])
    image = canvas.image(section=SectionAxis.Y, section_offset=-1.0, is_section_flipped=True)
    np.testing.assert_array_equal(drawn(image), area((-2, -1, 2, 2)))


def test_a_plane_across_the_view_shows_what_lies_below(canvas: Canvas) -> None:
    canvas.load([WIDE, Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(0, 0, 2))])])
    cut = canvas.pick(0, 0, section=SectionAxis.Z, section_offset=1.0)
    whole = canvas.pick(0, 0)
    assert cut is not None
    assert whole is not None
    assert (whole.node, cut.node) == (1, 0)


def test_nothing_is_picked_of_what_is_cut_away(canvas: Canvas) -> None:
    canvas.load([WIDE])
    chosen: dict[str, Any] = {"section": SectionAxis.X, "section_offset": 0.0}
    assert canvas.pick(-1, 1, **chosen) is not None
    assert canvas.pick(1, 1, **chosen) is None
    assert [it.node for it in canvas.pick_all(-1, 1, **chosen)] == [0]
    np.testing.assert_array_equal(canvas.ids(**chosen)[..., 0] > 0, area((-2, -2, 0, 2)))


def test_the_plane_stands_in_the_world_not_in_a_node(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(2, 0, 0))])])
    image = canvas.image(section=SectionAxis.X, section_offset=2.0)
    np.testing.assert_array_equal(drawn(image), area((1, -1, 2, 1)))


def test_without_an_offset_it_runs_through_what_the_camera_looks_at(canvas: Canvas) -> None:
    canvas.load([WIDE])
    camera = replace(canvas.view.camera, target=(1.0, 0.0, 0.0))
    found = canvas.image(section=SectionAxis.X, camera=camera)
    given = canvas.image(section=SectionAxis.X, section_offset=1.0, camera=camera)
    np.testing.assert_array_equal(found, given)
    assert 0 < drawn(found).sum() < drawn(canvas.image(camera=camera)).sum()


def test_a_model_far_from_the_origin_is_cut_where_it_is_asked_for(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [quad(2)]}, keys=[Key(position=(1e5, 0, 0))])])
    camera = replace(canvas.view.camera, target=(1e5, 0.0, 0.0))
    image = canvas.image(section=SectionAxis.X, section_offset=1e5 + 0.5, camera=camera)
    np.testing.assert_array_equal(drawn(image), area((-1, -1, 0.5, 1)))


def test_edges_outline_marks_normals_and_ghosts_are_cut_too(canvas: Canvas) -> None:
    canvas.load([WIDE])
    chosen: dict[str, Any] = {
        "section": SectionAxis.X,
        "section_offset": 0.0,
        "overlays": frozenset({Overlay.EDGES, Overlay.NORMALS}),
        "selection": Selection((0,), 0, 0, 0, 0),
        "flash": frozenset({0}),
    }
    right = area((0.5, -4, 4, 4))
    assert (canvas.image(**chosen)[right] == BACKGROUND).all()
    assert (canvas.image(**chosen, shading=Shading.WIREFRAME)[right] == BACKGROUND).all()
    view = replace(canvas.view, section=SectionAxis.X, section_offset=0.0)
    world = canvas.pose.world.copy()
    world[0, 1, 3] += 3
    ghost = Ghost(replace(canvas.pose, world=world), (1.0, 0.0, 0.0), 1.0)
    image = canvas.renderer.image(Frame(view, canvas.pose, SIZE, (ghost,)))
    assert (image[right] == BACKGROUND).all()
    assert (image[pixel(-1, 3)] != BACKGROUND).any()


def test_clipping_is_on_for_exactly_the_programs_that_write_a_distance(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages: dict[int, str] = {}
    is_on: list[bool] = [False]
    calls: set[tuple[str, bool]] = set()
    get, render = Programs.get, moderngl.VertexArray.render

    def noted(programs: Programs, vertex: str, *names: str | None, **fixed: float) -> moderngl.Program:
        program = get(programs, vertex, *names, **fixed)  # type: ignore[arg-type] # names of stages
        stages[program.glo] = vertex
        return program

    def drawn_with(array: moderngl.VertexArray, *arguments: Any, **more: Any) -> None:
        calls.add((stages[array.program.glo], is_on[0]))
        render(array, *arguments, **more)

    monkeypatch.setattr(Programs, "get", noted)
    monkeypatch.setattr(moderngl.VertexArray, "render", drawn_with)
    monkeypatch.setattr(moderngl.Context, "enable_direct", lambda _ctx, _enum: is_on.__setitem__(0, True))
    monkeypatch.setattr(moderngl.Context, "disable_direct", lambda _ctx, _enum: is_on.__setitem__(0, False))
    canvas = Canvas(canvas.ctx)
    canvas.load([Node(shapes={(0, 0): [box()]})])
    overlays = frozenset({Overlay.EDGES, Overlay.NORMALS, Overlay.GRID, Overlay.BONES, Overlay.SLOT_BOUNDS})
    chosen = Selection((0,), 0, 0, 0, 0, vertex=0)
    view = replace(
        canvas.view, section=SectionAxis.X, overlays=overlays, selection=chosen, flash=frozenset({0})
    )
    ghost = Ghost(canvas.pose, (1.0, 0.0, 0.0), 1.0)
    canvas.renderer.image(Frame(view, canvas.pose, SIZE, (ghost,)))
    canvas.renderer.pick(Frame(view, canvas.pose, SIZE), 30, 30)
    canvas.dress([Node(shapes={(0, 0): [box()]})], Material(0))
    canvas.renderer.image(Frame(replace(view, shading=Shading.TEXTURED), canvas.pose, SIZE))
    shaders = bundled_path("shaders")
    writes = {it for it in stages.values() if "section.glsl" in (shaders / f"{it}.vert").read_text()}
    assert writes == {"surface", "textured", "plain", "covered"}
    assert {stage for stage, _state in calls} >= {*writes, "lines", "normals"}
    assert {(stage, stage in writes) for stage, _state in calls} == calls


def test_grid_and_axes_stay_whole(canvas: Canvas) -> None:
    canvas.load([])
    overlays = frozenset({Overlay.GRID, Overlay.AXES, Overlay.SLOT_BOUNDS})
    whole = canvas.image(overlays=overlays)
    cut = canvas.image(overlays=overlays, section=SectionAxis.X, section_offset=-100.0)
    np.testing.assert_array_equal(whole, cut)


def test_the_next_picture_without_it_is_whole_again(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [box()]})])
    before = canvas.image()
    canvas.image(section=SectionAxis.X, section_offset=-5.0)
    canvas.pick(0, 0, section=SectionAxis.X, section_offset=-5.0)
    np.testing.assert_array_equal(canvas.image(), before)


FILL = np.rint(np.array(FILLED) * 255).astype(np.uint8)


def filled(canvas: Canvas, **chosen: Any) -> npt.NDArray[np.bool_]:
    """The pixels in the color of cut faces, with what lies above z = 0 cut away."""
    cut: dict[str, Any] = {"section": SectionAxis.Z, "section_offset": 0.0}
    return np.asarray((canvas.image(**cut, **chosen) == FILL).all(axis=2))


@pytest.mark.parametrize("shading", [Shading.LIT, Shading.NODE, Shading.TEXTURED])
def test_the_inside_of_what_is_closed_is_filled(canvas: Canvas, shading: Shading) -> None:
    canvas.load([Node(shapes={(0, 0): [box((4, 2, 2))]})])
    np.testing.assert_array_equal(filled(canvas, shading=shading), area((-2, -1, 2, 1)))
    assert not (canvas.image(shading=shading) == FILL).all(axis=2).any()
    assert not filled(canvas, shading=Shading.WIREFRAME).any()


def test_what_is_inside_of_a_closed_surface_stays_visible(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [box((4, 4, 4)), box((2, 2, 1), center=(0, 0, -1))]})])
    np.testing.assert_array_equal(filled(canvas), area((-2, -2, 2, 2)) & ~area((-1, -1, 1, 1)))


def test_an_open_surface_shows_its_inside(canvas: Canvas) -> None:
    closed = box((2, 2, 2))
    opened = replace(closed, triangles=closed.triangles[2:])
    canvas.load([Node(shapes={(0, 0): [opened]})])
    assert not filled(canvas).any()
    canvas.load([WIDE])
    assert not filled(canvas).any()


def test_only_what_is_shown_is_filled(canvas: Canvas) -> None:
    canvas.load([Node(shapes={(0, 0): [box((2, 2, 2))], (1, 0): [box((4, 4, 2))]})])
    for lod, side in ((0, 1), (1, 2), (0, 1)):
        np.testing.assert_array_equal(filled(canvas, lod=lod), area((-side, -side, side, side)))


def test_glass_is_not_filled(canvas: Canvas) -> None:
    canvas.dress([Node(shapes={(0, 0): [box((2, 2, 2))]})], Material(0))
    textured: dict[str, Any] = {"shading": Shading.TEXTURED}
    assert filled(canvas, **textured).any()
    canvas.dress([Node(shapes={(0, 0): [box((2, 2, 2))]})], Material(0, attr1=4))
    assert not filled(canvas, **textured).any()


def test_a_material_that_becomes_glass_is_filled_no_more(canvas: Canvas) -> None:
    rows = Material(0), Material(1)
    canvas.dress([Node(shapes={(0, 0): [box((2, 2, 2))]})], *rows)
    solid = [state_at(it, 0) for it in rows]
    glass = [replace(solid[0], ambient=(1.0, 1.0, 1.0, 0.5)), solid[1]]
    for states in (solid, glass, solid):
        canvas.renderer.take_phases(states)
        assert filled(canvas, shading=Shading.TEXTURED).any() == (states is solid)


def test_without_a_plane_the_pass_of_cut_faces_does_nothing(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas.load([Node(shapes={(0, 0): [box()]})])

    def fail(*_ignored: object) -> None:
        raise AssertionError

    monkeypatch.setattr(cut_faces, "closed_triangles", fail)
    canvas.image()
    with pytest.raises(AssertionError):
        canvas.image(section=SectionAxis.X)
