"""The materials of a model after an import compared with the file again: colors, light and images.

What is taken over goes through the formats of the game: a texture keeps its number of bits, a color is bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from viewer.model.convert.importing.check.deviation import Deviation, DeviationKind
from viewer.model.convert.importing.importer import Import
from viewer.model.convert.importing.materials.rows import Appearance, Aspect, WearChanges, edited_materials
from viewer.model.convert.source import ModelSource

FULL: Final = 255
"""A color of full light as a byte."""


def appearance_deviations(found: Import, made: ModelSource) -> Iterator[Deviation]:
    """The deviations of the materials of a model after an import from those of the file.

    Parameters
    ----------
    made
        The model with its materials after the changes.
    """
    if found.comparison is None or made.materials is None:
        return
    comparison = found.comparison.of(made)
    for it in edited_materials(comparison, WearChanges(found.wear_rows, (), {})):
        for aspect in sorted(it.aspects):
            yield _deviation(it.name, aspect, it.before, it.after)


def _deviation(name: str, aspect: Aspect, made: Appearance, given: Appearance) -> Deviation:
    """The deviation of an aspect of a material."""
    one, other = made.material, given.material
    if aspect is Aspect.COLOR:
        return Deviation(DeviationKind.COLOR, name, size=_apart(one.color[:3], other.color[:3]))
    if aspect is Aspect.EMISSION and one.is_unlit == other.is_unlit:
        return Deviation(DeviationKind.EMISSION, name, size=_apart(one.emissive, other.emissive))
    if aspect is Aspect.OPACITY:
        return Deviation(DeviationKind.OPACITY, name, size=100 * abs(one.color[3] - other.color[3]))
    if aspect is Aspect.IMAGE and made.image is not None and given.image is not None:
        first, second = (it.pixels.astype(np.int32) for it in (made.image, given.image))
        if first.shape == second.shape:
            away = np.abs(first - second).max(axis=2)
            return Deviation(DeviationKind.IMAGE, name, int((away > 0).sum()), float(away.max()))
    return Deviation(DeviationKind.LOOK, name, other=str(aspect.value))


def _apart(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The largest difference of colors, bytes."""
    return FULL * max(abs(a - b) for a, b in zip(one, other, strict=True))
