"""What the materials of a model ask for.

Textures that are not there yet are never white: their mean color stands for them, and they fade in.

Checks with words.

Pictures made ready for upload.
"""

from __future__ import annotations

from pathlib import Path

import moderngl
import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.render.canvas import SIZE, Canvas, drawn
from tests.render.materials import SKIN, material, picture, picture_of
from tests.render.test_golden import GROUND, OPAQUE, bgra, over_ground, stored, unlit
from viewer.formats import mat0
from viewer.formats.text import decode
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import WRITTEN, Image, PixelFormat
from viewer.model.material.materials import (
    AlphaKind,
    Blend,
    Material,
    Materials,
    MissingResource,
    Rectangle,
    TextureRef,
)
from viewer.model.store.address import Address
from viewer.render.portions import Frame
from viewer.render.textures import texels
from viewer.render.textures.label import (
    ANY,
    CHECKS,
    COLORS,
    INK,
    MOST_LETTERS,
    SIDE,
    SIGN,
    checks,
    label,
    readable,
)
from viewer.render.textures.material_bindings import MOST_NAMED, MaterialBindings
from viewer.render.textures.texture_store import FADE, TextureStore
from viewer.session.opened.document import Document
from viewer.session.view.options.lighting import Look
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import ByteOrder, TextureSwitches, toggle_byte_order

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


RED_PIXEL, BLUE = (200, 40, 0), (0, 40, 200)
HALF = bgra(*RED_PIXEL) + bgra(*BLUE)
"""Two columns, whose mean is (100, 40, 100)."""


@pytest.fixture
def document(tmp_path: Path) -> Document:
    textures = {"T.0": stored((2, 2), 8888, HALF * 2)}
    return over_ground(tmp_path, OPAQUE, mat0.build([unlit(b"T.0")]), textures)


def load(canvas: Canvas, document: Document) -> None:
    """Show a document of which no texture is uploaded."""
    canvas.draws = document.draws
    canvas.renderer.load(document.model, document.draws, None, document.materials)
    canvas.pose = document.animation.pose(0.0)


def on_screen(canvas: Canvas) -> set[tuple[int, ...]]:
    """The colors of the model in the frame on screen."""
    view = replace(canvas.view, shading=Shading.TEXTURED)
    canvas.renderer.requested_textures(view.textures)
    canvas.renderer.draw(Frame(view, canvas.pose, SIZE))
    image = canvas.renderer._screen.pixels()
    return {tuple(color[:3]) for color in image[drawn(image)].tolist()}


def is_fading(canvas: Canvas) -> bool:
    return canvas.renderer.is_fading


def test_the_mean_color_is_there_before_the_texture(canvas: Canvas, document: Document) -> None:
    load(canvas, document)
    colors = on_screen(canvas)
    assert (255, 255, 255) not in colors
    assert any(np.allclose(color, (100, 40, 100), atol=2) for color in colors)
    assert any(np.allclose(color, GROUND, atol=2) for color in colors)


def test_a_texture_fades_in_on_screen_and_is_whole_in_a_picture(canvas: Canvas, document: Document) -> None:
    load(canvas, document)
    canvas.renderer.fades_in = True
    canvas.provide(TextureSwitches())
    assert is_fading(canvas)
    first = on_screen(canvas)
    assert any(np.allclose(color, (100, 40, 100), atol=3) for color in first)
    saved = canvas.textured()
    canvas.renderer.advance(FADE / 2)
    assert on_screen(canvas) != first
    canvas.renderer.advance(FADE)
    assert not is_fading(canvas)
    assert {tuple(color[:3]) for color in saved[drawn(saved)].tolist()} == on_screen(canvas)


def test_a_texture_does_not_fade_where_nobody_waits_for_it(canvas: Canvas, document: Document) -> None:
    load(canvas, document)
    canvas.provide(TextureSwitches())
    assert not is_fading(canvas)


def ref(data: bytes) -> TextureRef:
    return TextureRef(Address.parse("t"), "t", texm.decode(data))


def test_the_mean_is_that_of_the_smallest_level() -> None:
    data = stored((2, 2), 8888, bgra(9, 9, 9) * 4 + bgra(10, 20, 30, 40), mips=2)
    assert texels.mean_color(ref(data), TextureSwitches()) == bytes((10, 20, 30, 40))


def test_a_large_texture_is_looked_at_in_a_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    rows = texm.Texture.rows

    def counted(self: texm.Texture, level: texm.Level, start: int, end: int) -> Image:
        seen.append(end - start)
        return rows(self, level, start, end)

    monkeypatch.setattr(texm.Texture, "rows", counted)
    color = texels.mean_color(ref(stored((64, 512), 8888, bgra(1, 2, 3, 4) * 64 * 512)), TextureSwitches())
    assert color == bytes((1, 2, 3, 4))
    assert sum(seen) <= texels.MOST_ROWS


def test_checks_are_fields_of_two_colors_that_go_on_over_the_edge() -> None:
    image = checks()
    field = SIDE // CHECKS
    for row in range(CHECKS):
        for column in range(CHECKS):
            inside = image[row * field : (row + 1) * field, column * field : (column + 1) * field]
            assert (inside == (*COLORS[(row + column) % 2], 255)).all()
    assert CHECKS % 2 == 0


