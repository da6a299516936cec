"""Test vectors of records, resources, frames and effects, each as name, page, computation and stated value.

Source: spec/nres.md 7; spec/msh.md 4, 15; spec/animation.md 3; spec/materials.md 8; spec/texm.md 8;
spec/fxid.md 7; spec/effects.md 12; spec/land.md 7; spec/objects.md 5.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from viewer.formats import fxid, mat0, objects, wear
from viewer.formats.archive import nres
from viewer.formats.msh import triangles
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.strings import read_texts
from viewer.formats.msh.terrain import FACE
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.msh.vertices import encode_normals, encode_uvs
from viewer.formats.record import Record
from viewer.formats.texture import texm
from viewer.model.effects.chance import drawn, mixed, spread
from viewer.model.effects.clock import EffectClock, held
from viewer.model.effects.frame import side
from viewer.model.effects.shapes import dome
from viewer.model.mesh.pose.frame_index import frame_at

Stated = tuple[str, str, Callable[[], Any], Any]

_FRAMES: Final = (
    (0.0, 0),
    (-0.0, 0),
    (0.25, 0),
    (0.5, 0),
    (0.99999994, 0),
    (1.0, 0),
    (1.0000001, 1),
    (1.5, 1),
    (2.0, 2),
    (2.5, 2),
    (3.0, 2),
    (4.0, 4),
    (7.0, 6),
    (10.0, 10),
    (-1e-9, 0),
    (-1e-7, 0xFFFFFFFF),
    (-0.25, 0xFFFFFFFF),
    (-1.0, 0xFFFFFFFE),
    (8388608.0, 8388608),
)
"""Frames of times."""
_ENTRIES: Final = (
    (int.from_bytes(b"MESH", "little"), b"ABCDE", b"Tower.msh", 0, 0, 0),
    (int.from_bytes(b"WEAR", "little"), b"1\r\n0 M\r\n", b"alpha.wea", 0, 0, 1),
    (3, b"\1\2\3", b"Box", 1, 0, 12),
)
_CONTAINER: Final = bytes.fromhex(
    "4E52657300010000 03000000E8000000 4142434445000000 310D0A30204D0D0A 0102030000000000"
) + b"".join(
    struct.pack("<3I2I36s2I", type_id, attr1, attr2, len(data), attr3, name, offset, order)
    for (type_id, data, name, attr1, attr2, attr3), offset, order in zip(
        _ENTRIES, (0x10, 0x18, 0x20), (1, 2, 0), strict=True
    )
)
_ROWS: Final[tuple[tuple[Record, str, Mapping[str, Any], str], ...]] = (
    (
        NODE,
        "40000000FFFF0100 0000FFFFFFFFFFFFFFFF 0100FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFFFFFF",
        {
            "flags": 0x40,
            "parent": 0,
            "map_start": 0xFFFF,
            "fallback_key": 1,
            "slots": [[0, *[0xFFFF] * 4], [1, *[0xFFFF] * 4], [0xFFFF] * 5],
        },
        "spec/msh.md 15",
    ),
    (
        SLOT,
        "0000020000000100 000000BF000000BF00000000 0000003F0000003F00000000 000000000000000000000000 F304353F"
        + "00" * 20,
        {
            "tri_count": 2,
            "batch_count": 1,
            "aabb_min": (-0.5, -0.5, 0),
            "aabb_max": (0.5, 0.5, 0),
            "sphere_radius": 0.70710677,
        },
        "spec/msh.md 15",
    ),
    (
        BATCH,
        "0000030000000000060000000000040000000000",
        {"flags": 0, "material": 3, "index_count": 6, "index_start": 0, "opaque14": 4, "base_vertex": 0},
        "spec/msh.md 15",
    ),
    (
        TRIANGLE,
        "0000FFFFFFFF010000000000FF7F0F00",
        {"flags": 0, "links": (0xFFFF, 0xFFFF, 1), "normal": (0, 0, 32767), "selectors": 0x000F},
        "spec/msh.md 15",
    ),
    (
        FACE,
        "0800020003FFFFFF 0A000B000C00 0500FFFF0700 00000000FF7F 2400",
        {
            "flags": 0x00020008,
            "material_a": 3,
            "material_b": 0xFF,
            "vertices": (10, 11, 12),
            "neighbours": (5, 0xFFFF, 7),
            "normal": (0, 0, 32767),
            "edges": 0x24,
        },
        "spec/land.md 7",
    ),
)
"""Records, their bytes, and what their fields hold."""
_MATERIAL: Final = bytes.fromhex(
    "010001000506 0000803F00000000 33333364 FF8000FF 000000FF 0A141EFF 28FF 535445454C2E30000000000000000000"
    "11000000 0200 000000000000 0000F4010000"
)
_TEXTURE: Final = bytes.fromhex(
    "5465786D020000000200000002000000 20000000000000000000000035020000"
    "00F8E0071F00FFFF1084506167650100 00000000010000000200"
)
_EFFECT: Final = (
    struct.pack("<2I2f2I", 2, 1, 2.5, 0, 0x208, 0x311)
    + struct.pack("<9f", 0.5, 0.5, 0, 0, 0, 0, 1, 1, 1)
    + struct.pack("<I", 0x106)
    + struct.pack("<I80x32s32s", 0x102, b"sounds.lib", b"boom.wav")
)
_REFERENCE: Final = b"static.rlb".ljust(32, b"\0") + b"s_tree_0_04.msh\0" + b"\xcc" * 16
_HELD: Final = (0, 0.3, 0.8, 0.5, 1, 0.6, 0.2, 0, 0.4)


def of_formats() -> Iterator[Stated]:
    """Yield the stated values of all formats."""
    for time, frame in _FRAMES:
        yield (f"frame of time {time:.9g}", "spec/animation.md 3", partial(frame_at, time), frame)
    yield (
        "normals are rounded to 127ths",
        "spec/msh.md 4",
        lambda: encode_normals([[0.5, 0.70710678, -1]])[0, :3],
        (64, 90, -127),
    )
    yield (
        "half a step of a texture coordinate is rounded up",
        "spec/msh.md 4",
        lambda: encode_uvs([[0.00048828125, 0]])[0, 0],
        1,
    )
    yield from _of_records()
    yield from _of_resources()
    yield from _of_effects()


def _of_records() -> Iterator[Stated]:
    """Records of models and terrains: the fields that their bytes hold."""
    for record, digits, stated, source in _ROWS:
        data = bytes.fromhex(digits)
        expected = [it for value in stated.values() for it in np.ravel(value).tolist()]
        yield (f"a row of {record.name}", source, partial(_values, record, data, [*stated]), expected)
    selectors = np.array([0x000F], np.uint16)
    yield (
        "selectors of 0x000F",
        "spec/msh.md 15",
        lambda: triangles.decode_selectors(selectors)[0],
        (3, 3, 0),
    )
    yield (
        "strings of two nodes",
        "spec/msh.md 15",
        lambda: b",".join(read_texts(bytes.fromhex("0000000007000000") + b"central\0", 2).texts),
        b",central",
    )


def _values(record: Record, data: bytes, names: Sequence[str]) -> list[float]:
    row = record.read(data)
    return [it for name in names for it in np.ravel(row[name]).tolist()]


def _of_resources() -> Iterator[Stated]:
    """Containers, materials, wear tables, textures, effects and objects."""
    yield (
        "container of three entries",
        "spec/nres.md 7",
        lambda: nres.build([nres.NewEntry(*it) for it in _ENTRIES]),
        _CONTAINER,
    )
    yield (
        "lookup without regard to case",
        "spec/nres.md 7",
        lambda: [nres.Archive.read(_CONTAINER).find(it) for it in (b"ALPHA.wea", b"box", b"tower.MSH")],
        (1, 2, 0),
    )
    phase = ("ambient", "ambient_alpha", "diffuse", "diffuse_alpha", "emissive", "power", "page")
    yield (
        "phase of a material",
        "spec/materials.md 8",
        lambda: _values(mat0.PHASE, mat0.decode(_MATERIAL, 6).phases.tobytes(), phase),
        (0x33, 0x33, 0x33, 100, 255, 128, 0, 255, 10, 20, 30, 40, -1),
    )
    yield ("material written again", "spec/materials.md 8", _material, _MATERIAL + b"STEEL.0 1 2 500")
    yield (
        "rows of a wear table are counted, not named",
        "spec/materials.md 8",
        lambda: b",".join(it.name for part in _wear() for it in part),
        b"MAT_A,MAT_B,LM.0",
    )
    yield (
        "levels of a texture",
        "spec/texm.md 8",
        lambda: [*texm.decode(_TEXTURE).level(0).ravel(), *texm.decode(_TEXTURE).level(1).ravel()],
        (255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255, 132, 130, 132, 255),
    )
    yield (
        "page of a texture",
        "spec/texm.md 8",
        lambda: [*texm.decode(_TEXTURE).pages[0].tolist()],
        (0, 1, 0, 2),
    )
    yield (
        "references of an effect",
        "spec/fxid.md 7",
        lambda: b"%d %s %s" % next(iter(fxid.decode(_EFFECT).references())),
        b"1 sounds.lib boom.wav",
    )
    yield ("effect written again", "spec/fxid.md 7", lambda: fxid.encode(fxid.decode(_EFFECT)), _EFFECT)
    yield (
        "reference of an object keeps what follows its name",
        "spec/objects.md 5",
        lambda: objects.encode(objects.decode(_REFERENCE)),
        _REFERENCE,
    )


def _material() -> bytes:
    """The material written again, and what is read of its texture and its block."""
    read = mat0.decode(_MATERIAL, 6)
    block = read.blocks[0]
    said = b"%s %d %d %d" % (read.texture(0), block.mode, block.mask, block.keys["time"][1])
    return mat0.encode(read) + said


def _wear() -> tuple[Sequence[Any], Sequence[Any]]:
    table = wear.decode(b"2\r\n0 MAT_A\r\n7 MAT_B\r\n\r\nLIGHTMAPS\r\n1\r\n0 LM.0\r\n")
    return table.materials, table.lightmaps


def _of_effects() -> Iterator[Stated]:
    source = "spec/effects.md 12"
    yield (
        "random numbers of an effect",
        source,
        lambda: drawn(np.array([0x56781234], np.uint32), 4)[:, 0] * 65536,
        (22828, 37274, 41807, 9708),
    )
    yield (
        "spread of a random number",
        source,
        lambda: spread(np.array([22828, 37274]) / 65536, 0.2),
        (-0.030334, 0.013751),
    )
    for key, state in (((7, 2, 5), 0x738500C9), ((1, 0, 0), 0x205F0435)):
        mix = partial(lambda seed, number, index: mixed(seed, number, np.array([index])), *key)
        yield ("state of particle {} {} {}".format(*key), source, mix, state)
    for seconds, mode, flags, strength, expected in (
        (0.5, 1, 0, 0, 0.25),
        (0.5, 3, 0, 0, 0.75),
        (4.5, 2, 0, 0, 0.25),
        (3.6, 2, 0x20, 0, 0.4),
        (0.5, 4, 0x200, 0.8, 0.2),
        (0.5, 14, 0, 0.35, 0.65),
    ):
        clock = EffectClock(mode, 2.0, flags=flags, strength=strength)
        when = partial(clock.time, np.array([seconds]))
        yield (f"time of an effect, mode {mode}, after {seconds:g} s", source, when, expected)
    for mode, kept in ((16, (0, 0.3, 0.8, 0.8, 1, 1, 1, 0, 0.4)), (17, (0, 0, 0, 0, 1, 0.6, 0.2, 0, 0))):
        yield (f"a value held by mode {mode}", source, partial(_held, mode), kept)
    yield (
        "axis at right angles to a direction",
        source,
        lambda: side(np.array([(3, 4, 0), (3, 4, 12), (-1, 0, 5), (0, 3, 4)], float)).ravel(),
        (-4, 3, 0, -0.8, 0.6, 0, 0, 1, 0, 1, 0, 0),
    )
    yield (
        "triangles of domes",
        source,
        lambda: [dome(it, is_faceted=False).triangle_count for it in range(3)],
        (40, 176, 408),
    )


def _held(mode: int) -> list[float]:
    values = [0.0]
    for value in _HELD:
        values.append(held(mode, value, values[-1]))
    return values[1:]
