"""Material.lib and Textures.lib: what the names in the wear tables mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assets.sample import foliage, paint, textures, trims
from assets.sample.paint import Picture
from viewer.formats import mat0, texm
from viewer.formats.mat0 import Block, Phase, block
from viewer.formats.nres import NewEntry
from viewer.formats.pixels import PixelFormat

MAT0 = int.from_bytes(b"MAT0", "little")
TEXM = int.from_bytes(b"Texm", "little")

OPAQUE, SKIN, SEE_THROUGH, ADDITIVE = 0, 2, 4, 8
"""attr1 of a material: how it blends, and whether its texture's alpha is gloss (field-notes.md 4)."""

LOOP, PING_PONG = 0, 1
EMISSIVE_MASK, NO_MASK = 0x08, 0

_SHADE = (150, 150, 150)
_MIX = (5, 6)
_ADD = (5, 2)


@dataclass(frozen=True)
class Material:
    """One MAT0 entry."""

    phases: Sequence[Phase]
    kind: int = OPAQUE
    blocks: Sequence[Block] = ()
    blend: tuple[int, int] = (255, 255)
    emissive: float = 0.0

    def entry(self, name: str) -> NewEntry:
        """The entry of Material.lib."""
        payload = mat0.build(self.phases, self.blocks, blend=self.blend, emissive=self.emissive)
        return NewEntry(MAT0, payload, name.encode(), attr1=self.kind, attr2=mat0.VERSION)


def _matt(texture: bytes, emissive: tuple[int, int, int] = (0, 0, 0)) -> Phase:
    return Phase(texture, ambient=_SHADE, emissive=emissive)


def _shiny(texture: bytes, strength: int, power: int) -> Phase:
    return Phase(texture, ambient=_SHADE, specular=(strength, strength, strength), power=power)


def _lit(texture: bytes, emissive: tuple[int, int, int] = (0, 0, 0)) -> Phase:
    """Drawn at full brightness: black diffuse and white ambient."""
    return Phase(texture, ambient=(255, 255, 255), diffuse=(0, 0, 0), emissive=emissive)


def _sign() -> Material:
    """One chevron after the other, then all of them, then none."""
    names = [b"SIGN_%d.0" % number for number in range(4)]
    keys = [(0, 0), (1, 250), (2, 500), (3, 750), (3, 1000), (0, 1500)]
    return Material([_lit(name) for name in names], blocks=[block(LOOP, NO_MASK, keys)], emissive=1.0)


def _beacon() -> Material:
    """A red lamp that swells and fades."""
    phases = [_lit(b"GLOW_RED.0", (40, 0, 0)), _lit(b"GLOW_RED.0", (255, 30, 10))]
    pulse = block(PING_PONG, EMISSIVE_MASK, [(0, 0), (1, 700)])
    return Material(phases, blocks=[pulse], emissive=1.0)


