"""Texture coordinates of terrain, which start over after 64 turns."""

from __future__ import annotations

import numpy as np

from viewer.formats.msh.vertices import across_seam


def test_words_are_read_so_that_a_triangle_does_not_run_through_all_turns() -> None:
    """Signed words start over at 32 turns, unsigned ones at 0; u and v are read apart."""
    across = np.array([[0xFF00, 0x7F00], [0x0100, 0x8100], [0x0000, 0x8000]], np.uint16)
    expected = [[-256, 32512], [256, 33024], [0, 32768]]
    assert across_seam(across).tolist() == expected
    assert across_seam(across.view(np.int16)).tolist() == expected


def test_words_without_a_seam_between_them_stay_signed() -> None:
    several = np.array([[[0xFFFF, 1]] * 3, [[0x8000, 0x7FFF]] * 3], np.uint16)
    assert across_seam(several).tolist() == [[[-1, 1]] * 3, [[-32768, 32767]] * 3]
    assert across_seam(several[:, :0]).shape == (2, 0, 2)