def test_each_name_has_a_label_of_its_own() -> None:
    missing = [
        MissingResource("no texture", "STEEL.0"),
        MissingResource("no texture", "STEEL.1"),
        MissingResource("no material", "STEEL.0"),
        ANY,
    ]
    assert len({label(resource).tobytes() for resource in missing}) == len(missing)


def _words(resource: MissingResource) -> npt.NDArray[np.bool_]:
    """Where the checks are covered."""
    covered: npt.NDArray[np.bool_] = (label(resource) != checks()).any(axis=2)
    return covered


@pytest.mark.parametrize(
    "name", ["STEEL.0", "I", "", "БРОНЯ.0", decode(bytes(range(256))), "\ud800", "W" * 100_000]
)
def test_whatever_the_name_its_letters_do_not_leave_the_sign(name: str) -> None:
    width, height = SIGN
    covered = _words(MissingResource("damaged texture", name))
    rows, columns = np.nonzero(covered[:height, :width])
    assert (label(MissingResource("no texture", name)) == (*INK, 255)).all(axis=2).any()
    assert (rows.min() > 0, columns.min() > 0) == (True, True)
    assert (rows.max() < height - 1, columns.max() < width - 1) == (True, True)


def test_signs_are_repeated_like_bricks() -> None:
    width, height = SIGN
    covered = _words(MissingResource("no texture", "STEEL.0"))
    first, second = covered[:height], covered[height : 2 * height]
    assert (first == np.roll(first, width, axis=1)).all()
    assert (second == np.roll(first, width // 2, axis=1)).all()
    assert (covered[: SIDE // 2] == covered[SIDE // 2 :]).all()


def test_cyrillic_letters_are_told_apart() -> None:
    assert (
        label(MissingResource("no texture", "ЖЩ.0")) != label(MissingResource("no texture", "ЩЖ.0"))
    ).any()


def test_what_cannot_be_seen_is_written_as_numbers_and_long_names_are_cut() -> None:
    assert readable("A\x98\tB") == "A\\x98\\x09B"
    assert readable("W" * MOST_LETTERS) == "W" * MOST_LETTERS
    assert readable("W" * (MOST_LETTERS + 1)) == "W" * (MOST_LETTERS - 1) + "…"


LIMIT = 1024


def _noise(width: int, height: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.random.default_rng(3).integers(0, 256, (height, width, 4), np.uint8)


def test_levels_go_down_to_one_pixel() -> None:
    decoded = texels.decode(picture(_noise(8, 2), mip_count=2), USUAL, LIMIT)
    assert [level.shape for level in decoded.levels] == [(2, 8, 4), (1, 4, 4), (1, 2, 4), (1, 1, 4)]
    assert decoded.size == 4 * (16 + 4 + 2 + 1)


def test_stored_levels_are_taken_as_they_are() -> None:
    made = picture(_noise(8, 8), mip_count=4)
    decoded = texels.decode(made, USUAL, LIMIT)
    for index in range(4):
        assert (decoded.levels[index] == made.texture.level(index)).all()


@pytest.mark.parametrize("mip_count", [1, 2, 4])
def test_no_side_is_longer_than_the_limit(mip_count: int) -> None:
    decoded = texels.decode(picture(_noise(16, 8), mip_count=mip_count), USUAL, 4)
    assert [level.shape[:2] for level in decoded.levels] == [(2, 4), (1, 2), (1, 1)]


def test_pages_of_a_texture_share_all_of_it() -> None:
    whole, page = (picture(_noise(16, 8), page=page) for page in (None, Rectangle(4, 2, 8, 4)))
    assert texels.key_of(page, USUAL) == texels.key_of(whole, USUAL)
    assert (texels.decode(page, USUAL, LIMIT).levels[0] == whole.texture.level(0)).all()


def test_a_budget_drops_the_largest_levels() -> None:
    decoded = texels.decode(picture(_noise(4, 4)), USUAL, LIMIT)
    assert [len(decoded.within(budget).levels) for budget in (84, 83, 20, 4, 0)] == [3, 2, 2, 1, 1]


def test_switches_count_only_where_they_make_a_difference() -> None:
    orders = TextureSwitches(byte_orders=frozenset(ByteOrder), is_16_bit=True, is_filtered=False)
    for order in WRITTEN:
        made = picture(_noise(2, 2), order)
        is_equal = texels.key_of(made, orders) == texels.key_of(made, USUAL)
        pixels = [texels.decode(made, switches, LIMIT).levels[0] for switches in (orders, USUAL)]
        assert is_equal == bool((pixels[0] == pixels[1]).all())


def test_byte_orders_are_toggled_one_by_one() -> None:
    once = toggle_byte_order(USUAL, ByteOrder.LA88)
    assert once.byte_orders == {ByteOrder.LA88}
    assert toggle_byte_order(once, ByteOrder.LA88) == USUAL


def test_levels_beyond_a_single_pixel_are_left_out() -> None:
    """Three more than halving gives, as a damaged texture has them; no card takes those."""
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 4, 2, 6, 0, 0, 0, int(PixelFormat.RGB565))
    decoded = texels.decode(picture_of(header.tobytes() + bytes(2 * (8 + 2 + 4))), USUAL, LIMIT)
    assert [level.shape for level in decoded.levels] == [(2, 4, 4), (1, 2, 4), (1, 1, 4)]
