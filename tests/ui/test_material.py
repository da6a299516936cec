"""What the controls of a material do to the view.

What is said of a material.

What is said of a texture and of its pixels.

Where a picture and the rectangles of its page lie on screen.
"""

from __future__ import annotations

import numpy as np
import pytest
from imgui_bundle import ImVec2
from msgspec.structs import replace

from viewer.formats import mat0
from viewer.formats.meaning import meaning
from viewer.formats.record import Record
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import PAGE, Texture
from viewer.model.material.materials import PLAIN_PHASE, AlphaKind, Block, BlockKey, Material, Phase
from viewer.model.material.phases import PhaseMoment
from viewer.model.mesh.reading import SEED
from viewer.session.play.material_play import MaterialPlay
from viewer.session.view.options.textures import LONGEST, ByteOrder, TextureSwitches
from viewer.session.view.view_state import ViewState
from viewer.ui.material.material_player import frozen_at, mode_text, variant_text
from viewer.ui.material.material_sheet import block_facts, entry_facts, facts, phase_title
from viewer.ui.material.texture_info import (
    READINGS,
    color_of,
    colors_of,
    entry_text,
    level_text,
    pages_at,
    place_text,
    summary,
    value_text,
)
from viewer.ui.material.texture_viewport import MOST_PAGES, TextureViewport, in_sight, page_corners

SIGN = Material(0, blocks=(Block(0, 0, (BlockKey(0, 100), BlockKey(1, 200))), Block(3, 0, (BlockKey(0, 5),))))


def test_variants_are_told_by_mode_and_keys_and_the_games_is_marked() -> None:
    assert variant_text(SIGN, 0) == "Variant 0: loop, 2 keys"
    assert variant_text(SIGN, 1) == "Variant 1: random, 1 key"


def test_unknown_modes_are_told_by_number() -> None:
    assert mode_text(1) == "ping-pong"
    assert mode_text(9) == "mode 9"


def test_a_key_of_another_variant_chooses_that_variant() -> None:
    view = frozen_at(ViewState(), 4, SIGN, 1, PhaseMoment(0))
    assert view.materials.variant(4, SIGN) == 1
    assert view.materials.still == {4: (0, 0.0)}
    assert frozen_at(ViewState(), 4, SIGN, 0, PhaseMoment(1)).materials == MaterialPlay().freeze(
        4, PhaseMoment(1)
    )


PHASE = mat0.PhaseRecord(b"A.0", ambient_alpha=60, emissive_alpha=51)
STORED = mat0.decode(mat0.build([PHASE], [mat0.block(1, 0x18, [(0, 100)])], ground=(255, 255, 1.0, 0)))


def test_every_field_of_a_phase_is_told() -> None:
    assert facts(PLAIN_PHASE, AlphaKind.GLOSS) == {
        "power": "0",
        "is lit": "yes",
        "texture": "none",
        "page": "whole texture",
        "alpha": "gloss",
    }
    other = facts(PLAIN_PHASE, AlphaKind.GLOSS, is_reordered=True)
    assert other["alpha"] == "gloss in the usual byte order"


def test_a_phase_is_called_by_what_it_puts_on() -> None:
    white = (1.0, 1.0, 1.0, 1.0)
    phase = Phase(white, white, white, white, texture="SIGN.0", page=3)
    assert phase_title(phase, 2) == "2  SIGN.0, rectangle 3"
    assert phase_title(PLAIN_PHASE, 0) == "0  untextured"


def test_the_plain_look_has_a_factor_of_its_own() -> None:
    assert "plain look" not in entry_facts(Material(0), STORED)
    assert entry_facts(Material(0, opacity=0.25), STORED)["plain look"] == "alpha times 0.25, if it blends"


def test_the_flags_of_an_entry_are_taken_apart_and_none_is_dropped() -> None:
    told = entry_facts(Material(0, attr1=0x100 | 0x42 | 2 << 2), STORED)
    assert told["attr1"] == "0x0000014A"
    assert told["flags"] == "lit skin, extra material flag, unknown 0x0100"
    assert told["blend"] == "index 2: add"
    assert told["attr2"] == "version 6"
    assert "tail" not in told


