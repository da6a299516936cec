"""The axes of a file and those of a model: a turn by a quarter, exact in floats."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]


class Axes(NamedTuple):
    """The directions of a file, seen from the model.

    Attributes
    ----------
    order, signs
        The component of the file, and its sign, for x, y and z of the model.
    """

    order: tuple[int, int, int]
    signs: tuple[int, int, int]

    @property
    def matrix(self) -> Matrix:
        """From the file's axes to those of the model, (3, 3)."""
        return np.asarray(np.eye(3)[list(self.order)] * np.array(self.signs)[:, None])

    def vectors(self, values: npt.NDArray[Any]) -> Floats:
        """Positions or directions of the file in the model's axes, (n, 3)."""
        result = np.empty((len(values), 3), np.float32)
        for axis, (source, sign) in enumerate(zip(self.order, self.signs, strict=True)):
            np.multiply(values[:, source], np.float32(sign), out=result[:, axis])
        return result

    def rotations(self, values: npt.NDArray[Any]) -> Floats:
        """Quaternions x, y, z, w of the file as w, x, y, z of the model, (n, 4)."""
        return np.column_stack([values[:, 3].astype(np.float32), self.vectors(values[:, :3])])


Y_UP: Final = Axes((0, 2, 1), (1, -1, 1))
"""What glTF asks for."""
Z_UP: Final = Axes((0, 1, 2), (1, 1, 1))
