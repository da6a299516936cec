"""A game folder whose files have everything that is normal in retail files (field-notes.md 2 to 5, 9)."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from tests.broken import games, resources
from tests.builders import Key, ModelBuilder, Node, Shape, box, quad, turn
from tests.formats.neighbors.test_control import controller
from tests.formats.texture.test_pixels import FONT
from tests.terrains import terrain
from viewer.formats import mat0, units, wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import PhaseRecord, block
from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_LINK, PATH_NODE
from viewer.formats.msh.tables import FACES, LIGHT_PROBES, PATH_GRAPH, STREAM15, STREAM18
from viewer.formats.msh.terrain import FACE
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.mesh.reading import FIELD

Files = dict[str, bytes]

CTLD = int.from_bytes(b"CTLD", "little")
NOISE = 0x5A80
"""Bits above the selectors of a triangle descriptor."""
BATCH_FLAGS = (0x1, 0x2, 0x4, 0x10, 0x40, 0x100, 0x4000)
PORTAL, LIGHTMAPPED = 0x8, 0x2000
INTERNAL, COCKPIT = 0x1, 0x20
SKIN, SEE_THROUGH, ADDITIVE = 2, 4, 8
LOST = (b"fr_l_mast", b"fr_l_tele", b"u_tel_def_a_03")
"""Names that lead nowhere in every install."""


def files() -> Files:
    """The files by path."""
    return {
        "Material.lib": _materials(),
        "Textures.lib": _textures(),
        "LightMap.lib": games.archive(games.TEXM, {"HALL.A0": _texture(PixelFormat.RGB565, 0x00800000)}),
        "palettes.lib": nres.build([]),
        "gamefont.rlb": games.archive(0, {"ARIALTEX.TFT": FONT}),
        "sounds.lib": games.archive(1000, {"boom.wav": b"RIFF"}),
        "effects.rlb": games.archive(games.FXID, {"blast": resources.effect(resources.sound_command())}),
        "fortif.rlb": _with_neighbors("hall", _hall(), node_count=4, has_lightmap=True),
        "bases.rlb": _with_neighbors("robot", _robot(), node_count=3),
        "guns.rlb": games.archive(CTLD, {"robot_a.ctl": controller()}),
        "objects.rlb": games.registry(
            {
                "hall": [(b"fortif.rlb", b"hall.msh"), (b"fortif.rlb", b"hall.wea")],
                "robot": [(b"bases.rlb", b"robot.msh"), (b"guns.rlb", b"robot_a.ctl")],
                "e_gun_01": [(b"objects.rlb", b"robot")],
                **{name.decode(): [(b"fortif.rlb", name + b".msh")] for name in LOST[:2]},
            }
        ),
        "UNITS/UNITS/BATTLE/robot.dat": _unit(),
        "DATA/MAPS/SYN_1/Land.msh": _land(),
        "DATA/MAPS/SYN_1/Land1.wea": wear.build([b"default", b"GROUND"]),
        "DATA/MAPS/SYN_1/Land2.wea": wear.build([b"GROUND", b"SIGNS"]),
    }


def _materials() -> bytes:
    stone, moss = PhaseRecord(b"STONE.0"), PhaseRecord(b"moss.0", page=0)
    glow = PhaseRecord(b"STONE.0", diffuse=(0, 0, 0), emissive=(9, 8, 7), emissive_alpha=102, power=40)
    one, long = block(0, 0, [(0, 246)]), block(1, 0, [(0, 500), (1, 900)])
    return nres.build(
        NewEntry(games.MAT0, data, name, attr1=attr1, attr2=mat0.VERSION)
        for name, attr1, data in (
            (b"DEFAULT", SKIN, mat0.build([stone])),
            (b"GLASS", SEE_THROUGH, mat0.build([PhaseRecord(b"MOSS.0", ambient_alpha=60)], [one])),
            (b"FLARE", ADDITIVE, mat0.build([glow, moss], [block(3, 0x18, [(0, 100), (1, 200)])])),
            (b"FIVE", 5, mat0.build([stone, moss], [block(2, 1, [(0, 0), (1, 1000)])])),
            (b"GROUND", 0, mat0.build([stone, moss], [one, long], ground=(10, 0xFF, 1.0, 25))),
            (b"SIGNS", 0, mat0.build([stone, moss], [one] * 8)),
        )
    )


def _textures() -> bytes:
    return games.archive(
        games.TEXM,
        {
            "STONE.0": _texture(PixelFormat.ARGB8888, 0x02000000),
            "MOSS.0": _texture(PixelFormat.INDEXED, 0x07000000, pages=[(0, 0, 2, 2)]),
        },
    )


def _texture(
    pixel_format: PixelFormat, flags5: int, pages: Sequence[tuple[int, int, int, int]] = ()
) -> bytes:
    """A texture with the mean of its colors at +0x18."""
    image = np.full((4, 4, 4), 90, np.uint8)
    data = bytearray(texm.build(image, pixel_format, mip_count=2, pages=pages, flags5=flags5))
    texm.HEADER.view(data, count=1)["mean_color"] = 0x5A5A5A
    return bytes(data)


def _hall() -> bytes:
    """A building: a room behind a portal, lightmap, light probes, path graph, and a second damage row."""
    outside = [box((4, 4, 3), flags=flags) for flags in BATCH_FLAGS]
    room = [quad(3, flags=LIGHTMAPPED, has_lightmap=True), quad(1, center=(0, 2, 0), flags=PORTAL)]
    builder = ModelBuilder.of(
        [
            Node(
                "o01_0_hall",
                shapes={(0, 0): outside, (0, 1): outside, (1, 0): [box((4, 4, 1))]},
                keys=[Key(quaternion=turn((0, 0, 1), 90))],
            ),
            Node("i01_0_hall", 0, {(0, 0): room}, flags=INTERNAL),
            Node("Base_TM", 0, keys=[Key(position=(0, 0, 3))]),
            Node("CP_hall", 2, {(0, 4): [box((1, 1, 1))]}, flags=COCKPIT),
        ],
        FIELD,
    )
    builder.keys["quaternion"][2] = 0
    builder.batches["opaque6"][builder.batches["flags"] == PORTAL] = 1
    builder.triangles["flags"] = np.resize([0, 2, 4, 0x10, 0x20, 0x22], len(builder.triangles))
    builder.tables[STREAM18] = bytes(4 * len(builder.positions))
    builder.attributes[STREAM18] = builder.attributes[STREAM15] = (0, 0, 0)
    builder.tables[PATH_GRAPH], builder.attributes[PATH_GRAPH] = _path_graph(), (2, 1, PATH_NODE.size)
    builder.tables[LIGHT_PROBES] = bytes(LIGHT_PROBE.size)
    return _finished(builder, takes=[b"", b"", b"e_tur_bt", b""])


def _path_graph() -> bytes:
    """Two points in the room and a link whose words are not all 0xFFFFFFFF."""
    nodes, links = PATH_NODE.new(2), PATH_LINK.new(1)
    nodes["node"], nodes["flags"], links["end"] = 1, 4, 1
    links["opaque"] = 0xFFFFFFFF
    links["opaque"][0, :2] = 7, 0
    return nodes.tobytes() + links.tobytes()


def _robot() -> bytes:
    """An animated model with a turned root that travels, a leg and a socket."""
    legs: list[Shape] = [box((1, 1, 2), flags=0x100)]
    root = [Key(time, (0, time, 0), turn((0, 0, 1), 30 + time)) for time in (0, 2, 4)]
    builder = ModelBuilder.of(
        [
            Node("robot", shapes={(0, 0): [box((2, 2, 2))], (0, 1): [box()]}, keys=root),
            Node("o_leg", 0, {(0, 0): legs}, [Key(0), Key(3), Key(4)]),
            Node("Base_gun", 0),
        ],
        FIELD,
    )
    builder.keys["quaternion"][4] = 0
    return _finished(builder, takes=[b"", b"", b"universal_ll"])


def _finished(builder: ModelBuilder, takes: list[bytes]) -> bytes:
    builder.triangles["selectors"] |= NOISE
    builder.names = takes
    return builder.build()


def _with_neighbors(stem: str, model: bytes, node_count: int, *, has_lightmap: bool = False) -> bytes:
    """An archive of a model and its wear table, control points, node damage and ground plan."""
    name = stem.encode()
    lightmaps = [b"hall.a0"] if has_lightmap else []
    damage = struct.pack("<i", node_count) + struct.pack("<iff64x", 0x20, 1e6, 0.5) * node_count
    points = struct.pack("<I", 1) + struct.pack("<Iii6f", 3, 0, 1, *range(6)) + b"Eye".ljust(32, b"\0")
    ring = struct.pack("<ii", 1, 3) + struct.pack("<12f", *range(12))
    plan = ring + struct.pack("<6i", *range(6)) + ring
    return nres.build(
        [
            NewEntry(games.MESH, model, name + b".msh"),
            NewEntry(games.WEAR, wear.build([b"Default", b"glass"], lightmaps), name + b".wea"),
            NewEntry(0, points, name + b".cpt"),
            NewEntry(0, damage, name + b".ndp"),
            NewEntry(0, plan, name + b".bas"),
        ]
    )


def _unit() -> bytes:
    """A chassis with a gun that has the class of armour, and a part that leads nowhere."""
    rows = units.COMPONENT.new(3)
    keys = (b"Robot", b"e_gun_01", LOST[2])
    for row, key, attachment, kind, children in zip(
        rows, keys, (-1, 2, 0), (0, 2, 3), (2, 0, 0), strict=True
    ):
        row["archive"], row["key"] = b"objects.rlb".ljust(32, b"\0"), key.ljust(32, b"\0")
        row["name"], row["flags"], row["attachment"] = (
            "Деталь".encode("cp1251").ljust(32, b"\0"),
            1,
            attachment,
        )
        row["class_id"], row["child_count"] = kind, children
    return struct.pack("<II", units.MAGIC, 2) + rows.tobytes()


def _land() -> bytes:
    """A terrain whose faces of both levels have a row of each wear table."""
    data = bytearray(terrain())
    archive = nres.Archive.read(bytes(data))
    index = archive.find_type(FACES)
    assert index is not None
    entry = archive.entry(index)
    faces = FACE.view(data, offset=entry.offset, count=entry.size // FACE.size)
    faces["material_b"] = np.arange(len(faces)) % 2
    return bytes(data)
