"""Materials of a file, their images, and how they place their texture; equal images are decoded once.

Source: glTF 2.0, 3.8, 3.9; KHR_texture_transform; KHR_materials_unlit, _emissive_strength,
_pbrSpecularGlossiness; EXT_texture_webp.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.model.convert.gltf import extras
from viewer.model.convert.gltf.arrays import (
    GltfFile,
    Strength,
    layer_color,
    layer_of,
    light_color,
    light_of,
    linear,
    stored,
    strength_of,
)
from viewer.model.convert.gltf.document import JsonItem
from viewer.model.convert.gltf.extras import ExtrasReader
from viewer.model.convert.labels import UniqueNames, numbered, originals
from viewer.model.convert.pictures.images import PixelBudget, compression_of, is_same_image
from viewer.model.convert.scene import WHOLE, AlphaMode, Color, SceneMaterial, Vector
from viewer.model.convert.scene_images import SceneImage
from viewer.translation import _

# GREATEREQUAL with a reference of 1 of 255 (spec/field-notes.md 4.4).
CUTOFF: Final = 1 / 255
"""Alpha from which the game keeps a pixel."""
MODES: Final = {mode: mode.value for mode in AlphaMode} | {AlphaMode.ADDED: AlphaMode.BLENDED.value}
LINEAR, MIPMAPS, REPEAT, CLAMP = 9729, 9987, 10497, 33071
SAMPLERS: Final = (
    {"magFilter": LINEAR, "minFilter": MIPMAPS, "wrapS": REPEAT, "wrapT": REPEAT},
    # By `is_lightmap`: False is 0, True is 1.
    {"magFilter": LINEAR, "minFilter": LINEAR, "wrapS": CLAMP, "wrapT": CLAMP},
)
"""Samplers of a texture, and of a lightmap, which has one level and whose patches must not mix."""


_FORMATS: Final = ("PNG", "JPEG", "WEBP")
_WEBP: Final = "EXT_texture_webp"
_UNREADABLE: Final = ("KHR_texture_basisu", "MSFT_texture_dds", "EXT_texture_avif")
UNLIT: Final = "KHR_materials_unlit"
STRENGTH: Final = "KHR_materials_emissive_strength"
GLOSS: Final = "KHR_materials_pbrSpecularGlossiness"
TRANSFORM: Final = "KHR_texture_transform"
WHITE: Final = (1.0, 1.0, 1.0, 1.0)
_MODES: Final[dict[str, AlphaMode]] = {mode.value: mode for mode in AlphaMode if mode is not AlphaMode.ADDED}
_MAPS: Final = {
    "normalTexture": _("normal maps are left out"),
    "occlusionTexture": _("occlusion maps are left out"),
    "emissiveTexture": _("emissive maps are left out"),
}


class FileImages:
    """The images that materials use, in the order of the requests."""

    def __init__(self, document: GltfFile) -> None:
        self._document = document
        self._numbers: dict[tuple[object, bool], int] = {}
        self._budget = PixelBudget()
        self.found: list[SceneImage] = []

    def of_texture(self, info: JsonItem, *, is_layer: bool = False) -> int:
        """The number of the image of a texture; one without pixels, and a loss, if it cannot be read.

        Parameters
        ----------
        is_layer
            Whether it is the layer of an image of light, which is requested.
        """
        texture = self._document.required(info, "index", "textures")
        image = self._image(texture)
        key = (texture.path if image is None else self._bytes_of(image)), is_layer
        if key not in self._numbers:
            self._numbers[key] = len(self.found)
            title = texture.name or numbered("picture", texture.index or 0)
            unknown = SceneImage(title, np.empty((0, 0, 4), np.uint8))
            self.found.append(unknown if image is None else self._read(image, is_layer=is_layer))
        return self._numbers[key]

    def has_same_image(self, one: JsonItem, other: JsonItem) -> bool:
        """Whether two textures show the same image, with the same or another sampler."""
        if not (one.values and other.values):
            return False
        found = [self._image(self._document.required(it, "index", "textures")) for it in (one, other)]
        return None not in found and len({it.index for it in found if it}) == 1

    def _image(self, texture: JsonItem) -> JsonItem | None:
        """The image of a texture in a format that can be read."""
        extensions = texture.item("extensions")
        for owner in (texture, extensions.item(_WEBP)):
            image = self._document.referred(owner, "source", "images")
            if image is not None:
                return image
        name = next((it for it in _UNREADABLE if it in extensions), "")
        message = _("textures of {extension} cannot be read", extension=name) if name else _("has no picture")
        self._document.losses.add(message, texture.path)
        return None

    def _read(self, image: JsonItem, *, is_layer: bool) -> SceneImage:
        """The decoded image; without pixels if the bytes cannot be decoded."""
        # An image lies in a view of the file, in a data URI, or in a file of its own that the URI names.
        uri = image.text("uri")
        # A data URI has no name; of "textures\wood.png" it is what follows the last slash of either kind.
        file = "" if uri[:5].lower() == "data:" else uri.replace("\\", "/").rpartition("/")[2]
        name = image.name or file
        is_apart = "uri" in image
        view = image if is_apart else self._document.required(image, "bufferView", "bufferViews")
        data = memoryview(b"") if is_apart else self._document.view(view)
        try:
            data = self._document.file(image) if is_apart else data
            pixels = self._budget.read(data, _FORMATS)
        except FormatError as error:
            self._document.losses.add(error.message, image.path)
            return SceneImage(name, np.empty((0, 0, 4), np.uint8))
        shown = light_of(pixels) if is_layer else np.ascontiguousarray(pixels)
        return SceneImage(name, shown, None if is_layer else compression_of(data))

    def _bytes_of(self, image: JsonItem) -> object:
        """Key of the bytes of an image: images of the same bytes are one image."""
        if "uri" in image:
            return image.text("uri")
        view = self._document.required(image, "bufferView", "bufferViews")
        buffer = self._document.required(view, "buffer", "buffers")
        return buffer.index, view.whole("byteOffset", 0), view.whole("byteLength")


class TexturedMaterial(Struct, frozen=True, eq=False):
    """A material and where its texture lies.

    Attributes
    ----------
    uv_set
        The set of texture coordinates.
    uv_transform
        What they are multiplied with, (3, 3); None for nothing.
    """

    material: SceneMaterial
    uv_set: int = 0
    uv_transform: npt.NDArray[np.float64] | None = None


PLAIN: Final = TexturedMaterial(SceneMaterial(""))
"""Material of primitives that name none."""


class MaterialReader:
    """Reads the materials of a file.

    Parameters
    ----------
    lightmaps
        What an occlusion texture may be that a program returns without the word that it is a lightmap.
    """

    def __init__(self, document: GltfFile, images: FileImages, lightmaps: Sequence[SceneImage] = ()) -> None:
        self._document, self._images, self._lightmaps = document, images, lightmaps

    def read(self) -> tuple[TexturedMaterial, ...]:
        """All materials of the file."""
        pairs = [(ExtrasReader.of(item), item) for item in self._document.root.items("materials")]
        is_original = originals((own.whole("row"), item.name, own.text("name"), "") for own, item in pairs)
        known = {own.whole("row") for (own, _item), is_it in zip(pairs, is_original, strict=True) if is_it}
        found = []
        for (own, item), is_it in zip(pairs, is_original, strict=True):
            is_copy = not is_it and own.whole("row") in known
            name = own.text("name") if is_it else item.name
            found.append(self._material(item, name or numbered("material", item.index), own, is_copy=is_copy))
        return tuple(found)

    def _material(self, item: JsonItem, name: str, said: ExtrasReader, *, is_copy: bool) -> TexturedMaterial:
        """A material, and what this program wrote about it; of a copy that is of another one."""
        losses, images, own = self._document.losses, self._images, ExtrasReader({}) if is_copy else said
        gloss = item.item("extensions").item(GLOSS)
        is_glossy = bool(gloss.values)
        base = gloss if is_glossy else item.item("pbrMetallicRoughness")
        texture = base.item("diffuseTexture" if is_glossy else "baseColorTexture")
        occlusion = item.item("occlusionTexture")
        was_lightmap = said.flag("lightmap")
        if was_lightmap and not occlusion.values:
            losses.add("material {name}: its lightmap is left out", name=name)
        lightmap = occlusion if was_lightmap or self._is_lightmap(occlusion) else JsonItem({})
        self._note_losses(item, base, texture, lightmap)
        stored = item.choice("alphaMode", _MODES, AlphaMode.OPAQUE.value)
        # Where the light of a layer that this program wrote had its strength.
        strength = (said.text("added") or "") if stored is AlphaMode.BLENDED else ""
        alpha = AlphaMode.ADDED if strength else stored
        is_unlit = UNLIT in item.item("extensions")
        *light, opacity = base.numbers("diffuseFactor" if is_glossy else "baseColorFactor", WHITE)
        color: Color = (*_stored_color(light), _clamped(opacity))
        strongest = item.item("extensions").item(STRENGTH).number("emissiveStrength", 1.0)
        emissive = [value * strongest for value in item.numbers("emissiveFactor", (0.0, 0.0, 0.0))]
        if max(emissive) > 1:
            losses.add("light of a material above 1 is cut off", item.path)
        material = SceneMaterial(
            name=name,
            row=own.whole("row"),
            color=light_color(color) if is_unlit and alpha is AlphaMode.ADDED else color,
            emissive=_stored_color(emissive),
            image=images.of_texture(texture, is_layer=strength == Strength.COLOR) if texture.values else None,
            lightmap=images.of_texture(lightmap) if lightmap.values else None,
            alpha=alpha,
            is_unlit=is_unlit,
            is_two_sided=item.flag("doubleSided"),
            fields=dict(own.part("fields").values),
        )
        return _placed(material, texture, is_own=bool(said))

    def _is_lightmap(self, occlusion: JsonItem) -> bool:
        """Whether an occlusion texture is a known lightmap, in coordinates of its own as is written.

        By what it shows, or by its name, as somebody may have painted over it.
        """
        if not self._lightmaps or occlusion.whole("texCoord", 0) != 1:
            return False
        shown = self._images.found[self._images.of_texture(occlusion)]
        return any(_stem(it.name) == _stem(shown.name) or is_same_image(it, shown) for it in self._lightmaps)

    def _note_losses(self, item: JsonItem, base: JsonItem, texture: JsonItem, lightmap: JsonItem) -> None:
        """Report what a material has beyond what the game knows; its own light shines through its image."""
        losses = self._document.losses
        for key, text in _MAPS.items():
            found = item.item(key)
            is_read = key == "emissiveTexture" and self._images.has_same_image(found, texture)
            if found.values and not is_read and found.path != lightmap.path:
                losses.add(text, item.path)
        if "metallicRoughnessTexture" in base or "specularGlossinessTexture" in base:
            losses.add("maps of roughness and metal are left out", item.path)
        # An unlit surface has neither; only what a file says counts, as programs leave defaults out.
        is_lit = UNLIT not in item.item("extensions")
        if is_lit and (base.number("metallicFactor", 0.0) > 0 or base.number("roughnessFactor", 1.0) < 1):
            losses.add("roughness and metallic are left out", item.path)
        for name in item.item("extensions").values:
            if name not in {UNLIT, STRENGTH, GLOSS}:
                losses.add("{extension} is left out", item.path, extension=name[:60])


def _stem(name: str) -> str:
    """The name of an image without its suffix, which programs drop or change."""
    return PurePath(name).stem.casefold()


def _placed(material: SceneMaterial, texture: JsonItem, *, is_own: bool) -> TexturedMaterial:
    """A look with the place of its texture, which is a part of an image in files of this program."""
    moved = texture.item("extensions").item(TRANSFORM)
    uv_set = texture.whole("texCoord", 0)
    if not moved.values:
        return TexturedMaterial(material, uv_set)
    (x, y), (width, height) = moved.numbers("offset", (0.0, 0.0)), moved.numbers("scale", (1.0, 1.0))
    turn = moved.number("rotation", 0.0)
    # This program writes no other transform than the part of an image, which the material keeps.
    # Anything else is applied to the coordinates of vertices, as the game has no transform of a texture.
    if is_own and turn == 0:
        return TexturedMaterial(replace(material, sub_image=(x, y, width, height)), uv_set)
    cos, sin = np.cos(turn), np.sin(turn)
    # Translation * rotation * scale of KHR_texture_transform; v runs downwards, so sin changes its place.
    matrix = np.array([[cos * width, sin * height, x], [-sin * width, cos * height, y], [0, 0, 1]])
    if turn == 0 and width * height != 0:
        material = replace(material, applied=(x, y, width, height))
    return TexturedMaterial(material, moved.whole("texCoord", uv_set), matrix)


def _stored_color(values: Sequence[float]) -> Vector:
    """A linear color as the game stores it."""
    red, green, blue = (stored(_clamped(value)) for value in values)
    return red, green, blue


def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0)


class MaterialObjects:
    """The materials of a file.

    Attributes
    ----------
    materials, textures, samplers
        As in the file.
    extensions
        The extensions that they use.
    images
        Those of the scene, some as layers of added light, and further such layers.
    """

    def __init__(self, materials: Sequence[SceneMaterial], images: Sequence[SceneImage] = ()) -> None:
        self.images = [*images]
        self._layers: dict[int, tuple[int, Strength]] = {}
        self._plain = {it.image for it in materials if it.alpha is not AlphaMode.ADDED}
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

    def _material(self, material: SceneMaterial, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {"name": name, "pbrMetallicRoughness": self._color(material)}
        if any(material.emissive):
            if material.image is not None:
                found["emissiveTexture"] = self._texture(material)
            found["emissiveFactor"] = [linear(value) for value in material.emissive]
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
        strength = ""
        if material.alpha is AlphaMode.ADDED:
            strength = Strength.COLOR if material.image is None else self._layer(material.image)[1]
        return found | extras.of_material(material, strength)

    def _color(self, material: SceneMaterial) -> dict[str, Any]:
        found: dict[str, Any] = {}
        is_layer = material.alpha is AlphaMode.ADDED and material.is_unlit
        shown = layer_color(material.color) if is_layer else material.color
        color = [*map(linear, shown[:3]), shown[3]]
        if color != [1.0, 1.0, 1.0, 1.0]:
            found["baseColorFactor"] = color
        if material.image is not None:
            found["baseColorTexture"] = self._texture(material)
        return found | {"metallicFactor": 0.0, "roughnessFactor": 1.0}

    def _texture(self, material: SceneMaterial) -> dict[str, Any]:
        """A reference to the texture of a material, moved to its sub-image."""
        image = material.image or 0
        if material.alpha is AlphaMode.ADDED:
            image, _ignored = self._layer(image)
        found: dict[str, Any] = {"index": self._add(image, is_lightmap=False)}
        if material.sub_image != WHOLE:
            self.extensions.add(TRANSFORM)
            u, v, width, height = material.sub_image
            found["extensions"] = {TRANSFORM: {"offset": [u, v], "scale": [width, height]}}
        return found

    def _layer(self, image: int) -> tuple[int, Strength]:
        """The number of the layer of an image, in place of it if no other material needs it as it is."""
        if image not in self._layers:
            light = self.images[image]
            layer = SceneImage(light.name, layer_of(light.pixels))
            number = len(self.images) if image in self._plain else image
            # At the end of the list this appends, inside it it replaces.
            self.images[number : number + 1] = [layer]
            self._layers[image] = number, strength_of(light.pixels)
        return self._layers[image]

    def _add(self, image: int, *, is_lightmap: bool) -> int:
        """The texture of an image."""
        key = image, is_lightmap
        if key not in self._index:
            if is_lightmap not in self._sampler:
                self._sampler[is_lightmap] = len(self.samplers)
                self.samplers.append(dict(SAMPLERS[is_lightmap]))
            self._index[key] = len(self.textures)
            self.textures.append({"sampler": self._sampler[is_lightmap], "source": image})
        return self._index[key]
