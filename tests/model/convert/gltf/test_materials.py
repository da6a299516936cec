"""Materials and pictures of other programs."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image, features

from tests.model.convert.gltf.making import CORNERS, File
from viewer.model.convert import images
from viewer.model.convert.scene import AlphaMode, Material, Scene

PIXELS = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5


def picture(kind: str = "PNG", **options: Any) -> bytes:
    buffer = BytesIO()
    Image.fromarray(PIXELS).save(buffer, kind, **options)
    return buffer.getvalue()


def file_of(**material: Any) -> File:
    """A file with a triangle of one material."""
    file = File()
    uvs = {"TEXCOORD_0": file.array(CORNERS[:, :2]), "TEXCOORD_1": file.array(CORNERS[:, 1:])}
    file.node(mesh=file.mesh(file.triangle(uvs, material=0)))
    file.json["materials"] = [material]
    return file


def textured(data: bytes, mime: str = "image/png", **texture: Any) -> tuple[File, dict[str, Any]]:
    """A file whose triangle has a picture, and the texture of its material."""
    file = file_of()
    file.add("images", bufferView=file.view(data), mimeType=mime, name="paint")
    file.add("textures", source=0)
    info = {"index": 0, **texture}
    file.json["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": info}}]
    return file, info


def material(**material: Any) -> Material:
    return file_of(**material).scene().materials[0]


def test_colors_are_stored_colors() -> None:
    found = material(name="red", pbrMetallicRoughness={"baseColorFactor": [1, 0.2140411, 0, 0.5]})
    assert found.name == "red"
    np.testing.assert_allclose(found.color, (1, 0.5, 0, 0.5), atol=1e-5)
    assert (found.alpha, found.is_unlit, found.is_two_sided, found.picture) == (
        AlphaMode.OPAQUE,
        False,
        False,
        None,
    )


@pytest.mark.parametrize("mode", [AlphaMode.OPAQUE, AlphaMode.CUTOUT, AlphaMode.BLENDED])
def test_alpha_modes(mode: AlphaMode) -> None:
    assert material(alphaMode=str(mode)).alpha is mode


def test_unlit_and_two_sided() -> None:
    found = material(doubleSided=True, extensions={"KHR_materials_unlit": {}})
    assert (found.is_unlit, found.is_two_sided) == (True, True)


def test_light_of_its_own_is_cut_off_above_one() -> None:
    strength = {"KHR_materials_emissive_strength": {"emissiveStrength": 4}}
    found = file_of(emissiveFactor=[0.0535102, 1, 0], extensions=strength).scene()
    np.testing.assert_allclose(found.materials[0].glow, (0.5, 1, 0), atol=1e-3)
    assert found.losses[0] == "materials[0]: light of a material above 1 is cut off"


def test_glossy_materials_of_old_files() -> None:
    gloss = {"KHR_materials_pbrSpecularGlossiness": {"diffuseFactor": [0, 1, 0, 1]}}
    np.testing.assert_allclose(material(extensions=gloss).color, (0, 1, 0, 1), atol=1e-6)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_pictures(kind: str) -> None:
    if kind == "WEBP" and not features.check("webp"):
        pytest.skip("Pillow without WebP")
    options = {"lossless": True} if kind == "WEBP" else {}
    file, _ = textured(picture(kind, **options), f"image/{kind.lower()}")
    if kind == "WEBP":
        file.json["textures"] = [{"extensions": {"EXT_texture_webp": {"source": 0}}}]
        file.json["extensionsRequired"] = ["EXT_texture_webp"]
    scene = file.scene()
    assert scene.materials[0].picture == 0
    assert scene.pictures[0].name == "paint"
    off = np.abs(scene.pictures[0].pixels[..., :3].astype(int) - PIXELS).max()
    assert off <= (60 if kind == "JPEG" else 0)
    assert (scene.pictures[0].pixels[..., 3] == 255).all()


def test_a_picture_that_several_use_is_one() -> None:
    file, info = textured(picture())
    file.add("textures", source=0)
    file.json["materials"].append({"pbrMetallicRoughness": {"baseColorTexture": info | {"index": 1}}})
    scene = file.scene()
    assert [it.picture for it in scene.materials] == [0, 0]
    assert len(scene.pictures) == 1


def test_images_of_the_same_bytes_are_one_picture() -> None:
    file, info = textured(picture())
    (image,) = file.json["images"]
    file.add("images", **image | {"name": "again"})
    other = file.json["bufferViews"][image["bufferView"]]
    file.add("images", **image | {"bufferView": file.add("bufferViews", **other)})
    for number in (1, 2):
        file.add("textures", source=number)
        file.add("materials", pbrMetallicRoughness={"baseColorTexture": info | {"index": number}})
    scene = file.scene()
    assert [it.picture for it in scene.materials] == [0, 0, 0]
    assert [it.name for it in scene.pictures] == ["paint"]


def losses(scene: Scene) -> list[str]:
    """What is lost but the second set of coordinates, which every file here has."""
    return [it for it in scene.losses if "texture coordinates" not in it]


def test_damaged_pictures_are_a_loss() -> None:
    scene = textured(picture()[:40])[0].scene()
    assert not scene.pictures[scene.materials[0].picture or 0].pixels.size
    assert len(losses(scene)) == 1
    assert losses(scene)[0].startswith("images[0]: cannot be read: ")


def test_too_many_pixels_are_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_PIXELS", 15)
    assert losses(textured(picture())[0].scene()) == ["images[0]: 4 x 4 pixels, at most 15 are read"]


@pytest.mark.parametrize("name", ["KHR_texture_basisu", "MSFT_texture_dds"])
def test_textures_that_cannot_be_read_are_a_loss(name: str) -> None:
    file, _ = textured(picture())
    file.json["textures"] = [{"extensions": {name: {"source": 0}}}]
    file.json["extensionsRequired"] = [name]
    scene = file.scene()
    assert not scene.pictures[scene.materials[0].picture or 0].pixels.size
    assert losses(scene) == [f"textures[0]: textures of {name} cannot be read"]


def test_the_material_chooses_the_coordinates() -> None:
    found = textured(picture(), texCoord=1)[0].primitive().uvs
    assert found is not None
    assert found.tolist() == CORNERS[:3, 1:].tolist()


def test_moved_textures_move_their_coordinates() -> None:
    moved = {"offset": [0.5, 0.25], "scale": [2, 4], "rotation": np.pi / 2}
    found = textured(picture(), extensions={"KHR_texture_transform": moved})[0].primitive().uvs
    # As in the extension: scaled, turned against the clock in a picture whose v goes down, moved.
    cos, sin = 0, 1
    matrix = np.array([[2 * cos, 4 * sin], [-2 * sin, 4 * cos]])
    assert found is not None
    np.testing.assert_allclose(found, CORNERS[:3, :2] @ matrix.T + [0.5, 0.25], atol=1e-6)


@pytest.mark.parametrize(
    ("material", "loss"),
    [
        ({"normalTexture": {"index": 0}}, "normal maps are left out"),
        ({"occlusionTexture": {"index": 0}}, "occlusion maps are left out"),
        ({"emissiveTexture": {"index": 0}}, "emissive maps are left out"),
        ({"pbrMetallicRoughness": {"metallicRoughnessTexture": {"index": 0}}},
         "maps of roughness and metal are left out"),
        ({"extensions": {"KHR_materials_clearcoat": {}}}, "KHR_materials_clearcoat is left out"),
    ],
)  # fmt: skip
def test_what_materials_cannot_have_is_a_loss(material: dict[str, Any], loss: str) -> None:
    assert losses(file_of(**material).scene()) == [f"materials[0]: {loss}"]


def test_an_emissive_map_that_is_the_base_map_is_none() -> None:
    file, info = textured(picture())
    file.json["materials"][0] |= {"emissiveTexture": info, "emissiveFactor": [1, 1, 1]}
    assert losses(file.scene()) == []
