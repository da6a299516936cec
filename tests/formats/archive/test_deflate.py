"""Raw Deflate: as much as is asked for, and what comes out of a broken stream."""

from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.archive import deflate


def _packed(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return engine.compress(data) + engine.flush()


@given(st.binary(max_size=300))
def test_what_was_packed_comes_out(data: bytes) -> None:
    assert deflate.decode(_packed(data), len(data)) == data


def test_more_than_stated_is_one_byte_more() -> None:
    assert deflate.decode(_packed(b"abcdef"), 3) == b"abcd"


def test_a_broken_stream_gives_its_beginning() -> None:
    data = bytes(range(256)) * 4096
    packed = _packed(data)
    found = deflate.decode(packed[: len(packed) // 2], len(data))
    assert 0 < len(found) < len(data)
    assert data.startswith(found)
