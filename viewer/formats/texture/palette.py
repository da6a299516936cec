"""Palettes: external palettes selected by texture names, and palettes made from images.

Source: spec/materials.md 3, spec/texm.md 7.
Status: inferred; the retail game's palettes.lib is empty.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.layout.layout import Layout
from viewer.formats.layout.members import Array, RawBytes, Single, tail
from viewer.formats.record import ASCII, Bytes, Field, Record, Rows, Status
from viewer.formats.texture.pixels import PALETTE_SIZE, Image, decode_palette, encode_palette

# A.PAL, A0.PAL to A9.PAL, and so on to Z9.PAL: 286 (spec/materials.md 3).
EXTERNAL_COUNT = 26 * 11
BLEND_SIZE = 65536
MANY = 1 << 16
"""Number of colors above which similar ones are merged before a palette is made."""

AT_ONCE = 1 << 20
"""Pixels whose colors are counted at once."""

COLOR_FIELDS = (
    Field("blue", "u1", "Blue.", unit="1/255", scale=255),
    Field("green", "u1", "Green.", unit="1/255", scale=255),
    Field("red", "u1", "Red.", unit="1/255", scale=255),
    Field("padding", "u1", "Not used.", status=Status.INFERRED),
)
"""The fields of a stored color."""

COLOR = Record("colors", 4, *COLOR_FIELDS, doc="The colors, by their index.")

BLEND_HEADER = Record(
    "blend_header",
    4,
    Field("magic", "V4", 'Always "Ipol".', encoding=ASCII, allowed=(b"Ipol",)),
    doc="Start of the blend table.",
)


def external_palette(name: bytes) -> int | None:
    """Number of the external palette of a texture name, or None."""
    suffix = name.partition(b".")[2].upper()
    if not suffix:
        return None
    digit = int(suffix[1:2]) + 1 if suffix[1:2].isdigit() else 0
    # Eleven a letter: .A is 0, .A0 is 1, .A9 is 10, .B is 11.
    index = (suffix[0] - ord("A")) * 11 + digit
    # Most names end in ``.0``, which is letter -17 and number -187: the game takes it for no palette.
    return index if 0 <= index < EXTERNAL_COUNT else None


class Palette(Struct, frozen=True, eq=False):
    """A stored palette of 256 colors.

    Parameters
    ----------
    stored
        `COLOR` records, (256,).
    blend_header
        One `BLEND_HEADER` record if a whole table follows it.
    blend_table
        A table of the engine for blending, 65,536 bytes; empty if absent.
    tail
        Bytes after it.
    """

    stored: Rows
    blend_header: np.void | None = None
    blend_table: Bytes = b""
    tail: Bytes = b""

    @property
    def colors(self) -> Image:
        """Opaque RGBA, shape (256, 4)."""
        return decode_palette(self.stored.tobytes())


LAYOUT = Layout(
    Palette,
    stored=Array(COLOR, lambda _: PALETTE_SIZE, "PAL01"),
    blend_header=Single(
        BLEND_HEADER,
        is_optional=True,
        when=lambda left, _: len(left) >= BLEND_HEADER.size + BLEND_SIZE and BLEND_HEADER.is_like(left),
    ),
    blend_table=RawBytes(
        "blend_table",
        "A table of the engine for blending colors, 256 x 256 bytes.",
        lambda it: 0 if it.blend_header is None else BLEND_SIZE,
        status=Status.INFERRED,
    ),
    tail=tail("Bytes after the last whole table."),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts


def build(colors: Image) -> bytes:
    """A payload of RGBA colors, shape (256, 4), without a table for blending; alpha is not stored."""
    if colors.shape != (PALETTE_SIZE, 4):
        raise ValueError(f"{colors.shape} is not the shape of {PALETTE_SIZE} colors")
    return encode_palette(colors)


def palette_of(rgba: Image) -> Image:
    """The palette of an image, opaque RGBA, shape (256, 4): its own colors, or their median cut."""
    # R G B A as big-endian words: without their low byte they are 0xRRGGBB.
    colors, counts = _counted(np.ascontiguousarray(rgba, np.uint8).view(">u4").reshape(-1))
    is_cut = len(colors) > PALETTE_SIZE
    entries = _median_cut(_channels(colors), counts) if is_cut else _channels(colors)
    palette = np.zeros((PALETTE_SIZE, 4), np.uint8)
    palette[: len(entries), :3] = entries
    palette[:, 3] = 255
    return palette


def _counted(words: npt.NDArray[np.uint32]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.intp]]:
    """The colors of pixels, ascending, and how often they occur; more than `MANY` are thinned."""
    colors, counts = np.zeros(0, np.uint32), np.zeros(0, np.intp)
    is_thinned = False
    for start in range(0, len(words), AT_ONCE):
        # The lowest byte is alpha, which a palette does not tell apart.
        some, count = np.unique(words[start : start + AT_ONCE].astype(np.uint32) >> 8, return_counts=True)
        if is_thinned:
            some, count = _thinned(some, count)
        colors, where = np.unique(np.concatenate([colors, some]), return_inverse=True)
        counts = np.bincount(where, np.concatenate([counts, count])).astype(np.intp)
        if len(colors) > MANY:
            is_thinned = True
            colors, counts = _thinned(colors, counts)
    return colors, counts


def _channels(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """Red, green and blue of words with blue lowest, (n, 3)."""
    # Big-endian 0x00RRGGBB has the bytes 00 RR GG BB.
    return words.astype(">u4").view(np.uint8).reshape(-1, 4)[:, 1:]


def _thinned(
    colors: npt.NDArray[np.uint32], counts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.intp]]:
    """Colors in steps of 8, each for those around it, as finer steps would only separate noise."""
    cells, inverse = np.unique(colors & 0xF8F8F8, return_inverse=True)
    # The middle of a cell of 8 stands for it: 0x13 is in 0x10..0x17 and becomes 0x14.
    return cells | 0x040404, np.bincount(inverse, counts).astype(np.intp)


def _median_cut(colors: npt.NDArray[np.uint8], counts: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
    """256 means of boxes; the box whose widest side covers most pixels is split at its median."""
    serial = count()
    boxes: list[tuple[int, int, npt.NDArray[np.intp]]] = []
    parts = [np.arange(len(colors))]
    while parts:
        for box in parts:
            widest = int(np.ptp(colors[box], axis=0).max())
            # The heap gives the smallest, hence the minus; the serial decides ties, as arrays have no order.
            heappush(boxes, (-widest * int(counts[box].sum()), next(serial), box))
        parts = _halves(colors, counts, heappop(boxes)[2]) if len(boxes) < PALETTE_SIZE else []
    means = [np.average(colors[box], axis=0, weights=counts[box]) for _, _, box in boxes]
    # Half up; rint would make 0.5 and 2.5 even, 0 and 2.
    return np.floor(np.array(means) + 0.5).astype(np.uint8)


def _halves(
    colors: npt.NDArray[np.uint8], counts: npt.NDArray[np.intp], box: npt.NDArray[np.intp]
) -> list[npt.NDArray[np.intp]]:
    """The two parts of a box, split along its widest axis at the median of its pixels."""
    axis = int(np.ptp(colors[box], axis=0).argmax())
    box = box[np.argsort(colors[box, axis], kind="stable")]
    covered = np.cumsum(counts[box])
    # Counts 5 1 2 cover 5 6 8, half of it is reached at 0: then 1, so that no part is empty.
    middle = int(np.searchsorted(covered, covered[-1] / 2))
    middle = min(max(middle, 1), len(box) - 1)
    return [box[:middle], box[middle:]]
