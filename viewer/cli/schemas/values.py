"""The pieces that schemas are made of (JSON Schema 2020-12), those that several verbs use, and a notation.

In the notation a document looks as in the contract of the command line, with a type for each name::

    {name: text; first, last: number; slot: count?; rows: [{a, b: int}]; turn: [number * 4]; doc?: text; ...}

``?`` after a type accepts null as well, ``?`` after a name lets the field be left out. ``+name`` stands for
the fields of a record. An object has no other fields unless it has ``...``. ``@name`` refers to a definition.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from viewer.errors import Severity
from viewer.model.material.materials import FoundIn
from viewer.model.mesh.reading import MaterialField

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
TRUTH: Final[Schema] = {"type": "boolean"}
INTEGER: Final[Schema] = {"type": "integer"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
U32: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 0xFFFFFFFF}
NUMBER: Final[Schema] = {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]}
"""A float: the shortest text of its binary32 value, or one of three texts."""
HEX: Final[Schema] = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
NOTHING: Final[Schema] = {"type": "null"}
_TYPES: Final[Mapping[str, Schema]] = {
    "any": {},
    "text": TEXT,
    "bool": TRUTH,
    "int": INTEGER,
    "count": COUNT,
    "u32": U32,
    "number": NUMBER,
    "hex": HEX,
    "null": NOTHING,
}
_TOKEN: Final = re.compile(r"@?\w[\w.]*|\.\.\.|[{}\[\]:;,?*+]")


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


def written(text: str, names: Mapping[str, Schema | str] | None = None) -> Schema:
    """Return the schema that a text in the notation stands for.

    `names` are its further types: schemas, or texts in the notation.
    """
    return _Notation(text, {**_TYPES, **(names or {})}).schema()


class _Notation:
    """Reads a schema in the notation, token by token; what is not written in it is a `KeyError`."""

    def __init__(self, text: str, names: Mapping[str, Schema | str]) -> None:
        self._tokens = deque(_TOKEN.findall(text))
        self._names = names

    def schema(self) -> Schema:
        """Read a type."""
        token = self._tokens.popleft()
        if token == "{":
            found = self._record()
        elif token == "[":
            items = self.schema()
            found = array(items, int(self._tokens.popleft()) if self._has("*") else None)
            self._tokens.popleft()
        else:
            found = reference(token[1:]) if token.startswith("@") else self._named(token)
        return nullable(found) if self._has("?") else found

    def _named(self, name: str) -> Schema:
        found = self._names[name]
        return written(found, self._names) if isinstance(found, str) else found

    def _record(self) -> Schema:
        """Read the fields of an object up to its end."""
        needed: dict[str, Schema] = {}
        optional: dict[str, Schema] = {}
        is_open = False
        while not self._has("}"):
            if self._has("..."):
                is_open = True
            elif self._has("+"):
                needed |= self._named(self._tokens.popleft())["properties"]
            else:
                self._field(needed, optional)
            self._has(";")
        return open_record(needed, optional) if is_open else record(needed, optional)

    def _field(self, needed: dict[str, Schema], optional: dict[str, Schema]) -> None:
        """Read one or more names and their type."""
        names = [self._tokens.popleft()]
        while self._has(","):
            names.append(self._tokens.popleft())
        place = optional if self._has("?") else needed
        self._tokens.popleft()
        place |= dict.fromkeys(names, self.schema())

    def _has(self, token: str) -> bool:
        """Whether a token is next, which is then skipped."""
        is_next = bool(self._tokens) and self._tokens[0] == token
        if is_next:
            self._tokens.popleft()
        return is_next


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
            called?: text?
        }"""
    ),
    "entry.rsli": written(
        """{
            index: count; name: text; type: zero; type_name: text; size, offset: count
            attr1, attr2, attr3: null; sort_index: int; packed_size: count; method: text
            called?: text?
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
