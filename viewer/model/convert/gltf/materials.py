"""Materials of a file, their images, and how they place their texture; equal images are decoded once.

Source: glTF 2.0, 3.8, 3.9; KHR_texture_transform; KHR_materials_unlit, _emissive_strength,
_pbrSpecularGlossiness; EXT_texture_webp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.model.convert import images
from viewer.model.convert.gltf.conventions import Strength, light_color, light_of, stored
from viewer.model.convert.gltf.document import GltfFile
from viewer.model.convert.gltf.extras_reader import ExtrasReader, originals
from viewer.model.convert.gltf.item import JsonItem
from viewer.model.convert.images import compression_of, is_same_image
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import AlphaMode, Color, Picture, SceneMaterial, Vector
from viewer.translation import Sentence

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
    "normalTexture": Sentence("normal maps are left out"),
    "occlusionTexture": Sentence("occlusion maps are left out"),
    "emissiveTexture": Sentence("emissive maps are left out"),
}


class Pictures:
    """The pictures that materials use, in the order in which they are asked for."""

    def __init__(self, document: GltfFile) -> None:
        self._document = document
        self._numbers: dict[tuple[object, bool], int] = {}
        self._budget = images.PixelBudget()
        self.found: list[Picture] = []

    def of_texture(self, info: JsonItem, *, is_layer: bool = False) -> int:
        """The number of the picture of a texture; one without pixels, and a loss, if it cannot be read.

        Parameters
        ----------
        is_layer
            Whether it is the layer of a picture of light, which is wanted.
        """
        texture = self._document.required(info, "index", "textures")
        image = self._image(texture)
        key = (texture.path if image is None else self._bytes_of(image)), is_layer
        if key not in self._numbers:
            self._numbers[key] = len(self.found)
            title = texture.name or numbered("picture", texture.index or 0)
            unknown = Picture(title, np.empty((0, 0, 4), np.uint8))
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
        if name:
            message = Sentence("textures of {extension} cannot be read", extension=name)
        else:
            message = Sentence("has no picture")
        self._document.losses.add(message, texture.path)
        return None

    def _read(self, image: JsonItem, *, is_layer: bool) -> Picture:
        """Decode an image, if it can be."""
        uri = image.text("uri")
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
            return Picture(name, np.empty((0, 0, 4), np.uint8))
        shown = light_of(pixels) if is_layer else np.ascontiguousarray(pixels)
        return Picture(name, shown, None if is_layer else compression_of(data))

    def _bytes_of(self, image: JsonItem) -> object:
        """Where the bytes of an image are: images of the same bytes are one picture."""
        if "uri" in image:
            return image.text("uri")
        view = self._document.required(image, "bufferView", "bufferViews")
        buffer = self._document.required(view, "buffer", "buffers")
        return buffer.index, view.whole("byteOffset", 0), view.whole("byteLength")


@dataclass(frozen=True, slots=True, eq=False)
class TexturedMaterial:
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
"""Of primitives without a material."""


def looks(
    document: GltfFile, pictures: Pictures, lightmaps: Sequence[Picture] = ()
) -> tuple[TexturedMaterial, ...]:
    """All materials of a file.

    Parameters
    ----------
    lightmaps
        What an occlusion texture may be that a program returns without the word that it is a lightmap.
    """
    items = [*document.root.items("materials")]
    owns = [ExtrasReader.of(item) for item in items]
    pairs = [*zip(owns, items, strict=True)]
    is_original = originals((own.whole("row"), item.name, own.text("name"), "") for own, item in pairs)
    known = {own.whole("row") for own, is_it in zip(owns, is_original, strict=True) if is_it}
    found = []
    for (own, item), is_it in zip(pairs, is_original, strict=True):
        is_copy = not is_it and own.whole("row") in known
        name = own.text("name") if is_it else item.name
        name = name or numbered("material", item.index)
        found.append(_look(document, pictures, item, name, ExtrasReader({}) if is_copy else own, lightmaps))
    return tuple(found)


def _look(
    document: GltfFile,
    pictures: Pictures,
    item: JsonItem,
    name: str,
    own: ExtrasReader,
    lightmaps: Sequence[Picture],
) -> TexturedMaterial:
    """A material, and what this program wrote about it."""
    gloss = item.item("extensions").item(GLOSS)
    is_glossy = bool(gloss.values)
    base = gloss if is_glossy else item.item("pbrMetallicRoughness")
    texture = base.item("diffuseTexture" if is_glossy else "baseColorTexture")
    occlusion = item.item("occlusionTexture")
    was_lightmap = ExtrasReader.of(item).flag("lightmap")
    if was_lightmap and not occlusion.values:
        document.losses.add(Sentence("material {name}: its lightmap is left out", name=name))
    is_lightmap = was_lightmap or _is_lightmap(occlusion, pictures, lightmaps)
    lightmap = occlusion if is_lightmap else JsonItem({})
    _note_losses(document, pictures, item, base, texture, lightmap)
    stored = item.choice("alphaMode", _MODES, AlphaMode.OPAQUE.value)
    # Where the light of a layer that this program wrote had its strength.
    strength = (ExtrasReader.of(item).text("added") or "") if stored is AlphaMode.BLENDED else ""
    alpha = AlphaMode.ADDED if strength else stored
    is_unlit = UNLIT in item.item("extensions")
    *light, opacity = base.numbers("diffuseFactor" if is_glossy else "baseColorFactor", WHITE)
    color: Color = (*_stored_color(light), _clamped(opacity))
    strongest = item.item("extensions").item(STRENGTH).number("emissiveStrength", 1.0)
    glow = [value * strongest for value in item.numbers("emissiveFactor", (0.0, 0.0, 0.0))]
    if max(glow) > 1:
        document.losses.add(Sentence("light of a material above 1 is cut off"), item.path)
    material = SceneMaterial(
        name=name,
        row=own.whole("row"),
        color=light_color(color) if is_unlit and alpha is AlphaMode.ADDED else color,
        glow=_stored_color(glow),
        picture=pictures.of_texture(texture, is_layer=strength == Strength.COLOR) if texture.values else None,
        lightmap=pictures.of_texture(lightmap) if lightmap.values else None,
        alpha=alpha,
        is_unlit=is_unlit,
        is_two_sided=item.flag("doubleSided"),
        fields=dict(own.part("fields").values),
    )
    return _placed(TexturedMaterial(material), texture, is_own=bool(ExtrasReader.of(item)))


def _is_lightmap(occlusion: JsonItem, pictures: Pictures, lightmaps: Sequence[Picture]) -> bool:
    """Whether an occlusion texture is a known lightmap, in coordinates of its own as is written.

    By what it shows, or by its name, as somebody may have painted over it.
    """
    if not lightmaps or occlusion.whole("texCoord", 0) != 1:
        return False
    shown = pictures.found[pictures.of_texture(occlusion)]
    return any(_stem(it.name) == _stem(shown.name) or is_same_image(it, shown) for it in lightmaps)


def _stem(name: str) -> str:
    """The name of a picture without its suffix, which programs drop or change."""
    return PurePath(name).stem.casefold()


def _placed(look: TexturedMaterial, texture: JsonItem, *, is_own: bool) -> TexturedMaterial:
    """A look with the place of its texture, which is a part of a picture in files of this program."""
    moved = texture.item("extensions").item(TRANSFORM)
    uv_set = texture.whole("texCoord", 0)
    if not moved.values:
        return replace(look, uv_set=uv_set)
    (x, y), (width, height) = moved.numbers("offset", (0.0, 0.0)), moved.numbers("scale", (1.0, 1.0))
    turn = moved.number("rotation", 0.0)
    if is_own and turn == 0:
        return replace(look, material=replace(look.material, sub_image=(x, y, width, height)), uv_set=uv_set)
    cos, sin = np.cos(turn), np.sin(turn)
    matrix = np.array([[cos * width, sin * height, x], [-sin * width, cos * height, y], [0, 0, 1]])
    if turn == 0 and width * height != 0:
        look = replace(look, material=replace(look.material, applied=(x, y, width, height)))
    return replace(look, uv_set=moved.whole("texCoord", uv_set), uv_transform=matrix)


def _stored_color(values: Sequence[float]) -> Vector:
    """A linear color as the game stores it."""
    red, green, blue = (stored(_clamped(value)) for value in values)
    return red, green, blue


def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _note_losses(
    document: GltfFile,
    pictures: Pictures,
    item: JsonItem,
    base: JsonItem,
    texture: JsonItem,
    lightmap: JsonItem,
) -> None:
    """Name what a material has beyond what the game knows; its own light shines through its picture."""
    for key, text in _MAPS.items():
        found = item.item(key)
        is_read = key == "emissiveTexture" and pictures.has_same_image(found, texture)
        if found.values and not is_read and found.path != lightmap.path:
            document.losses.add(text, item.path)
    if "metallicRoughnessTexture" in base or "specularGlossinessTexture" in base:
        document.losses.add(Sentence("maps of roughness and metal are left out"), item.path)
    for name in item.item("extensions").values:
        if name not in {UNLIT, STRENGTH, GLOSS}:
            document.losses.add(Sentence("{extension} is left out", extension=name[:60]), item.path)
