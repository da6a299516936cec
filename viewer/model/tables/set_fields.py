"""The fields that computed columns are set by: decoded, or stored in another table than the one shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.msh import keys, triangles, vertices
from viewer.formats.record import CP1251, Field
from viewer.model.tables.table_names import RAW, WEAR
from viewer.translation import _


class DecodedField(Struct, frozen=True, eq=False):
    """A field that is shown and set decoded: what is stored are whole steps of its values.

    Attributes
    ----------
    field
        The values as they are shown.
    decode
        From stored values (n, ...) to shown ones (n, k).
    scale
        Steps in a unit.
    low, high
        The limits of what may be set.
    """

    field: Field
    decode: Callable[[npt.NDArray[Any]], npt.NDArray[np.float32]]
    scale: int
    low: float = -1.0
    high: float = 1.0


NODE_NAME: Final = Field("name", "S64", "", encoding=CP1251)
SOCKET_TAG: Final = Field("takes", "S64", "", encoding=CP1251)
TEXT_OF_NODE: Final = Field("text", "S64", "", encoding=CP1251)
QUATERNION: Final = Field("quaternion", "<f4", "", shape=(4,))
WEAR_ROW: Final = Field("wear_row", "<u2", "", refers_to=WEAR)
"""The row of the wear table that a batch uses, in the field that selects it in the reading in effect."""
VERTEX_NORMAL: Final = DecodedField(
    Field("normal", "<f4", _("The normal of a vertex."), (3,)), vertices.decode_normals, vertices.NORMAL_SCALE
)
VERTEX_UV: Final = DecodedField(
    Field("uv", "<f4", _("The texture coordinate of a vertex."), (2,)),
    vertices.decode_uvs,
    vertices.UV_SCALE,
    # The steps of 1/1024 that an i16 holds: -32768 / 1024 to 32767 / 1024.
    -32.0,
    32767 / vertices.UV_SCALE,
)
FACE_NORMAL: Final = DecodedField(
    Field("normal", "<f4", _("The normal of a face."), (3,)), triangles.decode_normal, triangles.SCALE
)
SELECTORS: Final = Field(
    "selectors", "u1", _("Shared edges of the neighbors."), (3,), none=triangles.NO_SELECTOR
)
RAW_NAMES: Final[Mapping[tuple[str, str], str]] = {
    (table, f"{field.name}{RAW}"): field.name
    for table, field in (
        (triangles.TRIANGLE.name, FACE_NORMAL.field),
        (triangles.TRIANGLE.name, SELECTORS),
        (keys.KEY.name, QUATERNION),
    )
}
"""Stored fields whose decoded columns have their name, by table and name of the column with what is stored.

They follow from `model_tables` too; a script that sets a field loads none of that.
"""
DIRECTORY_NAMES: Final[Mapping[str, str]] = {
    "type": "type_id", "name": "name", "size": "size", "offset": "data_offset",
    "attr1": "attr1", "attr2": "attr2", "attr3": "attr3",
}  # fmt: skip
"""The fields of the directory, by the names that ``ls`` has for them."""
