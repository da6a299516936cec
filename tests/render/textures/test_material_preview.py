"""A material on a ball and on a quad."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from tests.render.materials import lit, material, picture, unlit
from viewer.model.material.materials import AlphaKind, Blend, Material, MissingResource
from viewer.model.material.phases import state_at
from viewer.render.material_preview import MaterialPreview, is_wide, shapes
from viewer.render.textures import texels
from viewer.session.view.coloring import MaterialLook
from viewer.session.view.options.lighting import Lighting
from viewer.session.view.view_state import ViewState

VIEW = ViewState(samples=1)
DARK = replace(VIEW, lighting=Lighting(scene=0.0, has_lights=False))
SIZE = (256, 128)
BACKGROUND = 51


@pytest.fixture
def preview(ctx: moderngl.Context) -> MaterialPreview:
    return MaterialPreview(ctx)


def image(preview: MaterialPreview, shown: Material, **changed: Any) -> npt.NDArray[np.uint8]:
    """The image with all textures uploaded."""
    look = MaterialLook(shown, state_at(shown, 0), VIEW, **{"size": SIZE, **changed})
    preview.load(look)
    for texture in preview.requested_textures(VIEW.textures):
        preview.provide(texels.decode(texture, VIEW.textures, preview.texture_limit))
    return preview.image(look)


def at(pixels: npt.NDArray[np.uint8], x: float, y: float) -> list[int]:
    """The color at a place of the image, 0 to 1 from the top left."""
    height, width = pixels.shape[:2]
    color: list[int] = pixels[int(y * height), int(x * width), :3].tolist()
    return color


def test_the_ball_is_lit_from_above_and_the_quad_evenly(preview: MaterialPreview) -> None:
    pixels = image(preview, material(None, lit(diffuse=(0.8, 0.8, 0.8, 1.0))))
    assert at(pixels, 0.22, 0.3)[0] > at(pixels, 0.3, 0.85)[0] + 50
    assert at(pixels, 0.6, 0.2) == at(pixels, 0.9, 0.8)
    assert at(pixels, 0.5, 0.5) == [BACKGROUND] * 3


def test_ball_and_quad_show_the_texture_the_right_way_round(preview: MaterialPreview) -> None:
    corners = np.zeros((2, 2, 4), np.uint8)
    corners[..., 3] = 255
    corners[0, 0, 0] = corners[0, 1, 1] = corners[1, 0, 2] = 255
    shown = material(picture(np.kron(corners, np.ones((8, 8, 1), np.uint8))))
    pixels = image(preview, shown)
    assert np.argmax(at(pixels, 0.6, 0.2)) == 0
    assert np.argmax(at(pixels, 0.9, 0.2)) == 1
    assert np.argmax(at(pixels, 0.6, 0.8)) == 2
    assert [np.argmax(at(pixels, x, y)) for x, y in ((0.17, 0.3), (0.3, 0.3), (0.17, 0.7))] == [0, 1, 2]


def test_the_opposite_edge_does_not_bleed_into_the_quad(preview: MaterialPreview) -> None:
    half = np.zeros((2, 2, 4), np.uint8)
    half[..., 3] = half[:, 0, 0] = 255
    pixels = image(preview, material(picture(half)))
    assert at(pixels, 0.94, 0.5) == [0, 0, 0]
    assert at(pixels, 0.56, 0.5) == [255, 0, 0]


def test_the_ball_turns(preview: MaterialPreview) -> None:
    half = np.zeros((8, 8, 4), np.uint8)
    half[..., 3] = half[:, :4, 0] = 255
    shown = material(picture(half))
    before, after = image(preview, shown), image(preview, shown, yaw=np.pi / 2)
    assert at(before, 0.3, 0.5) != at(after, 0.3, 0.5)
    assert at(before, 0.8, 0.5) == at(after, 0.8, 0.5)


def test_in_a_tall_image_the_quad_is_below_the_ball(preview: MaterialPreview) -> None:
    pixels = image(preview, Material(row=0), size=(128, 256))
    assert not is_wide((128, 256))
    assert at(pixels, 0.12, 0.12) == [BACKGROUND] * 3
    assert at(pixels, 0.12, 0.92) != [BACKGROUND] * 3


def test_a_board_shows_through_a_blended_material(preview: MaterialPreview) -> None:
    glass = material(picture((0, 0, 255, 128)), blend=Blend.ALPHA, alpha=AlphaKind.TRANSLUCENT)
    pixels = image(preview, glass)
    shades = {tuple(at(pixels, x, 0.5)) for x in np.linspace(0.6, 0.9, 20)}
    assert len(shades) == 2
    assert all(blue > red > 0 for red, _, blue in shades)


def test_a_missing_texture_shows_its_placeholder(preview: MaterialPreview) -> None:
    shown = replace(material(None), missing=(MissingResource("no texture", "GHOST.0"),))
    assert preview.requested_textures(VIEW.textures) == []
    preview.load(MaterialLook(shown, state_at(shown, 0), VIEW, SIZE))
    assert preview.requested_textures(VIEW.textures) == [MissingResource("no texture", "GHOST.0")]
    assert len(np.unique(image(preview, shown)[20:100, 150:230, 0])) > 2


def test_the_phase_of_the_state_is_drawn(preview: MaterialPreview) -> None:
    red, blue = (replace(unlit(), ambient=color) for color in ((1, 0, 0, 1), (0, 0, 1, 1)))
    shown = Material(row=0, phases=(red, blue), textures=(None, None), alphas=(AlphaKind.NONE,) * 2)
    state = replace(state_at(shown, 0), phase=1, ambient=blue.ambient)
    preview.draw(MaterialLook(shown, state_at(shown, 0), DARK, SIZE))
    pixels = preview.image(MaterialLook(shown, state, DARK, SIZE))
    assert at(pixels, 0.8, 0.5) == [0, 0, 255]


def test_the_triangles_of_the_ball_face_outwards() -> None:
    merged = shapes()
    a, b, c = (merged.positions[merged.corners[:, corner]] for corner in range(3))
    normal = np.cross(b - a, c - a)
    is_ball = merged.node[merged.corners[:, 0]] == 0
    assert ((normal * (a + b + c)).sum(axis=1)[is_ball] > -1e-6).all()
    assert (normal[~is_ball, 2] > 0).all()
