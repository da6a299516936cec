"""Effects in a scene whose answer is known: what hides their tested point, and what they light."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, Node, quad
from tests.cli.picturing.test_effect_pictures import material
from tests.model.effects.effects import LIGHT, SPRITE, block, effect
from tests.render.canvas import DARK, SIZE, Canvas, pixel
from viewer.formats import fxid
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.render.portions import Frame
from viewer.render.textures import texels
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.view.options.overlays import Overlay

ON_TOP, HIDDEN_WITH_POINT = 0x100, 0x400
ROOF = 1.0
"""Height of a square from -1 to 1 that hides what is below from the camera, which looks straight down."""


def image(canvas: Canvas, data: bytes, *, is_roofed: bool = True, **changes: Any) -> Any:
    """The picture of an effect, with a roof over the middle of it."""
    place = (0 if is_roofed else 99, 0, ROOF)
    canvas.load([Node(shapes={(0, 0): [quad(2.0)]}, keys=[Key(position=place)])])
    program, materials = EffectProgram.of(fxid.decode(data)), (material(),) * 8
    view = replace(canvas.view, textures=replace(canvas.view.textures, is_filtered=False), **changes)
    played = PlayedEffect(program, materials[: len(program.blocks.opcodes)], EffectInputs(1.0))
    frame = Frame(view, canvas.pose, SIZE, effects=(played,))
    canvas.renderer.image(frame)
    for picture in canvas.renderer.requested_textures(view.textures):
        canvas.renderer.provide(texels.decode(picture, view.textures, canvas.renderer.texture_limit))
    return canvas.renderer.image(frame)


def sprite(*, on_top: bool = False, height: float = 0.0) -> bytes:
    """A square from -2 to 2, in the ground or above it."""
    values = {"mode": 2, "direction_start": (0, 0, 1), "direction_end": (0, 0, 1)}
    values |= {"size_low": (4, 4, 4), "size_high": (4, 4, 4)}
    values |= {"position_low": (0, 0, height), "position_high": (0, 0, height)}
    return block(3, word=3 | ON_TOP * on_top, **SPRITE | values)


def is_sprite(found: Any, x: float, y: float) -> bool:
    """Whether a point shows a pure color of the sprite's texture."""
    return set(found[pixel(x, y)][:3].tolist()) <= {0, 255}


@pytest.mark.parametrize(
    ("point", "is_over"), [((1.5, 0, 0), True), ((0, 0, 0), False), ((0, 0, 1.5), True), ((0, 0, ROOF), True)]
)
def test_bit_8_draws_over_the_scene_while_the_tested_point_is_in_view(
    canvas: Canvas, point: tuple[float, ...], is_over: bool
) -> None:
    """Under the roof the point is hidden; beside it, above it and on it it is in view."""
    found = image(canvas, effect(sprite(on_top=True), tested_point=point))
    assert is_sprite(found, 0.5, 0.5) == is_over
    assert is_sprite(found, 1.5, 1.5)


@pytest.mark.parametrize(("point", "red_and_green"), [((1.5, 0, 0), (255, 204)), ((0, 0, 0), (255, 64))])
def test_the_overlay_marks_the_tested_point_and_whether_it_is_in_view(
    canvas: Canvas, point: tuple[float, float, float], red_and_green: tuple[int, int]
) -> None:
    data = effect(sprite(on_top=True), tested_point=point)
    plain, marked = (image(canvas, data, overlays=it) for it in ((), {Overlay.TESTED_POINTS}))
    changed = marked[(plain != marked).any(axis=2)]
    assert red_and_green in {(int(it[0]), int(it[1])) for it in changed}
    middle = np.argwhere((plain != marked).any(axis=2)).mean(axis=0)
    assert np.abs(middle - pixel(point[0], point[1])).max() < 2


