"""What the materials of a model ask for."""

from __future__ import annotations

import moderngl
import numpy as np

from tests.render.materials import SKIN, material, picture
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import AlphaKind, Blend, Material, Materials, MissingResource
from viewer.render.textures import texels
from viewer.render.textures.label import ANY
from viewer.render.textures.material_bindings import MOST_NAMED, MaterialBindings
from viewer.render.textures.texture_store import TextureStore
from viewer.session.view.lighting import Look
from viewer.session.view.textures import ByteOrder, TextureSwitches

USUAL = TextureSwitches()
RED = picture((200, 20, 10, 255))


def skin_of(ctx: moderngl.Context, *rows: Material) -> MaterialBindings:
    place = np.zeros(1, np.int64)
    bindings = MaterialBindings(ctx, TextureStore(ctx), Materials(rows, place, place), place)
    bindings.use(USUAL)
    return bindings


def missing(name: str) -> Material:
    return material(None, missing=(MissingResource("no texture", name),))


def test_what_is_lacking_is_asked_for_once_whoever_lacks_it(ctx: moderngl.Context) -> None:
    bindings = skin_of(ctx, missing("A.0"), material(RED), missing("A.0"), missing("B.0"))
    assert list(bindings.requested()) == [
        MissingResource("no texture", "A.0"),
        RED,
        MissingResource("no texture", "B.0"),
    ]


def test_of_too_much_that_is_lacking_only_some_is_named(ctx: moderngl.Context) -> None:
    requested = list(skin_of(ctx, *(missing(f"{number}.0") for number in range(1000))).requested())
    assert len(requested) == MOST_NAMED + 1
    assert requested[-1] is ANY


def test_what_has_gone_from_the_card_is_asked_for_again(ctx: moderngl.Context) -> None:
    place, store = np.zeros(1, np.int64), TextureStore(ctx, 4)
    bindings = MaterialBindings(ctx, store, Materials((material(RED),), place, place), place)
    bindings.use(USUAL)
    store.put(texels.decode(RED, USUAL, 1024))
    assert list(bindings.requested()) == list(bindings.requested()) == []
    store.keep([])
    store.put(texels.decode(picture((1, 2, 3, 255)), USUAL, 1024))
    assert list(bindings.requested()) == [RED]


def test_in_another_order_of_bytes_another_channel_has_the_holes(ctx: moderngl.Context) -> None:
    """Blue is the alpha where 8888 is read as A R G B; a skin has gloss there, and 565 no other reading."""
    red, cyan = (200, 20, 0, 255), (200, 20, 255, 255)
    holes, plain = (picture([[red, cyan]], stored) for stored in (PixelFormat.ARGB8888, PixelFormat.RGB565))
    rows = material(holes, blend=Blend.ALPHA), material(holes, attr1=SKIN), material(plain, blend=Blend.ALPHA)
    bindings = skin_of(ctx, *rows)
    bindings.draw_as(Look.PLAIN)
    other = TextureSwitches(byte_orders=frozenset({ByteOrder.ARGB8888}))
    for switches, first, second in (
        (other, AlphaKind.CUTOUT, AlphaKind.GLOSS),
        (USUAL, AlphaKind.NONE, AlphaKind.NONE),
    ):
        bindings.use(switches)
        assert [bindings.alpha(row) for row in range(3)] == [first, second, AlphaKind.NONE]
        assert [bindings.is_cut_out(row) for row in range(3)] == [switches is other, False, False]


def test_labels_count_as_textures_and_go_like_them(ctx: moderngl.Context) -> None:
    decoded = texels.decode(MissingResource("no texture", "A.0"), USUAL, 1024)
    store = TextureStore(ctx, decoded.size)
    store.put(decoded)
    assert store.size == decoded.size
    store.put(texels.decode(RED, USUAL, 1024))
    assert decoded.key not in store


def test_a_model_with_more_textures_than_fit_has_all_of_them_and_wants_no_more(
    ctx: moderngl.Context,
) -> None:
    """Smaller ones, rather than that each drives out another and is asked for again without end."""
    noise = np.random.default_rng(1).integers(0, 256, (6, 8, 8, 4), np.uint8)
    rows = tuple(material(picture(pixels)) for pixels in noise)
    place, store = np.zeros(1, np.int64), TextureStore(ctx, 1000)
    bindings = MaterialBindings(ctx, store, Materials(rows, place, place), place)
    bindings.use(USUAL)
    for requested in [*bindings.requested()]:
        store.put(texels.decode(requested, USUAL, 1024))
    assert list(bindings.requested()) == []
    assert store.size <= 1000 + 4 * len(rows)
    assert [base.size for base, _ in bindings.textures()][:2] == [(8, 8), (8, 8)]
    assert store.white not in [base for base, _ in bindings.textures()]
