"""From the bytes of a game folder to the color of a pixel, against numbers worked out on paper.

Each expected color stands here as a number; how it comes about is said beside it.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, Shape, quad
from tests.render import painted
from tests.render.canvas import DARK, PLAIN_LOOK, Canvas, pixel
from viewer.formats import mat0
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.msh.tables import STREAM18
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.mesh.reading import FIELD
from viewer.session.opened.document import Document
from viewer.session.view.options.lighting import Lighting
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import ByteOrder, TextureSwitches

Rgb = tuple[int, int, int]

OPAQUE, SKIN, SEE_THROUGH, ADDITIVE, DARKENING, DOUBLING, UNKNOWN = 0, 2, 4, 8, 12, 16, 20
GROUND: Rgb = (120, 80, 200)
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)


def stored(size: tuple[int, int], number: int, body: bytes, mips: int = 1) -> bytes:
    """A texture: its header, and the bytes behind it."""
    return struct.pack("<4s7I", b"Texm", *size, mips, 0, 0, 0, number) + body


def bgra(red: int, green: int, blue: int, alpha: int = 255) -> bytes:
    """A pixel of format 8888."""
    return bytes((blue, green, red, alpha))


def unlit(texture: bytes = b"", alpha: int = 100, page: int = -1) -> PhaseRecord:
    """A phase that no light falls on: black diffuse, white ambient; alpha is the ambient one in per cent."""
    return PhaseRecord(texture, ambient=WHITE, ambient_alpha=alpha, diffuse=BLACK, diffuse_alpha=0, page=page)


def over_ground(
    folder: Path, attr1: int, material: bytes, textures: dict[str, bytes], **more: bytes
) -> Document:
    """A quad over a larger one that is all of the ground's color."""
    scene = [
        Node(shapes={(0, 0): [quad(6, material=1)]}),
        Node(shapes={(0, 0): [quad(4)]}, keys=[Key(position=(0, 0, 1))]),
    ]
    ground = (OPAQUE, mat0.build([unlit(b"GROUND.0")]))
    textures = {"GROUND.0": stored((1, 1), 8888, bgra(*GROUND)), **textures}
    files = painted.libraries({"DEFAULT": ground, "A": (attr1, material), "B": ground}, textures)
    return painted.document(folder, scene, ["A", "B"], files | more)


def shown(
    canvas: Canvas,
    x: float = 0.0,
    y: float = 0.0,
    switches: TextureSwitches = NEAREST,
    lighting: Lighting = DARK,
) -> list[int]:
    """The color of a point of the ground."""
    color: list[int] = canvas.textured(textures=switches, lighting=lighting)[pixel(x, y)].tolist()
    return color


def check(canvas: Canvas, expected: Rgb, x: float = 0.0, y: float = 0.0, lighting: Lighting = DARK) -> None:
    """Assert the color of a point, one step of rounding allowed."""
    assert shown(canvas, x, y, lighting=lighting)[:3] == pytest.approx(expected, abs=1)


@pytest.mark.parametrize(
    ("attr1", "whole", "half", "quarter"),
    [
        (OPAQUE, (60, 180, 90), (60, 180, 90), (60, 180, 90)),
        (SKIN, (60, 180, 90), (60, 180, 90), (60, 180, 90)),
        (UNKNOWN, (60, 180, 90), (60, 180, 90), (60, 180, 90)),
        # texel * a + ground * (1 - a), a = 0.6, 0.3, 0.15
        (SEE_THROUGH, (84, 140, 134), (102, 110, 167), (111, 95, 184)),
        # texel * a + ground
        (ADDITIVE, (156, 188, 254), (138, 134, 227), (129, 107, 214)),
        # texel * ground / 255
        (DARKENING, (28, 56, 71), (28, 56, 71), (28, 56, 71)),
        # twice that
        (DOUBLING, (56, 113, 141), (56, 113, 141), (56, 113, 141)),
    ],
)
def test_each_blend_mode_over_a_known_ground(
    canvas: Canvas, tmp_path: Path, attr1: int, whole: Rgb, half: Rgb, quarter: Rgb
) -> None:
    """Texel (60, 180, 90), alpha 153 = 0.6; phase alpha 100, 50 and 50 per cent.

    The last one has a speed factor of 0.5, by which the plain look multiplies it; the game does not.
    """
    textures = {"T.0": stored((1, 1), 8888, bgra(60, 180, 90, 153))}
    for expected, percent, factor in ((whole, 100, 1.0), (half, 50, 1.0), (quarter, 50, 0.5)):
        material = mat0.build([unlit(b"T.0", percent)], ground=(255, 255, factor, 0))
        canvas.show(over_ground(tmp_path, attr1, material, textures))
        check(canvas, expected, lighting=PLAIN_LOOK)
        check(canvas, whole if percent == 100 else half)
        check(canvas, GROUND, 2.5)


