"""Fading of the portals of a building with their distance from the eye, as the game draws them.

Source: spec/field-notes.md 3.
Status: inferred: read in the engine. It names a field of view; that it is the one across the image is ours.
"""

from __future__ import annotations

from math import atan, tan

import numpy as np

from viewer.geometry.transforms import Doubles, Indices
from viewer.model.mesh.portals import DOORWAY, SIGN
from viewer.session.view.camera import Camera

SIGN_FROM, SIGN_TO = 2.6, 7.8
"""Square roots of distances at which a sign begins to show and shows in full, at a field of view of 1."""
DOORWAY_FROM, DOORWAY_TO = 75 * 1.3, 95 * 1.3
"""Distances at which a doorway begins to blacken and is black, at a field of view of 1."""


def opacities(kinds: Indices, distances: Doubles, camera: Camera, aspect: float) -> Doubles:
    """Opacity of portals of some kinds (n,) at distances (n,) from the eye, model units, 0 to 1.

    Open ones are clear at any.
    """
    # The camera has the field of view of the height.
    view = 2 * atan(tan(camera.field_of_view / 2) * aspect)
    of_signs = (np.sqrt(distances) * view - SIGN_FROM) / (SIGN_TO - SIGN_FROM)
    of_doorways = (distances * view - DOORWAY_FROM) / (DOORWAY_TO - DOORWAY_FROM)
    unheld = np.select([kinds == SIGN, kinds == DOORWAY], [of_signs, of_doorways], 0.0)
    found: Doubles = np.clip(unheld, 0, 1)
    return found