def test_what_a_version_does_not_store_and_what_follows_the_last_block_is_told() -> None:
    old = mat0.decode(mat0.encode(mat0.decode(b"\0\0\0\0", 1)) + b"\xab\xcd", 1)
    told = entry_facts(Material(0), old)
    assert told["attr2"].startswith("version 1: 4 bytes of header")
    assert told["tail"] == "2 bytes: ab cd"


def test_the_header_of_a_block_is_raw_and_decoded() -> None:
    assert block_facts(STORED.blocks[0]) == {
        "header": "0x000000C1",
        "mode": "1: ping-pong",
        "blends": "0x18: emissive, ambient alpha",
    }
    assert block_facts(mat0.block(7, 0x200, []))["blends"] == "0x200: unknown 0x0200"


@pytest.mark.parametrize(
    ("record", "name", "row", "expected"),
    [
        (mat0.HEADER, "ground_surface", STORED.header, "not set"),
        (mat0.PHASE, "diffuse", STORED.phases[0], "1  1  1"),
        (mat0.PHASE, "emissive_alpha", STORED.phases[0], "0.2"),
        (mat0.PHASE, "ambient_alpha", STORED.phases[0], "0.6"),
        (mat0.PHASE, "page", STORED.phases[0], "whole texture"),
        (mat0.PHASE, "power", STORED.phases[0], ""),
    ],
)
def test_stored_fields_are_decoded(record: Record, name: str, row: np.void, expected: str) -> None:
    field = next(field for field in record.fields if field.name == name)
    assert meaning(field, row[name], SEED.choices) == expected


USUAL = TextureSwitches()


def texture(pixel_format: PixelFormat) -> Texture:
    image = np.zeros((4, 8, 4), np.uint8)
    image[1, 2] = (255, 136, 17, 51)
    pages = [(0, 0, 4, 2), (2, 0, 6, 4)]
    return texm.decode(texm.build(image, pixel_format, mip_count=2, pages=pages))


def test_a_pixel_is_told_as_stored_and_as_meant() -> None:
    chosen = texture(PixelFormat.ARGB4444)
    assert place_text(chosen, 0, (2, 1)) == "2, 1  at 0x34: 81 3f"
    assert value_text(chosen, 0, (2, 1), USUAL) == "R 255  G 136  B 17  A 51  page 0, 1"


def test_bytes_stay_while_their_meaning_changes_with_their_order() -> None:
    chosen = texture(PixelFormat.ARGB8888)
    other = TextureSwitches(byte_orders=frozenset({ByteOrder.ARGB8888}))
    assert place_text(chosen, 0, (2, 1)).endswith("11 88 ff 33")
    assert color_of(chosen, 0, (2, 1), USUAL) == [255, 136, 17, 51]
    assert color_of(chosen, 0, (2, 1), other) == [136, 255, 51, 17]
    assert "A 51  (ignored)" in value_text(chosen, 0, (2, 1), TextureSwitches(ignores_alpha=True))


def test_the_readings_are_written_as_their_bytes_lie() -> None:
    stored = dict(zip("BGRA", (0x33, 0x22, 0x11, 0x40), strict=True))
    for pixel_format in (PixelFormat.ARGB8888, PixelFormat.RGB888):
        data = texm.build(np.zeros((1, 1, 4), np.uint8), pixel_format)[: texm.HEADER.size]
        chosen = texm.decode(data + bytes(stored.values()))
        for is_other, words in enumerate(READINGS[pixel_format]):
            switches = TextureSwitches(byte_orders=frozenset(ByteOrder) if is_other else frozenset())
            named = dict(zip(str(words).split(), stored.values(), strict=True))
            expected = [named[name] for name in "RGB"] + [named.get("A", 255)]
            assert color_of(chosen, 0, (0, 0), switches) == expected


def test_an_indexed_pixel_names_its_row_of_the_palette() -> None:
    chosen = texture(PixelFormat.INDEXED)
    row = chosen.levels[0].data[10]
    words = value_text(chosen, 0, (2, 1), USUAL)
    assert words.startswith(f"palette {row}  R 255  G 136  B 17  A 255")


def test_rectangles_count_in_pixels_of_the_largest_level() -> None:
    pages = texture(PixelFormat.RGB888).pages
    assert pages_at(pages, 0, (7, 3)) == [1]
    assert pages_at(pages, 1, (1, 0)) == [0, 1]
    assert pages_at(pages, 1, (0, 1)) == []


