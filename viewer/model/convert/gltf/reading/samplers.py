"""The curves of an animation, by node and by what they move.

Source: glTF 2.0, 3.11.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.model.convert.gltf.reading.accessors import Accessors
from viewer.model.convert.gltf.reading.axes import Axes
from viewer.model.convert.gltf.reading.curves import Curve, Mode
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.hierarchy import unit
from viewer.model.convert.gltf.reading.item import Item
from viewer.model.convert.scene import Floats
from viewer.translation import Sentence

NEAR: Final = 2.0**-22
"""A time this near to a whole frame, as a part of it, is that frame: seconds are rounded."""
TRANSLATION, ROTATION, SCALE, WEIGHTS = "translation", "rotation", "scale", "weights"
_WIDTHS: Final = {TRANSLATION: 3, ROTATION: 4, SCALE: 3}
_PATHS: Final = {it: it for it in (*_WIDTHS, WEIGHTS)}
_MODES: Final = {mode.value: mode for mode in Mode}

Curves = dict[str, Curve]


class Samplers:
    """Reads animations.

    Parameters
    ----------
    rate
        Frames per second.
    """

    def __init__(self, document: Document, accessors: Accessors, axes: Axes) -> None:
        self._document = document
        self._accessors = accessors
        self._axes = axes

    def curves(self, animation: Item, rate: float) -> dict[int, Curves]:
        """What an animation moves, by node of the file.

        Parameters
        ----------
        rate
            Units of time per second.
        """
        samplers = [*animation.items("samplers")]
        made: dict[tuple[int, str], Curve | None] = {}
        found: dict[int, Curves] = {}
        for channel in animation.items("channels"):
            target = channel.item("target")
            node = target.index_of("node", self._document.count("nodes"))
            if node is None or "extensions" in target:
                message = Sentence("movement of something else than nodes is left out")
                self._document.losses.add(message, channel.path)
                continue
            path = target.choice("path", _PATHS)
            if path == WEIGHTS:
                self._document.losses.add(Sentence("morph targets are left out"), channel.path)
                continue
            index = channel.index_of("sampler", len(samplers))
            if index is None:
                raise channel.wrong("sampler", Sentence("is missing"))
            if (index, path) not in made:
                made[index, path] = self._curve(samplers[index], path, rate)
            curve = made[index, path]
            if curve is not None:
                found.setdefault(node, {}).setdefault(path, curve)
        return found

    def _curve(self, sampler: Item, path: str, rate: float) -> Curve | None:
        """A curve with keys; None without any."""
        seconds = self._accessors.floats(sampler, "input", 1)[:, 0]
        values = self._accessors.floats(sampler, "output", _WIDTHS[path])
        mode = sampler.choice("interpolation", _MODES, Mode.LINEAR.value)
        per_key = 3 if mode is Mode.CUBIC else 1
        if len(values) != per_key * len(seconds):
            message = Sentence("{count} values for {keys} keys", count=len(values), keys=len(seconds))
            raise sampler.wrong("output", message)
        self._document.budget.spend(8 * len(values), sampler.path)
        kept = self._increasing(sampler, seconds)
        if not len(kept):
            return None
        times = snapped(seconds[kept].astype(np.float64) * rate)
        keys = values.reshape(len(seconds), per_key, -1)[kept]
        if mode is not Mode.CUBIC:
            return Curve(mode, times, self._converted(keys[:, 0], path))
        tangents = np.stack([self._raw(keys[:, at], path) for at in (0, 2)], axis=1).astype(np.float64) / rate
        return Curve(mode, times, self._converted(keys[:, 1], path), tangents)

    def _increasing(self, sampler: Item, seconds: Floats) -> np.ndarray:
        """Rows of the keys that are later than all before them."""
        if len(seconds) and seconds[0] < 0:
            raise sampler.wrong("input", Sentence("begins at {time} seconds", time=float(seconds[0])))
        latest = np.maximum.accumulate(seconds)
        is_later = np.append(np.ones(min(1, len(seconds)), np.bool_), seconds[1:] > latest[:-1])
        if not is_later.all():
            self._document.losses.add(
                Sentence("keys that are not later than the ones before them are left out"), sampler.path
            )
        return np.flatnonzero(is_later)

    def _converted(self, values: Floats, path: str) -> Floats:
        """Keys in the axes of the model."""
        return unit(self._raw(values, path)) if path == ROTATION else self._raw(values, path)

    def _raw(self, values: Floats, path: str) -> Floats:
        if path == ROTATION:
            return self._axes.rotations(values)
        return values if path == SCALE else self._axes.vectors(values)


def snapped(times: np.ndarray) -> np.ndarray:
    """Times with those that are whole but for rounding made whole; they still increase."""
    whole = np.rint(times)
    result = np.where(np.abs(times - whole) <= NEAR * np.maximum(whole, 1), whole, times)
    is_later = np.diff(result, prepend=-1.0) > 0
    return result if is_later.all() else times
