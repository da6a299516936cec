"""Raw Deflate of RsLi, without a header or a checksum.

Source: spec/rsli.md 4.3.
Status: proven.
"""

from __future__ import annotations

import zlib

from viewer.formats.record import Bytes
from viewer.progress import checkpoint

_STEP = 4096


def decode(packed: bytes, size: int) -> Bytes:
    """The unpacked bytes up to `size`, one more if there are more; of a broken stream the output so far."""
    engine = zlib.decompressobj(-zlib.MAX_WBITS)  # negative: no header and no checksum
    out = bytearray()
    for start in range(0, len(packed), _STEP):
        checkpoint()
        try:
            # One byte more than stated shows that the stream goes on (R07). The bound is never 0, which zlib
            # takes for none.
            out += engine.decompress(packed[start : start + _STEP], size + 1 - len(out))
        except zlib.error:
            break
        if engine.eof or len(out) > size:
            break
    return memoryview(out).toreadonly()