def materials() -> Mapping[str, Material]:
    """All materials by name; the first is what the game falls back to."""
    return {
        "DEFAULT": Material([_matt(b"METAL.0")]),
        "WALKER_ARMOUR": Material([_shiny(b"ARMOUR.0", 60, 12)], SKIN),
        "WALKER_METAL": Material([_shiny(b"METAL.0", 140, 30)], SKIN),
        "WALKER_JOINT": Material([_shiny(b"DARK.0", 90, 20)], SKIN),
        "TRIM": Material([_matt(b"TRIM.0")]),
        "LAMP": Material([_lit(b"GLOW_WHITE.0", (255, 240, 200))], emissive=1.0),
        "GLASS": Material([_shiny(b"GLASS.0", 255, 60)], SEE_THROUGH, blend=_MIX),
        "ENGINE_GLOW": Material([_lit(b"GLOW_FIRE.0", (255, 120, 30))], ADDITIVE, blend=_ADD, emissive=1.0),
        "SCORCHED": Material([_matt(b"SCORCHED.0")]),
        "BARK": Material([_matt(b"BARK.0")]),
        "LEAVES": Material([_matt(b"LEAVES.0")], SEE_THROUGH, blend=_MIX),
        "DRONE_HULL": Material([_shiny(b"DRONE.0", 200, 40)], SKIN),
        "DRONE_DARK": Material([_shiny(b"DARK.0", 120, 24)], SKIN),
        "ROTOR_BLUR": Material([_matt(b"ROTOR.0")], SEE_THROUGH, blend=_MIX),
        "BEACON": _beacon(),
        "CONCRETE": Material([_matt(b"CONCRETE.0")]),
        "CLADDING": Material([_shiny(b"CLADDING.0", 50, 10)], SKIN),
        "TOWER_STEEL": Material([_shiny(b"METAL.0", 80, 20)], SKIN),
        "WINDOWS": Material([_matt(b"WINDOWS.0", (80, 66, 36))], emissive=0.6),
        "SIGN": _sign(),
        "GRASS": Material([_matt(b"GRASS.0")]),
        "ROCK": Material([_matt(b"ROCK.0")]),
        "SAND": Material([_matt(b"SAND.0")]),
        "WATER": Material([_shiny(b"GLASS.0", 255, 80)], SEE_THROUGH, blend=_MIX),
        "PLAIN": Material([Phase(diffuse=(180, 176, 160))]),
    }


@dataclass(frozen=True)
class Texture:
    """One Texm entry."""

    picture: Picture
    pixel_format: PixelFormat
    mips: int = 1
    pages: Sequence[tuple[int, int, int, int]] = ()

    def entry(self, name: str) -> NewEntry:
        """The entry of a texture library."""
        rgba = paint.to_rgba(self.picture)
        payload = texm.build(rgba, self.pixel_format, mip_count=self.mips, pages=self.pages)
        return NewEntry(TEXM, payload, name.encode())


def all_textures() -> Mapping[str, Texture]:
    """All textures by name, in every pixel format that retail files have."""
    rgb, cut, gloss = PixelFormat.RGB565, PixelFormat.ARGB4444, PixelFormat.ARGB8888
    signs = {f"SIGN_{number}.0": Texture(foliage.sign(number), PixelFormat.INDEXED, 4) for number in range(4)}
    glows = {
        f"GLOW_{name}.0": Texture(foliage.glow(color), PixelFormat.RGB888, 6)
        for name, color in (
            ("WHITE", (1.0, 0.93, 0.7)),
            ("FIRE", (1.0, 0.45, 0.08)),
            ("RED", (1.0, 0.12, 0.05)),
        )
    }
    return signs | glows | {
        "ARMOUR.0": Texture(textures.armour(), rgb, 9),
        "METAL.0": Texture(textures.metal(), rgb, 8),
        "DARK.0": Texture(textures.dark_metal(), rgb, 7),
        "SCORCHED.0": Texture(textures.scorched(), rgb, 8),
        "DRONE.0": Texture(textures.drone_hull(), gloss, 8),
        "CONCRETE.0": Texture(textures.concrete(), rgb, 8),
        "CLADDING.0": Texture(textures.cladding(), rgb, 8),
        "WINDOWS.0": Texture(textures.windows(), rgb, 7),
        "TRIM.0": Texture(textures.trim(), PixelFormat.INDEXED, 9, list(trims.PIXELS.values())),
        "LEAVES.0": Texture(foliage.leaves(), cut, 9),
        "BARK.0": Texture(foliage.bark(), rgb, 7),
        "GLASS.0": Texture(foliage.glass(), cut, 7),
        "ROTOR.0": Texture(foliage.rotor_blur(), cut, 7),
        "GRASS.0": Texture(foliage.grass(), rgb, 7),
        "ROCK.0": Texture(foliage.rock(), rgb, 7),
        "SAND.0": Texture(foliage.sand(), rgb, 7),
    }  # fmt: skip
