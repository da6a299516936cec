"""Fields for a way, angles and factors by which geometry is moved, turned and scaled."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import imgui

from viewer.geometry.transforms import Matrix, rotation
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import labeled, tooltip

WIDTH: Final = 15.0
"""Of three numbers, font heights."""
STEPS: Final = (0.01, 0.5, 0.01)
"""Model units, degrees and factor for each pixel that the mouse is dragged."""


class Placing:
    """The numbers that were given last; owner: a menu."""

    def __init__(self) -> None:
        self._way, self._degrees, self._factors = [0.0] * 3, [0.0] * 3, [1.0] * 3

    @property
    def matrix(self) -> Matrix:
        """Scaling, then turning, then moving, shape (4, 4)."""
        matrix = rotation(self._degrees)
        matrix[:3, :3] = matrix[:3, :3] @ np.diag(self._factors)
        matrix[:3, 3] = self._way
        return matrix

    def draw(self, *, can_scale: bool = True) -> Matrix | None:
        """Draw the fields inside an open menu; return the matrix when it is to be applied."""
        self._factors = self._factors if can_scale else [1.0] * 3
        for name, words, values, step, hint in (
            ("way", _("move by"), self._way, STEPS[0], _("x, y, z in model units, in the space of the part")),
            ("degrees", _("turn by"), self._degrees, STEPS[1], _("degrees around x, then y, then z")),
            ("factors", _("scale by"), self._factors, STEPS[2], _("along x, y, z; below 0 mirrors")),
        ):
            if name == "factors" and not can_scale:
                continue
            imgui.set_next_item_width(theme.em(WIDTH))
            values[:] = imgui.drag_float3(labeled(words, name), values, step, 0.0, 0.0, "%.6g")[1]
            tooltip([hint, _("Drag, or double-click to type.")])
        is_possible = all(self._factors) and not np.array_equal(self.matrix, np.eye(4))
        imgui.begin_disabled(not is_possible)
        is_applied = imgui.button(labeled(_("Apply"), "apply_placing"))
        imgui.end_disabled()
        imgui.same_line()
        if imgui.button(labeled(_("Reset"), "reset_placing")):
            self._way, self._degrees, self._factors = [0.0] * 3, [0.0] * 3, [1.0] * 3
        return self.matrix if is_applied else None
