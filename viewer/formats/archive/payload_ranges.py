"""The payloads of NRes containers in the order of their bytes: what is between them, and which overlap.

Source: spec/nres.md 4.
Status: proven.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.archive.nres import ALIGNMENT, HEADER, Archive
from viewer.formats.record import Rows


class PayloadRanges(Struct, frozen=True, eq=False):
    """The payloads that are inside their containers and not empty, by their offsets, each container closed.

    Containers stand one after another on a line. What closes each, its directory, is a range as well: it
    reaches to the data area of the next container, so that nothing of one is before anything of another.

    Attributes
    ----------
    entries
        The entry of each range, a row of the joined directories, or -1 for a directory, (n,).
    starts, ends
        Where they are on the line, (n,) int64. In the first container that is their offset.
    base
        Where each container begins on the line, (m,), a multiple of `ALIGNMENT`.
    """

    entries: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    base: npt.NDArray[np.int64]

    @classmethod
    def of(cls, archive: Archive) -> PayloadRanges:
        """The ranges of an archive; of two with the same offset the first entry is first."""
        one = (np.array([it], np.int64) for it in (len(archive.rows), archive.directory_offset))
        return cls.joined(archive.rows, *one)

    @classmethod
    def joined(cls, rows: Rows, counts: npt.NDArray[np.int64], limit: npt.NDArray[np.int64]) -> PayloadRanges:
        """The ranges of joined directories, with the rows and the offset of each directory, (m,)."""
        room = -(-limit // ALIGNMENT) * ALIGNMENT
        # Directories at 100 and 40: the containers begin at 0 and 104 of the line, and alignment is as within
        # each.
        base = np.cumsum(room) - room
        starts = rows["data_offset"].astype(np.int64)
        ends = starts + rows["size"]
        is_inside = (starts >= HEADER.size) & (ends <= np.repeat(limit, counts)) & (ends > starts)
        kept = np.flatnonzero(is_inside)
        shift = np.repeat(base, counts)[kept]
        starts = np.concatenate((starts[kept] + shift, base + limit))
        # The data area of the next container begins behind its header.
        ends = np.concatenate((ends[kept] + shift, base + room + HEADER.size))
        order = np.argsort(starts, kind="stable")
        entries = np.concatenate((kept, np.full(len(base), -1)))
        return cls(entries[order], starts[order], ends[order], base)

    @property
    def reached(self) -> npt.NDArray[np.int64]:
        """The end of all data before each range, (n,); of a header before the first of a container."""
        # Payloads may overlap: ends 40 24 60 reach 16 40 40.
        return np.maximum.accumulate(np.append(HEADER.size, self.ends[:-1]))
