"""The axes of a file and those of a model."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.model.convert.gltf.axes import inward, rotations_inward

Floats = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]


class Axes(NamedTuple):
    """The directions of a file: Y up, or Z up as in a model."""

    is_y_up: bool

    @property
    def matrix(self) -> Matrix:
        """From the file's axes to those of the model, (3, 3)."""
        return inward(np.eye(3, dtype=np.float32), is_y_up=self.is_y_up).T.astype(np.float64)

    def vectors(self, values: npt.NDArray[Any]) -> Floats:
        """Positions or directions of the file in the model's axes, (n, 3)."""
        return inward(values.astype(np.float32, copy=False), is_y_up=self.is_y_up)

    def rotations(self, values: npt.NDArray[Any]) -> Floats:
        """Quaternions x, y, z, w of the file as w, x, y, z of the model, (n, 4)."""
        return rotations_inward(values.astype(np.float32, copy=False), is_y_up=self.is_y_up)


Y_UP: Final = Axes(is_y_up=True)
"""What glTF asks for."""
