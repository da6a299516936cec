"""The rotation of a key in degrees around x, then y, then z, next to its quaternion."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.keys import KEY
from viewer.formats.record import Field
from viewer.geometry import quaternions
from viewer.geometry.transforms import angles, rotation
from viewer.model.edit.change import Change
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.pose.interpolation import matrices
from viewer.model.store.address import Address
from viewer.session.field_text import float_text
from viewer.ui.editing.editable_field import EditableField

ANGLES: Final = Field("degrees", "<f4", "", shape=(3,), unit="degrees")
QUATERNION: Final = Field("quaternion", "<f4", "", shape=(4,))
PLACES: Final = 2
"""Digits of an angle: what a packed quaternion tells apart."""
_SAME: Final = 1e-7
"""Difference from 1 of the product of two quaternions that are packed alike."""


class HeldAngles:
    """The angles that were given last: shown while the key has their rotation, so that none of them jumps.

    A rotation has several triples of angles; only one of them is found again from its quaternion.
    """

    def __init__(self) -> None:
        self._given: tuple[float, ...] = (0.0, 0.0, 0.0)
        self._quaternion = np.zeros(4)

    def of(self, quaternion: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
        """The angles (3,) in degrees of w, x, y, z."""
        length = float(np.linalg.norm(quaternion))
        if length and abs(float(quaternion @ self._quaternion)) / length > 1 - _SAME:
            return np.array(self._given)
        return angles(matrices(quaternion[None], np.zeros((1, 3), np.float32))[0])

    def give(self, degrees: tuple[float, ...], near: npt.NDArray[np.floating]) -> tuple[float, ...]:
        """Keep angles; return their quaternion, with the sign that is nearer to another one."""
        found = quaternions.of_matrix(rotation(degrees)[:3, :3])
        found = np.clip(-found if found @ near < 0 else found, -1, 1)
        self._given, self._quaternion = degrees, found
        return tuple(found.tolist())

    def target(self, address: Address, key: int, quaternion: npt.NDArray[np.floating]) -> EditableField:
        """The angles of a key as an editable field.

        Parameters
        ----------
        key
            Row of the key pool.
        quaternion
            Its rotation, w, x, y, z.
        """
        rows = RowChoice.of(key)

        def make(degrees: Any) -> Change:
            return SetField(KEY.name, rows, QUATERNION.name, self.give((*map(float, degrees),), quaternion))

        value = np.asarray(self.of(quaternion), np.float32)
        return EditableField(address, KEY.name, rows, ANGLES, value, make=make)


def angle_text(field: Field, value: Any) -> str:
    """The text of an angle."""
    del field
    return float_text(round(float(value), PLACES) + 0.0)
