"""The fields that computed columns are set by: decoded, or stored in another table than the one shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from viewer.formats.msh import keys, triangles
from viewer.formats.record import CP1251, Field
from viewer.model.tables.table_names import RAW, WEAR
from viewer.translation import _

NODE_NAME: Final = Field("name", "S64", "", encoding=CP1251)
SOCKET_TAG: Final = Field("takes", "S64", "", encoding=CP1251)
TEXT_OF_NODE: Final = Field("text", "S64", "", encoding=CP1251)
QUATERNION: Final = Field("quaternion", "<f4", "", shape=(4,))
WEAR_ROW: Final = Field("wear_row", "<u2", "", refers_to=WEAR)
"""The row of the wear table that a batch uses, in the field that selects it in the reading in effect."""
VERTEX_NORMAL: Final = Field("normal", "<f4", _("The normal of a vertex."), (3,))
VERTEX_UV: Final = Field("uv", "<f4", _("The texture coordinate of a vertex."), (2,))
FACE_NORMAL: Final = Field("normal", "<f4", _("The normal of a face."), (3,))
SELECTORS: Final = Field(
    "selectors", "u1", _("Shared edges of the neighbors."), (3,), none=triangles.NO_SELECTOR
)
RAW_NAMES: Final[Mapping[tuple[str, str], str]] = {
    (table, f"{field.name}{RAW}"): field.name
    for table, field in (
        (triangles.TRIANGLE.name, FACE_NORMAL),
        (triangles.TRIANGLE.name, SELECTORS),
        (keys.KEY.name, QUATERNION),
    )
}
"""Stored fields whose decoded columns have their name, by table and name of the column with what is stored.

They follow from `model_tables` too; a script that sets a field loads none of that.
"""
