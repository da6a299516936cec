"""What is said of the keys around a key."""

from __future__ import annotations

import numpy as np

from viewer.ui.inspector.key_section import keys_around


def test_a_neighboring_key_is_named_with_its_distance_in_frames() -> None:
    times = np.array([0, 4, 10.5], "<f4")
    assert keys_around(times, 1, 2) == "2  +6.5"
    assert keys_around(times, 1, 0) == "0  -4"
    assert keys_around(times, 0, 0) == "0  +0"