def test_of_very_many_rectangles_a_few_are_named() -> None:
    data = texm.build(np.zeros((4, 4, 4), np.uint8), PixelFormat.RGB565, pages=[(0, 0, 4, 4)] * 1000)
    assert value_text(texm.decode(data), 0, (1, 1), USUAL).endswith("page 0, 1, 2, 3, 4, 5 and 994 more")


def test_a_level_is_called_by_its_number_and_size() -> None:
    assert level_text(texture(PixelFormat.RGB888), 1) == "1:  4 x 2"


def test_a_texture_is_summed_up() -> None:
    chosen = texture(PixelFormat.RGB565)
    assert summary(chosen, 1, USUAL) == ("format 565, level 1 at 0x60, 2 rectangles", "")
    wide = texm.decode(texm.build(np.zeros((1, LONGEST + 2, 4), np.uint8), PixelFormat.RGB565, mip_count=2))
    assert [summary(wide, level, USUAL)[1] for level in range(2)] == ["shown at 1/2 of its size", ""]
    assert "on the model only" in summary(chosen, 0, TextureSwitches(is_16_bit=True))[1]


def bare(pixel_format: PixelFormat, behind: bytes) -> Texture:
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 1, 1, 1, 0, 0, 0, pixel_format)
    return texm.decode(header.tobytes() + behind)


INDEXED = bare(PixelFormat.INDEXED, bytes(28) + bytes([1, 2, 3, 9]) + bytes(992) + b"\x07")


def test_colors_are_listed_with_their_bytes() -> None:
    colors = colors_of(INDEXED, USUAL)
    assert colors is not None
    assert entry_text(INDEXED, colors, 7) == "7:  R 3  G 2  B 1  at 0x3c: 01 02 03 09"
    colors = colors_of(INDEXED, TextureSwitches(byte_orders=frozenset({ByteOrder.PALETTE_RGB})))
    assert colors is not None
    assert entry_text(INDEXED, colors, 7) == "7:  R 1  G 2  B 3  at 0x3c: 01 02 03 09"


def test_a_palette_from_elsewhere_has_no_bytes_in_the_texture() -> None:
    without = bare(PixelFormat.EXTERNAL, b"\x07")
    assert colors_of(without, USUAL) is None
    lent = replace(without, external=np.full((256, 4), 5, np.uint8))
    colors = colors_of(lent, USUAL)
    assert colors is not None
    assert entry_text(lent, colors, 255) == "255:  R 5  G 5  B 5"


def test_other_textures_have_no_palette() -> None:
    assert colors_of(bare(PixelFormat.RGB565, b"\x07\x07"), USUAL) is None


SIGHT = TextureViewport(10, 20, 2.0, 4, 4, ImVec2(0, 0), ImVec2(100, 100))


def test_only_places_on_the_picture_have_a_pixel() -> None:
    assert SIGHT.pixel(ImVec2(10, 20)) == (0, 0)
    assert SIGHT.pixel(ImVec2(17.9, 23)) == (3, 1)
    assert SIGHT.pixel(ImVec2(18, 23)) is None
    assert SIGHT.pixel(ImVec2(9, 23)) is None


def test_rectangles_lie_where_their_pixels_are_in_every_level() -> None:
    pages = PAGE.new(2)
    pages[0] = (2, 4, 6, 8)
    pages[1] = (-3, 1, 0, 1)
    assert page_corners(pages, 0, SIGHT).tolist() == [[14, 32, 22, 48], [4, 20, 6, 22]]
    assert page_corners(pages, 1, SIGHT)[0].tolist() == [12, 26, 16, 34]


def test_rectangles_out_of_sight_are_not_drawn() -> None:
    inside, above, turned, beyond = [10, 10, 20, 20], [10, -20, 20, -10], [120, 50, 90, 40], [101, 0, 110, 9]
    assert in_sight(np.array([inside, above, turned, beyond], np.float64), SIGHT) == [0, 2]


def test_of_very_many_rectangles_some_are_drawn() -> None:
    assert in_sight(np.tile([10.0, 10.0, 20.0, 20.0], (100_000, 1)), SIGHT) == list(range(MOST_PAGES))
