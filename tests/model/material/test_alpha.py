"""What the alpha of a texture is for."""

from __future__ import annotations

import numpy as np
import pytest

from tests import game_folders
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.alpha import alpha_in, alpha_of
from viewer.model.material.materials import AlphaKind


@pytest.mark.parametrize(
    ("alpha", "kind"),
    [
        ((255,), AlphaKind.NONE),
        ((255, 240), AlphaKind.NONE),
        ((0, 255), AlphaKind.CUTOUT),
        ((0, 0, 0, 128, 255, 255, 255, 255), AlphaKind.CUTOUT),
        ((0, 100, 200, 255), AlphaKind.TRANSLUCENT),
        ((128,), AlphaKind.TRANSLUCENT),
    ],
)
def test_the_pixels_tell_holes_from_opacity(alpha: tuple[int, ...], kind: AlphaKind) -> None:
    assert alpha_of(texm.decode(game_folders.texture(alpha))) is kind


def test_another_channel_may_be_the_alpha() -> None:
    """Half of the blues are 0, and all of the alphas 255."""
    rgba = np.full((2, 2, 4), 255, np.uint8)
    rgba[0, :, 2] = 0
    texture = texm.decode(texm.build(rgba, PixelFormat.ARGB8888))
    assert [alpha_of(texture, channel) for channel in (2, 3)] == [AlphaKind.CUTOUT, AlphaKind.NONE]


def test_a_format_without_alpha_and_a_cut_texture_have_none() -> None:
    assert alpha_of(texm.decode(game_folders.texture((0,), PixelFormat.RGB888))) is AlphaKind.NONE
    assert alpha_of(texm.decode(game_folders.texture((0,))[:60])) is AlphaKind.NONE


def test_of_a_large_texture_a_part_is_enough() -> None:
    rgba = np.zeros((2048, 1024, 4), np.uint8)
    rgba[:, 512:] = 255
    large = texm.decode(texm.build(rgba, PixelFormat.ARGB4444))
    assert alpha_of(large) is AlphaKind.CUTOUT


def test_on_a_skin_whatever_alpha_there_is_is_gloss() -> None:
    assert alpha_in(AlphaKind.TRANSLUCENT, is_skin=True) is AlphaKind.GLOSS
    assert alpha_in(AlphaKind.CUTOUT, is_skin=False) is AlphaKind.CUTOUT
    assert alpha_in(AlphaKind.NONE, is_skin=True) is AlphaKind.NONE
