"""Schemas that several verbs use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from viewer.cli.schemas.values import (
    NOTHING,
    NUMBER,
    TEXT,
    TRUTH,
    Schema,
    array,
    one_of,
    reference,
    written,
)
from viewer.errors import Severity
from viewer.model.material.materials import FoundIn
from viewer.model.mesh.reading import MaterialField

QUATERNION: Final = array(NUMBER, 4)
VECTOR: Final = array(NUMBER, 3)
PHASE: Final = written(
    """{
        ambient, diffuse, specular, emissive: [number * 4]
        power: int; texture: text?; page: int?; lit: bool
    }"""
)
BLENDING: Final = written("{blend: text; blend_mode: int; lit_skin, see_through: bool}")
TYPES: Final[Mapping[str, Schema]] = {
    "vector": VECTOR,
    "quaternion": QUATERNION,
    "matrix": array(NUMBER, 16),
    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "severity": one_of(Severity),
    "found": one_of(FoundIn),
    "material_field": one_of(MaterialField),
    "phase": PHASE,
    "blending": BLENDING,
    "zero": {"const": 0},
}
"""Types that the notation of several verbs has."""
ENTRIES: Final[Mapping[str, Schema]] = {
    "entry.nres": written(
        """{
            index: count; name: text; type: u32; type_name: text; size, offset: count
            attr1, attr2, attr3: u32; sort_index: int; packed_size, method: null
        }"""
    ),
    "entry.rsli": written(
        """{
            index: count; name: text; type: zero; type_name: text; size, offset: count
            attr1, attr2, attr3: null; sort_index: int; packed_size: count; method: text
        }""",
        TYPES,
    ),
    "entry.folder": written(
        """{
            index: count; name: text; type: null; type_name: text; size: count?; offset: null
            attr1, attr2, attr3, sort_index, packed_size, method: null
        }"""
    ),
}
"""The entries of an archive, of a packed library, and the files of a folder: what they have not is null."""
DIAGNOSTIC: Final = written(
    "{rule: text; severity: severity; table: text; index: int?; field: text?; message: text}", TYPES
)
SOURCED_DIAGNOSTIC: Final = written("{source: text; +diagnostic}", {"diagnostic": DIAGNOSTIC})
FIELD_VALUE: Final[Schema] = {
    "anyOf": [NUMBER, TEXT, TRUTH, NOTHING, {"type": "array", "items": reference("value")}]
}
"""A value of any field, by the name ``value``."""
