"""Test vectors of the specification, computed by this installation.

Source: spec/rsli.md 2, 7; spec/animation.md 9; spec/texm.md 8; spec/msh.md 4; those of `selfcheck_formats`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
from msgspec import Struct

from viewer.formats.archive import nres, rsli
from viewer.formats.archive.xor_stream import transform
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.vertices import decode_normals, decode_uvs
from viewer.formats.texture import pixels
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.interpolation import interpolate
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.operations.checking.selfcheck_formats import of_formats

TOLERANCE: Final = 1e-6
"""Tolerance of quaternions and positions (spec/animation.md 9)."""
TEXT: Final = b"PARKAN PARKAN PARKAN!"
_STREAMS: Final = {
    0x0000: "0000000000000000",
    0x0001: "02060B1E2667BCFD",
    0x0002: "040C163D",
    0x1234: "7A87B08FE656B7D4",
}
_ROW: Final = "5A45442E5458540000000000000000004000010015000000800000000A000000"
_STORED_ROW: Final = "4A587D6496359749BCD3202354F5313E2CBCF75DAAC31B630FB58AEE4598ABB0"
_PACKED: Final = {
    "LZSS": (0x040, "BF5041524B414EEDFB21", TEXT),
    "LZSS, initial fill": (0x040, "02000041F1F4", b"   AAAAAAAA"),
    "adaptive Huffman": (0x080, "EE737BDD7C4ED4B81B5A", TEXT),
    "Deflate": (0x100, "0B700CF276F4530840A61401", TEXT),
}
_NODES: Final = struct.pack("<4H15H", 0, 0xFFFF, 0, 2, *[0xFFFF] * 15) + struct.pack(
    "<4H15H", 0, 0, 0xFFFF, 3, *[0xFFFF] * 15
)
_KEYS: Final = b"".join(
    struct.pack("<4f4h", *position, time, *raw)
    for position, time, raw in (
        ((0, 0, 0), 0, (0, 0, 0, 32767)),
        ((2, 4, -6), 4, (0, 0, 23170, 23170)),
        ((10, 0, 0), 8, (0, 0, 32767, 0)),
        ((1, 2, 3), 0, (23170, 0, 0, 23170)),
    )
)
_SLOT_HEADER: Final = 140
"""Bytes in front of the slots."""
_MAP: Final = struct.pack("<9H", 0, 0, 0, 0, 1, 1, 1, 1, 2)
_SAMPLES: Final = (
    (0, 0.0, (1, 0, 0, 0), (0, 0, 0)),
    (0, 0.25, (0.9987955, 0, 0, 0.04906803), (0.125, 0.25, -0.375)),
    (0, 1.0, (0.9807857, 0, 0, 0.1950918), (0.5, 1, -1.5)),
    (0, 1.5, (0.9569415, 0, 0, 0.2902869), (0.75, 1.5, -2.25)),
    (0, 3.0, (0.8314738, 0, 0, 0.5555751), (1.5, 3, -4.5)),
    (0, 4.0, (0.7071139, 0, 0, 0.7071139), (2, 4, -6)),
    (0, 5.0, (0.5555751, 0, 0, 0.8314738), (4, 3, -4.5)),
    (0, 6.5, (0.2902869, 0, 0, 0.9569414), (7, 1.5, -2.25)),
    (0, 7.75, (0.04906806, 0, 0, 0.9987954), (9.5, 0.25, -0.375)),
    (0, 8.0, (0, 0, 0, 1), (10, 0, 0)),
    (0, 9.0, (0, 0, 0, 1), (10, 0, 0)),
    (0, -1.0, (0, 0, 0, 1), (10, 0, 0)),
    (1, 3.0, (0.7071139, 0.7071139, 0, 0), (1, 2, 3)),
)
_BLENDS: Final = (
    (0, 4, 0.5, (0.9238815, 0, 0, 0.3826864), (1, 2, -3)),
    (0, 8, 0.25, (0.9238795, 0, 0, 0.3826835), (2.5, 0, 0)),
    (1.5, 6.5, 0.75, (0.5141041, 0, 0, 0.8577291), (5.4375, 1.5, -2.25)),
    (0, 4, 0, (1, 0, 0, 0), (0, 0, 0)),
    (0, 4, 1, (0.7071139, 0, 0, 0.7071139), (2, 4, -6)),
    (-1, 4, 0.3, (0.7071139, 0, 0, 0.7071139), (2, 4, -6)),
    (4, -1, 0.3, (0.7071139, 0, 0, 0.7071139), (2, 4, -6)),
)
_INTERPOLATED: Final = (
    ((1, 0, 0, 0), (-0.70710677, 0, 0, -0.70710677), (0.9238795, 0, 0, 0.3826834)),
    ((1, 0, 0, 0), (1, 0, 0, 0.001), (1, 0, 0, 0.0005)),
)
_PIXELS: Final = (
    (PixelFormat.RGB565, "00F8E007", [[255, 0, 0, 255], [0, 255, 0, 255]]),
    (PixelFormat.ARGB4444, "2EF1", [[17, 34, 238, 255]]),
    (PixelFormat.ARGB8888, "33221140", [[0x11, 0x22, 0x33, 0x40]]),
)


class Vector(Struct, frozen=True):
    """A value of the specification, and what computes it.

    Parameters
    ----------
    name
        What is computed.
    source
        The page and section that states it.
    compute
        Computes it; bytes or numbers.
    expected
        What the specification states.
    """

    name: str
    source: str
    compute: Callable[[], Any]
    expected: Any

    def check(self) -> Checked:
        """Compute it; an error counts as a wrong value."""
        try:
            found = self.compute()
            is_ok = bool(
                found == self.expected
                if isinstance(self.expected, bytes)
                else np.allclose(found, self.expected, rtol=0, atol=TOLERANCE)
            )
        except Exception as error:  # noqa: BLE001 whatever fails is what the check is to find
            return Checked(self, is_ok=False, found=f"{type(error).__name__}: {error}")
        return Checked(self, is_ok=is_ok, found=_text(found))

    @property
    def stated(self) -> str:
        """The statement of the specification, as text."""
        return _text(self.expected)


class Checked(Struct, frozen=True):
    """A vector, whether this installation agrees, and what it computes."""

    vector: Vector
    is_ok: bool
    found: str


def check() -> Iterator[Checked]:
    """Yield the results of all vectors."""
    return (vector.check() for vector in vectors())


def vectors() -> Iterator[Vector]:
    """Yield all vectors."""
    yield from _of_libraries()
    yield from _of_animation()
    yield from (Vector(*stated) for stated in of_formats())
    for pixel_format, data, expected in _PIXELS:
        raw = bytes.fromhex(data)
        decode = partial(pixels.decode, raw, pixel_format)
        name = f"pixels of format {int(pixel_format)}"
        yield Vector(name, "spec/texm.md 8", decode, np.array(expected))
    yield Vector(
        "normals: a byte is 127ths, no less than -1",
        "spec/msh.md 4",
        lambda: decode_normals(np.array([[127, -127, -128, 0]], np.int8))[0],
        (1, -1, -1),
    )
    yield Vector(
        "texture coordinates: 1024ths",
        "spec/msh.md 4",
        lambda: decode_uvs(np.array([[1024, -512]], np.int16))[0],
        (1, -0.5),
    )


def _of_libraries() -> Iterator[Vector]:
    for key, stream in _STREAMS.items():
        name = f"key stream of 0x{key:04X}"
        yield Vector(
            name, "spec/rsli.md 2", partial(transform, bytes(len(stream) // 2), key), bytes.fromhex(stream)
        )
    row = bytes.fromhex(_ROW)
    yield Vector(
        "directory row", "spec/rsli.md 7", partial(transform, row, 0x5AA5), bytes.fromhex(_STORED_ROW)
    )
    stored = bytes.fromhex("142C267D")
    yield Vector(
        "payload with XOR", "spec/rsli.md 7", partial(_unpacked, 0x020, stored, 4), bytes.fromhex("10203040")
    )
    for name, (method, packed, plain) in _PACKED.items():
        unpack = partial(_unpacked, method, bytes.fromhex(packed), len(plain))
        yield Vector(name, "spec/rsli.md 7", unpack, plain)


def _unpacked(method: int, packed: bytes, size: int) -> bytes:
    """The payload of the entry with lookup value 2 in a library of three."""
    start, table = 32 + 3 * 32, b""
    for index, (name, of_entry, length, data) in enumerate(
        ((b"A", 0, 0, b""), (b"B", 0, 0, b""), (b"C", method, size, packed))
    ):
        table += struct.pack("<12s4xHH3I", name, of_entry, index, length, start, len(data))
    header = struct.pack("<2sBBh8xH4xI8x", b"NL", 0, 1, 3, rsli.PRESORTED, 0x5AA5)
    return bytes(rsli.PackedLibrary.read(header + transform(table, 0x5AA5) + packed).payload(2))


def _animation() -> Animation:
    """The animation of the test model, which draws nothing."""
    model = Model.read(
        nres.build(
            [
                nres.NewEntry(1, _NODES, b"Res1", 2, 0, 38),
                nres.NewEntry(2, bytes(_SLOT_HEADER), b"Res2", 0, 0, 68),
                nres.NewEntry(3, b"", b"Res3", 0, 0, 12),
                nres.NewEntry(6, b"", b"Res6", 0, 0, 2),
                nres.NewEntry(13, b"", b"Res13", 0, 0, 20),
                nres.NewEntry(8, _KEYS, b"Res8", 4, 0, 4),
                nres.NewEntry(19, _MAP, b"Res19", 9, 9, 2),
            ]
        )
    )
    return Animation(model, Skeleton(model), QuaternionOrder.XYZW)


def _of_animation() -> Iterator[Vector]:
    source = "spec/animation.md 9"
    for node, time, quaternion, position in _SAMPLES:
        name = f"sample of node {node} at {time:g}"
        yield Vector(name, source, partial(_pose, node, (time,)), (*quaternion, *position))
    for time, other, blend, quaternion, position in _BLENDS:
        name = f"blend of {time:g} and {other:g} by {blend:g}"
        yield Vector(name, source, partial(_pose, 0, (time, other, blend)), (*quaternion, *position))
    for first, second, expected in _INTERPOLATED:
        yield Vector(f"half way to {second}", source, partial(_half_way, first, second), expected)
    yield Vector(
        "matrix of a key",
        source,
        lambda: np.round(_animation().pose(4).local[0] @ np.array([1, 0, 0, 1], np.float32), 5)[:3],
        (1.99998, 2.99998, -6),
    )


def _pose(node: int, times: tuple[float, ...]) -> list[float]:
    pose = _animation().pose(*times)
    return [*pose.quaternion[node].tolist(), *pose.position[node].tolist()]


def _half_way(first: tuple[float, ...], second: tuple[float, ...]) -> Any:
    half = np.array([0.5], np.float32)
    return interpolate(np.array([first], np.float32), np.array([second], np.float32), half)[0]


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex(" ").upper()
    return " ".join(f"{it:.7g}" for it in np.asarray(value).ravel().tolist())
