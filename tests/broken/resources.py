"""Wear tables, materials, textures, effects and object references that break one rule each."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

import numpy as np

from tests.broken.case import ERROR, INFO, WARNING, Case, findings
from viewer.diagnostics import Diagnostic
from viewer.formats import mat0, objects
from viewer.formats.archive import nres
from viewer.formats.fxid import COMMAND_KINDS
from viewer.formats.mat0 import KEY, PhaseRecord
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import HEADER as TEXTURE
from viewer.formats.texture.texm import PAGE

WEAR = b"2\r\n0 STONE.0\r\n1 GLASS\r\n\r\nLIGHTMAPS\r\n1\r\n0 HALL.A0\r\n"


def _wear(old: bytes, new: bytes) -> Callable[[], list[Diagnostic]]:
    return lambda: findings("wear", WEAR.replace(old, new))


def material() -> bytearray:
    """Two phases, blended back and forth."""
    return bytearray(
        mat0.build([PhaseRecord(b"STONE.0"), PhaseRecord(b"MOSS.0")], [mat0.block(1, 2, [(0, 0), (1, 500)])])
    )


def check_material(
    data: bytes | bytearray, attr1: int = 0, version: int = mat0.VERSION, attr3: int = 0
) -> list[Diagnostic]:
    """What is found in a material and in the entry that it stands in."""
    entry = nres.Entry(4, 0x3054414D, attr1, version, len(data), attr3, b"STONE", 16, 0)
    return findings("mat0", data, b"STONE", entry)


def _material(change: Callable[[bytearray], object]) -> Callable[[], list[Diagnostic]]:
    def find() -> list[Diagnostic]:
        data = material()
        change(data)
        return check_material(data)

    return find


def _cut(count: int) -> Callable[[bytearray], object]:
    def cut(data: bytearray) -> None:
        del data[-count:]

    return cut


def _put(place: int, value: bytes) -> Callable[[bytearray], object]:
    def put(data: bytearray) -> None:
        data[place : place + len(value)] = value

    return put


PHASE_END = mat0.HEADER.size + mat0.PHASE.size
KEYS_START = PHASE_END + mat0.PHASE.size + mat0.BLOCK.size


def texture() -> bytearray:
    """Four by two pixels in three levels, with two rectangles."""
    pages = [(0, 0, 2, 2), (2, 0, 2, 2)]
    return bytearray(texm.build(np.zeros((2, 4, 4), np.uint8), PixelFormat.RGB565, mip_count=3, pages=pages))


def _texture(change: Callable[[bytearray], object]) -> Callable[[], list[Diagnostic]]:
    def find() -> list[Diagnostic]:
        data = texture()
        change(data)
        return findings("texm", data)

    return find


def _header(field: str, value: int) -> Callable[[], list[Diagnostic]]:
    return _texture(_put(TEXTURE.field(field).offset, struct.pack("<I", value)))


def _page(field: str, value: int) -> Callable[[], list[Diagnostic]]:
    place = len(texture()) - PAGE.size + PAGE.field(field).offset
    return _texture(_put(place, struct.pack("<h", value)))


def _endless_chain() -> list[Diagnostic]:
    image = np.zeros((1, 1, 4), np.uint8)
    return findings("texm", texm.build(image, PixelFormat.RGB565, mip_count=2))


def sound_command(archive: bytes = b"sounds.lib", resource: bytes = b"boom.wav", word: int = 0x102) -> bytes:
    """A command that plays a sound."""
    return struct.pack("<I80x32s32s", word, archive, resource)


POINT = struct.pack("<I", 0x106)


def effect(*commands: bytes) -> bytes:
    """An effect of these commands."""
    return struct.pack("<I56x", len(commands)) + b"".join(commands)


def _effect(*commands: bytes, tail: bytes = b"") -> Callable[[], list[Diagnostic]]:
    return lambda: findings("fxid", effect(*commands) + tail)


USUAL: Mapping[str, object] = {
    "window_end": 1, "life": 1, "count_0": 1, "count_1": 1, "ring": 1, "interval_start": 1, "interval_end": 1
}  # fmt: skip
"""Values of a block without which it plays nothing."""


def _block(opcode: int, **values: object) -> Callable[[], list[Diagnostic]]:
    """An effect of a point and a block with some values."""
    row = COMMAND_KINDS[opcode].record.new()
    row["word"] = opcode
    if opcode != 1:
        row["archive"], row["resource"] = (np.void(it.ljust(32, b"\0")) for it in (b"Material.lib", b"FLAME"))
    for name, value in {**USUAL, **values}.items():
        if name in (row.dtype.names or ()):
            row[name] = value
    return _effect(POINT, row.tobytes())


REFERENCES = objects.build([(b"static.rlb", b"tree.msh"), (b"static.rlb", b"tree.wea")])


def _endless(place: int) -> bytes:
    data = bytearray(REFERENCES)
    data[place : place + objects.NAME_SIZE] = b"x" * objects.NAME_SIZE
    return bytes(data)


WEAR_CASES = (
    Case("W02", ERROR, "material_count.count", _wear(b"2\r\n0 S", b"0\r\n0 S"), "0"),
    Case("W02", ERROR, "material_count.count", _wear(b"2\r\n0 S", b"two\r\n0 S"), "number"),
    Case("W03", ERROR, "materials[1]", _wear(b"1 GLASS", b"1"), "2"),
    Case("W04", ERROR, "lightmap_count.count", _wear(b"1\r\n0 HALL.A0", b"0\r\n"), "0"),
    Case("W05", WARNING, "heading", _wear(b"\r\n\r\n", b"\r\n"), "blank"),
    Case("W05", WARNING, "heading", _wear(b"LIGHTMAPS", b"lightmaps"), "capitals"),
    Case("W08", WARNING, "lightmaps[0].name", _wear(b"HALL.A0", b"HALL"), "HALL"),
    Case("W09", WARNING, "separator", _wear(b"\r\n\r\n", b"\r\n3 MORE\r\n\r\n"), "after"),
)

MATERIAL_CASES = (
    Case("M01", ERROR, "header", lambda: check_material(b"\1\0\0"), "3 14"),
    Case("M01", ERROR, "header.block_count", _material(_put(2, b"\x14\0")), "20"),
    Case("M02", ERROR, "phases[1]", _material(_cut(19)), "2 1"),
    Case("M02", ERROR, "blocks[0]", _material(_cut(1)), "2 11", also=frozenset({"M03"})),
    Case("M03", ERROR, "tail", _material(lambda data: data.append(0)), "1"),
    Case("M04", WARNING, "header.phase_count", lambda: check_material(mat0.build([])), "phases"),
    Case(
        "M05",
        WARNING,
        "phases[0].texture",
        _material(_put(PHASE_END - 16, b"STONE.0+STONE.0+")),
        "NUL",
    ),
    Case(
        "M06",
        WARNING,
        "blocks[0].keys[1].phase",
        _material(_put(KEYS_START + KEY.size, b"\2")),
        "2 2",
    ),
    Case("M07", INFO, "directory[4].attr1", lambda: check_material(material(), attr1=0x182), "0x180"),
    Case("M07", INFO, "directory[4].attr2", lambda: check_material(material(), version=5), "5"),
    Case("M07", INFO, "directory[4].attr3", lambda: check_material(material(), attr3=1), "1"),
    Case("W08", WARNING, "phases[0].texture", _material(_put(PHASE_END - 16, b"STONE\0\0")), "STONE"),
)

TEXTURE_CASES = (
    Case("T01", ERROR, "header", lambda: findings("texm", texture()[:31]), "31"),
    Case("T01", ERROR, "header.magic", _texture(_put(0, b"texm")), "texm"),
    Case("T02", ERROR, "header.width", _header("width", 0), "0 1..16384"),
    Case("T02", ERROR, "header.height", _header("height", 16385), "16385 1..16384"),
    Case("T02", ERROR, "header.mip_count", _header("mip_count", 16), "16 1..15"),
    Case("T03", ERROR, "header.pixel_format", _header("pixel_format", 1234), "1234"),
    Case("T04", ERROR, "levels[1]", lambda: findings("texm", texture()[:51]), "2 1 48"),
    Case("T05", ERROR, "pages[1]", _texture(_cut(1)), "2 15"),
    Case("T05", ERROR, "tail", _texture(_put(54, b"page")), "24 table"),
    Case("T06", WARNING, "pages[1]", _page("x", 3), "2 2 3 0 4 2"),
    Case("T06", WARNING, "pages[1]", _page("h", 0), "2 0"),
    Case("T07", WARNING, "header.flags4", _header("flags4", 1), "0x1"),
    Case("T07", WARNING, "header.flags5", _header("flags5", 0x0FC00001), "0x8400001"),
    Case("T08", WARNING, "header.mip_count", _endless_chain, "2 1"),
)

EFFECT_CASES = (
    Case("F01", ERROR, "header", lambda: findings("fxid", bytes(59)), "59"),
    Case("F02", ERROR, "commands[1]", _effect(POINT, b"\x0b\0\0\0"), "64 0x0b"),
    Case("F02", ERROR, "commands[1]", _effect(POINT, sound_command()[:-1]), "148 147"),
    Case("F03", ERROR, "tail", _effect(POINT, tail=b"\0"), "1"),
    Case("F04", INFO, "commands[1].archive", _effect(POINT, sound_command(b"")), "archive"),
    Case("F05", WARNING, "commands[0].word", _effect(sound_command(word=0x302)), "bits"),
    Case("FX01", WARNING, "commands[1].size_low", _block(3, size_low=(1, np.nan, 1)), "finite"),
    Case("FX02", WARNING, "commands[1].window_end", _block(9, window_start=0.5, window_end=0.25), "0.25 0.5"),
    Case("FX02", WARNING, "commands[1].window_start", _block(1, window_end=7), "7"),
    Case("FX03", WARNING, "commands[1].life", _block(7, life=-2), "-2"),
    Case("FX04", WARNING, "commands[1].ring", _block(8, ring=1 << 31), "2147483648"),
    Case("FX05", WARNING, "commands", _block(7, count_0=1000, count_1=101), "100000"),
)

REFERENCE_CASES = (
    Case("O01", ERROR, "tail", lambda: findings("objects", REFERENCES + b"\0"), "1"),
    Case("O02", WARNING, "references[0].resource", lambda: findings("objects", _endless(32)), "NUL"),
    Case("O02", WARNING, "references[1].archive", lambda: findings("objects", _endless(64)), "NUL"),
)

CASES = (*WEAR_CASES, *MATERIAL_CASES, *TEXTURE_CASES, *EFFECT_CASES, *REFERENCE_CASES)
