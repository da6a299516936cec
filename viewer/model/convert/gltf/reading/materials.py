"""Materials of a file, and how they place their texture.

Source: glTF 2.0, 3.9; KHR_texture_transform; KHR_materials_unlit, _emissive_strength, _pbrSpecularGlossiness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.model.convert.gltf.added_light import Strength, light_color
from viewer.model.convert.gltf.colors import stored
from viewer.model.convert.gltf.reading.document import Document
from viewer.model.convert.gltf.reading.item import Item
from viewer.model.convert.gltf.reading.own import Own, originals
from viewer.model.convert.gltf.reading.pictures import Pictures
from viewer.model.convert.labels import numbered
from viewer.model.convert.likeness import is_same_image
from viewer.model.convert.scene import AlphaMode, Color, Material, Picture, Vector
from viewer.translation import Sentence

UNLIT: Final = "KHR_materials_unlit"
STRENGTH: Final = "KHR_materials_emissive_strength"
GLOSS: Final = "KHR_materials_pbrSpecularGlossiness"
TRANSFORM: Final = "KHR_texture_transform"

WHITE: Final = (1.0, 1.0, 1.0, 1.0)
_MODES: Final = {mode.value: mode for mode in AlphaMode if mode is not AlphaMode.ADDED}
_MAPS: Final = {
    "normalTexture": Sentence("normal maps are left out"),
    "occlusionTexture": Sentence("occlusion maps are left out"),
    "emissiveTexture": Sentence("emissive maps are left out"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A material and where its texture lies.

    Attributes
    ----------
    uv_set
        The set of texture coordinates.
    uv_transform
        What they are multiplied with, (3, 3); None for nothing.
    """

    material: Material
    uv_set: int = 0
    uv_transform: npt.NDArray[np.float64] | None = None


PLAIN: Final = Look(Material(""))
"""Of primitives without a material."""


def looks(document: Document, pictures: Pictures, lightmaps: Sequence[Picture] = ()) -> tuple[Look, ...]:
    """All materials of a file.

    Parameters
    ----------
    lightmaps
        What an occlusion texture may be that a program returns without the word that it is a lightmap.
    """
    items = [*document.root.items("materials")]
    owns = [Own.of(item) for item in items]
    pairs = [*zip(owns, items, strict=True)]
    is_original = originals((own.whole("row"), item.name, own.text("name"), "") for own, item in pairs)
    known = {own.whole("row") for own, is_it in zip(owns, is_original, strict=True) if is_it}
    found = []
    for (own, item), is_it in zip(pairs, is_original, strict=True):
        is_copy = not is_it and own.whole("row") in known
        name = own.text("name") if is_it else item.name
        name = name or numbered("material", item.index)
        found.append(_look(document, pictures, item, name, Own({}) if is_copy else own, lightmaps))
    return tuple(found)


def _look(
    document: Document, pictures: Pictures, item: Item, name: str, own: Own, lightmaps: Sequence[Picture]
) -> Look:
    """A material, and what this program wrote about it."""
    gloss = item.item("extensions").item(GLOSS)
    is_glossy = bool(gloss.values)
    base = gloss if is_glossy else item.item("pbrMetallicRoughness")
    texture = base.item("diffuseTexture" if is_glossy else "baseColorTexture")
    occlusion = item.item("occlusionTexture")
    was_lightmap = Own.of(item).flag("lightmap")
    if was_lightmap and not occlusion.values:
        document.losses.add(Sentence("material {name}: its lightmap is left out", name=name))
    is_lightmap = was_lightmap or _is_lightmap(occlusion, pictures, lightmaps)
    lightmap = occlusion if is_lightmap else Item({})
    _note_losses(document, pictures, item, base, texture, lightmap)
    alpha, strength = _alpha(item)
    is_unlit = UNLIT in item.item("extensions")
    color = _color(base.numbers("diffuseFactor" if is_glossy else "baseColorFactor", WHITE))
    material = Material(
        name=name,
        row=own.whole("row"),
        color=light_color(color) if is_unlit and alpha is AlphaMode.ADDED else color,
        glow=_glow(document, item),
        picture=pictures.of_texture(texture, is_layer=strength == Strength.COLOR) if texture.values else None,
        lightmap=pictures.of_texture(lightmap) if lightmap.values else None,
        alpha=alpha,
        is_unlit=is_unlit,
        is_two_sided=item.flag("doubleSided"),
        fields=dict(own.part("fields").values),
    )
    return _placed(Look(material), texture, is_own=bool(Own.of(item)))


def _is_lightmap(occlusion: Item, pictures: Pictures, lightmaps: Sequence[Picture]) -> bool:
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


def _alpha(item: Item) -> tuple[AlphaMode, str]:
    """What alpha does, and where the light of a layer that this program wrote had its strength."""
    alpha = item.choice("alphaMode", _MODES, AlphaMode.OPAQUE.value)
    strength = Own.of(item).text("added") or ""
    is_added = alpha is AlphaMode.BLENDED and bool(strength)
    return (AlphaMode.ADDED, strength) if is_added else (alpha, "")


def _placed(look: Look, texture: Item, *, is_own: bool) -> Look:
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


def _color(values: tuple[float, ...]) -> Color:
    red, green, blue = (stored(_clamped(value)) for value in values[:3])
    return red, green, blue, _clamped(values[3])


def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _glow(document: Document, item: Item) -> Vector:
    """The light of a material, of which the game has at most 1."""
    strength = item.item("extensions").item(STRENGTH).number("emissiveStrength", 1.0)
    light = [value * strength for value in item.numbers("emissiveFactor", (0.0, 0.0, 0.0))]
    if max(light) > 1:
        document.losses.add(Sentence("light of a material above 1 is cut off"), item.path)
    red, green, blue = (stored(_clamped(value)) for value in light)
    return red, green, blue


def _note_losses(
    document: Document, pictures: Pictures, item: Item, base: Item, texture: Item, lightmap: Item
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
