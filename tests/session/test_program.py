"""The scale of the interface goes up and down in steps and stops at its ends."""

from __future__ import annotations

import pytest

from viewer.session.program import LEAST_SCALE, MOST_SCALE, next_scale


@pytest.mark.parametrize(
    ("scale", "step", "following"),
    [
        (1.0, 1, 1.1),
        (1.0, -1, 0.9),
        (1.3, 1, 1.5),
        (1.3, -1, 1.25),
        (MOST_SCALE, 1, 3.0),
        (LEAST_SCALE, -1, 0.75),
    ],
)
def test_the_next_scale(scale: float, step: int, following: float) -> None:
    assert next_scale(scale, step) == following
