"""Materials and pictures of other programs, and light that is added as a layer and back."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import PIL.Image
import pytest
from PIL import features

from tests.model.convert.gltf.making import CORNERS, File
from tests.model.convert.gltf.test_write import parts_of
from viewer.formats.texture.pixels import Image
from viewer.model.convert.gltf.arrays import layer_color, layer_of, light_color, light_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.pictures import images
from viewer.model.convert.scene import AlphaMode, Mesh, Node, Primitive, Scene, SceneMaterial
from viewer.model.convert.scene_images import SceneImage

PIXELS = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5
HALO = SceneMaterial("halo", color=(0.6, 0.3, 0.15, 0.5), image=0, is_unlit=True, alpha=AlphaMode.ADDED)


def picture(kind: str = "PNG", **options: Any) -> bytes:
    buffer = BytesIO()
    PIL.Image.fromarray(PIXELS).save(buffer, kind, **options)
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


def material(**material: Any) -> SceneMaterial:
    return file_of(**material).scene().materials[0]


def test_colors_are_stored_colors() -> None:
    found = material(name="red", pbrMetallicRoughness={"baseColorFactor": [1, 0.2140411, 0, 0.5]})
    assert found.name == "red"
    np.testing.assert_allclose(found.color, (1, 0.5, 0, 0.5), atol=1e-5)
    assert (found.alpha, found.is_unlit, found.is_two_sided, found.image) == (
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
    np.testing.assert_allclose(found.materials[0].emissive, (0.5, 1, 0), atol=1e-3)
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
    assert scene.materials[0].image == 0
    assert scene.images[0].name == "paint"
    off = np.abs(scene.images[0].pixels[..., :3].astype(int) - PIXELS).max()
    assert off <= (60 if kind == "JPEG" else 0)
    assert (scene.images[0].pixels[..., 3] == 255).all()


def test_a_picture_that_several_use_is_one() -> None:
    file, info = textured(picture())
    file.add("textures", source=0)
    file.json["materials"].append({"pbrMetallicRoughness": {"baseColorTexture": info | {"index": 1}}})
    scene = file.scene()
    assert [it.image for it in scene.materials] == [0, 0]
    assert len(scene.images) == 1


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
    assert [it.image for it in scene.materials] == [0, 0, 0]
    assert [it.name for it in scene.images] == ["paint"]


def losses(scene: Scene) -> list[str]:
    """What is lost but the second set of coordinates, which every file here has."""
    return [it for it in scene.losses if "texture coordinates" not in it]


def test_damaged_pictures_are_a_loss() -> None:
    scene = textured(picture()[:40])[0].scene()
    assert not scene.images[scene.materials[0].image or 0].pixels.size
    assert losses(scene) == ["images[0]: is not an image that can be read"]


def test_too_many_pixels_are_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_PIXELS", 15)
    assert losses(textured(picture())[0].scene()) == ["images[0]: 4 x 4 pixels, at most 15 are read"]


@pytest.mark.parametrize("name", ["KHR_texture_basisu", "MSFT_texture_dds"])
def test_textures_that_cannot_be_read_are_a_loss(name: str) -> None:
    file, _ = textured(picture())
    file.json["textures"] = [{"extensions": {name: {"source": 0}}}]
    file.json["extensionsRequired"] = [name]
    scene = file.scene()
    assert not scene.images[scene.materials[0].image or 0].pixels.size
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
        ({"pbrMetallicRoughness": {"roughnessFactor": 0.5}}, "roughness and metallic are left out"),
        ({"pbrMetallicRoughness": {"metallicFactor": 1}}, "roughness and metallic are left out"),
        ({"extensions": {"KHR_materials_clearcoat": {}}}, "KHR_materials_clearcoat is left out"),
    ],
)  # fmt: skip
def test_what_materials_cannot_have_is_a_loss(material: dict[str, Any], loss: str) -> None:
    assert losses(file_of(**material).scene()) == [f"materials[0]: {loss}"]


def test_an_unlit_material_has_no_roughness_to_lose() -> None:
    unlit = {"pbrMetallicRoughness": {"roughnessFactor": 0.9}, "extensions": {"KHR_materials_unlit": {}}}
    assert losses(file_of(**unlit).scene()) == []


def test_an_emissive_map_that_is_the_base_map_is_none() -> None:
    file, info = textured(picture())
    file.json["materials"][0] |= {"emissiveTexture": info, "emissiveFactor": [1, 1, 1]}
    assert losses(file.scene()) == []


@pytest.fixture
def light() -> Image:
    """A picture of every strength and many hues, without opacity."""
    pixels = np.random.default_rng(1).integers(0, 256, (64, 64, 4)).astype(np.uint8)
    pixels[..., 3] = 255
    pixels[:4] //= np.uint8(60)
    pixels[:4, :, 3] = 255
    pixels[0, 0] = (0, 0, 0, 255)
    return pixels


def scene(light: Image, *materials: SceneMaterial) -> Scene:
    corners = np.eye(3, dtype=np.float32)
    parts = [
        Primitive(corners, np.array([[0, 1, 2]]), uvs=corners[:, :2], material=index)
        for index in range(len(materials))
    ]
    node = Node("a", cells={(0, 0): 0})
    return Scene("m", (node,), (Mesh("a", tuple(parts)),), materials, (SceneImage("GLOW.0", light),))


def test_a_layer_over_black_is_the_light(light: Image) -> None:
    light[..., 3] = np.arange(64) * 4
    layer = layer_of(light).astype(float)
    shown = layer[..., :3] * layer[..., 3:] / 255
    np.testing.assert_allclose(shown, light[..., :3] * (light[..., 3:] / 255.0), atol=1.01)
    assert (layer[..., :3].max(axis=2)[layer[..., 3] > 0] == 255).all()


def test_what_is_clear_has_the_color_of_the_rest() -> None:
    light = np.array([[[100, 50, 0, 255], [0, 0, 0, 255]]], np.uint8)
    assert layer_of(light).tolist() == [[[255, 128, 0, 100], [255, 128, 0, 0]]]
    assert not layer_of(np.zeros((2, 2, 4), np.uint8)).any()


def test_pictures_without_opacity_come_back_as_they_were(light: Image) -> None:
    assert np.array_equal(light_of(layer_of(light)), light)


def test_a_layer_is_its_own_layer(light: Image) -> None:
    light[..., 3] //= np.uint8(2)
    layer = layer_of(light)
    assert np.array_equal(layer_of(layer), layer)


def test_factors_give_the_same_light() -> None:
    assert layer_color((0.6, 0.3, 0.15, 0.5)) == pytest.approx((1, 0.5, 0.25, 0.3))
    assert light_color((1, 0.5, 0.25, 0.3)) == pytest.approx((0.3, 0.15, 0.075, 1))
    assert layer_color((0.0, 0.0, 0.0, 1.0))[3] == 0


@pytest.mark.parametrize("opacity", [255, 100])
def test_light_is_blended_in_files_and_light_again_when_read(light: Image, opacity: int) -> None:
    light[..., 3] = opacity
    given = scene(light, HALO)
    data = glb_of(given)
    said: dict[str, Any] = parts_of(data)[0]["materials"][0]
    assert said["alphaMode"] == "BLEND"
    assert said["pbrMetallicRoughness"]["baseColorFactor"][3] == pytest.approx(0.3)
    found = read(data)
    material = found.materials[0]
    assert material.alpha is AlphaMode.ADDED
    assert material.color == pytest.approx((0.3, 0.15, 0.075, 1), abs=1e-5)
    wanted = light if opacity == 255 else layer_of(light)
    assert np.array_equal(found.images[0].pixels, wanted)


def test_a_picture_of_two_uses_is_there_twice(light: Image) -> None:
    given = scene(light, HALO, SceneMaterial("lens", image=0))
    data = glb_of(given)
    assert [it["name"] for it in parts_of(data)[0]["images"]] == ["GLOW.0", "GLOW.0~2"]
    found = read(data)
    assert all(np.array_equal(it.pixels, light) for it in found.images)
    assert [it.alpha for it in found.materials] == [AlphaMode.ADDED, AlphaMode.OPAQUE]
