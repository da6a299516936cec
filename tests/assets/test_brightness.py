"""The machines of the sample are readable in the light of the game, and from every side in a head light."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from viewer.cli.main import main

SIDES = 8
MEAN, DARK, DARK_SHARE = 60, 24, 0.05
FACES = {"front": ("0", "0", 60), "side": ("90", "0", 80), "top": ("0", "90", 100)}
"""Yaw, pitch and the least mean brightness in the light of the game, which is from above right and left."""


def brightness(path: Path) -> npt.NDArray[np.float64]:
    """The brightness of the pixels that show the machine."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGBA")).astype(float)
    shown: npt.NDArray[np.float64] = pixels[pixels[..., 3] > 127][:, :3].mean(axis=1)
    assert len(shown) > 2000, path.name
    return shown


@pytest.mark.parametrize("stem", ["walker", "drone"])
def test_it_is_bright_from_every_side_in_a_head_light(game: Path, tmp_path: Path, stem: str) -> None:
    options = ["--turntable", str(SIDES), "--transparent", "--size", "200x200", "--light", "head"]
    model = f"{game / 'models.rlb'}::{stem}.msh"
    assert main(["render", model, "-o", str(tmp_path / "turn.png"), "-q", *options]) == 0
    pictures = sorted(tmp_path.glob("turn_*.png"))
    assert len(pictures) == SIDES
    for path in pictures:
        shown = brightness(path)
        assert shown.mean() >= MEAN, path.name
        assert np.mean(shown < DARK) <= DARK_SHARE, path.name


@pytest.mark.parametrize("stem", ["walker", "drone"])
@pytest.mark.parametrize("face", FACES)
def test_each_face_is_bright_in_the_light_of_the_game(
    game: Path, tmp_path: Path, stem: str, face: str
) -> None:
    yaw, pitch, least = FACES[face]
    out = tmp_path / "face.png"
    options = ["--yaw", yaw, "--pitch", pitch, "--transparent", "--size", "200x200"]
    assert main(["render", f"{game / 'models.rlb'}::{stem}.msh", "-o", str(out), "-q", *options]) == 0
    assert brightness(out).mean() >= least
