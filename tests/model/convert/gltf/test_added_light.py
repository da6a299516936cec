"""Light that is added to what is behind it, as a layer and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.model.convert.gltf.test_write import parts_of
from viewer.formats.texture.pixels import Image
from viewer.model.convert.gltf.conventions import layer_color, layer_of, light_color, light_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.scene import AlphaMode, Material, Mesh, Node, Picture, Primitive, Scene

HALO = Material("halo", color=(0.6, 0.3, 0.15, 0.5), picture=0, is_unlit=True, alpha=AlphaMode.ADDED)


@pytest.fixture
def light() -> Image:
    """A picture of every strength and many hues, without opacity."""
    pixels = np.random.default_rng(1).integers(0, 256, (64, 64, 4)).astype(np.uint8)
    pixels[..., 3] = 255
    pixels[:4] //= np.uint8(60)
    pixels[:4, :, 3] = 255
    pixels[0, 0] = (0, 0, 0, 255)
    return pixels


def scene(light: Image, *materials: Material) -> Scene:
    corners = np.eye(3, dtype=np.float32)
    parts = [
        Primitive(corners, np.array([[0, 1, 2]]), uvs=corners[:, :2], material=index)
        for index in range(len(materials))
    ]
    node = Node("a", cells={(0, 0): 0})
    return Scene("m", (node,), (Mesh("a", tuple(parts)),), materials, (Picture("GLOW.0", light),))


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
    assert np.array_equal(found.pictures[0].pixels, wanted)


def test_a_picture_of_two_uses_is_there_twice(light: Image) -> None:
    given = scene(light, HALO, Material("lens", picture=0))
    data = glb_of(given)
    assert [it["name"] for it in parts_of(data)[0]["images"]] == ["GLOW.0", "GLOW.0~2"]
    found = read(data)
    assert all(np.array_equal(it.pixels, light) for it in found.pictures)
    assert [it.alpha for it in found.materials] == [AlphaMode.ADDED, AlphaMode.OPAQUE]
