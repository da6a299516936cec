"""Materials in a file, with their textures, samplers and pictures.

A color multiplies stored colors in the game, so that a factor of glTF is its linear equivalent. The own
light of a material multiplies its texture, so that the emissive texture is the same one. Light that is added
to what is behind it becomes a layer.

Source: spec/field-notes.md 4; viewer.model.convert.scene_parts.looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from viewer.model.convert.gltf import extras
from viewer.model.convert.gltf.added_light import Strength, layer_color, layer_of, strength_of
from viewer.model.convert.gltf.colors import linear
from viewer.model.convert.gltf.writing.names import UniqueNames
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import WHOLE, AlphaMode, Material, Picture

UNLIT: Final = "KHR_materials_unlit"
TRANSFORM: Final = "KHR_texture_transform"
CUTOFF: Final = 1 / 255
"""Alpha from which the game keeps a pixel."""
MODES: Final = {mode: mode.value for mode in AlphaMode} | {AlphaMode.ADDED: AlphaMode.BLENDED.value}
LINEAR, MIPMAPS, REPEAT, CLAMP = 9729, 9987, 10497, 33071
SAMPLERS: Final = (
    {"magFilter": LINEAR, "minFilter": MIPMAPS, "wrapS": REPEAT, "wrapT": REPEAT},
    {"magFilter": LINEAR, "minFilter": LINEAR, "wrapS": CLAMP, "wrapT": CLAMP},
)
"""Of a texture, and of a lightmap, which has one level and whose patches must not run into each other."""


class Surfaces:
    """The materials of a file.

    Attributes
    ----------
    materials, textures, samplers
        As in the file.
    extensions
        The extensions that they use.
    pictures
        Those of the scene, some as layers of added light, and further such layers.
    """

    def __init__(self, materials: Sequence[Material], pictures: Sequence[Picture] = ()) -> None:
        self.pictures = [*pictures]
        self._layers: dict[int, tuple[int, Strength]] = {}
        self._plain = {it.picture for it in materials if it.alpha is not AlphaMode.ADDED}
        self._plain |= {it.lightmap for it in materials}
        self.textures: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.extensions: set[str] = set()
        self._index: dict[tuple[int, bool], int] = {}
        self._sampler: dict[bool, int] = {}
        names = UniqueNames()
        self.materials = [
            self._material(material, names.add(material.name, numbered("material", number)))
            for number, material in enumerate(materials)
        ]

    def _material(self, material: Material, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {"name": name, "pbrMetallicRoughness": self._color(material)}
        if any(material.glow):
            if material.picture is not None:
                found["emissiveTexture"] = self._texture(material)
            found["emissiveFactor"] = [linear(value) for value in material.glow]
        if material.lightmap is not None:
            found["occlusionTexture"] = {
                "index": self._add(material.lightmap, is_lightmap=True),
                "texCoord": 1,
            }
        if material.alpha is not AlphaMode.OPAQUE:
            found["alphaMode"] = MODES[material.alpha]
        if material.alpha is AlphaMode.CUTOUT:
            found["alphaCutoff"] = CUTOFF
        if material.is_two_sided:
            found["doubleSided"] = True
        if material.is_unlit:
            self.extensions.add(UNLIT)
            found["extensions"] = {UNLIT: {}}
        return found | extras.wrapped(extras.of_material(material, self._strength(material)))

    def _strength(self, material: Material) -> str:
        """Where the picture of added light had its strength."""
        if material.alpha is not AlphaMode.ADDED:
            return ""
        return Strength.COLOR if material.picture is None else self._layer(material.picture)[1]

    def _color(self, material: Material) -> dict[str, Any]:
        found: dict[str, Any] = {}
        is_layer = material.alpha is AlphaMode.ADDED and material.is_unlit
        shown = layer_color(material.color) if is_layer else material.color
        color = [*map(linear, shown[:3]), shown[3]]
        if color != [1.0, 1.0, 1.0, 1.0]:
            found["baseColorFactor"] = color
        if material.picture is not None:
            found["baseColorTexture"] = self._texture(material)
        return found | {"metallicFactor": 0.0, "roughnessFactor": 1.0}

    def _texture(self, material: Material) -> dict[str, Any]:
        """A reference to the texture of a material, moved to its sub-image."""
        picture = material.picture or 0
        if material.alpha is AlphaMode.ADDED:
            picture, _ = self._layer(picture)
        found: dict[str, Any] = {"index": self._add(picture, is_lightmap=False)}
        if material.sub_image != WHOLE:
            self.extensions.add(TRANSFORM)
            u, v, width, height = material.sub_image
            found["extensions"] = {TRANSFORM: {"offset": [u, v], "scale": [width, height]}}
        return found

    def _layer(self, picture: int) -> tuple[int, Strength]:
        """The number of the layer of a picture, in place of it if no other material needs it as it is."""
        if picture not in self._layers:
            light = self.pictures[picture]
            layer = Picture(light.name, layer_of(light.pixels))
            number = len(self.pictures) if picture in self._plain else picture
            self.pictures[number : number + 1] = [layer]
            self._layers[picture] = number, strength_of(light.pixels)
        return self._layers[picture]

    def _add(self, picture: int, *, is_lightmap: bool) -> int:
        """The texture of a picture."""
        key = picture, is_lightmap
        if key not in self._index:
            if is_lightmap not in self._sampler:
                self._sampler[is_lightmap] = len(self.samplers)
                self.samplers.append(dict(SAMPLERS[is_lightmap]))
            self._index[key] = len(self.textures)
            self.textures.append({"sampler": self._sampler[is_lightmap], "source": picture})
        return self._index[key]
