"""MAT0, a material: its blending, its phases (colors and a texture each), and its animation.

Source: spec/materials.md 4, spec/field-notes.md 4.
Status: inferred; nothing after the counts of the header is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.archive.nres import Entry
from viewer.formats.findings import Rule, endless_names
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import Listing, Nested
from viewer.formats.layout.members import Array, Single, tail
from viewer.formats.record import CP1251, TEXTURE, Bits, Field, Record, Rows, Status
from viewer.formats.text import padded, until_nul
from viewer.json_types import U32
from viewer.translation import _

VERSION = 6
"""The payload version of every retail material; stored in attr2 of the entry."""
# The engine stops at 20 blocks (spec/materials.md 4.1).
MAX_BLOCKS = 19
NAME_SIZE = 16
BLOCKS = "blocks"

_INFERRED = Status.INFERRED

COLORS = ("ambient", "diffuse", "specular", "emissive")
"""The colors of a phase; each has an alpha, ``ambient_alpha`` and so on."""
NOT_SET = 0xFF
"""The ground surface of a material that is not ground."""
MODES = {0: "loop", 1: "ping-pong", 2: "once", 3: "random"}
BLENDED = {0x01: "ambient", 0x02: "diffuse", 0x04: "specular", 0x08: "emissive", 0x10: "ambient alpha"}
"""Fields that a block blends, by the bits of its mask."""

HEADER = Record(
    "header",
    14,
    Field("phase_count", "<u2", "Number of phases."),
    Field("block_count", "<u2", "Number of animation blocks.", allowed=range(MAX_BLOCKS + 1)),
    Field("ground_surface", "u1", "Ground surface, 0 to 10.", values={NOT_SET: "not set"}, status=_INFERRED),
    Field("unknown_0x05", "u1", "0xFF in known files.", status=Status.OPEN),
    Field("speed_factor", "<f4", "Factor of the speed on this ground; 1 in known files.", status=_INFERRED),
    Field("damage_per_second", "<u4", "Hit points lost per second on this ground.", status=_INFERRED),
    doc="Counts, and fields for all phases; shorter in old versions.",
)


_UNUSED_ALPHA = "Alpha, which does not reach the device."


def _color(name: str, doc: str, alpha_scale: float, alpha_doc: str) -> tuple[Field, Field]:
    """The fields of a color and its alpha."""
    return (
        Field(name, "u1", doc, (3,), unit="1/255", scale=255, status=_INFERRED),
        Field(
            f"{name}_alpha",
            "u1",
            alpha_doc,
            unit=f"1/{alpha_scale:g}",
            scale=alpha_scale,
            status=_INFERRED,
        ),
    )


# The order on disk. The record of 76 bytes that the loader makes has diffuse before ambient, and the seeds
# count its offsets from 4 bytes further down (spec/materials.md 4.3, spec/README.md 5, C19).
PHASE = Record(
    "phases",
    34,
    *_color(
        "ambient",
        "Light of the surface itself, added to what falls on it: red, green, blue.",
        100,
        "Opacity.",
    ),
    *_color("diffuse", "Share of the light that is reflected: red, green, blue.", 255, _UNUSED_ALPHA),
    *_color(
        "specular", "Color of the highlight, added after the texture: red, green, blue.", 255, _UNUSED_ALPHA
    ),
    *_color("emissive", "Not used by the game: red, green, blue.", 255, _UNUSED_ALPHA),
    Field(
        "power",
        "u1",
        "Power of the highlight: its exponent is 2 to the power of one less; 0 is no highlight.",
        status=_INFERRED,
    ),
    Field(
        "page",
        "i1",
        "Sub-image: row of the texture's page table.",
        values={-1: "whole texture"},
        status=_INFERRED,
    ),
    Field("texture", f"V{NAME_SIZE}", "Texture; empty = untextured.", encoding=CP1251, names=TEXTURE),
    doc="One state of the material: colors and a texture.",
)

BLOCK = Record(
    "header",
    6,
    Field(
        "header",
        "<u4",
        "Mode, and the fields that are blended between keys.",
        bits=(
            Bits("mode", 0, 3, "Mode of playing the keys.", values=MODES),
            Bits("mask", 3, 29, "Fields that are blended; the others jump."),
        ),
        status=_INFERRED,
    ),
    Field("key_count", "<u2", "Number of keys."),
    doc="Mode and length of an animation block.",
)

KEY = Record(
    "keys",
    6,
    Field("phase", "<u2", "Phase that this key shows.", refers_to="phases", status=_INFERRED),
    Field("time", "<u2", "End of the segment of the key.", unit="ms"),
    Field("unknown_0x04", "<u2", "Not used by the engine.", status=Status.OPEN),
    doc="The phase of a key and the end of its segment.",
)

# Not the identity: attr1 8, additive, is index 2 and mode 2, but attr1 4, see-through, is index 1 and mode 4.
BLENDS = (0, 4, 2, 3, 5)
"""Blend mode by index, which is bits 2 to 5 of attr1."""
LIT_SKIN = 0x02
"""Bit of attr1 that ordinary skins have."""
FLAG_HINTS = {
    0x01: _("extra texture-load flag"),
    0x02: _("lit skin"),
    0x40: _("extra material flag"),
}
"""Bits of attr1 besides the blend index in bits 2 to 5."""

# 4 bytes of counts, which every version stores, then what the engine takes for fields that an old version
# does not have: surface 0xFF, 0xFF, factor 1.0 (0x3F800000), 0 hit points.
_DEFAULTS = bytes.fromhex("0000 0000 FF FF 0000803F 00000000")


class BlockRecord(Struct, frozen=True, eq=False):
    """An animation block: a `BLOCK` record and its keys (`KEY` records)."""

    header_row: np.void
    keys: Rows

    @property
    def header(self) -> int:
        """Mode and mask in one word."""
        return int(self.header_row["header"])

    @property
    def mode(self) -> int:
        """0 loop, 1 ping-pong, 2 once, 3 random."""
        # 3 bits of mode below 29 bits of mask: 0x12 is mode 2 and mask 2.
        return self.header & 7

    @property
    def mask(self) -> int:
        """The fields that are blended between keys; the others jump."""
        return self.header >> 3


class PhaseRecord(Struct, frozen=True):
    """A phase to be written: colors and alphas are 0..255, the ambient alpha is in per cent."""

    texture: bytes = b""
    ambient: tuple[int, int, int] = (255, 255, 255)
    ambient_alpha: int = 100
    diffuse: tuple[int, int, int] = (255, 255, 255)
    diffuse_alpha: int = 255
    specular: tuple[int, int, int] = (0, 0, 0)
    specular_alpha: int = 255
    emissive: tuple[int, int, int] = (0, 0, 0)
    emissive_alpha: int = 255
    power: int = 0
    page: int = -1

    def record(self) -> tuple[Any, ...]:
        """The values in the order of `PHASE`; raises `ValueError` for a name over 15 bytes."""
        return *(getattr(self, f.name) for f in PHASE.fields[:-1]), padded(self.texture, NAME_SIZE)


class MaterialRecord(Struct, frozen=True, eq=False):
    """A decoded material; arrays are raw records, `tail` the bytes after the last whole block.

    Parameters
    ----------
    version
        Payload version (attr2), which determines the size of the stored header.
    header
        One `HEADER` record; fields that the version does not have contain the engine's defaults.
    phases
        `PHASE` records.
    blocks
        Animation blocks in order.
    """

    version: int
    header: np.void
    phases: Rows
    blocks: tuple[BlockRecord, ...] = ()
    tail: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()

    def texture(self, phase: int) -> bytes:
        """The texture name of a phase, empty if it is untextured."""
        return until_nul(bytes(self.phases[phase]["texture"]))

    def textures(self) -> list[bytes]:
        """The texture name of each phase, empty if it is untextured."""
        return [until_nul(raw) for raw in self.phases["texture"].tolist()]


def header_size(version: int) -> int:
    """Size of the header that a payload of `version` stores, bytes."""
    # Version 2 added both bytes, 3 the factor, 4 the hit points (spec/materials.md 4.1).
    return 4 if version < 2 else {2: 6, 3: 10}.get(version, HEADER.size)


def _findings(material: MaterialRecord) -> Iterator[Diagnostic]:
    phases = material.phases
    if len(phases) == 0:
        yield Rule("M04", HEADER.name, "phase_count", Severity.WARNING).finding("no phases")
    yield from endless_names(Rule("M05", PHASE.name, "texture", Severity.WARNING), phases)
    for index, item in enumerate(material.blocks):
        # The first wrong key of a block stands for the others: a wrong number of phases makes all of them
        # wrong.
        beyond = np.flatnonzero(item.keys["phase"] >= len(phases))
        for row in beyond[:1].tolist():
            phase = item.keys["phase"][row]
            rule = Rule("M06", f"{BLOCKS}[{index}].{KEY.name}", "phase", Severity.WARNING)
            yield rule.finding("phase {phase} of {phase_count}", row, phase=phase, phase_count=len(phases))


_BLOCK = Layout(BlockRecord, header_row=Single(BLOCK), keys=Array(KEY, Count("header_row", "key_count")))
LAYOUT = Layout(
    MaterialRecord,
    stated={"version": VERSION},
    check=_findings,
    header=Single(HEADER, "M01", size=lambda it: header_size(it.version), defaults=_DEFAULTS),
    phases=Array(PHASE, Count("header", "phase_count"), "M02", is_at_row=True),
    blocks=Listing(
        BLOCKS,
        Nested("block", _BLOCK),
        "Animations of the material's phases.",
        Count("header", "block_count"),
        "M02",
    ),
    tail=tail("Bytes after the last block.", "M03", is_after_damage=True),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts


class MaterialFacts(Struct, frozen=True):
    """The attributes of the entry, and how the material blends by them."""

    attr1: U32
    version: int
    attr3: U32
    blend_mode: int | None
    is_lit_skin: bool


def facts(material: MaterialRecord, entry: Entry | None = None) -> MaterialFacts:
    """The attributes of the entry, and how the material blends by them."""
    attr1, attr3 = (entry.attr1, entry.attr3) if entry else (0, 0)
    # Bits 2 to 5: 0x0C is blend mode 3.
    index = attr1 >> 2 & 15
    blend = BLENDS[index] if index < len(BLENDS) else None
    return MaterialFacts(attr1, material.version, attr3, blend, is_lit_skin=bool(attr1 & LIT_SKIN))


def build(
    phases: Sequence[PhaseRecord],
    blocks: Sequence[BlockRecord] = (),
    *,
    ground: tuple[int, int, float, int] = (NOT_SET, 0xFF, 1.0, 0),
    version: int = VERSION,
) -> bytes:
    """Write a material; `ground` are the fields of the header after the counts."""
    if len(blocks) > MAX_BLOCKS:
        words = "{count} animation blocks, the game accepts at most {limit}"
        raise ValueError(_(words, count=len(blocks), limit=MAX_BLOCKS))
    header, rows = HEADER.new(), PHASE.new(len(phases))
    header[0] = (len(phases), len(blocks), *ground)
    for index, phase in enumerate(phases):
        rows[index] = phase.record()
    return encode(MaterialRecord(version, header[0], rows, tuple(blocks)))


def block(mode: int, mask: int, keys: npt.ArrayLike) -> BlockRecord:
    """Make an animation block from ``(phase, time)`` pairs, shape (k, 2)."""
    pairs = np.asarray(keys, np.uint16).reshape(-1, 2)
    rows = KEY.new(len(pairs))
    rows["phase"], rows["time"] = pairs.T
    header = BLOCK.new()
    # << binds before |: mask 2 and mode 1 give 0x11.
    header[0] = (mask << 3 | mode, len(rows))
    return BlockRecord(header[0], rows)
