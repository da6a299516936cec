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
)
from viewer.errors import Severity
from viewer.model.material.materials import Found
from viewer.model.mesh.reading import MaterialField

ENTRY: Final = record(
    {
        "index": COUNT,
        "name": TEXT,
        "type": U32,
        "type_name": TEXT,
        "size": COUNT,
        "offset": nullable(U32),
        "attr1": nullable(U32),
        "attr2": nullable(U32),
        "attr3": nullable(U32),
        "sort_index": nullable(INTEGER),
        "packed_size": nullable(COUNT),
        "method": nullable(TEXT),
    }
)
"""An entry of an archive, or a file of a folder; what one of these has not is null."""

DIAGNOSTIC: Final = record(
    {
        "rule": TEXT,
        "severity": one_of(Severity),
        "table": TEXT,
        "index": nullable(INTEGER),
        "field": nullable(TEXT),
        "message": TEXT,
    }
)
COLOR: Final = array(NUMBER, 4)
PHASE: Final[dict[str, Schema]] = {
    "ambient": COLOR,
    "diffuse": COLOR,
    "specular": COLOR,
    "emissive": COLOR,
    "power": INTEGER,
    "texture": nullable(TEXT),
    "page": nullable(INTEGER),
}
FOUND: Final = one_of(Found)
MATERIAL_FIELD: Final = one_of(MaterialField)
MATRIX: Final = array(NUMBER, 16)
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
        "blend": TEXT,
        "trace": array(TEXT),
    }
)
