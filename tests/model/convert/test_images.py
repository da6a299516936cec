"""Images of other programs: as many as sound files have are decoded, and of small files no more than fit."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import PIL.Image
import pytest

from tests.fuzz import bombs
from viewer.errors import FormatError
from viewer.model.convert.images import MOST_TOGETHER, PixelBudget


def texture(side: int) -> bytes:
    """A JPEG file of a surface with some grain."""
    grain = np.random.default_rng(1).normal(128, 12, (side, side)).clip(0, 255).astype(np.uint8)
    file = BytesIO()
    PIL.Image.fromarray(grain).save(file, "JPEG", quality=75)
    return file.getvalue()


def test_the_textures_of_a_sound_model_are_decoded() -> None:
    data, budget = texture(1024), PixelBudget()
    for _ in range(MOST_TOGETHER >> 20):
        assert budget.read(data, ("JPEG",)).shape == (1024, 1024, 4)
    with pytest.raises(FormatError, match="1024 x 1024 pixels, at most 0 are read"):
        budget.read(data, ("JPEG",))


def test_of_small_files_fewer_pixels_are_decoded() -> None:
    data, budget = bombs.png(4096, 4096), PixelBudget()
    for _ in range(4):
        budget.read(data, ("PNG",))
    with pytest.raises(FormatError, match="4096 x 4096 pixels, at most"):
        budget.read(data, ("PNG",))
