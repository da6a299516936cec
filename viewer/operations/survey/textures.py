"""Questions about textures: S10 to S12.

Source: spec/survey.md; spec/texm.md 1, 3, 7; spec/field-notes.md 4.5.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.texture import pixels
from viewer.formats.texture.mips import smaller_levels
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import Level, Texture
from viewer.geometry.transforms import Mask
from viewer.operations.survey.question import Asked, SurveyQuestions
from viewer.operations.survey.tally import Tally
from viewer.translation import _

TEXTURES: Final = SurveyQuestions()
Components = npt.NDArray[np.int64]
"""Components of pixels, shape (height, width, c): as they are stored, or in 8 bits."""

_TRUNCATED, _ROUNDED, _NEAREST = (
    "truncated mean of level 0",
    "rounded mean of level 0",
    "nearest pixel of level 0",
)
_TRUNCATED_ABOVE, _ROUNDED_ABOVE, _NEAREST_ABOVE = (
    "truncated mean of the level above",
    "rounded mean of the level above",
    "nearest pixel of the level above",
)


@TEXTURES.ask(
    "S10",
    Asked.TEXTURE,
    _("How were the smaller levels of a texture made?"),
    (_TRUNCATED, _ROUNDED, _NEAREST, _TRUNCATED_ABOVE, _ROUNDED_ABOVE, _NEAREST_ABOVE),
)
def levels(it: Texture, tally: Tally) -> None:
    """The levels of one texture; one counts where all of its levels agree with a rule."""
    if len(it.levels) < 2:
        return
    tally.rows += 1
    tally.damaged += len(it.levels) != int(it.header["mip_count"])
    label = it.format.name
    stored = [_components(it, level) for level in it.levels]
    for name, rule in _RULES.items():
        right = [_is_made(it, rule, stored, index) for index in range(1, len(it.levels))]
        if name == _TRUNCATED and it.palette is not None:
            right = _indexed(it)
        tally.reading(name, [all(right)])
        for index, holds in enumerate(right, 1):
            tally.count_words(f"level {index}, {label}", {name: int(holds)})
    tally.count_words("textures by format", {label: 1})


def _components(it: Texture, level: Level) -> Components:
    if it.format.size == 2:
        words = np.frombuffer(level.data, "<u2").astype(np.int64)
        fields = [words >> shift & ((1 << bits) - 1) for shift, bits in pixels.components(it.format)]
        return np.stack(fields, axis=-1).reshape(level.height, level.width, -1)
    if it.format.size == 4:
        bytes_of = np.frombuffer(level.data, np.uint8).reshape(level.height, level.width, 4)
        # Nothing says how the unused byte of 888 is made.
        return bytes_of[..., : 4 if it.format.has_alpha else 3].astype(np.int64)
    return np.frombuffer(level.data, np.uint8).reshape(level.height, level.width, 1).astype(np.int64)


def _mean(of: Components, steps: int, size: tuple[int, int], *, is_rounded: bool) -> Components:
    """The means of blocks of 2 to the power of `steps`, cut where a side has run out."""
    width, height = size
    block = 1 << steps
    rows, columns = min(block, of.shape[0]), min(block, of.shape[1])
    cut = of[: height * rows, : width * columns]
    if cut.shape[:2] != (height * rows, width * columns):
        return np.empty((0, 0, of.shape[2]), np.int64)
    sums = cut.reshape(height, rows, width, columns, -1).sum(axis=(1, 3))
    area = rows * columns
    found: Components = (sums + area // 2) // area if is_rounded else sums // area
    return found


def _nearest(of: Components, steps: int, size: tuple[int, int]) -> Components:
    """The first pixel of each block."""
    width, height = size
    return of[:: 1 << steps, :: 1 << steps][:height, :width]


Rule = Callable[[Components, int, tuple[int, int]], Components]
_RULES: Final[dict[str, tuple[Rule, bool]]] = {
    _TRUNCATED: (partial(_mean, is_rounded=False), False),
    _ROUNDED: (partial(_mean, is_rounded=True), False),
    _NEAREST: (_nearest, False),
    _TRUNCATED_ABOVE: (partial(_mean, is_rounded=False), True),
    _ROUNDED_ABOVE: (partial(_mean, is_rounded=True), True),
    _NEAREST_ABOVE: (_nearest, True),
}
"""Rules of making a level, and whether of the one above instead of level 0."""


def _is_made(it: Texture, rule: tuple[Rule, bool], stored: list[Components], index: int) -> bool:
    """Whether a rule makes a level: of the stored components, or of colors in 8 bits that are then stored."""
    make, is_of_above = rule
    now, source, steps = it.levels[index], index - 1 if is_of_above else 0, 1 if is_of_above else index
    size = (now.width, now.height)
    if np.array_equal(make(stored[source], steps, size), stored[index]):
        return True
    if it.format.size == 4 or it.format is PixelFormat.EXTERNAL:
        return False
    made = make(it.level(source).astype(np.int64), steps, size)
    return pixels.encode(made.astype(np.uint8), it.format, it.palette) == bytes(now.data)


def _indexed(it: Texture) -> list[bool]:
    """Whether each level of an indexed texture has the entries nearest to the mean colors of level 0."""
    first = it.levels[0]
    made = smaller_levels(first.data, (first.width, first.height), it.format, it.palette, len(it.levels))
    return [bytes(level.data) == data for level, data in zip(it.levels[1:], made, strict=True)]


_NEAR: Final = 4
"""Palette entries that are near: how the mean was rounded is not known."""
_OFF: Final = 16
"""Distance of a color from the mean up to which it is that, 0 to 255: one step of 4 bits is 17."""
_INDEX: Final = "index: palette entry near the mean color"
_AS: Final = {
    "16 bits: as 565": PixelFormat.RGB565,
    "16 bits: as 4444": PixelFormat.ARGB4444,
    "16 bits: as 8888": PixelFormat.ARGB8888,
}


@TEXTURES.ask(
    "S11", Asked.TEXTURE, _("What is +0x18 of a texture that is not zero there?"), (_INDEX,), tuple(_AS)
)
def mean_color(it: Texture, tally: Tally) -> None:
    """The word of one texture against the mean of its colors."""
    value = int(it.header["mean_color"])
    tally.count_words("textures", {f"{it.format.name} {'zero' if value == 0 else 'not zero'}": 1})
    if value == 0 or not it.levels:
        return
    tally.rows += 1
    mean = it.level(0).reshape(-1, 4)[:, :3].mean(axis=0)
    if it.palette is not None:
        off = np.linalg.norm(it.palette[:, :3] - mean, axis=1)
        place = int((off < off[value]).sum()) if value < len(off) else len(off)
        tally.reading(_INDEX, [place < _NEAR], [off[value]] if value < len(off) else ())
        return
    for name, stored in _AS.items():
        data = (value & (1 << 8 * stored.size) - 1).to_bytes(stored.size, "little")
        color = pixels.decode(data, stored)[0, :3].astype(np.float64)
        far = float(np.abs(color - mean).max())
        tally.reading(name, [far <= _OFF], [far])


_WIDE: Final = (PixelFormat.ARGB8888, PixelFormat.RGB888)


@TEXTURES.ask(
    "S12",
    Asked.TEXTURE,
    _("In which order are the bytes of formats 8888, 888 and 88?"),
    *(tuple(f"{stored.value}: byte {byte} is no color" for byte in range(4)) for stored in _WIDE),
    tuple(f"88: byte {byte} is no color" for byte in range(2)),
)
def byte_order(it: Texture, tally: Tally) -> None:
    """The byte of a pixel that is no color: it is constant, or else least like its neighbors."""
    if it.format not in {*_WIDE, PixelFormat.LA88} or not it.levels:
        return
    first = it.levels[0]
    planes = np.frombuffer(first.data, np.uint8).reshape(first.height, first.width, it.format.size)
    tally.rows += 1
    flat = planes.reshape(-1, it.format.size)
    constant = (flat == flat[0]).all(axis=0) & np.isin(flat[0], (0, 255))
    rough = np.array([_roughness(planes[..., byte]) for byte in range(it.format.size)])
    entropy = [_entropy(flat[:, byte]) for byte in range(it.format.size)]
    label = f"{it.format.value}: byte"
    for byte in range(it.format.size):
        tally.count_words(f"{label} {byte}", {"constant 0 or 255": int(constant[byte])})
        tally.reading(f"{label} {byte} of least entropy", [byte == int(np.argmin(entropy))], [entropy[byte]])
    chosen = _odd_one(constant, rough)
    if chosen is None:
        tally.count_words("not told apart", {str(it.format.value): 1})
        return
    for byte in range(it.format.size):
        tally.reading(f"{label} {byte} is no color", [byte == chosen], [rough[byte]])


def _odd_one(constant: Mask, rough: npt.NDArray[np.float64]) -> int | None:
    """The byte that is constant where the others are not, or twice as rough as the next; None without one."""
    if constant.any():
        return int(np.flatnonzero(constant)[0]) if constant.sum() == 1 else None
    order = np.argsort(-rough)
    return int(order[0]) if rough[order[0]] > 2 * rough[order[1]] > 0 else None


def _roughness(plane: npt.NDArray[np.uint8]) -> float:
    """The mean difference of neighbors in a row."""
    return float(np.abs(np.diff(plane.astype(np.int64), axis=1)).mean()) if plane.shape[1] > 1 else 0.0


def _entropy(values: npt.NDArray[np.uint8]) -> float:
    """Bits per value, 0 for a constant to 8 for noise."""
    share = np.bincount(values, minlength=256) / len(values)
    share = share[share > 0]
    return float(-(share * np.log2(share)).sum())
