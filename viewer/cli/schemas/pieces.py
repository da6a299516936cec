"""The pieces that schemas of declared records and columns are made of (JSON Schema 2020-12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

Schema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
TEXT: Final[Schema] = {"type": "string"}
TRUTH: Final[Schema] = {"type": "boolean"}
INTEGER: Final[Schema] = {"type": "integer"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
NUMBER: Final[Schema] = {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]}
"""A float: the shortest text of its binary32 value, or one of three texts."""
HEX: Final[Schema] = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
NOTHING: Final[Schema] = {"type": "null"}


def nullable(schema: Schema) -> Schema:
    """Return a schema that accepts null as well."""
    return {"anyOf": [schema, NOTHING]}


def one_of(values: Iterable[object]) -> Schema:
    """Return the schema of a text out of a few."""
    return {"enum": [*map(str, values)]}


def array(items: Schema, count: int | None = None) -> Schema:
    """Return the schema of a list, of exactly `count` elements if that is given."""
    size = {} if count is None else {"minItems": count, "maxItems": count}
    return {"type": "array", "items": items, **size}


def open_record(properties: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these fields, to which others may be added."""
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": [*properties],
    }


def record(properties: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these fields and no others."""
    return {**open_record(properties, optional), "additionalProperties": False}


def reference(name: str) -> Schema:
    """Return the reference to a shared schema."""
    return {"$ref": f"#/$defs/{name}"}


def by_value(field: str, schemas: Mapping[str, Schema], otherwise: Schema) -> Schema:
    """Return the schema that belongs to the value of a field."""
    cases = [{"if": {"properties": {field: {"const": value}}}, "then": it} for value, it in schemas.items()]
    other = {"if": {"properties": {field: {"enum": [*schemas]}}}, "else": otherwise}
    return {"required": [field], "allOf": [*cases, other]}


FIELD_VALUE: Final[Schema] = {
    "anyOf": [NUMBER, TEXT, TRUTH, NOTHING, {"type": "array", "items": reference("value")}]
}
"""A value of any field, by the name ``value``."""
