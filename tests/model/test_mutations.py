"""Every format, damaged at random and on purpose: the same bytes back or a refusal, in little memory."""

from __future__ import annotations

import struct
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import ModelBuilder, Node, archive_of, box
from viewer.errors import FormatError
from viewer.formats import mat0, objects, wear
from viewer.formats.archive import rsli
from viewer.formats.archive.xor_stream import transform
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.kinds.plain import describe
from viewer.model.kinds.registry import by_id
from viewer.model.write.copying import copied

MODEL = ModelBuilder([Node("hull", shapes={(0, 0): [box()]})]).build()
PICTURE = np.arange(96, dtype=np.uint8).reshape(4, 6, 4)
SOUND = struct.pack("<I80x32s32s", 0x102, b"sounds.lib", b"boom.wav")
COMPONENT = struct.pack("<32s32sIi32sIi", b"objects.rlb", b"key", 1, -1, b"x", 0, 0)


def deflated(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


def library(packed: bytes, unpacked_size: int) -> bytes:
    """A packed library with one member."""
    entry = b"MEMBER.TXT".ljust(16, b"\0") + struct.pack("<HHIII", 0x100, 0, unpacked_size, 64, len(packed))
    return b"NL\0\1" + struct.pack("<h8xH4xI8x", 1, 0, 7) + transform(entry, 7) + packed


SOURCES = {
    "nres": archive_of({"hull.msh": MODEL, "hull.wea": b"1\r\n0 M\r\n"}),
    "msh": MODEL,
    "rsli": library(deflated(b"text " * 12), 60),
    "wear": wear.build([b"A", b"B"], [b"L.0"]),
    "mat0": mat0.build([mat0.PhaseRecord(b"STEEL.0")] * 2, [mat0.block(1, 2, [(0, 500), (1, 9)])]),
    "texm": texm.build(PICTURE, PixelFormat.INDEXED, mip_count=3, pages=[(0, 1, 2, 3)]),
    "font": b"Tfnt" + bytes(4112) + texm.build(PICTURE, PixelFormat.RGB565),
    "fxid": struct.pack("<IIf48x", 3, 4, 2.5) + b"\6\1\0\0" + SOUND + b"\6\0\0\0",
    "objects": objects.build([(b"a.rlb", b"b.msh"), (b"objects.rlb", b"c")]),
    "control_points": struct.pack("<II2i6f32s", 1, 0, 1, 18, 1, 2, 3, 4, 5, 6, b"Center"),
    "damage": struct.pack("<iIff32s32s", 1, 0x20, 100, 0.5, b"effects.rlb", b"fx_02"),
    "ground_plan": struct.pack("<Ii6f2iIi3f", 1, 1, 0, 0, 0, 3, 4, 0, 77, 2, 1, 0, 5, 6, 7),
    "units": struct.pack("<II", 0xF0F1, 2) + COMPONENT * 2,
    "palette": bytes(range(256)) * 4 + b"Ipol" + bytes(64),
    "strings": b"\4\0\0\0hull\0" + bytes(4),
    "path_graph": struct.pack("<3f2I2I8I", 1, 2, 3, 0, 0, 0, 0, *[0xFFFFFFFF] * 8),
}
COUNTED = frozenset({"strings", "path_graph"})
"""Tables that need the counts of their entry."""

words = st.sampled_from([0, 1, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
pieces = st.binary(max_size=6) | words.map(lambda word: struct.pack("<I", word))
changes = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), pieces), min_size=1, max_size=5)


def mutated(kind: str, steps: list[tuple[float, int, bytes]]) -> bytes:
    """A source with some stretches taken out and others put in their place."""
    data = bytearray(SOURCES[kind])
    for where, count, piece in steps:
        place = int(where * len(data))
        data[place : place + count] = piece
    return bytes(data)


def check(kind: str, data: bytes) -> None:
    payload = memoryview(data)
    with suppress(FormatError):
        assert copied(by_id(kind), payload) == data
    with suppress(FormatError):
        assert describe(by_id(kind), payload)["format"] == kind


@pytest.mark.parametrize("kind", SOURCES)
def test_the_sources_are_sound(kind: str) -> None:
    data = SOURCES[kind]
    assert copied(by_id(kind), memoryview(data)) == data
    found = describe(by_id(kind), memoryview(data))
    assert kind in COUNTED or found.get("diagnostics", []) == []


@given(st.sampled_from([*SOURCES]), changes)
def test_mutants_come_back_or_are_refused(kind: str, steps: list[tuple[float, int, bytes]]) -> None:
    check(kind, mutated(kind, steps))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOURCES)
@settings(max_examples=10_000)
@given(steps=changes)
def test_many_mutants_come_back_or_are_refused(kind: str, steps: list[tuple[float, int, bytes]]) -> None:
    check(kind, mutated(kind, steps))


def bomb() -> bytes:
    """A library whose only member claims 4 GB and would unpack to 64 MB."""
    return library(deflated(bytes(64 << 20)), 0xFFFFFFFF)


CLAIMS = {
    "2^28 pixels": ("texm", struct.pack("<4s7I", b"Texm", 16384, 16384, 15, 0, 0, 0, 8888) + bytes(28)),
    "2^31 pixels": ("texm", struct.pack("<4s7I", b"Texm", 1 << 16, 1 << 15, 1, 0, 0, 0, 8888) + bytes(28)),
    "4 billion rectangles": (
        "texm",
        struct.pack("<4s7I2s4sI", b"Texm", 1, 1, 1, 0, 0, 0, 565, b"", b"Page", 0xFFFFFFFF),
    ),
    "4 billion commands": ("fxid", struct.pack("<I56x", 0xFFFFFFFF)),
    "65535 phases": ("mat0", struct.pack("<HH56x", 0xFFFF, 19)),
    "2 billion points": ("ground_plan", struct.pack("<Ii52x", 1, 0x7FFFFFFF)),
    "4 billion control points": ("control_points", struct.pack("<I56x", 0xFFFFFFFF)),
    "2 billion records": ("damage", struct.pack("<I56x", 0x7FFFFFFF)),
    "2 billion children": ("units", SOURCES["units"][:-4] + struct.pack("<I", 0x7FFFFFFF)),
    "2 billion entries": ("nres", struct.pack("<4sIII44x", b"NRes", 0x100, 0x7FFFFFFF, 60)),
    "32767 members": ("rsli", struct.pack("<4sh54x", b"NL\0\1", 0x7FFF)),
    "18 digits of rows": ("wear", b"9" * 18 + b"\n" + b"0 a\n" * 10),
    "a bomb": ("rsli", bomb()),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_claims_are_checked_before_room_is_made(claim: str) -> None:
    kind, data = CLAIMS[claim]
    assert _peak(lambda: check(kind, data)) < 1_000_000 + 8 * len(data)


def test_a_member_is_not_unpacked_beyond_what_is_sane() -> None:
    archive = rsli.PackedLibrary.read(bomb())

    def unpack() -> None:
        with pytest.raises(FormatError, match="at most"):
            archive.unpack(0)

    assert _peak(unpack) < 1_000_000


def _peak(work: Callable[[], None]) -> int:
    """Bytes that a piece of work holds at most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
