"""Where frames are drawn."""

from __future__ import annotations

import moderngl
import numpy as np
import pytest

from viewer.render.targets import RenderTarget, straight_alpha, usable_samples


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


def test_pixels_come_top_row_first(ctx: moderngl.Context) -> None:
    target = RenderTarget(ctx)
    target.resize((2, 2), 4)
    target.scene.use()
    target.scene.clear(1, 0, 0, 1)
    target.scene.clear(0, 0, 1, 1, viewport=(0, 1, 2, 1))
    target.resolve()
    assert target.pixels()[:, 0].tolist() == [[0, 0, 255, 255], [255, 0, 0, 255]]
