"""Shader files and how they become programs."""

from __future__ import annotations

from pathlib import Path

import moderngl
import numpy as np
import pytest

from viewer.geometry.transforms import project_points
from viewer.render.programs import FRAME_BINDING, FRAME_BYTES, Programs, Projection
from viewer.session.view.camera import Camera

SHADERS = Path(__file__).parents[2] / "shaders"


def _programs(name: str) -> list[tuple[str, str, str | None]]:
    """Whole programs around the vertex stage called `name`."""
    if name == "grid":
        return [(name, "grid", "lines")]
    if name in ("lines", "bones"):
        return [(name, "lines", "lines")]
    if name == "normals":
        return [(name, "lines", "normals")]
    fragments = {
        "backdrop": ("backdrop", "resolve"),
        "covered": ("ids", "tinted"),
        "surface": ("surface", "ghost"),
    }
    return [(name, fragment, None) for fragment in fragments.get(name, (name,))]


@pytest.mark.parametrize("name", sorted(path.stem for path in SHADERS.glob("*.vert")))
def test_every_vertex_stage_links_with_its_partners(programs: Programs, name: str) -> None:
    for stages in _programs(name):
        assert isinstance(programs.get(*stages), moderngl.Program)


def test_no_shader_file_is_left_out() -> None:
    stages = [program for path in SHADERS.glob("*.vert") for program in _programs(path.stem)]
    assert {path.stem for path in SHADERS.glob("*.frag")} == {fragment for _, fragment, _ in stages}
    assert {path.stem for path in SHADERS.glob("*.geom")} == {canvas for *_, canvas in stages if canvas}


def test_includes_are_put_in_place(tmp_path: Path, ctx: moderngl.Context) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "one.glsl").write_text("float one;\n")
    (tmp_path / "a.vert").write_text('#version 330 core\n#include "one.glsl"\nvoid main() {}\n')
    assert Programs(ctx, tmp_path).source("a.vert") == "#version 330 core\nfloat one;\n\nvoid main() {}\n"


def test_a_program_is_built_once(programs: Programs) -> None:
    assert programs.get("plain", "plain") is programs.get("plain", "plain")


def test_all_that_draw_in_a_context_share_its_programs(
    ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Programs, "_build", lambda _programs, *stages: stages)
    ctx.extra = None
    found = [Programs.of(ctx).get("plain", "plain") for _ in range(2)]
    assert found[0] is found[1]
    ctx.extra = None


def test_fixed_uniforms_are_constants_of_another_program(programs: Programs) -> None:
    fixed = {"has_game_look": True, "second_row": -1}
    program = programs.get("textured", "textured", None, **fixed)
    assert program is programs.get("textured", "textured", None, **fixed)
    assert program is not programs.get("textured", "textured", None, **fixed | {"has_game_look": False})
    assert not {*fixed} & {*program}
    assert {*fixed} < {*programs.get("textured", "textured")}


def test_the_frame_block_is_where_the_renderer_writes_it(programs: Programs) -> None:
    block = programs.get("surface", "surface")["Frame"]
    assert isinstance(block, moderngl.UniformBlock)
    assert (block.binding, block.size) == (FRAME_BINDING, 192)


CAMERAS = [Camera(distance=5.0), Camera(distance=5.0, is_orthographic=True)]


@pytest.mark.parametrize("camera", CAMERAS)
def test_the_ray_through_a_pixel_projects_to_its_middle(camera: Camera) -> None:
    projection = Projection.of(camera, (40, 30))
    origin, direction = projection.ray(7, 21)
    clip = project_points(projection.clip_from_world, (origin + 3 * direction)[None])[0]
    assert clip[:2] / clip[3] == pytest.approx((2 * 7.5 / 40 - 1, 1 - 2 * 21.5 / 30))


@pytest.mark.parametrize("camera", CAMERAS)
def test_one_pixel_fills_its_own_projection(camera: Camera) -> None:
    projection = Projection.of(camera, (40, 30))
    for x, y, expected in ((7, 21, (0, 0)), (6.5, 20.5, (-1, 1)), (7.5, 21.5, (1, -1))):
        origin, direction = projection.ray(x, y)
        clip = project_points(projection.at_pixel(7, 21).clip_from_world, (origin + direction)[None])[0]
        assert clip[:2] / clip[3] == pytest.approx(expected, abs=1e-6)


def test_the_eye_of_a_parallel_projection_is_a_direction() -> None:
    near, far = (Projection.of(camera, (1, 1)).eye for camera in CAMERAS)
    assert near[3] == 1
    assert far[3] == 0
    assert np.linalg.norm(far[:3]) == pytest.approx(1)


def test_the_block_is_as_long_as_the_shaders_have_it() -> None:
    assert len(Projection.of(Camera(), (8, 4)).block()) == FRAME_BYTES
