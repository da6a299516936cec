"""How portals fade with distance, against the distances of field-notes.md 3."""

from __future__ import annotations

from math import atan, tan

import numpy as np
import pytest

from viewer.model.mesh.portals import KINDS, PortalKind
from viewer.session.view.camera import Camera
from viewer.session.view.portal_fading import opacities

ASPECT = 4 / 3


@pytest.mark.parametrize(
    ("kind", "distances", "expected"),
    [
        # The square root of the distance counts: 16 is the middle between 4 and 36.
        (PortalKind.SIGN, (0, 4, 16, 36, 400), (0, 0, 0.5, 1, 1)),
        (PortalKind.DOORWAY, (0, 75, 85, 95, 400), (0, 0, 0.5, 1, 1)),
        (PortalKind.OPEN, (0, 85, 400), (0, 0, 0)),
    ],
)
def test_distances_of_the_game_at_a_field_of_view_of_1_3(
    kind: PortalKind, distances: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    camera = Camera(field_of_view=2 * atan(tan(1.3 / 2) / ASPECT))
    kinds = np.full(len(distances), KINDS.index(kind))
    assert opacities(kinds, np.array(distances, float), camera, ASPECT) == pytest.approx(expected)


def test_what_is_seen_larger_fades_farther_away() -> None:
    narrow = Camera(field_of_view=0.3)
    assert opacities(np.array([KINDS.index(PortalKind.DOORWAY)]), np.array([95.0]), narrow, 1.0) == [0]