def test_without_bit_8_depth_is_tested_wherever_the_point_is(canvas: Canvas) -> None:
    data = effect(sprite(), tested_point=(1.5, 0, 0))
    assert not is_sprite(image(canvas, data), 0.5, 0.5)
    assert is_sprite(image(canvas, data, is_roofed=False), 0.5, 0.5)


def test_flag_400_draws_nothing_while_the_tested_point_is_hidden(canvas: Canvas) -> None:
    hidden, seen = ((0.0, 0.0, 0.0), (1.5, 0.0, 0.0))
    data = effect(sprite(), flags=HIDDEN_WITH_POINT, tested_point=hidden)
    assert not is_sprite(image(canvas, data), 1.5, 1.5)
    assert is_sprite(image(canvas, data, is_roofed=False), 1.5, 1.5)
    data = effect(sprite(), flags=HIDDEN_WITH_POINT, tested_point=seen)
    assert is_sprite(image(canvas, data), 1.5, 1.5)
    assert not is_sprite(image(canvas, data), 0.5, 0.5)


def test_the_point_is_tested_in_perspective_from_the_eye(canvas: Canvas) -> None:
    """From 4 above the ground the roof's rim at 1 hides what is below it up to 4 / 3 aside."""
    camera = replace(canvas.view.camera, is_orthographic=False)
    for side, is_over in ((1.25, False), (1.4, True)):
        found = image(canvas, effect(sprite(on_top=True), tested_point=(side, 0, 0)), camera=camera)
        assert is_sprite(found, 0.5, 0.5) == is_over


def test_sprites_are_seen_from_both_sides(canvas: Canvas) -> None:
    below = replace(canvas.view.camera, pitch=-pi / 2)
    assert is_sprite(image(canvas, effect(sprite()), is_roofed=False, camera=below), 0.5, 0.5)


def test_sprites_write_no_depth(canvas: Canvas) -> None:
    """One whose middle is farther is drawn first; half of it rises above the other and hides nothing."""
    d = (0.6, 0.0, 0.8)
    tilted = SPRITE | {"mode": 2, "direction_start": d, "direction_end": d}
    tilted |= {"size_low": (4, 4, 4), "size_high": (4, 4, 4), "position_low": (0, 0, -0.1)}
    tilted |= {"position_high": (0, 0, -0.1)}
    both = image(canvas, effect(sprite(), block(3, **tilted)), is_roofed=False)
    assert (
        both[pixel(-1.0, 0.5)].tolist()
        == image(canvas, effect(sprite()), is_roofed=False)[pixel(-1.0, 0.5)].tolist()
    )
    alone = image(canvas, effect(block(3, **tilted)), is_roofed=False)
    assert alone[pixel(-1.0, 0.5)].tolist() != both[pixel(-1.0, 0.5)].tolist()


@pytest.mark.parametrize(
    ("kind", "is_lit"), [(1, False), (2, True), (3, False), (5, True), (6, False), (7, True)]
)
def test_lights_of_everything_shine_on_the_grid(canvas: Canvas, kind: int, is_lit: bool) -> None:
    """Red, 2 above the ground, range 4: the lines below become red, those 4 aside stay as they were."""
    light = {
        "mode": kind,
        "position_start": (0, 0, 2),
        "position_end": (0, 0, 2),
        "range_start": 4,
        "range_end": 4,
    }
    red = {"color_start": (1, 0, 0, 1), "color_end": (1, 0, 0, 1)}
    grid: dict[str, Any] = {"overlays": frozenset({Overlay.GRID}), "is_roofed": False, "lighting": DARK}
    plain = image(canvas, effect(block(1, **LIGHT | light | red | {"window_end": 0.0})), **grid).astype(int)
    lit = image(canvas, effect(block(1, **LIGHT | light | red)), **grid).astype(int)
    gained = (lit - plain)[..., 0]
    assert (gained.max() > 40) == is_lit
    assert np.abs(lit - plain)[pixel(3.9, 3.9)].max() == 0
    if is_lit:
        assert gained[:, 28:36].max() > 2 * gained[:, 48:56].max()
