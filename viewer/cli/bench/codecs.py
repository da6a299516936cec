"""Speed of decoding textures and packed members."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.cli.bench.timing import Result, Work, milliseconds
from viewer.formats.archive import lzss
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat

RATE: Final = "MB/s"
SIDE: Final = 1024
"""Width and height of the textures."""
UNPACKED: Final = 1 << 18
"""Size of the unpacked member, bytes."""

_WORDS: Final = (b"turret", b"hull", b"gun_left", b" 0.5 1024 ", b"\0\0\0\0", b"\xff\x07")


@dataclass(frozen=True, slots=True)
class Task:
    """Work, and its size in bytes: of the stored texture, or of the unpacked member."""

    work: Work
    size: int


def texm_8888() -> Task:
    """A texture of 32-bit pixels."""
    return _texture(PixelFormat.ARGB8888)


def texm_565() -> Task:
    """A texture of 16-bit pixels."""
    return _texture(PixelFormat.RGB565)


def _texture(pixel_format: PixelFormat) -> Task:
    noise = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 4), np.uint8)
    data = texm.build(noise, pixel_format)
    return Task(Work(lambda: texm.decode(data).level(0)), texm.decode(data).levels[0].size)


def lzss_member() -> Task:
    """A member of words, numbers and zeros, like texts and tables."""
    words = np.random.default_rng(0).integers(0, len(_WORDS), UNPACKED)
    data = b"".join(_WORDS[word] for word in words.tolist())[:UNPACKED]
    packed = lzss.encode(data)
    return Task(Work(lambda: lzss.decode(packed, UNPACKED)), UNPACKED)


TASKS: Final[Mapping[str, Callable[[], Task]]] = {
    "texm_8888_mb_s": texm_8888,
    "texm_565_mb_s": texm_565,
    "lzss_mb_s": lzss_member,
}


def measure(name: str, runs: int) -> Result:
    """The rate in millions of bytes per second."""
    task = TASKS[name]()
    return Result(name, RATE, tuple(task.size / 1e3 / spent for spent in milliseconds(task.work, runs)))
