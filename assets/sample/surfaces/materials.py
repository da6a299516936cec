"""Material.lib and Textures.lib: materials and textures of the wear tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assets.sample.surfaces import foliage, ground, lights, paint, textures, trims
from assets.sample.surfaces.paint import Pixels
from viewer.formats import mat0
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import BlockRecord, PhaseRecord, block
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat

MAT0 = int.from_bytes(b"MAT0", "little")
TEXM = int.from_bytes(b"Texm", "little")

OPAQUE, SKIN, SEE_THROUGH, ADDITIVE = 0, 2, 4, 8
"""attr1 of a material: its blend mode, and whether it is an ordinary skin (field-notes.md 4)."""

LOOP, PING_PONG, ONCE, RANDOM = 0, 1, 2, 3
NO_MASK, AMBIENT_MASK = 0, 0x01
"""Modes of animation blocks, and masks of the colors that they blend between keys."""

Rgb = tuple[int, int, int]

_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_WARM, _COOL, _PALE = (190, 184, 156), (150, 158, 174), (142, 138, 130)
"""Diffuse colors of paint, of steel and of light panels."""
_WARM_SHADE, _COOL_SHADE = (76, 70, 62), (64, 68, 76)
"""Ambient colors of warm and of cool materials in the shade."""
_GROUND = (160, 158, 154)


@dataclass(frozen=True)
class Material:
    """A MAT0 entry."""

    phases: Sequence[PhaseRecord]
    kind: int = OPAQUE
    blocks: Sequence[BlockRecord] = ()

    def entry(self, name: str) -> NewEntry:
        """The entry of Material.lib."""
        payload = mat0.build(self.phases, self.blocks)
        return NewEntry(MAT0, payload, name.encode(), attr1=self.kind, attr2=mat0.VERSION)


def _lit(
    texture: bytes,
    diffuse: Rgb = (190, 190, 190),
    ambient: Rgb = _BLACK,
    *,
    gloss: Rgb = _BLACK,
    power: int = 0,
) -> PhaseRecord:
    """A surface in the light of the game, where a top gets 2.8 times its diffuse color, a side half of that.

    So a diffuse of 255 whitens tops and one of 180 leaves sides as the texture has them; what is upright in
    front or behind gets the scene color, or the ambient one. The gloss shows with a power, twice on tops.
    """
    return PhaseRecord(texture, ambient=ambient, diffuse=diffuse, specular=gloss, power=power)


def _glowing(texture: bytes, strength: int = 255, page: int = -1) -> PhaseRecord:
    """Light of its own, `strength` of 255, independent of other lights."""
    ambient = (strength, strength, strength)
    return PhaseRecord(texture, ambient=ambient, diffuse=_BLACK, page=page)


def _ground(texture: bytes) -> PhaseRecord:
    """Ground: both lights of the game meet it from above and whiten it a little, a head light grazes it."""
    return PhaseRecord(texture, ambient=_BLACK, diffuse=_GROUND)


def _fine(texture: bytes, fine: bytes) -> Material:
    """A material whose second block is the microtexture of a terrain."""
    return Material(
        [_ground(texture), _ground(fine)], blocks=[block(LOOP, NO_MASK, [(phase, 246)]) for phase in (0, 1)]
    )


def _emblem() -> Material:
    """The sign of each of eight clans, a block for each: the game shows the one of the clan of the object."""
    ambient, diffuse = (165, 165, 165), (90, 90, 90)
    phases = [
        PhaseRecord(b"EMBLEMS.0", ambient=ambient, diffuse=diffuse, page=cell) for cell in lights.CLAN_CELLS
    ]
    blocks = [block(LOOP, NO_MASK, [(clan, 246)]) for clan in range(len(phases))]
    return Material(phases, blocks=blocks)


def _sign() -> Material:
    """Running chevrons; the second variant is a warning, the third counts up once and stops."""
    sign = b"SIGN.0"
    phases = [_glowing(sign, page=page) for page in range(3)]
    phases += [_glowing(sign, 0, 2), _glowing(sign, 255, 3), _glowing(sign, 0, 3)]
    running = block(LOOP, NO_MASK, [(0, 300), (1, 600), (2, 1200), (3, 1500)])
    warning = block(PING_PONG, AMBIENT_MASK, [(4, 150), (4, 500), (5, 650)])
    opening = block(ONCE, NO_MASK, [(3, 600), (0, 1200), (1, 1800), (2, 2400)])
    return Material(phases, blocks=[running, warning, opening])


def _beacon() -> Material:
    """A red lamp that fades in and out."""
    phases = [_glowing(b"LENS_RED.0"), _glowing(b"LENS_RED.0", 20)]
    return Material(phases, blocks=[block(LOOP, AMBIENT_MASK, [(0, 700), (1, 1400)])])


def _failing_lamp() -> Material:
    """A lamp with a loose contact, off at random times."""
    phases = [_glowing(b"LENS_WHITE.0"), _glowing(b"LENS_WHITE.0", 0)]
    keys = [(0, 900), (1, 960), (0, 1010), (1, 1120), (0, 1700)]
    return Material(phases, blocks=[block(RANDOM, NO_MASK, keys)])


def _flame() -> Material:
    """A jet: four images in sequence, with varying brightness."""
    phases = [_glowing(b"FLAME.0", strength, page) for page, strength in enumerate((180, 110, 160, 95))]
    keys = [(page, 70 * (page + 1)) for page in range(len(phases))]
    return Material(phases, ADDITIVE, [block(LOOP, AMBIENT_MASK, keys)])


def _fire() -> Material:
    """A ball of fire that burns out in the life of a particle."""
    phases = [_glowing(b"FIRE.0", page=page) for page in range(lights.FIRE_COUNT)]
    return Material(
        phases, ADDITIVE, [block(LOOP, NO_MASK, [(page, 100 * (page + 1)) for page in range(len(phases))])]
    )


def _belt() -> Material:
    """A link of a belt: four images, each moved on by a quarter, in one loop of the channel that plays it."""
    phases = [
        PhaseRecord(b"BELT.0", ambient=_COOL_SHADE, diffuse=_COOL, page=page)
        for page in range(textures.BELT_COUNT)
    ]
    return Material(
        phases, SKIN, [block(LOOP, NO_MASK, [(page, 62 * (page + 1)) for page in range(len(phases))])]
    )


def _embers() -> Material:
    """The flickering glow of a fire."""
    phases = [_glowing(b"GLOW_FIRE.0", strength) for strength in (180, 70)]
    return Material(phases, ADDITIVE, [block(LOOP, AMBIENT_MASK, [(0, 450), (1, 900)])])


def materials() -> Mapping[str, Material]:
    """All materials by name; the first is the fallback of the game."""
    return {
        "DEFAULT": Material([_lit(b"METAL.0", _COOL, _COOL_SHADE)], SKIN),
        "WALKER_ARMOUR": Material([_lit(b"ARMOUR.0", _WARM, _WARM_SHADE, gloss=(20, 19, 16), power=3)], SKIN),
        "WALKER_METAL": Material([_lit(b"METAL.0", _COOL, _COOL_SHADE, gloss=(70, 78, 92), power=4)], SKIN),
        "WALKER_JOINT": Material([_lit(b"DARK.0", _COOL, _COOL_SHADE, gloss=(50, 54, 64), power=2)], SKIN),
        "TRIM": Material([_lit(b"TRIM.0", _PALE, _WARM_SHADE)], SKIN),
        "LAMP": Material([_glowing(b"LENS_WHITE.0")]),
        "FAILING_LAMP": _failing_lamp(),
        "HALO": Material([_glowing(b"GLOW_WHITE.0", 75)], ADDITIVE),
        "GLASS": Material([_lit(b"GLASS.0", _COOL, _COOL_SHADE, gloss=(90, 102, 120), power=4)], SEE_THROUGH),
        "ENGINE_GLOW": _embers(),
        "FLAME": _flame(),
        "FIRE": _fire(),
        "SCORCHED": Material([_lit(b"SCORCHED.0", _PALE, _WARM_SHADE)], SKIN),
        "BARK": Material([_lit(b"BARK.0", _PALE, _WARM_SHADE)], SKIN),
        "LEAVES": Material([_lit(b"LEAVES.0", (150, 158, 116), (76, 84, 60))], SEE_THROUGH),
        "DRONE_HULL": Material([_lit(b"DRONE.0", _PALE, _COOL_SHADE, gloss=(26, 29, 34), power=4)], SKIN),
        "DRONE_DARK": Material([_lit(b"DARK.0", _COOL, _COOL_SHADE, gloss=(50, 56, 66), power=4)], SKIN),
        "ROTOR_BLUR": Material([_lit(b"ROTOR.0", _COOL, _COOL_SHADE)], SEE_THROUGH),
        "BEACON": _beacon(),
        "BELT_L": _belt(),
        "BELT_R": _belt(),
        "CONCRETE": Material([_lit(b"CONCRETE.0", _WHITE)], SKIN),
        "CLADDING": Material([_lit(b"CLADDING.0", _WHITE)], SKIN),
        "TOWER_STEEL": Material([_lit(b"METAL.0", _COOL, _COOL_SHADE, gloss=(60, 66, 78), power=3)], SKIN),
        "WINDOWS": Material([_glowing(b"WINDOWS.0", 180)]),
        "SIGN": _sign(),
        "GRASS": Material([_ground(b"GRASS.0")]),
        "ROCK": Material([_ground(b"ROCK.0")]),
        "BED": Material([_ground(b"BED.0")]),
        "WATER": Material([_ground(b"WATER.0")], SEE_THROUGH),
        "GRAIN": _fine(b"BED.0", b"GRAINM.0"),
        "GRAVEL": _fine(b"ROCK.0", b"GRAVELM.0"),
        "PORTAL_001": Material([_glowing(b"EXIT.0")], SEE_THROUGH),
        "B_LBL_01": _emblem(),
        "SMOKE": Material([_glowing(b"SMOKE.0", 150)], SEE_THROUGH),
        "SHIELD": Material([_glowing(b"GLASS.0")], ADDITIVE),
        "PLAIN": Material([PhaseRecord(ambient=_BLACK, diffuse=(180, 176, 160))]),
    }


@dataclass(frozen=True)
class Texture:
    """A Texm entry."""

    image: Pixels
    pixel_format: PixelFormat
    mips: int = 1
    pages: Sequence[tuple[int, int, int, int]] = ()

    def entry(self, name: str) -> NewEntry:
        """The entry of a texture library."""
        rgba = paint.to_rgba(self.image)
        payload = texm.build(rgba, self.pixel_format, mip_count=self.mips, pages=self.pages)
        return NewEntry(TEXM, payload, name.encode())


def _skin(image: Pixels, mips: int = 8, pages: Sequence[tuple[int, int, int, int]] = ()) -> Texture:
    """A texture in the format of most skins."""
    return Texture(image, PixelFormat.RGB565, mips, pages)


def all_textures() -> Mapping[str, Texture]:
    """All textures by name, in every pixel format that retail files have."""
    cut, full = PixelFormat.ARGB4444, PixelFormat.ARGB8888
    white, fire, red = (1.0, 0.93, 0.7), (1.0, 0.45, 0.08), (1.0, 0.12, 0.05)
    return {
        "SIGN.0": Texture(lights.sign(), PixelFormat.INDEXED, 6, lights.sign_pages()),
        "LENS_WHITE.0": Texture(lights.lens(white), PixelFormat.RGB888, 6),
        "LENS_RED.0": Texture(lights.lens(red), PixelFormat.RGB888, 6),
        "GLOW_WHITE.0": Texture(paint.glowing(lights.glow(white)), full, 6),
        "GLOW_FIRE.0": Texture(paint.glowing(lights.glow(fire)), full, 6),
        "FIRE.0": Texture(paint.glowing(lights.fire()), full, 7, lights.fire_pages()),
        "SMOKE.0": Texture(lights.smoke(), full, 7),
        "FLAME.0": Texture(paint.glowing(lights.flames()), full, 6, lights.flame_pages()),
        "ARMOUR.0": _skin(textures.armour(), 9),
        "METAL.0": Texture(textures.metal(), full, 8),
        "DARK.0": _skin(textures.dark_metal(), 7),
        "SCORCHED.0": _skin(textures.scorched()),
        "DRONE.0": Texture(textures.drone_hull(), full, 8),
        "CONCRETE.0": _skin(textures.concrete()),
        "CLADDING.0": _skin(textures.cladding()),
        "WINDOWS.0": _skin(textures.windows(), 7),
        "TRIM.0": Texture(textures.trim(), PixelFormat.INDEXED, 9, list(trims.PIXELS.values())),
        "LEAVES.0": Texture(foliage.leaves(), cut, 9),
        "BARK.0": _skin(foliage.bark(), 7),
        "GLASS.0": Texture(lights.glass(), cut, 7),
        "ROTOR.0": Texture(lights.rotor_blur(), cut, 7),
        "GRASS.0": _skin(ground.grass()),
        "ROCK.0": _skin(ground.rock()),
        "BED.0": _skin(ground.bed()),
        "WATER.0": _skin(ground.water()),
        "GRAINM.0": _skin(ground.grain()),
        "GRAVELM.0": _skin(ground.gravel()),
        "BELT.0": _skin(textures.belt(), 5, textures.belt_pages()),
        "EXIT.0": Texture(lights.exit_sign(), full, 7),
        "EMBLEMS.0": _skin(lights.emblems(), 8, lights.emblem_pages()),
    }  # fmt: skip