def palette(*colors: tuple[int, int, int, int]) -> bytes:
    """Colors as they are stored, then black."""
    return b"".join(map(bytes, colors)).ljust(1024, b"\0")


FORMATS = {
    # index 1 of B, G, R, x
    "0": (0, palette((9, 9, 9, 9), (30, 20, 10, 7)) + b"\1", (10, 20, 30), (10, 20, 30)),
    # R5 = 16, G6 = 32, B5 = 16: 16 << 3 | 16 >> 2 = 132, 32 << 2 | 32 >> 4 = 130
    "565": (565, struct.pack("<H", 0x8410), (132, 130, 132), (132, 130, 132)),
    # R5 = 16, G5 = 8, B6 = 32
    "556": (556, struct.pack("<H", 16 << 11 | 8 << 6 | 32), (132, 66, 130), (132, 66, 130)),
    # A4 = 10: 170 / 255 = 2 / 3; R, G, B = 1, 2, 14 times 17
    "4444": (4444, struct.pack("<H", 0xA12E), (17, 34, 238), (51, 49, 225)),
    # luminance 128 in the high byte, alpha 192 / 255 = 0.753 in the low one
    "88": (88, struct.pack("<H", 0x80C0), (128, 128, 128), (126, 116, 146)),
    # B, G, R, and a byte without meaning
    "888": (888, bytes((0x33, 0x22, 0x11, 0x40)), (17, 34, 51), (17, 34, 51)),
    # B, G, R, A; alpha 64 / 255 = 0.251
    "8888": (8888, bytes((0x33, 0x22, 0x11, 0x40)), (17, 34, 51), (94, 68, 163)),
}
"""Number, stored pixel, its color, and that mixed with the ground by its alpha."""


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_opaque_and_blended(canvas: Canvas, tmp_path: Path, name: str) -> None:
    number, body, color, mixed = FORMATS[name]
    for attr1, expected in ((OPAQUE, color), (SKIN, color), (SEE_THROUGH, mixed)):
        textures = {"T.0": stored((1, 1), number, body)}
        canvas.show(over_ground(tmp_path, attr1, mat0.build([unlit(b"T.0")]), textures))
        check(canvas, expected)


def test_format_2_has_the_palette_that_its_name_asks_for(canvas: Canvas, tmp_path: Path) -> None:
    """``B2`` is palette 14; without it the index is a grey."""
    colors = {"B2.PAL": palette(*[(0, 0, 0, 0)] * 5, (40, 90, 160, 3))}
    libraries = painted.libraries({}, {}, palettes=colors)
    for name, expected in (("T.B2", (160, 90, 40)), ("T.0", (5, 5, 5))):
        textures = {name: stored((1, 1), 2, b"\5")}
        material = mat0.build([unlit(name.encode())])
        more = {"palettes.lib": libraries["palettes.lib"]}
        canvas.show(over_ground(tmp_path, OPAQUE, material, textures, **more))
        check(canvas, expected)


@pytest.mark.parametrize("attr1", [SEE_THROUGH, ADDITIVE, DARKENING, DOUBLING])
def test_every_blended_mode_tests_alpha(canvas: Canvas, tmp_path: Path, attr1: int) -> None:
    """Four texels, the first two below and at the reference; the others make the alpha a graded one.

    It is 1 of 255 in the game, and in the plain look 0.05: 12 / 255 = 0.047, 13 / 255 = 0.051.
    """
    tested = {ADDITIVE: GROUND, DARKENING: BLACK, DOUBLING: BLACK}
    for lighting, alphas, mixed in (
        (DARK, (0, 1, 100, 100), GROUND),  # ground * 254 / 255, a step of rounding
        (PLAIN_LOOK, (12, 13, 100, 100), (114, 76, 190)),  # ground * (1 - 0.051)
    ):
        row = b"".join(bgra(0, 0, 0, alpha) for alpha in alphas)
        textures = {"T.0": stored((4, 1), 8888, row)}
        canvas.show(over_ground(tmp_path, attr1, mat0.build([unlit(b"T.0")]), textures))
        check(canvas, GROUND, -1.5, lighting=lighting)
        check(canvas, tested.get(attr1, mixed), -0.5, lighting=lighting)
        view = {"shading": Shading.TEXTURED, "textures": NEAREST, "lighting": lighting}
        hits = [canvas.pick(x, 0.0, **view) for x in (-1.5, -0.5)]
        assert [hit and hit.node for hit in hits] == [0, 1]


def test_a_low_phase_alpha_draws_nothing_in_the_plain_look(canvas: Canvas, tmp_path: Path) -> None:
    textures = {"T.0": stored((1, 1), 8888, bgra(0, 0, 0))}
    for percent, expected in ((4, GROUND), (6, (113, 75, 188))):
        canvas.show(over_ground(tmp_path, SEE_THROUGH, mat0.build([unlit(b"T.0", percent)]), textures))
        check(canvas, expected, lighting=PLAIN_LOOK)


