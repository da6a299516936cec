"""The records of batches, with their material in the words of a reading.

Source: spec/msh.md 8; spec/field-notes.md 2.
"""

from __future__ import annotations

import numpy as np

from viewer.errors import FormatError
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NONE
from viewer.formats.record import Rows
from viewer.model.convert.building.geometry import Geometry
from viewer.model.convert.building.values import Spot, word
from viewer.model.convert.building.wear_rows import WearRows
from viewer.model.convert.scene import AlphaMode, Fields, Primitive, Scene
from viewer.model.material.selectors import HAS_LIGHTMAP, NO_LIGHTMAP
from viewer.model.mesh.reading import MaterialField
from viewer.translation import Sentence

SEE_THROUGH_LAYER = 0x0100
"""Flag of a batch that is drawn after the others."""
BLENDED = {AlphaMode.BLENDED, AlphaMode.ADDED}
MOST_ROWS = {MaterialField.SEED: 0xFFFF, MaterialField.FIELD: 0xFF}
"""The last wear row that a batch can name."""


def batch_rows(scene: Scene, geometry: Geometry, wear: WearRows, field: MaterialField) -> Rows:
    """The records of all batches; raises `FormatError` for a material that a batch cannot name."""
    rows = BATCH.new(len(geometry.batches))
    counts = np.array([3 * len(it.triangles) for it in geometry.batches], np.int64)
    rows["index_count"], rows["index_start"] = counts, np.cumsum(counts) - counts
    rows["base_vertex"], rows["opaque14"] = geometry.vertex_starts[:-1], np.diff(geometry.vertex_starts)
    names = ("flags", "material", "opaque4", "opaque6")
    words = [_words(scene, it, wear, field, Spot(BATCH.name, row)) for row, it in enumerate(geometry.batches)]
    for name, values in zip(names, zip(*words, strict=True), strict=False):
        rows[name] = values
    return rows


def _words(
    scene: Scene, primitive: Primitive, wear: WearRows, field: MaterialField, spot: Spot
) -> tuple[int, int, int, int]:
    """The words at +0x00, +0x02, +0x04 and +0x06; those with another meaning in the reading are made anew."""
    is_same = scene.origin is None or scene.origin.material_field == field
    fields = primitive.fields if is_same else _flags(primitive)
    number = primitive.material
    if number is not None and not 0 <= number < len(scene.materials):
        message = Sentence("{value} of {count} materials", value=number, count=len(scene.materials))
        raise FormatError(message, table=spot.table, index=spot.index, field="material")
    row = wear.default if number is None else wear.rows[number]
    takes = number is not None and scene.materials[number].lightmap is not None
    takes = takes and primitive.lightmap_uvs is not None
    is_blended = number is not None and scene.materials[number].alpha in BLENDED
    usual = (HAS_LIGHTMAP if takes else 0) | (SEE_THROUGH_LAYER if is_blended else 0)
    flags = word(fields, "flags", usual, spot)
    if field is MaterialField.SEED:
        row = spot.limited("material", row, MOST_ROWS[field])
        return flags, row, word(fields, "opaque4", 0, spot), word(fields, "opaque6", 0, spot)
    row = spot.limited("opaque4", row, MOST_ROWS[field])
    high = word(fields, "opaque4", 0 if takes else NO_LIGHTMAP << 8, spot) & 0xFF00
    return flags, word(fields, "material", 0, spot), row | high, word(fields, "opaque6", NONE, spot)


def _flags(primitive: Primitive) -> Fields:
    """The fields that mean the same in both readings."""
    return {name: value for name, value in primitive.fields.items() if name == "flags"}
