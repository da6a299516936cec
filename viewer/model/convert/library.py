"""The materials and textures of a scene as a library of the game.

Materials have the names of the wear table, one phase each, and the colors, glow and alpha of the scene. A
skin of the game ignores the alpha of its texture, so blended and cut-out materials are of the other kind.

Source: spec/materials.md 4; spec/texm.md; spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import pixels, texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.convert.building.wear_rows import texture_names, wear_rows
from viewer.model.convert.scene import WHOLE, AlphaMode, Material, Scene
from viewer.model.material.lookup import MAT0, TEXM

SKIN: Final = mat0.LIT_SKIN
SEE_THROUGH: Final = 1 << 2
"""attr1 of a material that blends by its alpha."""
WHOLE_PICTURE: Final = -1
BLACK: Final = (0, 0, 0)
Page = tuple[int, int, int, int]


def library_of(scene: Scene) -> bytes:
    """An archive of the materials of the wear table, then of the textures and lightmaps.

    It can be each of the game's libraries, ``Material.lib``, ``Textures.lib`` and ``LightMap.lib``, since
    entries are looked up by name and type. Pictures larger than a texture are halved.
    """
    textures = _Textures(scene)
    return nres.build([*_materials(scene, textures), *textures.entries()])


def _materials(scene: Scene, textures: _Textures) -> Iterator[NewEntry]:
    """Yield a material for each name of the wear table."""
    rows = wear_rows(scene)
    of_row = dict(zip(reversed(rows.rows), reversed(scene.materials), strict=True))
    for name in dict.fromkeys(rows.names):
        material = of_row.get(rows.names.index(name), Material(""))
        attr1 = SKIN if material.alpha is AlphaMode.OPAQUE else SEE_THROUGH
        payload = mat0.build([_phase(material, textures)])
        yield NewEntry(MAT0, payload, name, attr1=attr1, attr2=mat0.VERSION)


def _phase(material: Material, textures: _Textures) -> PhaseRecord:
    """The only state of a material."""
    red, green, blue = (_stored(value, 255) for value in material.color[:3])
    light = [_stored(value, 255) for value in material.glow]
    return PhaseRecord(
        textures.name(material),
        ambient=(red, green, blue) if material.is_unlit else (light[0], light[1], light[2]),
        ambient_alpha=100 if material.alpha is AlphaMode.OPAQUE else _stored(material.color[3], 100),
        diffuse=BLACK if material.is_unlit else (red, green, blue),
        page=textures.page(material),
    )


def _stored(value: float, most: int) -> int:
    """A value from 0 to 1 as a byte."""
    return round(min(max(value, 0.0), 1.0) * most)


class _Textures:
    """The pictures of a scene with their names, and the parts of them that materials show."""

    def __init__(self, scene: Scene) -> None:
        self._pictures = [_fitting(picture.pixels) for picture in scene.pictures]
        self._names = texture_names(scene)
        self._pages: list[list[Page]] = [[] for _ in self._pictures]
        self._lightmaps = {it.lightmap for it in scene.materials}
        for material in scene.materials:
            found = self._page(material)
            if found is not None and found not in self._pages[material.picture or 0]:
                self._pages[material.picture or 0].append(found)

    def name(self, material: Material) -> bytes:
        """The name of a material's texture; empty without one."""
        number = self._number(material)
        return b"" if number is None else self._names[number]

    def page(self, material: Material) -> int:
        """The rectangle of the texture that a material shows."""
        found, number = self._page(material), self._number(material)
        return WHOLE_PICTURE if found is None or number is None else self._pages[number].index(found)

    def _number(self, material: Material) -> int | None:
        number = material.picture
        return number if number is not None and 0 <= number < len(self._pictures) else None

    def _page(self, material: Material) -> Page | None:
        number = self._number(material)
        if number is None or material.sub_image == WHOLE:
            return None
        height, width = self._pictures[number].shape[:2]
        x, y, w, h = material.sub_image
        return round(x * width), round(y * height), round(w * width), round(h * height)

    def entries(self) -> Iterator[NewEntry]:
        """Yield the textures with all their levels, and the lightmaps, which have one."""
        for number, picture in enumerate(self._pictures):
            is_opaque = bool((picture[:, :, 3] == 255).all())
            sides = max(picture.shape[:2])
            payload = texm.build(
                picture,
                PixelFormat.RGB888 if is_opaque else PixelFormat.ARGB8888,
                mip_count=1 if number in self._lightmaps else min(sides.bit_length(), texm.MAX_MIPS),
                pages=self._pages[number],
            )
            yield NewEntry(TEXM, payload, self._names[number])


def _fitting(picture: pixels.Image) -> pixels.Image:
    """A picture no larger than a texture can be; one white pixel for an empty one."""
    if not picture.size:
        return np.full((1, 1, 4), 255, np.uint8)
    while max(picture.shape[:2]) > texm.MAX_SIDE:
        picture = pixels.halve(picture)
    return picture