SHINY = PhaseRecord(
    b"T.0",
    ambient=(51, 51, 51),
    diffuse=(102, 51, 0),
    emissive=(0, 26, 51),
    specular=(204, 102, 51),
    power=10,
)


def test_light_at_a_known_normal_in_the_plain_look(canvas: Canvas, tmp_path: Path) -> None:
    """The lamp is at (-0.35, 0.5, 0.9), of length 1.0874; the normal is up, and the eye straight above.

    n * l = 0.9 / 1.0874 = 0.8276, so diffuse is 0.9 * 0.8276 = 0.7449 of its color, ambient 0.7.
    Red: 0.7 * 0.2 + 0.7449 * 0.4 + 0 = 0.4380, green 0.14 + 0.1490 + 0.1020 = 0.3909, blue 0.14 + 0.2.
    n * h = 0.9559, to the power 10 is 0.6372: 130, 65 and 33 of (204, 102, 51).
    """
    textures = {"T.0": stored((1, 1), 888, bytes((50, 100, 200, 0)))}
    canvas.show(over_ground(tmp_path, OPAQUE, mat0.build([SHINY]), textures))
    check(canvas, (218, 104, 50), lighting=PLAIN_LOOK)
    canvas.show(over_ground(tmp_path, OPAQUE, mat0.build([replace(SHINY, specular=BLACK)]), textures))
    check(canvas, (88, 39, 17), lighting=PLAIN_LOOK)


def test_gloss_weakens_the_highlight_alone(canvas: Canvas, tmp_path: Path) -> None:
    """As above, alpha 51 = 0.2 on a skin: 0.2 * 130, 65, 33 beside the same light, and no ground."""
    textures = {"T.0": stored((1, 1), 8888, bgra(200, 100, 50, 51))}
    canvas.show(over_ground(tmp_path, SKIN, mat0.build([SHINY]), textures))
    check(canvas, (114, 52, 24), lighting=PLAIN_LOOK)
    assert shown(canvas, lighting=PLAIN_LOOK)[3] == 255


def test_the_level_whose_texels_are_as_large_as_pixels_is_shown(canvas: Canvas, tmp_path: Path) -> None:
    """Eight pixels to the unit: 64 texels on 8, 4, 2 and 1 units are levels 0, 1, 2 and 3."""
    colors = [(200, 0, 0), (0, 200, 0), (0, 0, 200), (200, 200, 0), (0, 200, 200), (200, 0, 200), WHITE]
    levels = [bgra(*color) * max(1, (64 >> level) ** 2) for level, color in enumerate(colors)]
    texture = stored((64, 64), 8888, b"".join(levels), mips=7)
    files = painted.libraries({"A": mat0.build([unlit(b"T.0")])}, {"T.0": texture})
    for level, size in enumerate((8, 4, 2, 1)):
        scene = [Node(shapes={(0, 0): [quad(size)]})]
        canvas.show(painted.document(tmp_path, scene, ["A"], files))
        assert shown(canvas, switches=TextureSwitches())[:3] == pytest.approx(colors[level], abs=2)
        assert shown(canvas, switches=TextureSwitches(has_mip_maps=False))[:3] == [200, 0, 0]


def test_a_sub_image_runs_into_its_neighbor(canvas: Canvas, tmp_path: Path) -> None:
    """Columns 1 and 2 of four, red and blue, as u from 0 to 1; from 1 to 2 follow column 3 and column 0."""
    row = bgra(30, 30, 30) + bgra(200, 20, 10) + bgra(10, 40, 220) + bgra(*WHITE)
    page = b"Page" + struct.pack("<I4h", 1, 1, 2, 0, 1)
    flat = quad(4)
    wide: Shape = replace(flat, uvs=flat.uvs * 2)
    files = painted.libraries(
        {"A": mat0.build([unlit(b"T.0", page=0)])}, {"T.0": stored((4, 1), 8888, row + page)}
    )
    canvas.show(painted.document(tmp_path, [Node(shapes={(0, 0): [wide]})], ["A"], files))
    for x, expected in (
        (-1.5, (200, 20, 10)),
        (-0.5, (10, 40, 220)),
        (0.5, WHITE),
        (1.5, (30, 30, 30)),
    ):
        check(canvas, expected, x, 0.5)


