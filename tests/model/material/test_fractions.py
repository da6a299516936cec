"""Moments of a material at fractions of its track; worked example 5 of spec/effects.md 12."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.model.material.fractions import MaterialTrack

TRACK = MaterialTrack(
    np.array([50.0, 100, 150, 200]), np.arange(4), np.arange(12.0).reshape(4, 3), np.zeros((4, 3))
)


@pytest.mark.parametrize(
    ("fraction", "key", "share"),
    [
        (0.0, 0, 0.0),
        (0.3, 1, 0.2),
        (0.6, 2, 0.4),
        (0.99, 3, 0.96),
        (1.0, 0, 0.0),
        (1.2, 2, 0.0),
        (-0.1, 2, 0.0),
    ],
)
def test_the_key_and_the_way_to_the_next(fraction: float, key: int, share: float) -> None:
    keys, shares = TRACK.moments(np.array([fraction]))
    assert keys.tolist() == [key]
    assert shares[0] == pytest.approx(share, abs=1e-5)


def test_a_material_that_is_not_animated_shows_its_first_phase() -> None:
    still = MaterialTrack(np.zeros(0), np.zeros(1, np.int64), np.ones((1, 3)), np.ones((1, 3)))
    keys, shares = still.moments(np.array([0.0, 0.7, 3.0]))
    assert (keys.tolist(), shares.tolist()) == ([0, 0, 0], [0.0, 0.0, 0.0])
