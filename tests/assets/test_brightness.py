"""The machines of the sample are readable from every side in the light of the game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from viewer.cli.main import main

SIDES = 8
MEAN, DARK, DARK_SHARE = 60, 24, 0.05


@pytest.mark.parametrize("stem", ["walker", "drone"])
def test_it_is_bright_from_every_side(game: Path, tmp_path: Path, stem: str) -> None:
    options = ["--turntable", str(SIDES), "--transparent", "--size", "200x200"]
    model = f"{game / 'models.rlb'}::{stem}.msh"
    assert main(["render", model, "-o", str(tmp_path / "turn.png"), "-q", *options]) == 0
    pictures = sorted(tmp_path.glob("turn_*.png"))
    assert len(pictures) == SIDES
    for path in pictures:
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGBA")).astype(float)
        brightness = pixels[pixels[..., 3] > 127][:, :3].mean(axis=1)
        assert len(brightness) > 2000, path.name
        assert brightness.mean() >= MEAN, path.name
        assert np.mean(brightness < DARK) <= DARK_SHARE, path.name