def test_sub_images_of_one_texture_are_different_pictures(canvas: Canvas, tmp_path: Path) -> None:
    page = b"Page" + struct.pack("<I8h", 2, 0, 1, 0, 1, 1, 1, 0, 1)
    texture = stored((2, 1), 8888, bgra(200, 20, 10) + bgra(10, 40, 220) + page)
    materials = {name: mat0.build([unlit(b"T.0", page=row)]) for row, name in enumerate("AB")}
    shapes = [quad(2, center=(x, 0, 0), material=row) for row, x in enumerate((-2, 2))]
    files = painted.libraries(materials, {"T.0": texture})
    canvas.show(painted.document(tmp_path, [Node(shapes={(0, 0): shapes})], ["A", "B"], files))
    check(canvas, (200, 20, 10), -2)
    check(canvas, (10, 40, 220), 2)


def test_holes_are_where_the_order_of_bytes_has_the_alpha(canvas: Canvas, tmp_path: Path) -> None:
    """Alphas 102 and seven times 255 where 8888 is A R G B: a silhouette, so that 102 = 0.4 is a hole.

    As B G R A all alphas are 90 = 0.353: graded, (180, 60, 102) over the ground is (141, 73, 165). The
    ground, 200, 80, 120, 255 in memory, is (80, 120, 255) in the other order.
    """
    row = b"".join(bytes((alpha, 60, 180, 90)) for alpha in (102, *[255] * 7))
    document = over_ground(
        tmp_path, SEE_THROUGH, mat0.build([unlit(b"T.0")]), {"T.0": stored((8, 1), 8888, row)}
    )
    canvas.show(document)
    check(canvas, (141, 73, 165), -1.75)
    switches = replace(NEAREST, byte_orders=frozenset({ByteOrder.ARGB8888}))
    canvas.show(document, switches)
    colors = [shown(canvas, x, switches=switches, lighting=PLAIN_LOOK)[:3] for x in (-1.75, 1.75)]
    assert colors == [[80, 120, 255], [60, 180, 90]]


def test_a_force_of_16_bits_rounds_alpha_too(canvas: Canvas, tmp_path: Path) -> None:
    """4444: texel (102, 34, 102), alpha 102 = 0.4; the ground becomes (119, 85, 204)."""
    textures = {"T.0": stored((1, 1), 8888, bgra(100, 40, 102, 100))}
    switches = replace(NEAREST, is_16_bit=True)
    canvas.show(over_ground(tmp_path, SEE_THROUGH, mat0.build([unlit(b"T.0")]), textures), switches)
    assert shown(canvas, switches=switches)[:3] == pytest.approx((112, 65, 163), abs=1)


def test_a_lightmap_of_the_library_multiplies(canvas: Canvas, tmp_path: Path) -> None:
    """Res18 256 of 1024 is the left texel of two, 565: (132, 130, 132) * (120, 80, 200) / 255.

    The material is (0.4, 0.2, 0) in diffuse, which a scene of 0.3 lifts: (0.4, 0.3, 0.3) of that.
    """
    shapes = [quad(2, center=(-2, 0, 0), has_lightmap=True), quad(2, center=(2, 0, 0))]
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): shapes})], FIELD)
    builder.tables[STREAM18] = np.array([(256, 512)] * 8, "<u2").tobytes()
    files = painted.libraries(
        {"A": mat0.build([PhaseRecord(b"T.0", ambient=BLACK, diffuse=(102, 51, 0))])},
        {"T.0": stored((1, 1), 8888, bgra(*GROUND))},
        {"HALL.0": stored((2, 1), 565, struct.pack("<2H", 0x8410, 0xFFFF))},
    )
    canvas.show(painted.document(tmp_path, builder, ["A"], files, ["HALL.0"]))
    check(canvas, (25, 12, 31), -2, lighting=replace(DARK, scene=0.3))
    check(canvas, (36, 24, 60), 2, lighting=replace(DARK, scene=0.3))


def test_what_is_built_is_what_is_stored() -> None:
    """The bytes of this page are those that the project writes itself."""
    rgba = np.array([[[17, 34, 51, 64]]], np.uint8)
    assert texm.build(rgba, PixelFormat.ARGB8888) == stored((1, 1), 8888, FORMATS["8888"][1])


def test_a_second_model_of_the_same_folder_decodes_nothing_anew(canvas: Canvas, tmp_path: Path) -> None:
    """Whether it is opened with the library that the first one was opened with, or with another."""
    textures = {"T.0": stored((1, 1), 8888, bgra(60, 180, 90)), "U.0": stored((1, 1), 8888, bgra(1, 2, 3))}
    materials = {"A": mat0.build([unlit(b"T.0")]), "B": mat0.build([unlit(b"U.0")])}
    files = painted.libraries(materials, textures)
    scene = [Node(shapes={(0, 0): [quad(4)]})]
    canvas.show(painted.document(tmp_path, scene, ["A"], files))
    for name, requested in (("A", []), ("B", ["U.0"])):
        second = painted.document(tmp_path, [*scene, *scene], [name], files)
        canvas.renderer.load(second.model, second.draws, None, second.materials)
        assert [picture.name for picture in canvas.renderer.requested_textures(NEAREST)] == requested
