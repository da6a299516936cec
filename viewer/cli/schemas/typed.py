"""Schemas of the classes that JSON is read as: of scripts, and of documents that verbs write to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin

from viewer.cli.schemas.pieces import (
    COUNT,
    HEX,
    INTEGER,
    NUMBER,
    TEXT,
    TRUTH,
    Schema,
    array,
    one_of,
    record,
    reference,
)
from viewer.model.edit.script import CHANGES, DO
from viewer.model.edit.values import RowChoice
from viewer.typed_json import Base64, fields_of, is_record

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: Final[Mapping[Any, Schema]] = {
    Any: {},
    object: reference("value"),
    int: INTEGER,
    float: NUMBER,
    str: TEXT,
    bool: TRUTH,
    bytes: HEX,
    Base64: {"type": "string", "contentEncoding": "base64"},
    NoneType: {"type": "null"},
    RowChoice: {"anyOf": [TEXT, COUNT, array(COUNT)]},
}


def schema() -> Schema:
    """Return the schema of a script."""
    return {
        "$schema": DIALECT,
        "title": "mshview-script-1",
        "description": "changes that mshview edit --script makes, in order",
        "type": "array",
        "items": {
            "type": "object",
            "required": [DO],
            "properties": {DO: one_of(CHANGES)},
            "allOf": [_case(name, kind) for name, kind in CHANGES.items()],
        },
    }


def _case(name: str, kind: type) -> Schema:
    """The schema of a change: the members that belong to its name."""
    then = {**_fields(kind, {DO: {"const": name}}), "description": (getdoc(kind) or "").partition("\n")[0]}
    return {"if": {"properties": {DO: {"const": name}}}, "then": then}


def document(kind: type, **more: Schema) -> Schema:
    """Return the schema of a class, whose documents may have further members; `more` are some of them."""
    return {name: it for name, it in _fields(kind, more).items() if name != "additionalProperties"}


def _fields(kind: type, more: Mapping[str, Schema]) -> Schema:
    """The schema of a class; fields with a default may be left out."""
    properties: dict[str, Schema] = dict(more)
    optional: dict[str, Schema] = {}
    for name, field in fields_of(kind).items():
        (properties if field.required else optional)[name] = _type(field.type)
    return record(properties, optional)


def _type(kind: Any) -> Schema:
    origin, inner = get_origin(kind), get_args(kind)
    maker = _MAKERS.get(origin)
    if maker is not None:
        return maker(inner)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if hasattr(kind, "from_json"):  # a text of a form of its own, such as an address
        return TEXT
    if not is_record(kind):
        raise TypeError(kind)
    return _fields(cast(type, kind), {})


def _tuple(inner: tuple[Any, ...]) -> Schema:
    if len(inner) == 1 or inner[-1] is Ellipsis:
        return array(_type(inner[0]))
    return {**array({}, len(inner)), "prefixItems": [_type(it) for it in inner]}


def _annotated(inner: tuple[Any, ...]) -> Schema:
    found = _type(inner[0])
    for rule in inner[1:]:
        found = {**found, **rule.schema}
    return found


def _union(inner: tuple[Any, ...]) -> Schema:
    return {"anyOf": [_type(it) for it in inner]}


_MAKERS: Final[Mapping[Any, Callable[[tuple[Any, ...]], Schema]]] = {
    tuple: _tuple,
    frozenset: _tuple,
    Annotated: _annotated,
    Literal: lambda inner: {"enum": [*inner]},
    Union: _union,
    UnionType: _union,
}
