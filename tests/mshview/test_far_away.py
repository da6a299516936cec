"""A model far from the origin for its size is drawn like one at the origin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mshview

FACES = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")


def picture(
    folder: Path, size: int, place: tuple[float, float, float]
) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A cube at a place, (120, 120, 4)."""
    corners = [(x, y, z) for x in (0, size) for y in (0, size) for z in (0, size)]
    vertices = [" ".join(repr(a + b) for a, b in zip(it, place, strict=True)) for it in corners]
    path = folder / "cube.obj"
    path.write_text("\n".join([*(f"v {it}" for it in vertices), *(f"f {it}" for it in FACES)]) + "\n")
    mshview.import_file(path, folder / "cube.msh", replace=True)
    (model,) = mshview.models(folder / "cube.msh")
    return model.render((120, 120))


@pytest.mark.parametrize(
    ("size", "place"),
    [(1, (1e5, 1e5, 0.0)), (3, (5e4, -5e4, 5e4)), (13, (2e5, 2e5, 0.0)), (1, (-1e5, 0.0, 1e5))],
)
def test_nothing_of_a_cube_far_away_is_cut_off(
    tmp_path: Path, size: int, place: tuple[float, float, float]
) -> None:
    near, far = picture(tmp_path, size, (0.0, 0.0, 0.0)), picture(tmp_path, size, place)
    assert (near[..., 3] > 0).mean() > 0.3
    different = np.abs(near.astype(int) - far).max(axis=2) > 12
    assert different.mean() < 0.02, "edges alone may lie on another pixel"
