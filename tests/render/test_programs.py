"""Shader files and how they become programs."""

from __future__ import annotations

from pathlib import Path

import moderngl
import pytest

from viewer.render.programs import FRAME_BINDING, Programs

SHADERS = Path(__file__).parents[2] / "shaders"


def _programs(name: str) -> list[tuple[str, str, str | None]]:
    """Whole programs around the vertex stage called `name`."""
    if name in ("lines", "bones", "grid"):
        return [(name, "lines", "lines")]
    if name == "normals":
        return [(name, "lines", "normals")]
    fragments = {"covered": ("ids", "tinted")}
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


def test_the_frame_block_is_where_the_renderer_writes_it(programs: Programs) -> None:
    block = programs.get("surface", "surface")["Frame"]
    assert isinstance(block, moderngl.UniformBlock)
    assert (block.binding, block.size) == (FRAME_BINDING, 160)
