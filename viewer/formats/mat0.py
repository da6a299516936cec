"""MAT0, a material: its blending, its phases (colors and a texture each), and its animation.

Source: spec/materials.md 4, spec/field-notes.md 4.
Status: inferred; nothing after the counts of the header is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, FormatError, Severity, row_findings
from viewer.formats.archive.nres import Entry
from viewer.formats.part import Part, group, listing, raw, single, table
from viewer.formats.record import CP1251, TEXTURE, Bits, Bytes, Field, Record, Rows, Status
from viewer.formats.text import padded, until_nul
from viewer.translation import Sentence

VERSION = 6
"""The payload version of every retail material; stored in attr2 of the entry."""
MAX_BLOCKS = 19
NAME_SIZE = 16
BLOCK_HEADER_SIZE = 6
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
    Field("block_count", "<u2", "Number of animation blocks, below 20."),
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


PHASE = Record(
    "phases",
    34,
    *_color("ambient", "Light of the surface itself: red, green, blue.", 100, "Opacity."),
    *_color("diffuse", "Share of the light that is reflected: red, green, blue.", 255, _UNUSED_ALPHA),
    *_color("specular", "Highlight, which the game never switches on: red, green, blue.", 255, _UNUSED_ALPHA),
    *_color("emissive", "Not used by the game: red, green, blue.", 255, _UNUSED_ALPHA),
    Field("power", "u1", "Power of the highlight: the device gets 1 << power.", status=_INFERRED),
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
    BLOCK_HEADER_SIZE,
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

BLENDS = (0, 4, 2, 3, 5)
"""Blend mode by index, which is bits 2 to 5 of attr1."""
LIT_SKIN = 0x02
"""Bit of attr1 that ordinary skins have."""
FLAG_HINTS = {0x01: "extra texture-load flag", 0x02: "lit skin", 0x40: "extra material flag"}
"""Bits of attr1 besides the blend index in bits 2 to 5."""

_DEFAULTS = bytes.fromhex("0000 0000 FF FF 0000803F 00000000")


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """One animation block: a `BLOCK` record and its keys (`KEY` records)."""

    header_row: np.void
    keys: Rows

    @property
    def header(self) -> int:
        """Mode and mask in one word."""
        return int(self.header_row["header"])

    @property
    def mode(self) -> int:
        """0 loop, 1 ping-pong, 2 once, 3 random."""
        return self.header & 7

    @property
    def mask(self) -> int:
        """The fields that are blended between keys; the others jump."""
        return self.header >> 3

    def encode(self) -> bytes:
        """The bytes of the block."""
        return self.header_row.tobytes() + self.keys.tobytes()


@dataclass(frozen=True, slots=True)
class PhaseRecord:
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


@dataclass(frozen=True, slots=True)
class MaterialRecord:
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
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)

    def texture(self, phase: int) -> bytes:
        """The texture name of a phase, empty if it is untextured."""
        return until_nul(bytes(self.phases[phase]["texture"]))


def header_size(version: int) -> int:
    """Size of the header that a payload of `version` stores, bytes."""
    return 4 if version < 2 else {2: 6, 3: 10}.get(version, HEADER.size)


def decode(data: Bytes, version: int = VERSION) -> MaterialRecord:
    """Read a material of payload `version`.

    Raises `FormatError` if the header is truncated or invalid (M01) or a phase is truncated (M02); truncated
    animation blocks and a tail are kept unchanged and reported.
    """
    data = memoryview(data).cast("B")
    header = _read_header(data, version)
    phases_start = header_size(version)
    phases = _read_phases(data, phases_start, int(header["phase_count"]))
    findings = list(_phase_findings(phases))
    blocks, end = _read_blocks(data, phases_start + phases.nbytes, int(header["block_count"]), findings)
    findings += _block_findings(blocks, len(phases))
    tail = bytes(data[end:])
    if tail:
        findings.append(
            Diagnostic(
                "M03", Severity.ERROR, Sentence("{size} bytes after the last block", size=len(tail)), "tail"
            )
        )
    return MaterialRecord(version, header, phases, blocks, tail, tuple(findings))


def encode(material: MaterialRecord) -> bytes:
    """The payload; counts come from the stored header, so damaged materials are unchanged."""
    header = material.header.tobytes()[: header_size(material.version)]
    blocks = b"".join(block.encode() for block in material.blocks)
    return header + material.phases.tobytes() + blocks + material.tail


def parts(material: MaterialRecord) -> Part:
    """Return the tree of parts."""
    stored = header_size(material.version)
    header = single(HEADER, material.header, 0, stored)
    phases = table(PHASE, material.phases, stored)
    blocks: list[Part] = []
    start = phases.end
    for item in material.blocks:
        mode = single(BLOCK, item.header_row, start)
        blocks.append(group((mode, table(KEY, item.keys, mode.end)), "block", start))
        start = blocks[-1].end
    listed = listing(BLOCKS, blocks, phases.end, "Animations of the material's phases.")
    return group((header, phases, listed, raw("tail", material.tail, start, "Bytes after the last block.")))


def facts(material: MaterialRecord, entry: Entry | None = None) -> dict[str, Any]:
    """Return the attributes of the entry, and how the material blends by them."""
    attr1, attr3 = (entry.attr1, entry.attr3) if entry else (0, 0)
    index = attr1 >> 2 & 15
    return {
        "attr1": attr1,
        "version": material.version,
        "attr3": attr3,
        "blend_mode": BLENDS[index] if index < len(BLENDS) else None,
        "is_lit_skin": bool(attr1 & LIT_SKIN),
    }


def build(
    phases: Sequence[PhaseRecord],
    blocks: Sequence[BlockRecord] = (),
    *,
    ground: tuple[int, int, float, int] = (NOT_SET, 0xFF, 1.0, 0),
    version: int = VERSION,
) -> bytes:
    """Write a material; `ground` are the fields of the header after the counts."""
    if len(blocks) > MAX_BLOCKS:
        raise ValueError(f"{len(blocks)} animation blocks, the game accepts at most {MAX_BLOCKS}")
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
    header[0] = (mask << 3 | mode, len(rows))
    return BlockRecord(header[0], rows)


def _read_header(data: memoryview, version: int) -> np.void:
    stored = header_size(version)
    if len(data) < stored:
        message = Sentence(
            "{size} bytes, version {version} requires {stored}",
            size=len(data),
            version=version,
            stored=stored,
        )
        raise FormatError(message, table=HEADER.name, rule="M01")
    header = HEADER.read(bytes(data[:stored]) + _DEFAULTS[stored:])
    if header["block_count"] > MAX_BLOCKS:
        message = Sentence(
            "{block_count} animation blocks, the game accepts at most {limit}",
            block_count=header["block_count"],
            limit=MAX_BLOCKS,
        )
        raise FormatError(message, table=HEADER.name, field="block_count", rule="M01")
    return header


def _read_phases(data: memoryview, start: int, count: int) -> Rows:
    available = (len(data) - start) // PHASE.size
    if count > available:
        message = Sentence(
            "{count} phases, {available} fit the {size} bytes",
            count=count,
            available=available,
            size=len(data),
        )
        raise FormatError(message, table=PHASE.name, index=available, rule="M02")
    return PHASE.view(data, offset=start, count=count)


def _read_blocks(
    data: memoryview, start: int, count: int, findings: list[Diagnostic]
) -> tuple[tuple[BlockRecord, ...], int]:
    """The whole blocks from `start`, and their end."""
    blocks: list[BlockRecord] = []
    for index in range(count):
        keys_start = start + BLOCK_HEADER_SIZE
        key_count = int.from_bytes(data[start + 4 : keys_start], "little")
        end = keys_start + key_count * KEY.size
        if end > len(data):
            message = Sentence(
                "{key_count} keys at {start} do not fit {size} bytes",
                key_count=key_count,
                start=start,
                size=len(data),
            )
            findings.append(Diagnostic("M02", Severity.ERROR, message, BLOCKS, index))
            break
        header = BLOCK.view(data, offset=start, count=1)[0]
        blocks.append(BlockRecord(header, KEY.view(data, offset=keys_start, count=key_count)))
        start = end
    return tuple(blocks), start


def _phase_findings(phases: Rows) -> Iterator[Diagnostic]:
    if len(phases) == 0:
        yield Diagnostic("M04", Severity.WARNING, "no phases", HEADER.name, field="phase_count")
    endless = [index for index, name in enumerate(phases["texture"].tolist()) if b"\0" not in name]
    yield from row_findings(
        "M05", Severity.WARNING, PHASE.name, endless, lambda _: "no NUL in the name", "texture"
    )


def _block_findings(blocks: tuple[BlockRecord, ...], phase_count: int) -> Iterator[Diagnostic]:
    for index, item in enumerate(blocks):
        beyond = np.flatnonzero(item.keys["phase"] >= phase_count)
        if len(beyond):
            message = Sentence(
                "phase {phase} of {phase_count}", phase=item.keys["phase"][beyond[0]], phase_count=phase_count
            )
            path = f"{BLOCKS}[{index}].{KEY.name}"
            yield Diagnostic("M06", Severity.WARNING, message, path, int(beyond[0]), "phase")
