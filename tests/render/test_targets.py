"""Where frames are drawn."""

from __future__ import annotations

import re
from pathlib import Path

import moderngl
import numpy as np
import pytest

import viewer
from viewer.render.targets import RenderTarget, new_texture, straight_alpha, usable_samples


def test_straight_alpha_undoes_the_multiplication() -> None:
    premultiplied = np.array([[[100, 50, 0, 100], [10, 20, 30, 255], [0, 0, 0, 0]]], np.uint8)
    expected = [[[255, 128, 0, 100], [10, 20, 30, 255], [0, 0, 0, 0]]]
    assert straight_alpha(premultiplied).tolist() == expected


@pytest.mark.parametrize(("requested", "usable"), [(0, 0), (1, 0), (2, 2), (4, 4)])
def test_one_sample_is_none(ctx: moderngl.Context, requested: int, usable: int) -> None:
    assert usable_samples(ctx, requested) == usable
    assert usable_samples(ctx, 1024) == ctx.max_samples


def test_a_target_is_made_anew_only_for_another_size_or_sampling(ctx: moderngl.Context) -> None:
    target = RenderTarget(ctx)
    target.resize((8, 4), 4)
    first = target.texture
    target.resize((8, 4), 4)
    assert target.texture is first
    target.resize((8, 4), 1)
    assert (target.scene.samples, target.texture) == (0, first)
    target.resize((8, 5), 1)
    assert target.texture is not first


@pytest.mark.parametrize("size", [(0, 0), (0, 4), (4, -1), (1 << 20, 1), (1, 1 << 31)])
def test_no_size_that_a_card_does_not_have_reaches_the_driver(
    ctx: moderngl.Context, size: tuple[int, int]
) -> None:
    with pytest.raises(moderngl.Error, match="a texture of"):
        new_texture(ctx, size, 4)


def test_textures_are_made_in_one_place() -> None:
    rooms = Path(viewer.__file__).parent
    making = [
        path.name for path in rooms.rglob("*.py") if re.search(r"ctx\.texture\(", path.read_text("utf-8"))
    ]
    assert making == ["targets.py"]


def test_pixels_come_top_row_first(ctx: moderngl.Context) -> None:
    target = RenderTarget(ctx)
    target.resize((2, 2), 4)
    target.scene.use()
    target.scene.clear(1, 0, 0, 1)
    target.scene.clear(0, 0, 1, 1, viewport=(0, 1, 2, 1))
    target.resolve()
    assert target.pixels()[:, 0].tolist() == [[0, 0, 255, 255], [255, 0, 0, 255]]


def test_a_pixel_is_the_mean_of_its_samples(ctx: moderngl.Context) -> None:
    target = RenderTarget(ctx)
    target.resize((8, 1), 4)
    target.scene.use()
    target.scene.clear(0, 0, 0, 1)
    # Half of the samples of a pixel lie left of its middle: a rectangle ends at 4.5 of 8 pixels.
    program = ctx.program(
        vertex_shader="""#version 330 core
            void main() {
                gl_Position = vec4(gl_VertexID < 2 ? -1.0 : 0.125, (gl_VertexID & 1) * 2.0 - 1.0, 0.0, 1.0);
            }""",
        fragment_shader="""#version 330 core
            out vec4 color;
            void main() { color = vec4(1.0); }""",
    )
    ctx.vertex_array(program, []).render(moderngl.TRIANGLE_STRIP, vertices=4)
    target.resolve()
    assert target.pixels()[0, :, 0].tolist() == [255] * 4 + [128] + [0] * 3
