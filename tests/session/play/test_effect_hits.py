"""The blocks of an effect at a pixel."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model.effects.effects import SPRITE, block, effect
from viewer.formats import fxid
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.session.play.effect_hits import blocks_at
from viewer.session.view.camera import Camera
from viewer.session.view.effect_look import EffectLook, seen_from
from viewer.session.view.view_state import ViewState

SIZE = (200, 100)
CAMERA = Camera(target=(0, 0, 0), distance=10, yaw=0, pitch=0)
Place = tuple[float, float, float]


def look_at(places: list[Place], hidden: frozenset[int] = frozenset()) -> EffectLook:
    """Sprites of one unit at some places, seen from a distance of 10."""
    blocks = [block(3, **{**SPRITE, "position_low": it, "position_high": it}) for it in places]
    program = EffectProgram.of(fxid.decode(effect(*blocks)), 1)
    materials = (None,) * len(blocks)
    return EffectLook(program, materials, EffectInputs(0.1), ViewState(camera=CAMERA), SIZE, hidden)


def pixel(point: Place) -> tuple[int, int]:
    x, y, _z, w = CAMERA.clip_from_world(SIZE[0] / SIZE[1]) @ [*point, 1]
    return int((x / w + 1) / 2 * SIZE[0]), int((1 - y / w) / 2 * SIZE[1])


def along(axis: int, distance: float) -> Place:
    """A point on an axis of the camera: right, up, towards the eye."""
    x, y, z = (CAMERA.axes[axis] * distance).tolist()
    return x, y, z


def test_the_nearest_block_comes_first_and_hidden_ones_are_left_out() -> None:
    far, near, aside = along(2, -1), along(2, 1), along(0, 3)
    look = look_at([far, near, aside])
    assert blocks_at(look, *pixel((0, 0, 0))) == [1, 0]
    assert blocks_at(look, *pixel(aside)) == [2]
    assert blocks_at(look, 0, 0) == []
    assert blocks_at(look_at([far, near], frozenset({1})), *pixel((0, 0, 0))) == [0]


@pytest.mark.parametrize("share", [0.8, 1.2])
def test_a_sprite_ends_where_its_quad_does(share: float) -> None:
    look = look_at([(0, 0, 0)])
    sprites = look.program.at(seen_from(look.inputs, CAMERA)).sprites
    x, y, z = (sprites.center[0] + share * sprites.x[0] / 2).tolist()
    assert np.linalg.norm(sprites.x[0]) > 0.5
    assert bool(blocks_at(look, *pixel((x, y, z)))) == (share < 1)
