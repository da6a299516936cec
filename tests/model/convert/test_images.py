"""Images of other programs: as many as sound files have are decoded, and of small files no more than fit."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import PIL.Image
import pytest

from tests.fuzz import bombs
from viewer.errors import FormatError
from viewer.model.convert.images import MOST_TOGETHER, PixelBudget
from viewer.model.store.disk import SIZE_LIMIT


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
    with pytest.raises(FormatError, match=r"1024 x 1024 pixels; all images together .* 0 of them are left"):
        budget.read(data, ("JPEG",))


def test_the_textures_of_any_file_fit_into_a_library_that_is_read() -> None:
    all_levels = MOST_TOGETHER * 4 * 4 // 3
    assert all_levels < SIZE_LIMIT - (1 << 20)


def test_of_small_files_fewer_pixels_are_decoded() -> None:
    data, budget = bombs.png(4096, 4096), PixelBudget()
    for _ in range(4):
        budget.read(data, ("PNG",))
    with pytest.raises(FormatError, match="4096 x 4096 pixels; all images together"):
        budget.read(data, ("PNG",))
