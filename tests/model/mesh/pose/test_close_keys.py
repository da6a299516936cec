"""Keys whose times hardly differ: neither a warning nor a number that is none."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import ModelBuilder
from tests.model.mesh.pose.test_animation import GOLDEN_SCENE, animation_of
from viewer.model.convert.motion.tracks import track_of


@pytest.mark.parametrize("time", [1e-42, 1e-30, 1e-9, -1e-42])
@pytest.mark.filterwarnings("error")
def test_keys_that_hardly_differ_in_time_use_the_left_key(time: float) -> None:
    """Frame 3 is 3e42 times as far as the second key, more than a number holds."""
    builder = ModelBuilder.of(GOLDEN_SCENE)
    builder.keys["time"][1] = time
    animation = animation_of(builder)
    sample = animation.sample(1.5)
    assert (sample.key[0], sample.is_interpolated[0]) == (0, False)
    for frame in (0.0, 0.5, 3.0, 3.5, 5.0, 8.0, 20.0):
        assert np.isfinite(animation.pose(frame).world).all()
    track = track_of(animation, 0)
    assert track is not None
    assert np.isfinite(track.positions).all()
    assert np.isfinite(track.rotations).all()
