"""Schemas that several verbs use."""

from __future__ import annotations

from typing import Final

from viewer.cli.schemas.values import (
    COUNT,
    INTEGER,
    NUMBER,
    TEXT,
    TRUTH,
    U32,
    Schema,
    array,
    nullable,
    one_of,
    record,
    reference,
)
from viewer.errors import Severity
from viewer.model.material.materials import Found
from viewer.model.mesh.reading import MaterialField

NOTHING: Final[Schema] = {"type": "null"}
_FILE: Final[dict[str, Schema]] = {
    "index": COUNT,
    "name": TEXT,
    "type": NOTHING,
    "type_name": TEXT,
    "size": nullable(COUNT),
    "offset": NOTHING,
    "attr1": NOTHING,
    "attr2": NOTHING,
    "attr3": NOTHING,
    "sort_index": NOTHING,
    "packed_size": NOTHING,
    "method": NOTHING,
}
_STORED: Final[dict[str, Schema]] = {
    **_FILE,
    "type": U32,
    "size": COUNT,
    "offset": COUNT,
    "sort_index": INTEGER,
}
ENTRIES: Final[dict[str, Schema]] = {
    "entry.nres": record({**_STORED, "attr1": U32, "attr2": U32, "attr3": U32}),
    "entry.rsli": record({**_STORED, "type": {"const": 0}, "packed_size": COUNT, "method": TEXT}),
    "entry.folder": record(_FILE),
}
"""The entries of an archive, of a packed library, and the files of a folder: what they have not is null."""

_DIAGNOSTIC: Final[dict[str, Schema]] = {
    "rule": TEXT,
    "severity": one_of(Severity),
    "table": TEXT,
    "index": nullable(INTEGER),
    "field": nullable(TEXT),
    "message": TEXT,
}
DIAGNOSTIC: Final = record(_DIAGNOSTIC)
SOURCED_DIAGNOSTIC: Final = record({"source": TEXT, **_DIAGNOSTIC})
FIELD_VALUE: Final[Schema] = {
    "anyOf": [NUMBER, TEXT, TRUTH, NOTHING, {"type": "array", "items": reference("value")}]
}
"""A value of any field, by the name ``value``."""
COLOR: Final = array(NUMBER, 4)
PHASE: Final[dict[str, Schema]] = {
    "ambient": COLOR,
    "diffuse": COLOR,
    "specular": COLOR,
    "emissive": COLOR,
    "power": INTEGER,
    "texture": nullable(TEXT),
    "page": nullable(INTEGER),
    "lit": TRUTH,
}
BLENDING: Final[dict[str, Schema]] = {
    "blend": TEXT,
    "blend_mode": INTEGER,
    "lit_skin": TRUTH,
    "see_through": TRUTH,
}
FOUND: Final = one_of(Found)
MATERIAL_FIELD: Final = one_of(MaterialField)
MATRIX: Final = array(NUMBER, 16)
SHA256: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
QUATERNION: Final = array(NUMBER, 4)
VECTOR: Final = array(NUMBER, 3)
BATCH_MATERIAL: Final = record(
    {
        "batch": nullable(COUNT),
        "row": nullable(INTEGER),
        "material": nullable(TEXT),
        "found": FOUND,
        "phase": record(PHASE),
        "texture_found": TRUTH,
        "lightmap": nullable(TEXT),
        "second_layer": nullable(TEXT),
        **BLENDING,
        "trace": array(TEXT),
    }
)
