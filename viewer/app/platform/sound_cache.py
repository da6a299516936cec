"""Decoded sounds, made in worker threads and kept up to a limit.

A file of 25 kB can hold hours of silence, so that it is decoded piece by piece and no further than is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.model.store.address import Address
from viewer.model.store.recently_used import RecentlyUsed
from viewer.progress import Progress

RATE: Final = 44_100
"""Samples a second."""
LONGEST: Final = 60 * RATE
"""Samples of a sound that are kept."""
PIECE: Final = RATE
"""Samples that are decoded at once; between two the work can be cancelled."""
CAPACITY: Final = 96 << 20
"""Bytes of all sounds that are kept: four of the longest, or some five minutes."""
MOST: Final = 1024
Samples = npt.NDArray[np.float32]
"""Left and right, (n, 2)."""
SoundKey = tuple[Address, bytes, bytes]
"""The address that is shown, and the archive and the name of a sound that it plays."""
SILENT: Final[Samples] = np.empty((0, 2), np.float32)
"""Entry of a file that does not exist or cannot be decoded."""
Start = Callable[[str, Callable[[Progress], Samples], Callable[[Samples], None]], object]
"""Runs work of a lane in a worker thread and hands its value over on the main thread."""


class SoundCache:
    """Sounds by their names; owner: a player, main thread only.

    Parameters
    ----------
    read
        Gives the file of a sound, or None; called from a worker thread.
    start
        Starts the work of reading and decoding one.
    """

    def __init__(self, read: Callable[[Address, bytes, bytes], bytes | None], start: Start) -> None:
        self._read, self._start = read, start
        self._kept: RecentlyUsed[SoundKey, Samples] = RecentlyUsed(MOST, CAPACITY, lambda it: it.nbytes)
        self._asked: set[SoundKey] = set()

    def find(self, audio: Any, key: SoundKey) -> Samples | None:
        """The samples of a sound; None while they are read and decoded, which is begun if it was not.

        Parameters
        ----------
        audio
            The library that decodes, miniaudio.
        """
        found = self._kept.get(key)
        if found is None and key not in self._asked:
            self._asked.add(key)

            def work(progress: Progress) -> Samples:
                return decoded(audio, self._read(*key) or b"", progress)

            def keep(samples: Samples) -> None:
                self._asked.discard(key)
                self._kept.put(key, samples)

            self._start(f"sound {key}", work, keep)
        return found


def decoded(audio: Any, data: bytes, progress: Progress) -> Samples:
    """The samples of a file, at most `LONGEST`; `SILENT` if it cannot be decoded."""
    pieces, left = [SILENT], LONGEST
    with suppress(audio.MiniaudioError):
        stream = audio.stream_memory(data, audio.SampleFormat.FLOAT32, 2, RATE, PIECE)
        while left > 0 and len(piece := next(stream, ())):
            progress.check()
            samples = np.array(piece, np.float32).reshape(-1, 2)[:left]
            # Damaged floats would be noise at full volume.
            pieces.append(np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0))
            left -= len(samples)
    return np.concatenate(pieces)
