"""The camera that shows all of a model, at one time or at several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import replace
from viewer.geometry.bounds import Bounds, JoinedShapes
from viewer.model.mesh.animation import Pose
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import ViewState

NOTHING: Final = Bounds(np.full(3, -1.0), np.full(3, 1.0))
"""The framed box of a model without geometry."""


def framed(
    document: Document, camera: Camera, view: ViewState, aspect: float, moments: Sequence[float] = (0.0,)
) -> Camera:
    """The camera moved to show all that a view shows at some times, with its direction unchanged.

    In the own view the eye is put where the cockpit is at the first of them.

    Parameters
    ----------
    moments
        Seconds into the clip of the view, or frames without one.
    """
    poses = [posing.pose(document, posing.at(view, time)) for time in moments]
    posed = [document.posed(pose, view) for pose in poses]
    bounds = posed[0].bounds
    if bounds is None:
        return replace(camera, reach=NOTHING.diagonal).frame(NOTHING, aspect)
    camera = replace(camera, reach=bounds.diagonal)
    if view.drawn.is_own_view:
        return camera.seated(_seat(document, poses[0], view, bounds))
    return camera.frame(JoinedShapes(tuple(posed)), aspect)


def _seat(document: Document, pose: Pose, view: ViewState, bounds: Bounds) -> npt.NDArray[np.float64]:
    """Where the eye of the own view is, (3,); no source says that.

    At the origin of the first cockpit, if its geometry is around that; else in the middle of it, or of
    whatever is shown.
    """
    for node in sorted(document.chooser.cockpits):
        around, origin = document.bounds(pose, view, [node]), pose.world[node, :3, 3].astype(np.float64)
        if around is not None:
            return origin if around.holds(origin) else around.center
    return bounds.center
