"""Textures on the graphics card: what is kept, what goes, and what is in them."""

from __future__ import annotations

import moderngl
import numpy as np
import pytest

from tests.render.materials import picture
from viewer.render.textures import texels, texture_store
from viewer.render.textures.texels import TexelKey, Texels
from viewer.render.textures.texture_store import TextureSamplers, TextureStore, usable_anisotropy
from viewer.session.view.options.textures import TextureSwitches

USUAL = TextureSwitches()
SIZE = 4 * (16 + 4 + 1)
"""Bytes of the textures in here."""


def _texels(number: int) -> Texels:
    return texels.decode(picture(np.full((4, 4, 4), number, np.uint8)), USUAL, 1024)


def _key(number: int) -> TexelKey:
    return _texels(number).key


LEVEL = """
#version 330
uniform sampler2D image;
uniform float level;
out vec4 color;
void main() { color = textureLod(image, vec2(0.001), level); }
"""
CORNERS = """
#version 330
void main() { gl_Position = vec4(4.0 * (gl_VertexID & 1) - 1.0, 2.0 * (gl_VertexID & 2) - 1.0, 0.0, 1.0); }
"""


def _drawn(ctx: moderngl.Context, texture: moderngl.Texture, level: int) -> bytes:
    """The first pixel of a level as a program reads it."""
    texture.filter = (moderngl.NEAREST_MIPMAP_NEAREST, moderngl.NEAREST)
    program = ctx.program(vertex_shader=CORNERS, fragment_shader=LEVEL)
    target = ctx.simple_framebuffer((1, 1), 4)
    target.use()
    ctx.disable(moderngl.BLEND | moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    texture.use(0)
    program["image"], program["level"] = 0, float(level)
    ctx.vertex_array(program, []).render(moderngl.TRIANGLES, vertices=3)
    return target.read(components=4)


def test_all_levels_are_uploaded(ctx: moderngl.Context) -> None:
    store = TextureStore(ctx)
    noise = np.random.default_rng(1).integers(0, 256, (4, 8, 4), np.uint8)
    decoded = texels.decode(picture(noise), USUAL, 1024)
    store.put(decoded)
    texture = store.find(decoded.key)
    assert texture is not None
    for index, level in enumerate(decoded.levels):
        assert _drawn(ctx, texture, index) == level[0, 0].tobytes()


@pytest.mark.parametrize("has_library", [True, False])
def test_levels_are_those_of_the_file_with_and_without_the_library(
    ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch, has_library: bool
) -> None:
    if not has_library:
        monkeypatch.setattr(texture_store, "_library", lambda: None)
    given = [np.full((side, 2 * side, 4), side, np.uint8) for side in (8, 4, 2)]
    texture = texture_store.texture_of(ctx, given)
    found = [_drawn(ctx, texture, index) for index in range(5)]
    # The last level stands for those that the file does not have.
    assert found == [bytes([side] * 4) for side in (8, 4, 2, 2, 2)]


def test_what_was_looked_at_longest_ago_goes_first(ctx: moderngl.Context) -> None:
    store = TextureStore(ctx, 3 * SIZE)
    for number in range(3):
        store.put(_texels(number))
    assert store.find(_key(0)) is not None
    store.put(_texels(3))
    assert [_key(number) in store for number in range(4)] == [True, False, True, True]


@pytest.mark.parametrize("capacity", [0, 1, 3, 10])
def test_the_bound_holds(ctx: moderngl.Context, capacity: int) -> None:
    store = TextureStore(ctx, capacity * SIZE)
    for number in range(20):
        store.put(_texels(number))
        assert store.size <= max(capacity * SIZE, 4)
        assert len(store) == min(number + 1, max(capacity, 1))


def test_what_is_needed_stays_and_the_rest_takes_what_is_left(ctx: moderngl.Context) -> None:
    """So a model with more textures than fit is shown with smaller ones, and nothing goes back and forth."""
    store = TextureStore(ctx, 2 * SIZE + 20)
    store.keep([_key(0), _key(1), _key(2)])
    for number in range(3):
        store.put(_texels(number))
    assert [_key(number) in store for number in range(3)] == [True] * 3
    last = store.find(_key(2))
    assert last is not None
    assert last.size == (2, 2)
    assert store.size <= 2 * SIZE + 20


def test_what_was_uploaded_smaller_goes_when_others_are_needed(ctx: moderngl.Context) -> None:
    """So that it is whole again once there is room."""
    store = TextureStore(ctx, 2 * SIZE + 20)
    store.keep([_key(0), _key(1), _key(2)])
    for number in range(3):
        store.put(_texels(number))
    store.keep([_key(0), _key(1), _key(2)])
    assert _key(2) in store
    version = store.version
    store.keep([_key(2)])
    assert [_key(number) in store for number in range(3)] == [True, True, False]
    assert store.version > version
    store.put(_texels(2))
    whole = store.find(_key(2))
    assert whole is not None
    assert whole.size == (4, 4)
    assert [_key(number) in store for number in range(2)] == [False, True]
    assert store.size == 2 * SIZE


@pytest.mark.parametrize("count", [3, 30])
def test_what_is_needed_exceeds_the_bound_by_a_pixel_each_at_most(ctx: moderngl.Context, count: int) -> None:
    store = TextureStore(ctx, 2 * SIZE)
    store.keep(map(_key, range(count)))
    for number in range(count):
        store.put(_texels(number))
        assert store.size <= 2 * SIZE + 4 * max(0, number - 1)
    assert len(store) == count


def test_equal_pictures_are_uploaded_once(ctx: moderngl.Context) -> None:
    store = TextureStore(ctx)
    store.put(_texels(1))
    store.put(_texels(1))
    assert (len(store), store.size) == (1, SIZE)
    assert store.find(_key(2)) is None


@pytest.mark.parametrize("is_filtered", [False, True])
@pytest.mark.parametrize("has_mip_maps", [False, True])
def test_samplers_do_what_the_switches_say(
    ctx: moderngl.Context, is_filtered: bool, has_mip_maps: bool
) -> None:
    samplers = TextureSamplers(ctx)
    switches = TextureSwitches(is_filtered=is_filtered, has_mip_maps=has_mip_maps)
    samplers.use(switches, 3, 4)
    samplers.clear(3, 4)
    (sampler,) = samplers._made.values()
    near = moderngl.LINEAR if is_filtered else moderngl.NEAREST
    assert sampler.filter[1] == near
    assert (sampler.filter[0] == near) == (not has_mip_maps)
    is_fine = is_filtered and has_mip_maps
    assert sampler.anisotropy == (usable_anisotropy(ctx) if is_fine else 1.0)
    assert sampler.repeat_x
    assert sampler.repeat_y


def test_less_room_is_taken_at_once_and_more_is_made_use_of(ctx: moderngl.Context) -> None:
    store = TextureStore(ctx, 4 * SIZE)
    store.keep([_key(2), _key(3)])
    for number in range(4):
        store.put(_texels(number))
    version = store.version
    store.resize(2 * SIZE)
    assert [_key(number) in store for number in range(4)] == [False, False, True, True]
    store.resize(SIZE + 20)
    assert [_key(number) in store for number in (2, 3)] == [False, True]
    assert store.version > version
    store.put(_texels(2))
    assert store.size == SIZE + 20
    store.resize(2 * SIZE)
    assert [_key(number) in store for number in (2, 3)] == [False, True]
    store.put(_texels(2))
    assert store.size == 2 * SIZE
